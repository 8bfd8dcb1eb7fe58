package event

import (
	"context"
	"slices"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
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

const (
	// look is how often one who waits looks for events.
	look = 200 * time.Millisecond
	// maxWaiting is how many lists wait at once in one binary, of which an application has a share. One more gets its
	// answer at once, as it would in the end: a caller that asks again loses nothing.
	maxWaiting = 100
)

// List returns one page of the application's events that have their numbers and are about objects of kinds that the
// actor may read. It may wait for the first of them. If the actor may read none of the kinds that are asked for, the
// fault names the permission that reads the first.
func (s *Service) List(ctx context.Context, actor authz.Actor, in ListInput) (page.Of[Event], error) {
	if err := s.deps.Check.Check(actor, authz.EventRead); err != nil {
		return page.Of[Event]{}, err
	}
	var err error
	if in.Types, err = s.readable(actor, in.Types); err != nil {
		return page.Of[Event]{}, err
	}
	p, err := s.list(ctx, actor, in)
	if err != nil || len(p.Items) > 0 || in.Wait <= 0 {
		return p, err
	}
	leave, err := s.waiting.Take(ctx, actor.ApplicationID)
	if err != nil { // no place
		return p, nil
	}
	defer leave()
	return s.await(ctx, actor, in)
}

// readable lists the types that filters cover, without those whose objects the actor may not read; nil is all types.
func (s *Service) readable(actor authz.Actor, filters []string) ([]string, error) {
	names := Covered(filters)
	if filters == nil {
		names = Names()
	}
	kinds, err := authz.Readable(s.deps.Check, actor, Kinds(names))
	if err != nil || filters == nil && len(kinds) == len(Kinds(names)) {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(kinds, Kind(name)) })
	return append([]string{}, names...), nil // not nil, which is all types
}

// await reads a page again and again until it has something, or the wait is over.
func (s *Service) await(ctx context.Context, actor authz.Actor, in ListInput) (page.Of[Event], error) {
	until := time.NewTimer(min(in.Wait, MaxWait))
	defer until.Stop()
	for over := false; ; {
		select {
		case <-ctx.Done():
			return page.Of[Event]{}, ctx.Err()
		case <-s.released:
			over = true
		case <-until.C:
			over = true
		case <-time.After(look):
		}
		if p, err := s.list(ctx, actor, in); err != nil || over || len(p.Items) > 0 {
			return p, err
		}
	}
}

// Release ends all waiting, now and later: this binary is about to stop.
func (s *Service) Release() { s.release.Do(func() { close(s.released) }) }

func (s *Service) list(ctx context.Context, actor authz.Actor, in ListInput) (page.Of[Event], error) {
	oldest, newest, err := Spans.Within(ctx, s.deps.Clock.Present(s.deps.Livemode), actor.ApplicationID, in.Created)
	if err != nil {
		return page.Of[Event]{}, err
	}
	return pg.Page(ctx, s.deps.Pool, in.Page, selectPage,
		pg.Args{"application_id": actor.ApplicationID, "types": in.Types,
			"merchants": actor.Within(in.Merchants), "object": in.ObjectID, "from": in.Created.From,
			"until": in.Created.Until, "oldest": oldest, "newest": newest}, s.event)
}

// Spans are of the ids of events. A run of payouts has one time for a minute, and who commits a minute later than
// others is numbered behind them: the last event of those before a span has a lower number than any of the span, and
// the first of those behind it a higher one.
var Spans = clock.Spans[ids.Event]{First: ids.FirstEvent, Apart: 3 * time.Minute}

const (
	// Before is the number of the last event before a span.
	Before = `coalesce((SELECT sequence FROM events WHERE application_id = @application_id AND id < @oldest
		AND sequence IS NOT NULL ORDER BY id DESC LIMIT 1), 0)`
	// Behind is the number of the first event behind a span, or one that no event has; of a span without an end, too.
	Behind = `coalesce((SELECT sequence FROM events WHERE application_id = @application_id AND id >= @newest
		AND sequence IS NOT NULL ORDER BY id LIMIT 1), 9223372036854775807)`
)

const selectPage = `
	SELECT id, event_id, application_id, merchant_id, type, object, previous_attributes, request_id, source, created_at
	FROM (SELECT
		` + columns + `, object_id FROM events WHERE application_id = @application_id AND sequence IS NOT NULL) e
	WHERE (@types::text[] IS NULL OR type = ANY (@types))
		AND (@merchants::bigint[] IS NULL OR merchant_id = ANY (@merchants))
		AND (@object::uuid IS NULL OR object_id = @object)
		AND (@from::timestamptz IS NULL OR created_at >= @from)
		AND (@until::timestamptz IS NULL OR created_at < @until)
		AND (@oldest::uuid IS NULL OR id > ` + Before + `)
		AND (@newest::uuid IS NULL OR id < ` + Behind + `)`

// Get returns an event of the actor's application. A malformed id, an unknown one, another application's
// and one that has no number yet get the same fault. Faults: permission_denied, of the event's kind of object too.
func (s *Service) Get(ctx context.Context, actor authz.Actor, id string) (Event, error) {
	if err := s.deps.Check.Check(actor, authz.EventRead); err != nil {
		return Event{}, err
	}
	eventID, err := ids.ParseEvent(id)
	if err != nil {
		return Event{}, fault.Missing()
	}
	e, err := s.Find(ctx, s.deps.Pool, actor.ApplicationID, eventID)
	if e, err = authz.Seen(actor, e, e.merchant(), err); err != nil {
		return Event{}, err
	}
	if err := authz.Reads(s.deps.Check, actor, Kind(e.Type)); err != nil {
		return Event{}, err
	}
	return e, nil
}

// merchant is whose event it is; 0 is no merchant, whom no one sees who does not see all.
func (e Event) merchant() int64 {
	if e.MerchantID == nil {
		return 0
	}
	return *e.MerchantID
}

// Find reads an event of an application that has its number, or a test event, or the fault that says it is
// missing: before that, no one knows it as it will be.
func (s *Service) Find(ctx context.Context, q pg.Querier, applicationID int64, id ids.Event) (Event, error) {
	r, err := pg.Find[row](ctx, q, `SELECT `+columns+` FROM events
		WHERE application_id = @application_id AND id = @id
			AND (sequence IS NOT NULL OR test)`, pg.Args{"application_id": applicationID, "id": id})
	return s.event(r), err
}

// Ref names an event of an application.
type Ref struct {
	ApplicationID int64
	ID            ids.Event
}

// Asked are events that a batch reads.
type Asked struct {
	service *Service
	answer  *pg.Answer[row]
}

// Ask has a batch read some events of any applications.
func (s *Service) Ask(b *pg.Batch, refs []Ref) Asked {
	asked := make(map[Ref]struct{}, len(refs))
	applications, events := make([]int64, 0, len(refs)), make([]ids.Event, 0, len(refs))
	for _, r := range refs {
		if _, twice := asked[r]; !twice {
			applications, events = append(applications, r.ApplicationID), append(events, r.ID)
		}
		asked[r] = struct{}{}
	}
	return Asked{s, pg.Ask[row](b, `SELECT `+columns+` FROM unnest(@applications::bigint[],
		@events::uuid[]) AS wanted (of_application, of_id)
		JOIN events ON application_id = of_application
			AND id = of_id`, pg.Args{"applications": applications, "events": events})}
}

// Found are the events that exist.
func (a Asked) Found() map[Ref]Event {
	rows := a.answer.Rows()
	out := make(map[Ref]Event, len(rows))
	for _, r := range rows {
		out[Ref{r.ApplicationID, r.ID}] = a.service.event(r)
	}
	return out
}
