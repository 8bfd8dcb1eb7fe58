package payout

import (
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// Get returns a payout of the actor's application. A malformed id, an unknown one and another
// application's get the same fault.
func (s *Service) Get(ctx context.Context, actor authz.Actor, id string) (Payout, error) {
	if err := s.deps.Check.Check(actor, authz.PayoutRead); err != nil {
		return Payout{}, err
	}
	payoutID, err := ids.ParsePayout(id)
	if err != nil {
		return Payout{}, fault.Missing()
	}
	p, err := pg.Find[Payout](ctx, s.deps.Pool, `SELECT `+columns+` FROM payouts WHERE application_id = @application_id
		AND id = @id`, pg.Args{"application_id": actor.ApplicationID, "id": payoutID})
	return authz.Seen(actor, s.derive(p), p.MerchantID, err)
}

// ListInput selects a page of payouts; what is not set selects all.
type ListInput struct {
	Page       page.Input[ids.Payout]
	Created    page.Times
	ArrivalOn  page.Times // days, as midnights of UTC
	Amounts    page.Amounts
	Statuses   []string
	Merchants  []int64
	Currencies []string
}

// List returns one page of the application's payouts.
func (s *Service) List(ctx context.Context, actor authz.Actor, in ListInput) (page.Of[Payout], error) {
	if err := s.deps.Check.Check(actor, authz.PayoutRead); err != nil {
		return page.Of[Payout]{}, err
	}
	return pg.Page(ctx, s.deps.Pool, in.Page, selectPage, pg.Args{"application_id": actor.ApplicationID,
		"statuses": in.Statuses, "merchants": actor.Within(in.Merchants), "currencies": in.Currencies,
		"least": in.Amounts.Least, "most": in.Amounts.Most,
		"arrives_from": in.ArrivalOn.From, "arrives_until": in.ArrivalOn.Until,
		"from": in.Created.From, "until": in.Created.Until}, s.derive)
}

const selectPage = `SELECT ` + columns + ` FROM payouts
	WHERE application_id = @application_id
		AND (@statuses::text[] IS NULL OR status = ANY (@statuses))
		AND (@merchants::bigint[] IS NULL OR merchant_id = ANY (@merchants))
		AND (@currencies::text[] IS NULL OR currency = ANY (@currencies))
		AND (@least::bigint IS NULL OR amount >= @least)
		AND (@most::bigint IS NULL OR amount <= @most)
		AND (@arrives_from::date IS NULL OR arrival_on >= @arrives_from)
		AND (@arrives_until::date IS NULL OR arrival_on < @arrives_until)
		AND (@from::timestamptz IS NULL OR created_at >= @from)
		AND (@until::timestamptz IS NULL OR created_at < @until)`

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

// Part is what the entries of one kind add to a payout's amount.
type Part struct {
	Kind   string       `db:"kind"`
	Count  int          `db:"count"`
	Amount money.Amount `db:"amount"`
}

// Parts adds up what a payout of the actor's application is made of, by kind. Together they are its amount.
func (s *Service) Parts(ctx context.Context, actor authz.Actor, id string) ([]Part, error) {
	p, err := s.Get(ctx, actor, id)
	if err != nil {
		return nil, err
	}
	return pg.All[Part](ctx, s.deps.Pool, `
		SELECT l.kind, count(*)::int AS count, sum(e.amount)::bigint AS amount
		FROM payout_entries e JOIN ledger_entries l ON l.application_id = e.application_id AND l.id = e.entry_id
		WHERE e.application_id = @application_id AND e.payout_id = @payout GROUP BY l.kind ORDER BY l.kind`,
		pg.Args{"application_id": actor.ApplicationID, "payout": p.ID})
}

// Entries returns one page of what a payout of the actor's application is made of; a payout that
// failed or came back still says what it was.
func (s *Service) Entries(ctx context.Context, actor authz.Actor, id string,
	in page.Input[ids.Entry]) (page.Of[Entry], error) {
	return s.EntriesOf(ctx, actor, id, nil, in)
}

// EntriesOf is Entries of some kinds; nil for all.
func (s *Service) EntriesOf(ctx context.Context, actor authz.Actor, id string, kinds []string,
	in page.Input[ids.Entry]) (page.Of[Entry], error) {
	p, err := s.Get(ctx, actor, id)
	if err != nil {
		return page.Of[Entry]{}, err
	}
	return pg.Page(ctx, s.deps.Pool, in, selectEntries,
		pg.Args{"application_id": actor.ApplicationID, "payout": p.ID, "kinds": kinds}, func(e Entry) Entry {
			e.Object, e.Livemode = "payout_entry", p.Livemode
			return e
		})
}

const selectEntries = `
	SELECT id, merchant_id, payout_id, kind, amount, currency, charge_id, external_id, created_at FROM (
		SELECT e.entry_id AS id, l.merchant_id, e.payout_id, l.kind, e.amount, l.currency, l.charge_id,
			coalesce(c.external_id, c.released_external_id) AS external_id, l.created_at
		FROM payout_entries e
		JOIN ledger_entries l ON l.application_id = e.application_id AND l.id = e.entry_id
		LEFT JOIN charges c ON c.application_id = l.application_id AND c.id = l.charge_id
		WHERE e.application_id = @application_id AND e.payout_id = @payout
			AND (@kinds::text[] IS NULL OR l.kind = ANY (@kinds))) entries
	WHERE true`
