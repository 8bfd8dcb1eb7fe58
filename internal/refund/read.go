package refund

import (
	"context"
	"slices"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// Get returns a refund of the actor's application. A malformed id, an unknown one and another
// application's get the same fault.
func (s *Service) Get(ctx context.Context, actor authz.Actor, id string) (Refund, error) {
	if err := s.deps.Check.Check(actor, authz.RefundRead); err != nil {
		return Refund{}, err
	}
	refundID, err := ids.ParseRefund(id)
	if err != nil {
		return Refund{}, fault.Missing()
	}
	r, err := s.find(ctx, actor.ApplicationID, refundID)
	return authz.Seen(actor, r, r.MerchantID, err)
}

func (s *Service) find(ctx context.Context, applicationID int64, id ids.Refund) (Refund, error) {
	r, err := pg.Find[Refund](ctx, s.deps.Pool,
		`SELECT `+columns+` FROM refunds WHERE application_id = @application_id AND id = @id`,
		pg.Args{"application_id": applicationID, "id": id})
	return s.derive(r), err
}

// ListInput selects a page of refunds; what is not set selects all.
type ListInput struct {
	Page       page.Input[ids.Refund]
	Created    page.Times
	Amounts    page.Amounts
	Statuses   []string
	Merchants  []int64
	Currencies []string
	Reasons    []string
	ChargeID   *ids.Charge
	Late       bool              // only those that failed after they had succeeded
	ExternalID *string           // at most one refund has it
	Metadata   map[string]string // pairs that a refund must have; nil for any
}

// Reasons lists every reason that a refund can have.
func Reasons() []string { return slices.Clone(reasons) }

// List returns one page of the application's refunds.
func (s *Service) List(ctx context.Context, actor authz.Actor, in ListInput) (page.Of[Refund], error) {
	if err := s.deps.Check.Check(actor, authz.RefundRead); err != nil {
		return page.Of[Refund]{}, err
	}
	args, err := s.selection(ctx, actor, in)
	if err != nil {
		return page.Of[Refund]{}, err
	}
	return pg.Page(ctx, s.deps.Pool, in.Page, selectPage, args, s.derive)
}

// spans are of the ids of refunds. The requests of one round have a time each, but ids of one time.
var spans = clock.Spans[ids.Refund]{First: ids.FirstRefund, Apart: time.Second}

// selection are the arguments of the conditions that a list's filters are.
func (s *Service) selection(ctx context.Context, actor authz.Actor, in ListInput) (pg.Args, error) {
	oldest, newest, err := spans.Within(ctx, s.deps.Clock.Present(s.deps.Livemode), actor.ApplicationID, in.Created)
	return pg.Args{"application_id": actor.ApplicationID,
		"statuses": in.Statuses, "merchants": actor.Within(in.Merchants), "currencies": in.Currencies,
		"reasons":   in.Reasons,
		"charge_id": in.ChargeID, "external_id": in.ExternalID, "metadata": in.Metadata, "late": in.Late,
		"least": in.Amounts.Least, "most": in.Amounts.Most,
		"from": in.Created.From, "until": in.Created.Until, "oldest": oldest, "newest": newest}, err
}

// Totals are what refunds of one currency come to. Amounts are minor units of Currency.
type Totals struct {
	Currency  money.Currency `db:"currency"`
	Count     int64          `db:"count"`
	Succeeded money.Amount   `db:"succeeded"`
	Pending   money.Amount   `db:"pending"`
	Failed    money.Amount   `db:"failed"` // canceled ones too: nothing was returned
}

// Totals adds up a list of refunds by currency, without regard to its page. It fails with page.ErrTooMany where that
// takes too long.
func (s *Service) Totals(ctx context.Context, actor authz.Actor, in ListInput) ([]Totals, error) {
	if err := s.deps.Check.Check(actor, authz.RefundRead); err != nil {
		return nil, err
	}
	args, err := s.selection(ctx, actor, in)
	if err != nil {
		return nil, err
	}
	sums, err := pg.Planned[Totals](ctx, s.deps.Pool, sumUp+`refunds`+selected+byCurrency, args)
	return sums, pg.TooMany(err)
}

// FewTotals is Totals of a list of at most so many refunds. Of a longer list it returns nothing, as of an empty one.
func (s *Service) FewTotals(ctx context.Context, actor authz.Actor, in ListInput, most int) ([]Totals, error) {
	if err := s.deps.Check.Check(actor, authz.RefundRead); err != nil {
		return nil, err
	}
	args, err := s.selection(ctx, actor, in)
	if err != nil {
		return nil, err
	}
	args["limit"] = most
	return pg.Planned[Totals](ctx, s.deps.Pool, sumUp+`(SELECT * FROM refunds`+selected+`
			AND NOT EXISTS (SELECT FROM refunds`+selected+`
				ORDER BY id DESC OFFSET @limit::bigint LIMIT 1)
			ORDER BY id DESC LIMIT @limit) few`+byCurrency, args)
}

const (
	sumUp = `SELECT currency, count(*) AS count,
			coalesce(sum(amount) FILTER (WHERE status = 'succeeded'), 0)::bigint AS succeeded,
			coalesce(sum(amount) FILTER (WHERE status = 'pending'), 0)::bigint AS pending,
			coalesce(sum(amount) FILTER (WHERE status IN ('failed', 'canceled')), 0)::bigint AS failed
		FROM `
	byCurrency = `
		GROUP BY currency ORDER BY currency DESC`
)

const selectPage = `SELECT ` + columns + ` FROM refunds` + selected

// selected are the conditions of a list's filters.
const selected = `
	WHERE application_id = @application_id
		AND (@statuses::text[] IS NULL OR status = ANY (@statuses))
		AND (@merchants::bigint[] IS NULL OR merchant_id = ANY (@merchants))
		AND (@currencies::text[] IS NULL OR currency = ANY (@currencies))
		AND (@reasons::text[] IS NULL OR reason = ANY (@reasons))
		AND (NOT @late::boolean OR status = 'failed' AND succeeded_at IS NOT NULL)
		AND (@charge_id::uuid IS NULL OR charge_id = @charge_id)
		AND (@external_id::text IS NULL OR external_id = @external_id)
		AND (@metadata::jsonb IS NULL OR (metadata @> @metadata AND metadata <> '{}'))
		AND (@least::bigint IS NULL OR amount >= @least)
		AND (@most::bigint IS NULL OR amount <= @most)
		AND (@from::timestamptz IS NULL OR created_at >= @from)
		AND (@until::timestamptz IS NULL OR created_at < @until)
		AND (@oldest::uuid IS NULL OR id >= @oldest)
		AND (@newest::uuid IS NULL OR id < @newest)`
