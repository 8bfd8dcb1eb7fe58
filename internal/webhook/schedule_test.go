package webhook_test

import (
	"context"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/webhook"
)

// pauses are those between attempts, at their longest.
var pauses = []time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour}

func TestADeliveryIsAttemptedTenTimes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := receive(t, answer(500))
	e := w.listen(r)
	w.emit(1, "charge.created")
	w.number()
	w.work()
	for i, pause := range pauses {
		d := w.attempted(e, i+1)[0]
		wait := d.NextAttemptAt.Sub(w.Clock.Now())
		if d.Status != "pending" || wait < pause*9/10 || wait > pause*11/10 {
			t.Fatalf("after %d attempts the next is in %v, want about %v", i+1, wait, pause)
		}
		w.Clock.Advance(wait + time.Millisecond)
	}
	d := w.awaitDeliveries(e, 1, "failed")[0]
	if len(d.Attempts) != 10 || d.NextAttemptAt != nil || d.FinishedAt == nil || len(r.messages()) != 10 {
		t.Errorf("%+v", d)
	}
	for _, m := range r.messages() {
		hook, err := standardwebhooks.NewWebhook(e.Secret)
		if err != nil {
			t.Fatal(err)
		}
		if err := hook.VerifyIgnoringTimestamp(m.Body, m.Header); m.ID != d.EventID.String() ||
			string(m.Body) != string(r.messages()[0].Body) || err != nil {
			t.Errorf("%s is another message: %v", m.ID, err)
		}
	}
	if e := w.endpoint(e.ID); e.Status != webhook.Enabled || e.FailingSince == nil {
		t.Errorf("%+v", e)
	}
}

func TestAnEndpointSaysWhenItWantsToBeAskedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := w.Clock.Now().Add(3 * time.Hour)
	asks := map[string]string{"seconds": "7200", "a date": at.UTC().Format(http.TimeFormat)}
	endpoints := map[string]webhook.Endpoint{}
	for name, value := range asks {
		endpoints[name] = w.listen(receive(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", value)
			w.WriteHeader(http.StatusServiceUnavailable)
		}))
	}
	w.emit(1, "charge.created")
	w.work()
	for name, want := range map[string]time.Duration{"seconds": 2 * time.Hour, "a date": 3 * time.Hour} {
		if got := w.attempted(endpoints[name], 1)[0].NextAttemptAt.Sub(w.Clock.Now()); got < want-time.Second ||
			got > want {
			t.Errorf("%s: the next attempt is in %v", name, got)
		}
	}
}

// typesOf tells the types of what a receiver got.
func typesOf(r *receiver) (out []string) {
	for _, m := range r.messages() {
		out = append(out, m.Type)
	}
	return out
}

func TestAnEndpointThatIsGoneIsPaused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	watcher := receive(t, answer(200))
	w.listen(watcher, "webhook_endpoint.*")
	r := receive(t, answer(410))
	e := w.listen(r)
	w.emit(40, "charge.created")
	w.work()
	told := watcher.await(1)[0]
	after := w.endpoint(e.ID)
	if after.Status != webhook.Paused || *after.PausedReason != "gone" || after.Version != 2 ||
		told.Type != "webhook_endpoint.paused" {
		t.Errorf("%+v, %s", after, told.Body)
	}
	eventually(t, func() bool { return len(w.deliveries(e, "pending")) == 0 }, "an end of all deliveries")
	w.emit(1, "charge.created")
	w.number()
	if n := len(w.deliveries(e)); n != 40 {
		t.Errorf("%d deliveries of 40 events", n)
	}
	before := len(r.messages())
	if _, err := w.Webhooks.Enable(t.Context(), w.Actor(), e.ID.String(), nil); err != nil {
		t.Fatal(err)
	}
	w.emit(1, "charge.captured")
	eventually(t, func() bool { return len(r.messages()) > before }, "a message more")
	if m := r.messages()[before]; m.Type != "charge.captured" {
		t.Errorf("after the pause %s came first", m.Type)
	}
}

func TestAnEndpointThatFailsForFiveDaysIsPausedAndRecovers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	watcher := receive(t, answer(200))
	w.listen(watcher, "webhook_endpoint.*")
	var well atomic.Bool
	r := receive(t, func(w http.ResponseWriter, _ *http.Request) {
		if !well.Load() {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	e := w.listen(r, "charge.*")
	w.work()
	begun := w.Clock.Now()
	for i := 1; w.Clock.Now().Sub(begun) < 5*24*time.Hour; i++ {
		w.emit(1, "charge.created")
		w.awaitAttempts(e, i)
		if e := w.endpoint(e.ID); e.Status != webhook.Enabled || !e.FailingSince.Equal(begun) {
			t.Fatalf("after %v: %+v", w.Clock.Now().Sub(begun), e)
		}
		w.Clock.Advance(29 * time.Hour)
	}
	w.emit(1, "charge.created")
	told := watcher.await(1)[0]
	after := w.endpoint(e.ID)
	if after.Status != webhook.Paused || *after.PausedReason != "failing" || told.Type != "webhook_endpoint.paused" {
		t.Fatalf("%+v, %s", after, told.Body)
	}
	well.Store(true)
	enabled, err := w.Webhooks.Enable(t.Context(), w.Actor(), e.ID.String(), nil)
	if err != nil || enabled.Object.Status != webhook.Enabled || enabled.Object.FailingSince != nil ||
		enabled.Object.Version != 3 {
		t.Fatalf("%+v, %v", enabled.Object, err)
	}
	if n := len(watcher.messages()); n != 1 {
		t.Errorf("recovered before it took anything: %v", typesOf(watcher))
	}
	w.emit(2, "charge.captured")
	watcher.await(2)
	w.emit(2, "charge.captured")
	w.awaitDeliveries(e, 4, "succeeded")
	if got := typesOf(watcher); !slices.Equal(got, []string{"webhook_endpoint.paused", "webhook_endpoint.recovered"}) {
		t.Errorf("told %v", got)
	}
	if e := w.endpoint(e.ID); e.Version != 4 || e.LastSuccessAt == nil || e.FailingSince != nil {
		t.Errorf("%+v", e)
	}
}

// An endpoint that was disabled while it was paused has a recovery all the same.
func TestAPauseEndsWithASuccessHoweverItWasLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	watcher := receive(t, answer(200))
	w.listen(watcher, "webhook_endpoint.*")
	var gone atomic.Bool
	gone.Store(true)
	r := receive(t, func(w http.ResponseWriter, _ *http.Request) {
		if gone.Load() {
			w.WriteHeader(http.StatusGone)
		}
	})
	e := w.listen(r, "charge.*")
	w.emit(1, "charge.created")
	w.work()
	watcher.await(1)
	gone.Store(false)
	for _, change := range []func(context.Context, authz.Actor, string,
		*idempotency.Claim) (idempotency.Result[webhook.Endpoint], error){
		w.Webhooks.Disable, w.Webhooks.Enable,
	} {
		if out, err := change(t.Context(), w.Actor(), e.ID.String(), nil); err != nil ||
			out.Object.PausedReason != nil {
			t.Fatalf("%+v, %v", out.Object, err)
		}
	}
	w.emit(1, "charge.created")
	watcher.await(2)
	if got := typesOf(watcher); !slices.Equal(got, []string{"webhook_endpoint.paused", "webhook_endpoint.recovered"}) {
		t.Errorf("told %v", got)
	}
}

// awaitAttempts waits until so many events have been attempted at least once.
func (w world) awaitAttempts(e webhook.Endpoint, n int) {
	w.t.Helper()
	eventually(w.t, func() bool {
		tried := 0
		for _, d := range w.deliveries(e) {
			if len(d.Attempts) > 0 {
				tried++
			}
		}
		return tried >= n
	}, "%d events that were attempted", n)
}

func TestASuccessEndsTheFailing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var n atomic.Int64
	r := receive(t, func(w http.ResponseWriter, _ *http.Request) {
		if n.Add(1) == 1 {
			w.WriteHeader(http.StatusBadGateway)
		}
	})
	e := w.listen(r)
	w.emit(1, "charge.created")
	w.work()
	w.attempted(e, 1)
	if w.endpoint(e.ID).FailingSince == nil {
		t.Error("a failure is not noted")
	}
	w.Clock.Advance(6 * time.Second)
	w.awaitDeliveries(e, 1, "succeeded")
	if e := w.endpoint(e.ID); e.FailingSince != nil || !e.LastSuccessAt.Equal(w.Clock.Now()) || e.Version != 1 {
		t.Errorf("%+v", e)
	}
	if slices.Contains(w.types(), "webhook_endpoint.recovered") {
		t.Error("recovered from no pause")
	}
}

func TestWhatADeadBinaryHadClaimedIsSentByAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := receive(t, answer(200))
	e := w.listen(r)
	w.emit(1, "charge.created")
	w.number()
	// as a claim does
	if _, err := pg.Exec(t.Context(), w.Pool, `UPDATE webhook_due SET attempts = 1, leased_until = @until`,
		pg.Args{"until": w.Clock.Now().Add(20 * time.Second)}); err != nil {
		t.Fatal(err)
	}
	w.work()
	time.Sleep(300 * time.Millisecond)
	if n := len(r.messages()); n > 0 {
		t.Errorf("%d messages before the lease has ended", n)
	}
	w.Clock.Advance(20 * time.Second)
	if d := w.awaitDeliveries(e, 1, "succeeded")[0]; len(d.Attempts) != 1 || d.Attempts[0].Number != 2 {
		t.Errorf("%+v", d)
	}
}

func TestSeveralWorkersSendEachEventOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := receive(t, answer(200))
	e := w.listen(r)
	var stops []func()
	for range 3 {
		stops = append(stops, w.work())
	}
	for range 5 {
		w.emit(20, "charge.created")
	}
	w.awaitDeliveries(e, 100, "succeeded")
	for _, stop := range stops {
		stop()
	}
	seen := map[string]bool{}
	for _, m := range r.messages() {
		if seen[m.ID] {
			t.Errorf("%s came twice", m.ID)
		}
		seen[m.ID] = true
	}
	if len(seen) != 100 {
		t.Errorf("%d events came", len(seen))
	}
}

func TestAWorkerThatStopsLetsAttemptsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	began := make(chan struct{}, 10)
	r := receive(t, func(http.ResponseWriter, *http.Request) {
		began <- struct{}{}
		time.Sleep(500 * time.Millisecond)
	})
	e := w.listen(r)
	w.emit(3, "charge.created")
	w.number()
	stop := w.work()
	<-began
	stop()
	if n := len(w.deliveries(e, "succeeded")); n != 3 {
		t.Errorf("%d of 3 attempts were written down", n)
	}
	w.emit(1, "charge.created")
	time.Sleep(300 * time.Millisecond)
	if n := len(r.messages()); n != 3 {
		t.Errorf("a worker that has stopped sent %d messages", n)
	}
}

func TestOldDeliveriesAreForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sent, waits := w.listen(receive(t, answer(200))), w.listen(receive(t, answer(500)))
	w.emit(3, "charge.created")
	stop := w.work()
	w.awaitDeliveries(sent, 3, "succeeded")
	w.attempted(waits, 1)
	stop()
	purge := func(after time.Duration, gone int64) {
		t.Helper()
		w.Clock.Advance(after)
		if n, err := w.Webhooks.Purge(t.Context()); n != gone || err != nil {
			t.Errorf("%d deliveries were forgotten, want %d, %v", n, gone, err)
		}
	}
	const kept = 30 * 24 * time.Hour
	purge(kept-time.Second, 0)
	purge(2*time.Second, 3)
	purge(time.Hour, 0)
	if len(w.deliveries(sent)) != 0 || len(w.deliveries(waits)) != 3 {
		t.Error("forgot those that wait, or not those that ended")
	}
	if n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*) FROM webhook_attempts`, pg.Args{}); n != 3 ||
		err != nil {
		t.Errorf("%d attempts are kept, %v", n, err)
	}
	if _, err := w.Webhooks.Disable(t.Context(), w.Actor(), waits.ID.String(), nil); err != nil { // they end late
		t.Fatal(err)
	}
	purge(kept-time.Second, 0)
	purge(2*time.Second, 3)
}

func TestDeliveriesAreListedByPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	e := w.listen(receive(t, answer(200)))
	w.emit(5, "charge.created")
	w.number()
	seen := map[ids.Delivery]bool{}
	in := webhook.DeliveryInput{Page: page.Input[ids.Delivery]{Limit: 2}}
	for more := true; more; {
		p, err := w.Webhooks.Deliveries(t.Context(), w.Actor(), e.ID.String(), in)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range p.Items {
			seen[d.ID], in.Page.After = true, d.ID
		}
		more = p.HasMore
	}
	if len(seen) != 5 {
		t.Errorf("%d of 5 were listed", len(seen))
	}
}
