package webhook

import (
	"context"
	"net/http"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/outbox"
	"svcpay/internal/pg"
)

// complete writes what some attempts came to, in one transaction. An attempt whose lease had ended, and
// which another binary makes again, is kept in the log and changes nothing else.
func (s *Service) complete(ctx context.Context, results []result) error {
	return pg.InTx(ctx, s.Pool, func(tx *pg.Tx) error {
		for _, r := range results {
			logTx(tx, r)
			s.closeTx(tx, r)
		}
		for _, of := range byEndpoint(results) {
			if err := s.judgeTx(ctx, tx, of); err != nil {
				return err
			}
		}
		return nil
	})
}

func logTx(tx *pg.Tx, r result) {
	tx.Later(`
		INSERT INTO webhook_attempts (application_id, delivery_id, number, status_code, error, request_headers, response_body, took_ms, created_at)
		VALUES (@application_id, @delivery, @number, nullif(@status::int, 0), nullif(@error::text, ''), @headers, @body, @took, @at)
		ON CONFLICT DO NOTHING`,
		pg.Args{"application_id": r.ApplicationID, "delivery": r.ID, "number": r.Attempts, "status": r.status, "error": r.reason,
			"headers": r.headers, "body": r.body, "took": r.took.Milliseconds(), "at": r.began})
}

// closeTx queues the delivery's new state.
func (s *Service) closeTx(tx *pg.Tx, r result) {
	now := s.Now()
	status, finished := "pending", &now
	due, again := next(r.Attempts, now, r.retryAfter)
	var at *time.Time
	switch {
	case r.succeeded():
		status = "succeeded"
	case r.status == http.StatusGone, !again:
		status = "failed"
	default:
		at, finished = &due, nil
	}
	tx.Later(`
		UPDATE webhook_deliveries SET status = @status, next_attempt_at = @next, finished_at = @finished,
			last_status_code = nullif(@code::int, 0), last_error = nullif(@error::text, '')
		WHERE application_id = @application_id AND id = @id AND status = 'pending' AND attempts = @attempts`,
		pg.Args{"status": status, "next": at, "finished": finished, "code": r.status, "error": r.reason,
			"application_id": r.ApplicationID, "id": r.ID, "attempts": r.Attempts})
}

func byEndpoint(results []result) map[ids.Endpoint][]result {
	out := make(map[ids.Endpoint][]result)
	for _, r := range results {
		out[r.EndpointID] = append(out[r.EndpointID], r)
	}
	return out
}

// judgeTx notes how an endpoint does. Nothing is written for one that goes on as before, but the time of
// its last success now and then.
func (s *Service) judgeTx(ctx context.Context, tx *pg.Tx, results []result) error {
	success, isGone := false, false
	for _, r := range results {
		success = success || r.succeeded()
		isGone = isGone || r.status == http.StatusGone
	}
	first := results[0]
	e, err := s.lockTx(ctx, tx, first.ApplicationID, first.EndpointID)
	if err != nil { // deleted meanwhile
		return ignoreMissing(err)
	}
	now := s.Now()
	after := e
	switch {
	case success:
		after.Recovering, after.FailingSince = false, nil
	case e.FailingSince == nil:
		after.FailingSince = instant.Ptr(now)
	}
	stale := !success && e.FailingSince != nil && now.Sub(e.FailingSince.Time) > pauseAfter
	if e.Status == Enabled && !success && (isGone || stale) {
		reason := failing
		if isGone {
			reason = gone
		}
		after.Status, after.PausedReason = Paused, &reason
		cancelTx(tx, e, now)
	}
	after = s.writeTx(tx, e, after)
	s.noteTx(tx, after, success)
	if after.Status == Paused && e.Status != Paused {
		return s.tellTx(tx, "webhook_endpoint.paused", e, after)
	}
	if e.Recovering && !after.Recovering {
		return s.tellTx(tx, "webhook_endpoint.recovered", e, after)
	}
	return nil
}

// noteTx queues what no version tells of: since when an endpoint fails, and when it last took an event.
func (s *Service) noteTx(tx *pg.Tx, e Endpoint, success bool) {
	tx.Later(`
		UPDATE webhook_endpoints SET failing_since = @failing, recovering = @recovering,
			last_success_at = CASE WHEN @success THEN @now ELSE last_success_at END
		WHERE application_id = @application_id AND id = @id`,
		pg.Args{"failing": e.FailingSince, "recovering": e.Recovering, "success": success, "now": s.Now(),
			"application_id": e.ApplicationID, "id": e.ID})
}

// tellTx writes an event about an endpoint, which its other endpoints get.
func (s *Service) tellTx(tx *pg.Tx, name string, before, after Endpoint) error {
	previous, err := outbox.Changed(before, after)
	if err != nil {
		return err
	}
	return outbox.EmitTx(tx, instant.Both(s.Now()), outbox.Event{ApplicationID: after.ApplicationID, Type: name,
		ObjectID: after.ID.Bytes(), Position: eventPosition(s.Now()), Object: after, Previous: previous, Source: outbox.Job})
}

// eventPosition orders the events of an endpoint, whose versions others than these two take, too.
func eventPosition(now time.Time) int64 { return now.UnixMicro() }
