package webhook

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"svcpay/internal/event"
	"svcpay/internal/ids"
	"svcpay/internal/pg"
)

const (
	// attemptTimeout bounds one attempt.
	attemptTimeout = 15 * time.Second
	// leaseFor is how long an attempt is left alone before it is taken for lost with its binary.
	leaseFor = attemptTimeout + 5*time.Second
	// perEndpoint is how many attempts to one endpoint are under way at once in one binary. Of one that is new
	// here or takes long to answer there are perSlow, and perFailing of one whose last attempts failed: it
	// may hold each for as long as it can.
	perEndpoint = 32
	perSlow     = 4
	perFailing  = 2
	// perApplication is how many attempts of one application are under way at once in one binary: more than
	// all its endpoints take if they hang, and a part of all, so that it holds up neither others nor itself.
	perApplication = 256
)

// claimed is a delivery whose next attempt belongs to this binary, with what is sent where.
type claimed struct {
	ID            ids.Delivery `db:"id"`
	ApplicationID int64        `db:"application_id"`
	EndpointID    ids.Endpoint `db:"endpoint_id"`
	EventID       ids.Event    `db:"event_id"`
	Number        int          `db:"attempts"` // of the attempt

	to    Endpoint
	event event.Event
}

type dueEndpoint struct {
	ApplicationID int64        `db:"application_id"`
	ID            ids.Endpoint `db:"id"`
	Failing       bool         `db:"failing"`
}

// room tells how many attempts may be begun now: to an endpoint to which no more than so many may be under way,
// of an application, and at all.
type room struct {
	to  func(e ids.Endpoint, most int) int
	of  func(applicationID int64) int
	all int
}

// claim leases deliveries that are due, as many as there is room for. However many are due to an endpoint
// that does not answer, they take nothing from the others.
func (s *Service) claim(ctx context.Context, r room) ([]claimed, error) {
	now := s.Now()
	due, err := pg.All[dueEndpoint](ctx, s.Pool, `
		SELECT application_id, id, failing_since IS NOT NULL AS failing FROM webhook_endpoints e
		WHERE status = 'enabled' AND deleted_at IS NULL AND EXISTS (
			SELECT FROM webhook_deliveries d WHERE d.endpoint_id = e.id AND d.status = 'pending' AND d.next_attempt_at <= @now)`,
		pg.Args{"now": now})
	if err != nil {
		return nil, err
	}
	endpoints, slots := r.share(due)
	if len(endpoints) == 0 {
		return nil, nil
	}
	var out []claimed
	err = pg.InRound(ctx, s.Pool, func(tx *pg.Tx) error {
		leased, err := leaseTx(ctx, tx, endpoints, slots, now)
		if err == nil {
			out, err = s.loadTx(ctx, tx, leased)
		}
		return err
	})
	return out, err
}

// leaseTx leases deliveries to some endpoints, at most so many to each.
func leaseTx(ctx context.Context, tx *pg.Tx, endpoints []ids.Endpoint, slots []int, now time.Time) ([]claimed, error) {
	return pg.All[claimed](ctx, tx, `
		WITH due AS (
			SELECT d.application_id, d.id FROM unnest(@endpoints::uuid[], @slots::int[]) AS free (of_endpoint, slots)
			CROSS JOIN LATERAL (
				SELECT application_id, id FROM webhook_deliveries
				WHERE endpoint_id = of_endpoint AND status = 'pending' AND next_attempt_at <= @now
				ORDER BY next_attempt_at, event_sequence LIMIT slots FOR UPDATE SKIP LOCKED) d
		)
		UPDATE webhook_deliveries d SET attempts = d.attempts + 1, next_attempt_at = @until FROM due
		WHERE d.application_id = due.application_id AND d.id = due.id
		RETURNING d.id, d.application_id, d.endpoint_id, d.event_id, d.attempts`,
		pg.Args{"endpoints": endpoints, "slots": slots, "now": now, "until": now.Add(leaseFor)})
}

// share gives endpoints their parts of the room, in any order: who comes last may get nothing.
func (r room) share(due []dueEndpoint) (endpoints []ids.Endpoint, slots []int) {
	rand.Shuffle(len(due), func(i, j int) { due[i], due[j] = due[j], due[i] })
	given := make(map[int64]int)
	for _, e := range due {
		most := perEndpoint
		if e.Failing {
			most = perFailing
		}
		if n := min(r.to(e.ID, most), r.of(e.ApplicationID)-given[e.ApplicationID], r.all); n > 0 {
			endpoints, slots = append(endpoints, e.ID), append(slots, n)
			r.all -= n
			given[e.ApplicationID] += n
		}
	}
	return endpoints, slots
}

// loadTx reads what is sent where. A delivery whose endpoint was deleted meanwhile is left out.
func (s *Service) loadTx(ctx context.Context, tx *pg.Tx, deliveries []claimed) (out []claimed, err error) {
	refs := make([]event.Ref, len(deliveries))
	applications, endpoints := make([]int64, len(deliveries)), make([]ids.Endpoint, len(deliveries))
	for i, d := range deliveries {
		refs[i] = event.Ref{ApplicationID: d.ApplicationID, ID: d.EventID}
		applications[i], endpoints[i] = d.ApplicationID, d.EndpointID
	}
	events, err := s.Events.FindAll(ctx, tx, refs)
	if err != nil {
		return nil, err
	}
	rows, err := pg.All[Endpoint](ctx, tx, `
		SELECT `+columns+` FROM webhook_endpoints WHERE application_id = ANY (@applications) AND id = ANY (@ids) AND deleted_at IS NULL`,
		pg.Args{"applications": applications, "ids": endpoints})
	if err != nil {
		return nil, err
	}
	targets := make(map[ids.Endpoint]Endpoint, len(rows))
	for _, e := range rows {
		targets[e.ID] = e
	}
	for i, d := range deliveries {
		e, there := targets[d.EndpointID]
		if what, ok := events[refs[i]]; ok && there && e.ApplicationID == d.ApplicationID {
			d.to, d.event = e, what
			out = append(out, d)
			continue
		}
		slog.WarnContext(ctx, "a delivery has no endpoint any more", "delivery", d.ID.String())
	}
	return out, nil
}
