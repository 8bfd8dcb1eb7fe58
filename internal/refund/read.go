package refund

import (
	"context"
	"slices"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/page"
	"svcpay/internal/pg"
)

// Get returns a refund of the actor's application. A malformed id, an unknown one and another
// application's get the same fault.
func (s *Service) Get(ctx context.Context, actor authz.Actor, id string) (Refund, error) {
	if err := s.Check.Check(actor, authz.RefundRead); err != nil {
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
	r, err := pg.Find[Refund](ctx, s.Pool,
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
	ExternalID *string           // at most one refund has it
	Metadata   map[string]string // pairs that a refund must have; nil for any
}

// Reasons lists every reason that a refund can have.
func Reasons() []string { return slices.Clone(reasons) }

// List returns one page of the application's refunds.
func (s *Service) List(ctx context.Context, actor authz.Actor, in ListInput) (page.Of[Refund], error) {
	if err := s.Check.Check(actor, authz.RefundRead); err != nil {
		return page.Of[Refund]{}, err
	}
	return pg.Page(ctx, s.Pool, in.Page, selectPage, pg.Args{"application_id": actor.ApplicationID,
		"statuses": in.Statuses, "merchants": actor.Within(in.Merchants), "currencies": in.Currencies, "reasons": in.Reasons,
		"charge_id": in.ChargeID, "external_id": in.ExternalID, "metadata": in.Metadata,
		"least": in.Amounts.Least, "most": in.Amounts.Most,
		"from": in.Created.From, "until": in.Created.Until}, s.derive)
}

const selectPage = `SELECT ` + columns + ` FROM refunds
	WHERE application_id = @application_id
		AND (@statuses::text[] IS NULL OR status = ANY (@statuses))
		AND (@merchants::bigint[] IS NULL OR merchant_id = ANY (@merchants))
		AND (@currencies::text[] IS NULL OR currency = ANY (@currencies))
		AND (@reasons::text[] IS NULL OR reason = ANY (@reasons))
		AND (@charge_id::uuid IS NULL OR charge_id = @charge_id)
		AND (@external_id::text IS NULL OR external_id = @external_id)
		AND (@metadata::jsonb IS NULL OR (metadata @> @metadata AND metadata <> '{}'))
		AND (@least::bigint IS NULL OR amount >= @least)
		AND (@most::bigint IS NULL OR amount <= @most)
		AND (@from::timestamptz IS NULL OR created_at >= @from)
		AND (@until::timestamptz IS NULL OR created_at < @until)`
