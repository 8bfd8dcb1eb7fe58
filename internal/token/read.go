package token

import (
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/page"
	"svcpay/internal/pg"
)

// Get returns a token of the actor's application. A malformed id, an unknown one and another
// application's get the same fault.
func (s *Service) Get(ctx context.Context, actor authz.Actor, id string) (Token, error) {
	if err := s.Check.Check(actor, authz.TokenRead); err != nil {
		return Token{}, err
	}
	tokenID, err := ids.ParseToken(id)
	if err != nil {
		return Token{}, fault.Missing()
	}
	t, err := find(ctx, s.Pool, actor.ApplicationID, tokenID)
	return t.derive(s.livemode()), err
}

// ListInput selects a page of tokens; what is not set selects all.
type ListInput struct {
	Page      page.Input[ids.Token]
	Created   page.Times
	Statuses  []string
	Kinds     []string
	Merchants []int64
}

// Statuses lists every status that a token can have.
func Statuses() []string {
	return []string{string(PendingVerification), string(Active), string(Disabled), string(Expired), string(Deleted)}
}

// Kinds lists every kind of token.
func Kinds() []string {
	return []string{string(CardKind), string(WalletA), string(WalletB), string(BankUS), string(BankCA)}
}

// List returns one page of the application's tokens, deleted ones too: charges name them.
func (s *Service) List(ctx context.Context, actor authz.Actor, in ListInput) (page.Of[Token], error) {
	if err := s.Check.Check(actor, authz.TokenRead); err != nil {
		return page.Of[Token]{}, err
	}
	statement := pageDown
	if in.Page.Up() {
		statement = pageUp
	}
	rows, err := pg.All[Token](ctx, s.Pool, statement, pg.Args{"application_id": actor.ApplicationID,
		"statuses": in.Statuses, "kinds": in.Kinds, "merchants": in.Merchants,
		"from": in.Created.From, "until": in.Created.Until, "cursor": in.Page.Cursor(), "limit": in.Page.Rows()})
	if err != nil {
		return page.Of[Token]{}, err
	}
	for i := range rows {
		rows[i] = rows[i].derive(s.livemode())
	}
	return page.Cut(in.Page, rows), nil
}

const selectPage = `SELECT ` + columns + ofPayers + `
		AND (@statuses::text[] IS NULL OR t.status = ANY (@statuses))
		AND (@kinds::text[] IS NULL OR t.kind = ANY (@kinds))
		AND (@merchants::bigint[] IS NULL OR t.merchant_id = ANY (@merchants))
		AND (@from::timestamptz IS NULL OR t.created_at >= @from)
		AND (@until::timestamptz IS NULL OR t.created_at < @until)`

// The two directions are two constant statements: a plan with the order in a parameter could not
// use the index.
const (
	pageUp   = selectPage + ` AND (@cursor::uuid IS NULL OR t.id > @cursor) ORDER BY t.id LIMIT @limit`
	pageDown = selectPage + ` AND (@cursor::uuid IS NULL OR t.id < @cursor) ORDER BY t.id DESC LIMIT @limit`
)
