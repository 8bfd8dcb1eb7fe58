package webhook

import (
	"context"
	"slices"
	"time"

	"svcpay/internal/event"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
)

// Cause says why an event is sent to an endpoint.
type Cause string

// The causes.
const (
	ByEvent      Cause = "event"      // it happened
	ByRedelivery Cause = "redelivery" // someone wants it again
	ByReplay     Cause = "replay"
	ByTest       Cause = "test"
)

type listener struct {
	ID     ids.Endpoint `db:"id"`
	Events []string     `db:"events"`
}

func (l listener) wants(name string) bool {
	return slices.ContainsFunc(l.Events, func(f string) bool { return event.Matches(f, name) })
}

// listenersTx locks an application's enabled endpoints, so that one that is being disabled gets nothing
// after what was on its way was canceled.
func listenersTx(ctx context.Context, tx *pg.Tx, applicationID int64) ([]listener, error) {
	return pg.All[listener](ctx, tx, `
		SELECT id, events FROM webhook_endpoints
		WHERE application_id = @application_id AND status = 'enabled' AND deleted_at IS NULL ORDER BY id FOR SHARE`,
		pg.Args{"application_id": applicationID})
}

// fanOutTx writes a delivery of each event to each endpoint that wants it.
func (s *Service) fanOutTx(ctx context.Context, tx *pg.Tx, applicationID int64, events []event.Numbered) error {
	listeners, err := listenersTx(ctx, tx, applicationID)
	if err != nil {
		return err
	}
	now := s.deps.Now()
	for _, l := range listeners {
		wanted := slices.DeleteFunc(slices.Clone(events), func(e event.Numbered) bool { return !l.wants(e.Type) })
		deliverTx(tx, applicationID, l.ID, wanted, ByEvent, now)
	}
	return nil
}

// deliverTx queues one delivery of each of some events to an endpoint, due at once.
func deliverTx(tx *pg.Tx, applicationID int64, endpoint ids.Endpoint, events []event.Numbered, cause Cause,
	now time.Time) {
	if len(events) == 0 {
		return
	}
	deliveries := make([]ids.Delivery, len(events))
	for i := range deliveries {
		deliveries[i] = ids.NewDelivery(now)
	}
	insertDeliveriesTx(tx, applicationID, endpoint, deliveries, events, cause, now)
}

// insertDeliveriesTx queues deliveries of some events, with what makes them due.
func insertDeliveriesTx(tx *pg.Tx, applicationID int64, endpoint ids.Endpoint, deliveries []ids.Delivery,
	events []event.Numbered, cause Cause, now time.Time) {
	rows := make([]pg.Args, len(events))
	for i, e := range events {
		rows[i] = pg.Args{"id": deliveries[i], "event_id": e.ID, "type": e.Type, "sequence": e.Sequence}
	}
	args := pg.Rows(rows)
	args["application_id"], args["endpoint"], args["cause"], args["now"] = applicationID, endpoint, cause, now
	tx.Later(`
		WITH made AS (
			INSERT INTO webhook_deliveries (id, application_id, endpoint_id, event_id, event_type, event_sequence,
				cause, status, created_at)
			SELECT d.id, @application_id, @endpoint, d.event_id, d.type, nullif(d.sequence, 0), @cause, 'pending', @now
			FROM unnest(@rows::new_delivery[]) AS d
			RETURNING application_id, id, endpoint_id, event_id, event_sequence, created_at
		)
		INSERT INTO webhook_due (application_id, delivery_id, endpoint_id, event_id, event_sequence,
			next_attempt_at, created_at)
		SELECT application_id, id, endpoint_id, event_id, event_sequence, created_at, created_at FROM made`, args)
}
