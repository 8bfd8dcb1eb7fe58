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
	return s.Find(ctx, actor.ApplicationID, chargeID)
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
	statement := pageDown
	if in.Page.Up() {
		statement = pageUp
	}
	rows, err := pg.All[Charge](ctx, s.Pool, statement, pg.Args{"application_id": actor.ApplicationID,
		"statuses": in.Statuses, "merchants": in.Merchants, "external_id": in.ExternalID,
		"from": in.Created.From, "until": in.Created.Until, "cursor": in.Page.Cursor(), "limit": in.Page.Rows()})
	if err != nil {
		return page.Of[Charge]{}, err
	}
	for i := range rows {
		rows[i] = s.derive(rows[i])
	}
	return page.Cut(in.Page, rows), nil
}

const selectPage = shown + `
	WHERE application_id = @application_id
		AND (@statuses::text[] IS NULL OR status = ANY (@statuses))
		AND (@merchants::bigint[] IS NULL OR merchant_id = ANY (@merchants))
		AND (@external_id::text IS NULL OR external_id = @external_id)
		AND (@from::timestamptz IS NULL OR created_at >= @from)
		AND (@until::timestamptz IS NULL OR created_at < @until)`

// The two directions are two constant statements: a plan with the order in a parameter could not
// use the index.
const (
	pageUp   = selectPage + ` AND (@cursor::uuid IS NULL OR id > @cursor) ORDER BY id LIMIT @limit`
	pageDown = selectPage + ` AND (@cursor::uuid IS NULL OR id < @cursor) ORDER BY id DESC LIMIT @limit`
)
