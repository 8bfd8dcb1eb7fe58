package charge

import (
	"context"
	"slices"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
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

// ListInput selects a page of charges, newest first unless Ascending. Of After and Before at most
// one is set: the id beside which the page lies in the list's order.
type ListInput struct {
	Limit         int
	After, Before ids.Charge
	Ascending     bool
	Statuses      []string
	Merchants     []int64
	ExternalID    *string // at most one charge has it
}

// Page is part of a list, with whether more lies beyond its far end.
type Page struct {
	Charges []Charge
	HasMore bool
}

// List returns one page of the application's charges.
func (s *Service) List(ctx context.Context, actor authz.Actor, in ListInput) (Page, error) {
	if err := s.Check.Check(actor, authz.ChargeRead); err != nil {
		return Page{}, err
	}
	backwards := !in.Before.IsZero()
	rows, err := s.page(ctx, actor.ApplicationID, in, in.Ascending != backwards)
	if err != nil {
		return Page{}, err
	}
	more := len(rows) > in.Limit
	rows = rows[:min(len(rows), in.Limit)]
	if backwards {
		slices.Reverse(rows)
	}
	for i := range rows {
		rows[i] = s.derive(rows[i])
	}
	return Page{Charges: rows, HasMore: more}, nil
}

const selectPage = `SELECT ` + columns + ` FROM charges
	WHERE application_id = @application_id
		AND (@statuses::text[] IS NULL OR status = ANY (@statuses))
		AND (@merchants::bigint[] IS NULL OR merchant_id = ANY (@merchants))
		AND (@external_id::text IS NULL OR external_id = @external_id)`

// The two directions are two constant statements: a plan with the order in a parameter could not
// use the index.
const (
	pageUp   = selectPage + ` AND (@cursor::uuid IS NULL OR id > @cursor) ORDER BY id LIMIT @limit`
	pageDown = selectPage + ` AND (@cursor::uuid IS NULL OR id < @cursor) ORDER BY id DESC LIMIT @limit`
)

// page reads one row more than asked for, to know whether there is more.
func (s *Service) page(ctx context.Context, applicationID int64, in ListInput, up bool) ([]Charge, error) {
	cursor := in.After
	if !in.Before.IsZero() {
		cursor = in.Before
	}
	statement := pageDown
	if up {
		statement = pageUp
	}
	return pg.All[Charge](ctx, s.Pool, statement, pg.Args{"application_id": applicationID,
		"statuses": in.Statuses, "merchants": in.Merchants, "external_id": in.ExternalID, "cursor": cursor, "limit": in.Limit + 1})
}
