package webhook

import (
	"context"
	"errors"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
)

// Hundreds of thousands of deliveries may wait for an endpoint that does not answer, more than one statement can change
// in its time. So what concerns all of them is done to one batch at once, and to the others a batch at a time.

// cancelTx queues that nothing more is sent of what is on its way to an endpoint. What a batch leaves over is not due
// any more once the endpoint is not enabled, and canceled by [Service.CancelLeft].
func cancelTx(tx *pg.Tx, e Endpoint, now time.Time) {
	tx.Later(cancelStatement, cancelArgs(e.ID, now))
	tx.Later(`
		UPDATE webhook_replays SET status = 'canceled', finished_at = @now
		WHERE application_id = @application_id AND endpoint_id = @endpoint AND status = 'running'`,
		pg.Args{"application_id": e.ApplicationID, "endpoint": e.ID, "now": now})
}

func cancelArgs(endpoint ids.Endpoint, now time.Time) pg.Args {
	return pg.Args{"endpoint": endpoint, "now": now, "batch": pg.PurgeBatch}
}

// errLeft says that more waits for an endpoint than one transaction cancels.
var errLeft = errors.New("webhook: deliveries to an endpoint are left to be canceled")

// cancelLastTx cancels what was left over by the change that ended the sending to an endpoint, so that none of it is
// sent when events are sent there again; errLeft if that is more than a batch.
func (s *Service) cancelLastTx(ctx context.Context, tx *pg.Tx, endpoint ids.Endpoint) error {
	n, err := pg.Value[int](ctx, tx, cancelStatement, cancelArgs(endpoint, s.deps.Now()))
	if err == nil && n == pg.PurgeBatch {
		err = errLeft
	}
	return err
}

// CancelLeft cancels a batch of what was left over by the changes that ended the sending to endpoints, and says how
// many deliveries those were. Any number of binaries may run it at once.
func (s *Service) CancelLeft(ctx context.Context) (int, error) {
	return s.cancelLeft(ctx, ids.Endpoint{})
}

// cancelLeft is CancelLeft for one endpoint, or for all.
func (s *Service) cancelLeft(ctx context.Context, endpoint ids.Endpoint) (n int, err error) {
	err = pg.InBatch(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		n, err = pg.Value[int](ctx, tx, cancelLeftStatement, cancelArgs(endpoint, s.deps.Now()))
		return err
	})
	return n, err
}

// What waits is read along the index of an endpoint, as far as a batch. Anyone who looks for what was left over needs
// no endpoint's lock: where it is not enabled, all that is seen to wait was made before that.
const (
	cancelStatement = `
	WITH waiting AS (
		SELECT ctid AS row FROM webhook_due WHERE endpoint_id = @endpoint ORDER BY next_attempt_at
			LIMIT @batch FOR UPDATE
	)` + cancelWaiting
	cancelLeftStatement = `
	WITH waiting AS (
		SELECT d.row FROM webhook_endpoints e CROSS JOIN LATERAL (
			SELECT ctid AS row FROM webhook_due WHERE endpoint_id = e.id ORDER BY next_attempt_at LIMIT @batch
				FOR UPDATE SKIP LOCKED) d
		WHERE (e.status <> 'enabled' OR e.deleted_at IS NOT NULL) AND (@endpoint::uuid IS NULL OR e.id = @endpoint)
		ORDER BY e.application_id, e.id LIMIT @batch
	)` + cancelWaiting
	cancelWaiting = `, gone AS (
		DELETE FROM webhook_due w USING waiting WHERE w.ctid = waiting.row RETURNING w.application_id, w.delivery_id
	), canceled AS (
		UPDATE webhook_deliveries d SET status = 'canceled', finished_at = @now FROM gone
		WHERE d.application_id = gone.application_id AND d.id = gone.delivery_id
	) SELECT count(*)::int FROM gone`
)

// hurryTx has a batch of what failed and waits for its next attempt attempted now, in the events' order: it is part of
// the replay. What is being attempted, or is about to be, is left alone. It reports whether that was all.
func hurryTx(ctx context.Context, tx *pg.Tx, r Replay) (all bool, err error) {
	n, err := pg.Value[int](ctx, tx, hurryStatement,
		pg.Args{"endpoint": r.EndpointID, "now": r.CreatedAt, "lease": r.CreatedAt.Add(leaseFor),
			"batch": pg.PurgeBatch})
	return n < pg.PurgeBatch, err
}

const hurryStatement = `
	WITH waiting AS (
		SELECT ctid AS row FROM webhook_due
		WHERE endpoint_id = @endpoint AND next_attempt_at > @lease AND attempts > 0 AND event_sequence IS NOT NULL
		ORDER BY next_attempt_at, event_sequence LIMIT @batch FOR UPDATE SKIP LOCKED
	), hurried AS (
		UPDATE webhook_due w SET next_attempt_at = @now FROM waiting WHERE w.ctid = waiting.row
			RETURNING w.application_id, w.delivery_id
	), kept AS (
		UPDATE webhook_deliveries d SET cause = 'replay' FROM hurried
		WHERE d.application_id = hurried.application_id AND d.id = hurried.delivery_id
	) SELECT count(*)::int FROM hurried`
