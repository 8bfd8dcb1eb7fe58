package charge

import (
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/page"
	"svcpay/internal/pg"
)

// Get returns a charge of the actor's application. A malformed id, an unknown one and another
// application's get the same fault.
func (s *Service) Get(ctx context.Context, actor authz.Actor, id string) (Charge, error) {
	if err := s.Check.Check(actor, authz.ChargeRead); err != nil {
		return Charge{}, err
	}
	chargeID, err := ids.ParseCharge(id)
	if err != nil {
		return Charge{}, fault.Missing()
	}
	c, err := s.Find(ctx, actor.ApplicationID, chargeID)
	return authz.Seen(actor, c, c.MerchantID, err)
}

// Reach returns the fault that says that a charge is missing, if it is not of a merchant that the actor
// sees. Of an actor who sees them all it asks nothing.
func (s *Service) Reach(ctx context.Context, actor authz.Actor, id ids.Charge) error {
	return actor.Reach(func() (int64, error) {
		c, err := s.Find(ctx, actor.ApplicationID, id)
		return c.MerchantID, err
	})
}

// ListInput selects a page of charges; what is not set selects all.
type ListInput struct {
	Page       page.Input[ids.Charge]
	Created    page.Times
	Statuses   []string
	Merchants  []int64
	ExternalID *string // at most one charge has it
}

// List returns one page of the application's charges.
func (s *Service) List(ctx context.Context, actor authz.Actor, in ListInput) (page.Of[Charge], error) {
	if err := s.Check.Check(actor, authz.ChargeRead); err != nil {
		return page.Of[Charge]{}, err
	}
	return pg.Page(ctx, s.Pool, in.Page, selectPage, pg.Args{"application_id": actor.ApplicationID,
		"statuses": in.Statuses, "merchants": actor.Within(in.Merchants), "external_id": in.ExternalID,
		"from": in.Created.From, "until": in.Created.Until}, s.derive)
}

const selectPage = shown + `
	WHERE application_id = @application_id
		AND (@statuses::text[] IS NULL OR status = ANY (@statuses))
		AND (@merchants::bigint[] IS NULL OR merchant_id = ANY (@merchants))
		AND (@external_id::text IS NULL OR external_id = @external_id)
		AND (@from::timestamptz IS NULL OR created_at >= @from)
		AND (@until::timestamptz IS NULL OR created_at < @until)`
