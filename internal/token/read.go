package token

import (
	"context"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// Get returns a token of the actor's application. A malformed id, an unknown one and another
// application's get the same fault.
func (s *Service) Get(ctx context.Context, actor authz.Actor, id string) (Token, error) {
	if err := s.deps.Check.Check(actor, authz.TokenRead); err != nil {
		return Token{}, err
	}
	tokenID, err := ids.ParseToken(id)
	if err != nil {
		return Token{}, fault.Missing()
	}
	t, err := find(ctx, s.deps.Pool, actor.ApplicationID, tokenID)
	return authz.Seen(actor, t.derive(s.livemode()), t.MerchantID, err)
}

// reach reads the id of a token, or returns the fault that says that it is missing, if it is not of a merchant that the
// actor sees.
func (s *Service) reach(ctx context.Context, actor authz.Actor, id string) (ids.Token, error) {
	tokenID, err := ids.ParseToken(id)
	if err != nil {
		return tokenID, fault.Missing()
	}
	return tokenID, actor.Reach(func() (int64, error) {
		t, err := find(ctx, s.deps.Pool, actor.ApplicationID, tokenID)
		return t.MerchantID, err
	})
}

// ListInput selects a page of tokens; what is not set selects all.
type ListInput struct {
	Page      page.Input[ids.Token]
	Created   page.Times
	Statuses  []string
	Kinds     []string
	Brands    []string // of cards
	Merchants []int64
	Last4     *string
	Email     *string // of the payer, in letters of either case and any form
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
	if err := s.deps.Check.Check(actor, authz.TokenRead); err != nil {
		return page.Of[Token]{}, err
	}
	oldest, newest, err := spans.Within(ctx, s.deps.Clock.Present(s.livemode()), actor.ApplicationID, in.Created)
	if err != nil {
		return page.Of[Token]{}, err
	}
	return pg.Page(ctx, s.deps.Pool, in.Page, selectPage, pg.Args{"application_id": actor.ApplicationID,
		"statuses": in.Statuses, "kinds": in.Kinds, "brands": in.Brands, "merchants": actor.Within(in.Merchants),
		"last4": in.Last4, "email": mailbox.Sought(in.Email),
		"from": in.Created.From, "until": in.Created.Until, "oldest": oldest, "newest": newest}, s.shown)
}

// spans are of the ids of tokens. One has its id when its request comes, and its time when it is written.
var spans = clock.Spans[ids.Token]{First: ids.FirstToken, Apart: time.Minute}

const selectPage = `SELECT ` + columns + ofPayers + `
		AND (@statuses::text[] IS NULL OR t.status = ANY (@statuses))
		AND (@kinds::text[] IS NULL OR t.kind = ANY (@kinds))
		AND (@brands::text[] IS NULL OR t.brand = ANY (@brands))
		AND (@merchants::bigint[] IS NULL OR t.merchant_id = ANY (@merchants))
		AND (@last4::text IS NULL OR t.last4 = @last4)
		AND (@email::text IS NULL OR lower(t.billing->>'email') = lower(@email))
		AND (@from::timestamptz IS NULL OR t.created_at >= @from)
		AND (@until::timestamptz IS NULL OR t.created_at < @until)
		AND (@oldest::uuid IS NULL OR t.id >= @oldest)
		AND (@newest::uuid IS NULL OR t.id < @newest)`
