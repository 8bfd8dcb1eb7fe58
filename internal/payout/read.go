package payout

import (
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/page"
	"svcpay/internal/pg"
)

// Get returns a payout of the actor's application. A malformed id, an unknown one and another
// application's get the same fault.
func (s *Service) Get(ctx context.Context, actor authz.Actor, id string) (Payout, error) {
	if err := s.Check.Check(actor, authz.PayoutRead); err != nil {
		return Payout{}, err
	}
	payoutID, err := ids.ParsePayout(id)
	if err != nil {
		return Payout{}, fault.Missing()
	}
	p, err := pg.One[Payout](ctx, s.Pool, `SELECT `+columns+` FROM payouts WHERE application_id = @application_id AND id = @id`,
		pg.Args{"application_id": actor.ApplicationID, "id": payoutID})
	return s.derive(p), orMissing(err)
}

// ListInput selects a page of payouts; what is not set selects all.
type ListInput struct {
	Page      page.Input[ids.Payout]
	Created   page.Times
	Statuses  []string
	Merchants []int64
}

// List returns one page of the application's payouts.
func (s *Service) List(ctx context.Context, actor authz.Actor, in ListInput) (page.Of[Payout], error) {
	if err := s.Check.Check(actor, authz.PayoutRead); err != nil {
		return page.Of[Payout]{}, err
	}
	statement := pageDown
	if in.Page.Up() {
		statement = pageUp
	}
	rows, err := pg.All[Payout](ctx, s.Pool, statement, pg.Args{"application_id": actor.ApplicationID,
		"statuses": in.Statuses, "merchants": in.Merchants, "from": in.Created.From, "until": in.Created.Until,
		"cursor": in.Page.Cursor(), "limit": in.Page.Rows()})
	if err != nil {
		return page.Of[Payout]{}, err
	}
	for i := range rows {
		rows[i] = s.derive(rows[i])
	}
	return page.Cut(in.Page, rows), nil
}

const selectPage = `SELECT ` + columns + ` FROM payouts
	WHERE application_id = @application_id
		AND (@statuses::text[] IS NULL OR status = ANY (@statuses))
		AND (@merchants::bigint[] IS NULL OR merchant_id = ANY (@merchants))
		AND (@from::timestamptz IS NULL OR created_at >= @from)
		AND (@until::timestamptz IS NULL OR created_at < @until)`

// The two directions are two constant statements: a plan with the order in a parameter could not
// use the index.
const (
	pageUp   = selectPage + ` AND (@cursor::uuid IS NULL OR id > @cursor) ORDER BY id LIMIT @limit`
	pageDown = selectPage + ` AND (@cursor::uuid IS NULL OR id < @cursor) ORDER BY id DESC LIMIT @limit`
)

// Entry is one ledger entry in a payout, as the merchant sees it: what it adds to the payout's amount.
// ExternalID is that of its charge.
type Entry struct {
	ID         ids.Entry      `db:"id" json:"id"`
	Object     string         `db:"-" json:"object"`
	Livemode   bool           `db:"-" json:"livemode"`
	MerchantID int64          `db:"merchant_id" json:"merchant_id"`
	Payout     ids.Payout     `db:"payout_id" json:"payout_id"`
	Kind       string         `db:"kind" json:"kind"`
	Amount     money.Amount   `db:"amount" json:"amount"`
	Currency   money.Currency `db:"currency" json:"currency"`
	ChargeID   *ids.Charge    `db:"charge_id" json:"charge_id"`
	ExternalID *string        `db:"external_id" json:"external_id"`
	CreatedAt  instant.Time   `db:"created_at" json:"created_at"`
}

// Entries returns one page of what a payout of the actor's application is made of; a payout that
// failed or came back still tells what it was.
func (s *Service) Entries(ctx context.Context, actor authz.Actor, id string, in page.Input[ids.Entry]) (page.Of[Entry], error) {
	p, err := s.Get(ctx, actor, id)
	if err != nil {
		return page.Of[Entry]{}, err
	}
	statement := entriesDown
	if in.Up() {
		statement = entriesUp
	}
	rows, err := pg.All[Entry](ctx, s.Pool, statement,
		pg.Args{"application_id": actor.ApplicationID, "payout": p.ID, "cursor": in.Cursor(), "limit": in.Rows()})
	if err != nil {
		return page.Of[Entry]{}, err
	}
	for i := range rows {
		rows[i].Object, rows[i].Livemode = "payout_entry", p.Livemode
	}
	return page.Cut(in, rows), nil
}

const selectEntries = `
	SELECT l.id, l.merchant_id, e.payout_id, l.kind, e.amount, l.currency, l.charge_id, c.external_id, l.created_at
	FROM payout_entries e
	JOIN ledger_entries l ON l.application_id = e.application_id AND l.id = e.entry_id
	LEFT JOIN charges c ON c.application_id = l.application_id AND c.id = l.charge_id
	WHERE e.application_id = @application_id AND e.payout_id = @payout`

const (
	entriesUp   = selectEntries + ` AND (@cursor::uuid IS NULL OR e.entry_id > @cursor) ORDER BY e.entry_id LIMIT @limit`
	entriesDown = selectEntries + ` AND (@cursor::uuid IS NULL OR e.entry_id < @cursor) ORDER BY e.entry_id DESC LIMIT @limit`
)

type paidOut struct {
	Charge ids.Charge `db:"charge_id"`
	Payout ids.Payout `db:"payout_id"`
}

// PayoutOfCharges tells in which payouts charges were, by the entry that made each available. A
// charge that is in none, or in one that failed or came back, is not in the answer.
func PayoutOfCharges(ctx context.Context, q pg.Querier, applicationID int64, charges []ids.Charge) (map[ids.Charge]ids.Payout, error) {
	rows, err := pg.All[paidOut](ctx, q, `
		SELECT l.charge_id, e.payout_id FROM ledger_entries l
		JOIN payout_entries e ON e.application_id = l.application_id AND e.entry_id = l.id AND e.active
		WHERE l.application_id = @application_id AND l.charge_id = ANY (@charges)
			AND l.kind IN ('capture', 'debit') AND l.credit = 'merchant_available'`,
		pg.Args{"application_id": applicationID, "charges": charges})
	out := make(map[ids.Charge]ids.Payout, len(rows))
	for _, r := range rows {
		out[r.Charge] = r.Payout
	}
	return out, err
}
