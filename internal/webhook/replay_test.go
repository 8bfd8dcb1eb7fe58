package webhook_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/pgtest"
	"svcpay/internal/webhook"
)

// replay runs a replay to its end and gives it.
func (w world) replay(e webhook.Endpoint, in webhook.ReplayInput) webhook.Replay {
	w.t.Helper()
	out, err := w.Webhooks.StartReplay(w.t.Context(), w.Actor(), e.ID.String(), in, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	var r webhook.Replay
	eventually(w.t, func() bool { // a replay is skipped while a worker holds its endpoint
		if _, err := w.Webhooks.RunReplays(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
		if r, err = w.Webhooks.GetReplay(w.t.Context(), w.Actor(), out.Object.ID.String()); err != nil {
			w.t.Fatal(err)
		}
		return r.Status != "running"
	}, "the end of the replay")
	if r.Status != "done" || r.Done != r.Total || r.FinishedAt == nil {
		w.t.Errorf("%+v", r)
	}
	return r
}

func TestASpanIsSentOnceMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := receive(t, answer(200))
	e := w.listen(r, "charge.*")
	w.Clock.Advance(time.Minute)
	w.emit(2, "charge.created")
	w.Clock.Advance(time.Minute)
	since := w.Clock.Now()
	inside := w.emit(3, "charge.captured")
	w.emit(1, "refund.created")
	w.Clock.Advance(time.Minute)
	until := w.Clock.Now()
	inside = append(inside, w.emit(1, "charge.settled")...)
	w.Clock.Advance(time.Minute)
	w.emit(2, "charge.created")
	w.work()
	r.await(8)
	w.awaitDeliveries(e, 8, "succeeded")
	if again := w.replay(e, webhook.ReplayInput{Since: &since, Until: &until}); again.Total != 5 || again.Queued != 4 ||
		again.Which != "all" {
		t.Errorf("%+v", again)
	}
	if failed := w.replay(e, webhook.ReplayInput{Since: &since, Which: ptr("failed")}); failed.Total != 7 ||
		failed.Queued != 0 {
		t.Errorf("of those that failed: %+v", failed)
	}
	got := map[string]int{}
	for _, m := range r.await(12) {
		got[m.ID]++
	}
	for _, id := range inside {
		if got[id.String()] != 2 {
			t.Errorf("%s came %d times", id, got[id.String()])
		}
	}
	if len(got) != 8 {
		t.Errorf("%d events came", len(got))
	}
}

// Those that failed, were canceled, or happened while nothing was sent.
func TestWhatAnEndpointDidNotTakeIsSentOnceMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	since := w.Clock.Now()
	r := receive(t, answer(410))
	e := w.listen(r)
	missed := w.emit(1, "charge.created")
	stop := w.work()
	w.awaitDeliveries(e, 1, "failed")
	eventually(t, func() bool { return w.endpoint(e.ID).Status == webhook.Paused }, "a pause")
	missed = append(missed, w.emit(2, "charge.captured")...)
	w.number()
	stop()
	if _, err := w.Webhooks.StartReplay(t.Context(), w.Actor(), e.ID.String(), webhook.ReplayInput{Since: &since},
		nil); !fault.HasCode(err, "webhook_endpoint_not_enabled") {
		t.Errorf("while it is paused: %v", err)
	}
	well := receive(t, answer(200))
	if _, err := w.Webhooks.Update(t.Context(), w.Actor(), e.ID.String(),
		webhook.UpdateInput{URL: &well.url, Events: []string{"charge.*"}}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Webhooks.Enable(t.Context(), w.Actor(), e.ID.String(), nil); err != nil {
		t.Fatal(err)
	}
	w.emit(1, "charge.settled")
	w.work()
	well.await(1)
	w.awaitDeliveries(e, 1, "succeeded")
	if again := w.replay(e, webhook.ReplayInput{Since: &since, Which: ptr("failed")}); again.Queued != 3 {
		t.Errorf("%+v", again)
	}
	got := map[string]bool{}
	for _, m := range well.await(4) {
		got[m.ID] = true
	}
	for _, id := range missed {
		if !got[id.String()] {
			t.Errorf("%s was not sent", id)
		}
	}
}

func TestReplaysGoInBatchesAndCanBeCanceled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	since := w.Clock.Now()
	e := w.listen(receive(t, answer(200)), "charge.settled")
	w.flood(1100)
	w.number()
	start := func() webhook.Replay {
		out, err := w.Webhooks.StartReplay(t.Context(), w.Actor(), e.ID.String(),
			webhook.ReplayInput{Since: &since}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return out.Object
	}
	first := start()
	if n, err := w.Webhooks.RunReplays(t.Context()); n != 500 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := w.Webhooks.StartReplay(t.Context(), w.Actor(), e.ID.String(), webhook.ReplayInput{Since: &since},
		nil); !fault.HasCode(err, "operation_in_progress") {
		t.Errorf("a second one: %v", err)
	}
	ended, err := w.Webhooks.CancelReplay(t.Context(), w.Actor(), first.ID.String(), nil)
	if err != nil || ended.Object.Status != "canceled" || ended.Object.Done != 500 || ended.Object.Total < 1100 {
		t.Errorf("%+v, %v", ended.Object, err)
	}
	second := start()
	if _, err := w.Webhooks.RunReplays(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Webhooks.Disable(t.Context(), w.Actor(), e.ID.String(), nil); err != nil {
		t.Fatal(err)
	}
	for _, id := range []ids.Replay{first.ID, second.ID} {
		if r, err := w.Webhooks.GetReplay(t.Context(), w.Actor(), id.String()); err != nil || r.Status != "canceled" ||
			r.Done != 500 {
			t.Errorf("%+v, %v", r, err)
		}
	}
	if n, err := w.Webhooks.RunReplays(t.Context()); n != 0 || err != nil {
		t.Errorf("%d events of replays that were canceled, %v", n, err)
	}
	if _, err := w.Webhooks.Enable(t.Context(), w.Actor(), e.ID.String(), nil); err != nil {
		t.Fatal(err)
	}
	if r := w.replay(e, webhook.ReplayInput{Since: &since}); r.Total < 1100 {
		t.Errorf("%+v", r)
	}
}

// flood writes events that no one listens to.
func (w world) flood(n int) {
	w.t.Helper()
	events := make([]ids.Event, n)
	for i := range events {
		events[i] = ids.NewEvent(w.Clock.Now())
	}
	w.exec(`INSERT INTO events (id, application_id, type, object_id, position, object, previous_attributes,
		source, created_at)
		SELECT id, @app, 'charge.updated', gen_random_uuid(), 1, '{}', '{}', 'job', @now FROM unnest(@ids::uuid[]) id`,
		map[string]any{"app": w.App.AppID, "now": w.Clock.Now(), "ids": events})
}

// A sandbox's clock runs ahead of the ids: a span still has all its events.
func TestASpanIsSentOnceMoreAfterTheClockWasMoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	e := w.listen(receive(t, answer(200)))
	w.Clock.Advance(time.Minute)
	var at []time.Time
	for range 4 {
		m, err := w.Clocks.Moment(t.Context(), w.App.AppID)
		if err != nil {
			t.Fatal(err)
		}
		at = append(at, m.At)
		w.exec(`INSERT INTO events (id, application_id, type, object_id, position, object, previous_attributes,
			source, created_at)
			VALUES (@id, @app, 'charge.updated', gen_random_uuid(), 1, '{}', '{}', 'job', @at)`,
			map[string]any{"id": ids.NewEvent(m.Machine), "app": w.App.AppID, "at": m.At})
		if err := w.Clocks.Advance(t.Context(), w.App.AppID, 40*24*time.Hour); err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(10 * time.Minute)
	}
	w.number()
	for first := range at {
		if r := w.replay(e, webhook.ReplayInput{Since: &at[first]}); r.Total != int64(len(at)-first) ||
			r.Queued != r.Total || !r.Until.Equal(at[len(at)-1]) {
			t.Errorf("since the %d.: %+v", first, r)
		}
		for last := first; last < len(at); last++ {
			if r := w.replay(e, webhook.ReplayInput{Since: &at[first], Until: &at[last]}); r.Total != int64(last-first+
				1) || r.Queued != r.Total {
				t.Errorf("from the %d. to the %d.: %+v", first, last, r)
			}
		}
	}
}

// A span of any length is measured from its ends, which are found by indexes.
func TestASpanIsMeasuredFromItsEnds(t *testing.T) {
	t.Parallel()
	since := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	plan := pgtest.Plan(t, pgtest.New(t), webhook.MeasureSpan,
		pg.Args{"application_id": 1, "since": since, "until": since.AddDate(1, 0, 0),
			"oldest": ids.FirstEvent(since), "newest": ids.FirstEvent(since.AddDate(1, 0, 0))})
	scans := regexp.MustCompile(`Scan[^\n]* on events `).FindAllString(plan, -1)
	conds := regexp.MustCompile(`Index Cond: \(\(application_id = '1'::bigint\) AND \((id|sequence) `).FindAllString(
		plan, -1)
	if len(scans) != 4 || len(conds) != 4 || strings.Count(plan, "->  Limit ") != 4 || strings.Contains(plan, "Sort") {
		t.Errorf("%d of %d reads have a bound:\n%s", len(conds), len(scans), plan)
	}
}

func TestSeveralRunReplaysAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	since := w.Clock.Now()
	e := w.listen(receive(t, answer(200)), "charge.updated")
	w.flood(1200)
	w.number()
	w.exec(`WITH gone AS (DELETE FROM webhook_deliveries) DELETE FROM webhook_due`, nil)
	out, err := w.Webhooks.StartReplay(t.Context(), w.Actor(), e.ID.String(), webhook.ReplayInput{Since: &since}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 4)
	for range 4 {
		go func() {
			for {
				r, err := w.Webhooks.GetReplay(context.WithoutCancel(t.Context()), w.Actor(), out.Object.ID.String())
				if err == nil && r.Status == "running" {
					_, err = w.Webhooks.RunReplays(context.WithoutCancel(t.Context()))
				}
				if err != nil || r.Status != "running" {
					ended <- err
					return
				}
			}
		}()
	}
	for range 4 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	r, err := w.Webhooks.GetReplay(t.Context(), w.Actor(), out.Object.ID.String())
	if err != nil || r.Done != r.Total || r.Queued != 1200 {
		t.Errorf("%+v, %v", r, err)
	}
}

// What arrived long ago is not sent again as if it had failed: no one knows any more that it arrived.
func TestWhatFailedIsKnownForAWhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := receive(t, answer(200))
	e := w.listen(r, "charge.*")
	w.Clock.Advance(time.Minute)
	first := w.Clock.Now()
	w.emit(2, "charge.created")
	stop := w.work()
	w.awaitDeliveries(e, 2, "succeeded")
	stop()
	start := func(since time.Time, which string) error {
		_, err := w.Webhooks.StartReplay(t.Context(), w.Actor(), e.ID.String(),
			webhook.ReplayInput{Since: &since, Which: &which}, nil)
		return err
	}
	w.Clock.Advance(webhook.MissedWithin - time.Minute)
	if r := w.replay(e, webhook.ReplayInput{Since: &first, Which: ptr("failed")}); r.Total != 2 || r.Queued != 0 {
		t.Errorf("while it is known: %+v", r)
	}
	w.Clock.Advance(3 * 24 * time.Hour)
	if n, err := w.Webhooks.Purge(t.Context()); n != 2 || err != nil {
		t.Fatalf("%d deliveries were forgotten, %v", n, err)
	}
	err := start(first, "failed")
	if f, ok := fault.As(err); !ok || f.Kind != fault.KindInvalid || f.Code != "parameter_invalid" ||
		f.Param != "since" && (len(f.Fields) != 1 || f.Fields[0].Param != "since") {
		t.Errorf("a span of what is forgotten: %v", err)
	}
	if err := start(first.AddDate(-1, 0, 0), "failed"); err == nil {
		t.Error("a longer span is taken")
	}
	later := w.Clock.Now()
	w.emit(1, "charge.captured")
	w.number()
	w.exec(`UPDATE webhook_deliveries SET status = 'failed', finished_at = created_at
		WHERE event_type = 'charge.captured'`, nil)
	if r := w.replay(e, webhook.ReplayInput{Since: &later, Which: ptr("failed")}); r.Queued != 1 {
		t.Errorf("a span of what is known: %+v", r)
	}
	if r := w.replay(e, webhook.ReplayInput{Since: &first}); r.Queued != 3 {
		t.Errorf("all: %+v", r)
	}
}

// A sandbox's clock may have left events behind: what was sent a moment ago is known, whatever time it happened at.
func TestWhatFailedIsKnownAfterTheClockWasMoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	e := w.listen(receive(t, answer(200)), "charge.*")
	m, err := w.Clocks.Moment(t.Context(), w.App.AppID)
	if err != nil {
		t.Fatal(err)
	}
	w.emit(1, "charge.created")
	w.number()
	if err := w.Clocks.Advance(t.Context(), w.App.AppID, 60*24*time.Hour); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Minute)
	if r := w.replay(e, webhook.ReplayInput{Since: &m.At, Which: ptr("failed")}); r.Total == 0 {
		t.Errorf("%+v", r)
	}
}
