package webhook

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
)

// complete writes what some attempts came to, in one transaction. An attempt whose lease had ended, and
// which another binary makes again, is kept in the log and changes nothing else. It reports which endpoints nothing
// more is to be sent that was leased together with these: they are paused, disabled or deleted, or other than they
// were.
func (s *Service) complete(ctx context.Context, results []result) (changed []ids.Endpoint, err error) {
	results = slices.Clone(results) // endpoints, and what is due to each, are locked in one order by all
	slices.SortFunc(results, func(a, b result) int {
		one, other, of, to := a.EndpointID.Bytes(), b.EndpointID.Bytes(), a.ID.Bytes(), b.ID.Bytes()
		return cmp.Or(bytes.Compare(one[:], other[:]), bytes.Compare(of[:], to[:]))
	})
	err = pg.InBatch(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		changed = nil
		states, err := statesTx(ctx, tx, results)
		if err != nil {
			return err
		}
		var paused []Endpoint
		for rest := results; len(rest) > 0; {
			n := slices.IndexFunc(rest, func(r result) bool { return r.EndpointID != rest[0].EndpointID })
			if n < 0 {
				n = len(rest)
			}
			was := states[rest[0].EndpointID]
			pauses, err := s.judgeTx(ctx, tx, was, rest[:n])
			if err != nil {
				return err
			}
			if len(pauses) > 0 ||
				!slices.ContainsFunc(rest[:n], func(r result) bool { return r.to.Version == was.Version }) {
				changed = append(changed, rest[0].EndpointID)
			}
			paused, rest = append(paused, pauses...), rest[n:]
		}
		s.endTx(tx, results)
		for _, e := range paused { // what is left of their deliveries
			cancelTx(tx, e, s.deps.Now())
		}
		return logTx(tx, results)
	})
	return changed, err
}

// logTx queues a row of each attempt whose delivery is still there. No two have one number: each lease gives the next.
func logTx(tx *pg.Tx, results []result) error {
	rows := make([]pg.Args, len(results))
	for i, r := range results {
		text, err := json.Marshal(r.headers)
		if err != nil {
			return err
		}
		theirs := []byte("{}")
		if len(r.said) > 0 {
			if theirs, err = json.Marshal(r.said); err != nil {
				return err
			}
		}
		rows[i] = pg.Args{"application_id": r.ApplicationID, "id": r.ID, "number": r.Number, "url": r.to.URL,
			"code": r.status, "reason": r.reason,
			"headers": text, "said": theirs, "body": r.body, "took": r.took.Milliseconds(), "began": r.began}
	}
	tx.Later(`
		INSERT INTO webhook_attempts (application_id, delivery_id, number, url, status_code, error, request_headers,
			response_headers, response_body, took_ms, created_at)
		SELECT made.application_id, made.id, number, url, nullif(code, 0), nullif(reason, ''), headers, said,
			body, took, began
		FROM unnest(@rows::new_attempt[]) AS made
		JOIN webhook_deliveries d ON d.application_id = made.application_id AND d.id = made.id`, pg.Rows(rows))
	return nil
}

// endTx queues the deliveries' new states: of those that have ended, and of those that are attempted again. What is due
// is found where it was leased, and is no longer the attempt's if another lease was given since.
func (s *Service) endTx(tx *pg.Tx, results []result) {
	var ended, again []pg.Args
	now := s.deps.Now()
	for _, r := range results {
		row := pg.Args{"row": r.Row, "id": r.ID, "number": r.Number, "code": r.status, "reason": r.reason}
		due, more := next(r.Number, now, r.retryAfter)
		switch {
		case r.succeeded():
			row["status"], ended = "succeeded", append(ended, row)
		case r.gone(), !more:
			row["status"], ended = "failed", append(ended, row)
		default:
			row["due"], again = due, append(again, row)
		}
	}
	if len(ended) > 0 {
		args := pg.Rows(ended)
		args["now"] = now
		tx.Later(endStatement, args)
	}
	if len(again) > 0 {
		tx.Later(againStatement, pg.Rows(again))
	}
}

// state is what is looked at of an endpoint before it is locked, which most need not be.
type state struct {
	ID            ids.Endpoint  `db:"id"`
	Version       int           `db:"version"`  // 0: nothing is sent to it
	Troubled      bool          `db:"troubled"` // it fails, or has not recovered yet
	LastSuccessAt *instant.Time `db:"last_success_at"`
}

func statesTx(ctx context.Context, tx *pg.Tx, results []result) (map[ids.Endpoint]state, error) {
	var applications []int64
	var endpoints []ids.Endpoint
	for i, r := range results {
		if i == 0 || r.EndpointID != results[i-1].EndpointID {
			applications, endpoints = append(applications, r.ApplicationID), append(endpoints, r.EndpointID)
		}
	}
	rows, err := pg.All[state](ctx, tx, `
		SELECT id, CASE WHEN status = 'enabled' AND deleted_at IS NULL THEN version ELSE 0 END AS version,
			failing_since IS NOT NULL OR recovering AS troubled, last_success_at
		FROM webhook_endpoints WHERE application_id = ANY (@applications) AND id = ANY (@ids)`,
		pg.Args{"applications": applications, "ids": endpoints})
	out := make(map[ids.Endpoint]state, len(rows))
	for _, r := range rows {
		out[r.ID] = r
	}
	return out, err
}

// successAge is how old the time of the last success may be that an endpoint shows.
const successAge = time.Minute

// judgeTx notes how an endpoint does after some attempts. One that goes on as before is not locked, and
// nothing is written but the time of its last success now and then. One that is paused by that is returned.
func (s *Service) judgeTx(ctx context.Context, tx *pg.Tx, was state, results []result) (paused []Endpoint, err error) {
	success, isGone := slices.ContainsFunc(results, result.succeeded), slices.ContainsFunc(results, result.gone)
	now := s.deps.Now()
	if success && !isGone && !was.Troubled {
		if was.LastSuccessAt == nil || now.Sub(was.LastSuccessAt.Time) >= successAge {
			// It runs after endpoints that come later are locked, so it may not wait.
			tx.Later(`
				UPDATE webhook_endpoints SET last_success_at = @now WHERE (application_id, id) = (
					SELECT application_id, id FROM webhook_endpoints
					WHERE application_id = @application_id AND id = @id FOR NO KEY UPDATE SKIP LOCKED)`,
				pg.Args{"now": now, "application_id": results[0].ApplicationID, "id": was.ID})
		}
		return nil, nil
	}
	e, err := s.lockTx(ctx, tx, results[0].ApplicationID, results[0].EndpointID)
	if err != nil { // deleted in the meantime
		return nil, ignoreMissing(err)
	}
	if success && !isGone {
		return nil, s.succeededTx(tx, e)
	}
	return s.failedTx(ctx, tx, e, isGone)
}

// succeededTx ends an endpoint's troubles.
func (s *Service) succeededTx(tx *pg.Tx, e Endpoint) error {
	after := e
	after.FailingSince, after.LastSuccessAt = nil, instant.Ptr(s.deps.Now())
	if !e.Recovering || e.Status != Enabled {
		noteTx(tx, after)
		return nil
	}
	after.Recovering = false
	return s.tellTx(tx, "webhook_endpoint.recovered", e, after)
}

// failedTx notes since when an endpoint fails, and pauses one that is gone or has failed for too long, which it
// returns then.
func (s *Service) failedTx(ctx context.Context, tx *pg.Tx, e Endpoint, isGone bool) (paused []Endpoint, err error) {
	now, after := s.deps.Now(), e
	if e.FailingSince == nil {
		after.FailingSince = instant.Ptr(now)
	}
	stale := now.Sub(after.FailingSince.Time) >= pauseAfter
	if e.Status != Enabled || !isGone && !stale {
		noteTx(tx, after)
		return nil, nil
	}
	reason := failing
	if isGone {
		reason = gone
	}
	after.Status, after.PausedReason = Paused, &reason
	if s.letters != nil {
		if err := s.letters.EndpointPausedTx(ctx, tx, after); err != nil {
			return nil, err
		}
	}
	return []Endpoint{after}, s.tellTx(tx, "webhook_endpoint.paused", e, after)
}

// noteTx queues what no version reports: since when an endpoint fails, and when it last took an event.
func noteTx(tx *pg.Tx, e Endpoint) {
	tx.Later(`
		UPDATE webhook_endpoints SET failing_since = @failing, last_success_at = @success
		WHERE application_id = @application_id AND id = @id`,
		pg.Args{"failing": e.FailingSince, "success": e.LastSuccessAt, "application_id": e.ApplicationID, "id": e.ID})
}

// tellTx writes an endpoint's next version with its event, which the application's other endpoints get.
func (s *Service) tellTx(tx *pg.Tx, name string, before, after Endpoint) error {
	after = s.writeTx(tx, before, after)
	previous, err := outbox.Changed(before, after)
	if err != nil {
		return err
	}
	return outbox.EmitTx(tx, instant.Both(s.deps.Now()), outbox.Event{ApplicationID: after.ApplicationID, Type: name,
		ObjectID: after.ID.Bytes(), Position: int64(after.Version), Object: after, Previous: previous,
		Source: outbox.Job})
}
