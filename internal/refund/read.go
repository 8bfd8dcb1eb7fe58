package refund

import (
	"context"
	"errors"
	"slices"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
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
	return s.find(ctx, actor.ApplicationID, refundID)
}

func (s *Service) find(ctx context.Context, applicationID int64, id ids.Refund) (Refund, error) {
	r, err := pg.One[Refund](ctx, s.Pool,
		`SELECT `+columns+` FROM refunds WHERE application_id = @application_id AND id = @id`,
		pg.Args{"application_id": applicationID, "id": id})
	if errors.Is(err, pg.ErrNone) {
		return Refund{}, fault.Missing()
	}
	return s.derive(r), err
}

// ListInput selects a page of refunds, newest first unless Ascending. Of After and Before at most
// one is set: the id beside which the page lies in the list's order.
type ListInput struct {
	Limit         int
	After, Before ids.Refund
	Ascending     bool
	Statuses      []string
	Merchants     []int64
	ChargeID      ids.Charge // zero: of any charge
	ExternalID    *string    // at most one refund has it
}

// Page is part of a list, with whether more lies beyond its far end.
type Page struct {
	Refunds []Refund
	HasMore bool
}

// List returns one page of the application's refunds.
func (s *Service) List(ctx context.Context, actor authz.Actor, in ListInput) (Page, error) {
	if err := s.Check.Check(actor, authz.RefundRead); err != nil {
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
	return Page{Refunds: rows, HasMore: more}, nil
}

const selectPage = `SELECT ` + columns + ` FROM refunds
	WHERE application_id = @application_id
		AND (@statuses::text[] IS NULL OR status = ANY (@statuses))
		AND (@merchants::bigint[] IS NULL OR merchant_id = ANY (@merchants))
		AND (@charge_id::uuid IS NULL OR charge_id = @charge_id)
		AND (@external_id::text IS NULL OR external_id = @external_id)`

// The two directions are two constant statements: a plan with the order in a parameter could not
// use the index.
const (
	pageUp   = selectPage + ` AND (@cursor::uuid IS NULL OR id > @cursor) ORDER BY id LIMIT @limit`
	pageDown = selectPage + ` AND (@cursor::uuid IS NULL OR id < @cursor) ORDER BY id DESC LIMIT @limit`
)

// page reads one row more than asked for, to know whether there is more.
func (s *Service) page(ctx context.Context, applicationID int64, in ListInput, up bool) ([]Refund, error) {
	cursor := in.After
	if !in.Before.IsZero() {
		cursor = in.Before
	}
	statement := pageDown
	if up {
		statement = pageUp
	}
	return pg.All[Refund](ctx, s.Pool, statement, pg.Args{"application_id": applicationID,
		"statuses": in.Statuses, "merchants": in.Merchants, "charge_id": in.ChargeID, "external_id": in.ExternalID,
		"cursor": cursor, "limit": in.Limit + 1})
}
