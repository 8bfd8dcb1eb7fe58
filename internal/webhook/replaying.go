package webhook

import (
	"context"
	"errors"
	"time"

	"svcpay/internal/event"
	"svcpay/internal/platform/pg"
)

// replayBatch is how many events one transaction sends again.
const replayBatch = 500

type running struct {
	Replay
	Events []string `db:"events"`
}

// RunReplays makes the deliveries of a batch of events of one replay that runs, and says how many
// events it looked at. Any number of binaries may run it at once.
func (s *Service) RunReplays(ctx context.Context) (int, error) {
	n := 0
	err := pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		n = 0
		r, err := nextTx(ctx, tx)
		if errors.Is(err, pg.ErrNone) {
			return nil
		}
		if err == nil {
			n, err = s.replayTx(ctx, tx, r)
		}
		return err
	})
	return n, err
}

// nextTx locks a replay that runs and that no one else is at, with its endpoint: the endpoint first, as
// those do who disable it and cancel its replays.
func nextTx(ctx context.Context, tx *pg.Tx) (running, error) {
	return pg.One[running](ctx, tx, `
		WITH endpoint AS (
			SELECT e.application_id, e.id, e.events FROM webhook_endpoints e
			WHERE EXISTS (SELECT FROM webhook_replays r
				WHERE r.application_id = e.application_id AND r.endpoint_id = e.id AND r.status = 'running')
			LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
		)
		SELECT r.id, r.application_id, r.endpoint_id, r.which, r.since, r.until, r.status, r.total, r.done, r.queued,
			r.created_at,
			r.finished_at, r.cursor, r.last, r.hurried, e.events
		FROM endpoint e JOIN webhook_replays r ON r.application_id = e.application_id AND r.endpoint_id = e.id
		WHERE r.status = 'running' ORDER BY r.created_at LIMIT 1 FOR UPDATE OF r`, pg.Args{})
}

type past struct {
	event.Numbered
	Missed bool `db:"missed"` // no delivery brought it, and none is about to
}

// replayTx hurries a batch of what waits, if some was left over when the replay was started, and then sends a batch of
// events.
func (s *Service) replayTx(ctx context.Context, tx *pg.Tx, r running) (int, error) {
	if !r.Hurried {
		if all, err := hurryTx(ctx, tx, r.Replay); err != nil || !all {
			return pg.PurgeBatch, err
		}
	}
	looked, err := pg.All[past](ctx, tx, `
		SELECT e.id, e.type, e.sequence, NOT EXISTS (
				SELECT FROM webhook_deliveries d WHERE d.application_id = e.application_id AND d.event_id = e.id
					AND d.endpoint_id = @endpoint AND d.status IN ('succeeded', 'pending')) AS missed
		FROM events e
		WHERE e.application_id = @application_id AND e.sequence > @cursor AND e.sequence <= @last
			AND e.created_at >= @since AND e.created_at <= @until
		ORDER BY e.sequence LIMIT @batch`,
		pg.Args{"application_id": r.ApplicationID, "endpoint": r.EndpointID, "cursor": r.Cursor, "last": r.Last,
			"since": r.Since, "until": r.Until, "batch": replayBatch})
	if err != nil {
		return 0, err
	}
	var wanted []event.Numbered
	for _, p := range looked {
		if (listener{Events: r.Events}).wants(p.Type) && (r.Which == "all" || p.Missed) {
			wanted = append(wanted, p.Numbered)
		}
	}
	now := s.deps.Now()
	deliverTx(tx, r.ApplicationID, r.EndpointID, wanted, ByReplay, now)
	status, finished, cursor := "running", (*time.Time)(nil), r.Last
	if len(looked) < replayBatch {
		status, finished = "done", &now
	} else {
		cursor = looked[len(looked)-1].Sequence
	}
	tx.Later(`
		UPDATE webhook_replays SET status = @status, cursor = @cursor, done = done + @passed, queued = queued + @queued,
			hurried = true, finished_at = @finished
		WHERE application_id = @application_id AND id = @id`,
		pg.Args{"status": status, "cursor": cursor, "passed": cursor - r.Cursor, "queued": len(wanted),
			"finished": finished, "application_id": r.ApplicationID, "id": r.ID})
	return len(looked), nil
}
