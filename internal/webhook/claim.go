package webhook

import (
	"context"
	"log/slog"
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
)

// claimed is a delivery whose next attempt belongs to this binary, with what is sent where.
type claimed struct {
	ID            ids.Delivery `db:"id"`
	ApplicationID int64        `db:"application_id"`
	EndpointID    ids.Endpoint `db:"endpoint_id"`
	EventID       ids.Event    `db:"event_id"`
	Number        int          `db:"attempts"` // of the attempt
	// Row is where the lease is in the table of what is due: no one moves it while the lease lasts.
	Row pgtype.TID `db:"row"`

	since time.Time // when it was leased
	line  *safehttp.Line
	to    *target
	body  []byte // of the event
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

// claim leases deliveries that are due: portion decides how many to each endpoint that has some.
func (s *Service) claim(ctx context.Context, portion func([]dueEndpoint) ([]ids.Endpoint, []int)) ([]claimed, error) {
	now := s.deps.Now()
	var leased []claimed
	var ask asked
	err := pg.InBatch(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		due, err := pg.All[dueEndpoint](ctx, tx, dueStatement, pg.Args{"now": now})
		if err != nil {
			return err
		}
		leased = nil
		endpoints, slots := portion(due)
		if len(endpoints) == 0 {
			return nil
		}
		leased, err = pg.All[claimed](ctx, tx, leaseStatement,
			pg.Args{"endpoints": endpoints, "slots": slots, "now": now, "until": now.Add(leaseFor)})
		if err != nil || len(leased) == 0 {
			return err
		}
		b := tx.Batch()
		ask = s.ask(b, leased)
		return b.Run(ctx)
	})
	if err != nil || len(leased) == 0 {
		return nil, err
	}
	return s.load(ctx, leased, ask, now), nil
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

// load gives deliveries what is sent where. One whose endpoint is not enabled any more is left out: it is going to be
// canceled.
func (s *Service) load(ctx context.Context, deliveries []claimed, ask asked, now time.Time) (out []claimed) {
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
			d.since, d.to, d.body = now, to, body
			out = append(out, d)
			continue
		}
		slog.InfoContext(ctx, "a delivery's endpoint is not enabled any more", "delivery", d.ID.String())
	}
	return out
}
