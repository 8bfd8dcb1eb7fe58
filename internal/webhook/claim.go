package webhook

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"svcpay/internal/event"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/safehttp"
)

const (
	// attemptTimeout bounds one attempt, which the client sees to.
	attemptTimeout = safehttp.MaxTime
	// leaseFor is how long an attempt is left alone before it is taken for lost with its binary.
	leaseFor = attemptTimeout + 5*time.Second
	// perEndpoint is how many attempts to one endpoint are under way at once in one binary. Of one that is new
	// here or takes long to answer there are perSlow, and perFailing of one whose last attempts failed: it
	// may hold each for as long as it can.
	perEndpoint = 32
	perSlow     = 4
	perFailing  = 2
	// fewWaiting is how many deliveries are leased beyond those that are under way to one endpoint that answers
	// quickly, so that none of its places waits for a claim: no more than are begun long before their leases end. Of
	// one that answers at once again and again there are up to mostWaiting, which are as soon begun.
	fewWaiting  = 2 * perEndpoint
	mostWaiting = 8 * perEndpoint
	// perApplication is how many attempts of one application are under way at once in one binary: more than
	// all its endpoints take if they hang, and a part of all, so that it holds up neither others nor itself. No more than
	// as many wait for their turns, so that no place waits for a claim, and there stays room for another application.
	perApplication = 256
)

// claimed is a delivery whose next attempt belongs to this binary, with what is sent where.
type claimed struct {
	ID            ids.Delivery `db:"id"`
	ApplicationID int64        `db:"application_id"`
	EndpointID    ids.Endpoint `db:"endpoint_id"`
	EventID       ids.Event    `db:"event_id"`
	Number        int          `db:"attempts"` // of the attempt
	// Row is where the lease stands in the table of what is due: nobody moves it while the lease lasts.
	Row pgtype.TID `db:"row"`

	turn uint64 // those that wait are begun in this order
	to   *target
	body []byte // of the event
}

// target is an endpoint as it was when deliveries to it were leased.
type target struct {
	Endpoint
	at     *url.URL
	signer signer
	unfit  error // why nothing can be sent there
}

func (s *Service) target(e Endpoint) *target {
	to := &target{Endpoint: e}
	if to.at, to.unfit = url.Parse(e.URL); to.unfit == nil {
		to.signer, to.unfit = s.signer(e)
	}
	return to
}

type dueEndpoint struct {
	ApplicationID int64        `db:"application_id"`
	ID            ids.Endpoint `db:"id"`
	Failing       bool         `db:"failing"`
}

// room tells how many deliveries may be leased now: to an endpoint to which no more than so many may be under way,
// those for which it has places and those that wait for one; of an application, those that are begun at once and those that
// wait for their turns; and at all.
type room struct {
	to  func(e ids.Endpoint, most int) (free, ahead int)
	of  func(applicationID int64) (places, turns int)
	all int
}

// claim leases deliveries that are due, as many as there is room for, to the endpoints that are known to have some, or, if none
// is, to all that have. However many are due to an endpoint that does not answer, they take nothing from the others. It tells
// for which there may be more.
func (s *Service) claim(ctx context.Context, r room, known []dueEndpoint) (out []claimed, more []dueEndpoint, err error) {
	now, due := s.deps.Now(), known
	endpoints, slots := r.share(due)
	if len(known) > 0 && len(endpoints) == 0 {
		return nil, known, nil
	}
	var leased []claimed
	var ask asked
	err = pg.InBatch(ctx, s.deps.Pool, func(tx *pg.Tx) (err error) {
		leased, more = nil, nil
		if len(known) == 0 {
			if due, err = dueTx(ctx, tx, now); err != nil {
				return err
			}
			if endpoints, slots = r.share(due); len(endpoints) == 0 {
				return nil
			}
		}
		if leased, err = leaseTx(ctx, tx, endpoints, slots, now); err == nil && len(leased) > 0 {
			more = withMore(due, endpoints, slots, leased)
			b := tx.Batch()
			ask = s.ask(b, leased)
			err = b.Run(ctx)
		}
		return err
	})
	if err != nil || len(leased) == 0 {
		return nil, more, err
	}
	return s.load(ctx, leased, ask), more, nil
}

// dueTx are the endpoints to which something is due that nobody has leased.
func dueTx(ctx context.Context, tx *pg.Tx, now time.Time) ([]dueEndpoint, error) {
	return pg.All[dueEndpoint](ctx, tx, dueStatement, pg.Args{"now": now})
}

// withMore are the due endpoints but those that fail, and those that took less than they had room for.
func withMore(due []dueEndpoint, endpoints []ids.Endpoint, slots []int, leased []claimed) (more []dueEndpoint) {
	left := make(map[ids.Endpoint]int, len(endpoints))
	for i, e := range endpoints {
		left[e] = slots[i]
	}
	for _, d := range leased {
		left[d.EndpointID]--
	}
	for _, e := range due {
		if left[e.ID] == 0 && !e.Failing {
			more = append(more, e)
		}
	}
	return more
}

// leaseTx leases deliveries to some endpoints, at most so many to each.
func leaseTx(ctx context.Context, tx *pg.Tx, endpoints []ids.Endpoint, slots []int, now time.Time) ([]claimed, error) {
	return pg.All[claimed](ctx, tx, leaseStatement,
		pg.Args{"endpoints": endpoints, "slots": slots, "now": now, "until": now.Add(leaseFor)})
}

// release gives deliveries back that were leased and not begun: they are as they were before.
func (s *Service) release(ctx context.Context, deliveries []claimed) error {
	rows := make([]pg.Args, len(deliveries))
	for i, d := range deliveries {
		rows[i] = pg.Args{"row": d.Row, "id": d.ID, "number": d.Number}
	}
	return pg.InBatch(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, releaseStatement, pg.Rows(rows))
		return err
	})
}

// share gives endpoints their parts of the room, in any order: who comes last may get nothing. What is to wait
// comes after what can be begun, what its endpoint has no place for last, in even parts.
func (r room) share(due []dueEndpoint) (endpoints []ids.Endpoint, slots []int) {
	rand.Shuffle(len(due), func(i, j int) { due[i], due[j] = due[j], due[i] })
	places, turns, even := make(map[int64]int), make(map[int64]int), make(map[int64]int)
	free, ahead, got := make([]int, len(due)), make([]int, len(due)), make([]int, len(due))
	give := func(i, n int, left map[int64]int, spare int) {
		of := due[i].ApplicationID
		n = max(0, min(n, left[of], r.all-spare))
		got[i] += n
		left[of] -= n
		r.all -= n
	}
	for i, e := range due {
		if _, known := places[e.ApplicationID]; !known {
			places[e.ApplicationID], turns[e.ApplicationID] = r.of(e.ApplicationID)
		}
		most := perEndpoint
		if e.Failing {
			most = perFailing
		}
		if free[i], ahead[i] = r.to(e.ID, most); ahead[i] > 0 {
			even[e.ApplicationID]++
		}
		give(i, free[i], places, 0)
	}
	for i := range due {
		give(i, free[i]-got[i], turns, perApplication)
	}
	for of, n := range turns {
		even[of] = n / max(1, even[of])
	}
	for i, e := range due {
		give(i, min(ahead[i], even[e.ApplicationID]), turns, perApplication)
		if got[i] > 0 {
			endpoints, slots = append(endpoints, e.ID), append(slots, got[i])
		}
	}
	return endpoints, slots
}

// asked are the events and endpoints of leased deliveries.
type asked struct {
	events    event.Asked
	endpoints *pg.Answer[Endpoint]
}

func (s *Service) ask(b *pg.Batch, deliveries []claimed) asked {
	refs := make([]event.Ref, len(deliveries))
	var applications []int64
	var endpoints []ids.Endpoint
	for i, d := range deliveries {
		refs[i] = d.event()
		if i == 0 || d.EndpointID != deliveries[i-1].EndpointID {
			applications, endpoints = append(applications, d.ApplicationID), append(endpoints, d.EndpointID)
		}
	}
	return asked{s.deps.Events.Ask(b, refs), pg.Ask[Endpoint](b, `
		SELECT `+columns+` FROM webhook_endpoints
		WHERE application_id = ANY (@applications) AND id = ANY (@ids) AND status = 'enabled' AND deleted_at IS NULL`,
		pg.Args{"applications": applications, "ids": endpoints})}
}

func (d claimed) event() event.Ref { return event.Ref{ApplicationID: d.ApplicationID, ID: d.EventID} }

// load gives deliveries what is sent where. One whose endpoint is not enabled any more is left out: it is going to be canceled.
func (s *Service) load(ctx context.Context, deliveries []claimed, ask asked) (out []claimed) {
	events, rows := ask.events.Found(), ask.endpoints.Rows()
	bodies := make(map[event.Ref][]byte, len(events)) // each is sent to several endpoints
	for ref, e := range events {
		bodies[ref] = e.Body()
	}
	targets := make(map[ids.Endpoint]*target, len(rows))
	for _, e := range rows {
		targets[e.ID] = s.target(e)
	}
	for _, d := range deliveries {
		to, there := targets[d.EndpointID]
		if body, ok := bodies[d.event()]; ok && there && to.ApplicationID == d.ApplicationID {
			d.to, d.body = to, body
			out = append(out, d)
			continue
		}
		slog.InfoContext(ctx, "a delivery's endpoint is not enabled any more", "delivery", d.ID.String())
	}
	return out
}
