package event

import (
	"context"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/page"
	"svcpay/internal/pg"
)

// ListInput selects a page of events; what is not set selects all. Its cursors are sequences.
type ListInput struct {
	Page      page.Input[int64]
	Created   page.Times
	Types     []string // names and filters with *
	Merchants []int64
	ObjectID  *[16]byte
	// Wait is how long to wait for the first event of an ascending list that has come to its end.
	Wait time.Duration
}

// MaxWait is the longest wait for events that are to come.
const MaxWait = 20 * time.Second

// look is how often one who waits looks for events.
const look = 200 * time.Millisecond

// List returns one page of the application's events that have their numbers.
func (s *Service) List(ctx context.Context, actor authz.Actor, in ListInput) (page.Of[Event], error) {
	if err := s.Check.Check(actor, authz.EventRead); err != nil {
		return page.Of[Event]{}, err
	}
	until := time.NewTimer(min(in.Wait, MaxWait))
	defer until.Stop()
	for {
		p, err := s.list(ctx, actor, in)
		if err != nil || len(p.Items) > 0 || in.Wait <= 0 {
			return p, err
		}
		select {
		case <-until.C:
			return p, nil
		case <-ctx.Done():
			return p, ctx.Err()
		case <-time.After(look):
		}
	}
}

func (s *Service) list(ctx context.Context, actor authz.Actor, in ListInput) (page.Of[Event], error) {
	var names []string
	if in.Types != nil {
		names = append([]string{}, Covered(in.Types)...)
	}
	return pg.Page(ctx, s.Pool, in.Page, selectPage, pg.Args{"application_id": actor.ApplicationID, "types": names,
		"merchants": actor.Within(in.Merchants), "object": in.ObjectID, "from": in.Created.From, "until": in.Created.Until}, s.event)
}

const selectPage = `
	SELECT id, event_id, application_id, merchant_id, type, object, previous_attributes, request_id, source, created_at
	FROM (SELECT ` + columns + `, object_id FROM events WHERE application_id = @application_id AND sequence IS NOT NULL) e
	WHERE (@types::text[] IS NULL OR type = ANY (@types))
		AND (@merchants::bigint[] IS NULL OR merchant_id = ANY (@merchants))
		AND (@object::uuid IS NULL OR object_id = @object)
		AND (@from::timestamptz IS NULL OR created_at >= @from)
		AND (@until::timestamptz IS NULL OR created_at < @until)`

// Get returns an event of the actor's application. A malformed id, an unknown one and another
// application's get the same fault.
func (s *Service) Get(ctx context.Context, actor authz.Actor, id string) (Event, error) {
	if err := s.Check.Check(actor, authz.EventRead); err != nil {
		return Event{}, err
	}
	eventID, err := ids.ParseEvent(id)
	if err != nil {
		return Event{}, fault.Missing()
	}
	e, err := s.Find(ctx, s.Pool, actor.ApplicationID, eventID)
	if err == nil && e.MerchantID != nil && !actor.Sees(*e.MerchantID) {
		return Event{}, fault.Missing()
	}
	return e, err
}

// Find reads an event of an application, or the fault that says it is missing.
func (s *Service) Find(ctx context.Context, q pg.Querier, applicationID int64, id ids.Event) (Event, error) {
	r, err := pg.Find[row](ctx, q, `SELECT `+columns+` FROM events WHERE application_id = @application_id AND id = @id`,
		pg.Args{"application_id": applicationID, "id": id})
	return s.event(r), err
}
