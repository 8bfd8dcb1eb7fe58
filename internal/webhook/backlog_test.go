package webhook_test

import (
	"net/http"
	"testing"
	"time"

	"svcpay/internal/platform/pg"
	"svcpay/internal/webhook"
)

// waiting is how many deliveries wait for an endpoint with a backlog: some batches and a part of one.
const waiting = 2*pg.PurgeBatch + 100

// backlog has deliveries wait for an endpoint until then, and lets no statement change more of what is due than it can
// in its time.
func (w world) backlog(e webhook.Endpoint, until time.Time) {
	w.t.Helper()
	w.emit(1, "charge.created")
	w.number()
	w.exec(`WITH made AS (
			INSERT INTO webhook_deliveries (id, application_id, endpoint_id, event_id, event_type, event_sequence,
				cause, status, created_at)
			SELECT gen_random_uuid(), application_id, endpoint_id, event_id, event_type, event_sequence, cause,
				status, created_at
			FROM webhook_deliveries, generate_series(2, @n::int) WHERE endpoint_id = @endpoint
			RETURNING application_id, id, endpoint_id, event_id, event_sequence, created_at
		)
		INSERT INTO webhook_due (application_id, delivery_id, endpoint_id, event_id, event_sequence, attempts,
			next_attempt_at, created_at)
		SELECT application_id, id, endpoint_id, event_id, event_sequence, 1, @until, created_at FROM made`,
		map[string]any{"n": waiting, "endpoint": e.ID, "until": until})
	w.exec(`CREATE FUNCTION bounded() RETURNS trigger LANGUAGE plpgsql AS
		'BEGIN IF (SELECT count(*) FROM changed) > 5000 THEN
			RAISE EXCEPTION ''this takes too long'' USING ERRCODE = ''57014''; END IF; RETURN NULL; END'`, nil)
	for _, change := range []string{"DELETE", "UPDATE"} {
		w.exec(`CREATE TRIGGER
			bounded_`+change+` AFTER `+change+
			` ON webhook_due REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION bounded()`, nil)
	}
}

// are counts the deliveries to an endpoint that have a status.
func (w world) are(e webhook.Endpoint, status string) int {
	w.t.Helper()
	n, err := pg.Value[int](w.t.Context(), w.Pool, `SELECT count(*)::int FROM webhook_deliveries
		WHERE endpoint_id = @endpoint AND status = @status`,
		pg.Args{"endpoint": e.ID, "status": status})
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// cancelLeft cancels what is left over, and finds that nothing waits any more.
func (w world) cancelLeft(e webhook.Endpoint) {
	w.t.Helper()
	for n := 1; n > 0; {
		var err error
		if n, err = w.Webhooks.CancelLeft(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
	}
	if canceled, failed := w.are(e, "canceled"), w.are(e, "failed"); canceled+failed != waiting {
		w.t.Errorf("of %d %d are canceled, %d failed", waiting, canceled, failed)
	}
	if n, err := w.undue(w.t.Context()); n != 0 || err != nil {
		w.t.Errorf("%d are pending or due alone, %v", n, err)
	}
}

// However much waits for an endpoint, it can be disabled and deleted at once.
func TestALongBacklogIsCanceledABatchAtATime(t *testing.T) {
	t.Parallel()
	for what, end := range map[string]func(w world, id string) error{
		"disabled": func(w world, id string) error {
			_, err := w.Webhooks.Disable(t.Context(), w.Actor(), id, nil)
			return err
		},
		"deleted": func(w world, id string) error {
			_, err := w.Webhooks.Delete(t.Context(), w.Actor(), id, webhook.DeleteInput{}, nil)
			return err
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			e := w.listen(receive(t, answer(200)), "charge.created")
			w.backlog(e, w.Clock.Now().Add(time.Hour))
			if err := end(w, e.ID.String()); err != nil {
				t.Fatal(err)
			}
			if n := w.are(e, "canceled"); n != pg.PurgeBatch {
				t.Errorf("%d are canceled at once", n)
			}
			w.cancelLeft(e)
		})
	}
}

// However much waits for an endpoint, it is paused, gets nothing more, and holds up no other endpoint and no number.
func TestALongBacklogKeepsNoEndpointFromBeingPaused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	e := w.listen(receive(t, answer(http.StatusGone)), "charge.created")
	w.backlog(e, w.Clock.Now())
	stop := w.work()
	eventually(t, func() bool { return w.endpoint(e.ID).Status == webhook.Paused }, "a pause")
	well := receive(t, answer(200))
	w.listen(well, "charge.captured")
	told := w.emit(1, "charge.captured")
	if got := well.await(1); got[0].ID != told[0].String() {
		t.Errorf("%+v", got)
	}
	stop()
	w.cancelLeft(e)
}

// Who enables an endpoint again gets nothing of what was on its way before, though most of it is not canceled yet.
func TestALongBacklogIsNotSentWhenItsEndpointIsEnabledAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := receive(t, answer(200))
	e := w.listen(r, "charge.created")
	w.backlog(e, w.Clock.Now())
	if _, err := w.Webhooks.Disable(t.Context(), w.Actor(), e.ID.String(), nil); err != nil {
		t.Fatal(err)
	}
	if n, err := w.Webhooks.ClaimOf(t.Context(), e); n != 0 || err != nil { // as a worker may that knew of the backlog
		t.Errorf("%d would be sent to an endpoint that is disabled, %v", n, err)
	}
	again, err := w.Webhooks.Enable(t.Context(), w.Actor(), e.ID.String(), w.claim("enable"))
	if err != nil || again.Object.Status != webhook.Enabled || again.Object.Version != 3 {
		t.Fatalf("%+v, %v", again, err)
	}
	if n := w.are(e, "canceled"); n != waiting {
		t.Errorf("%d are canceled", n)
	}
	told := w.emit(1, "charge.created")
	w.work()
	w.awaitDeliveries(e, 1, "succeeded")
	if got := r.messages(); len(got) != 1 || got[0].ID != told[0].String() {
		t.Errorf("%d messages came", len(got))
	}
}

// However much waits for a later attempt, a replay of what failed has all of it attempted now, be there events in its
// span or not.
func TestAReplayHurriesALongBacklogABatchAtATime(t *testing.T) {
	t.Parallel()
	for what, ago := range map[string]time.Duration{"with events": time.Minute, "without": -time.Minute} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			e := w.listen(receive(t, answer(200)), "charge.created")
			w.backlog(e, w.Clock.Now().Add(time.Hour))
			since := w.Clock.Now().Add(-ago)
			if r := w.replay(e, webhook.ReplayInput{Since: &since, Which: ptr("failed")}); r.Queued != 0 ||
				r.Total > 0 != (ago > 0) {
				t.Errorf("%+v", r)
			}
			left, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM webhook_due
				WHERE next_attempt_at > @now`, pg.Args{"now": w.Clock.Now()})
			if err != nil || left != 0 {
				t.Errorf("%d wait, %v", left, err)
			}
			if all, err := w.Webhooks.Replays(t.Context(), w.Actor(), e.ID, 5); err != nil || len(all) != 1 {
				t.Errorf("%+v, %v", all, err)
			} else if counts, before, err := w.Webhooks.Progress(t.Context(), w.Actor(), all[0]); err != nil ||
				counts["pending"]+before["pending"] != waiting-1 {
				t.Errorf("%v, %v, %v", counts, before, err)
			}
		})
	}
}
