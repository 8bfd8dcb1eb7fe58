package webhook_test

import (
	"testing"
	"time"

	"svcpay/internal/webhook"
)

func TestAReceiverThatHangsTakesNothingFromTheOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var hanging []webhook.Endpoint
	for range 5 {
		hanging = append(hanging, w.listen(receive(t, hang)))
	}
	good := receive(t, answer(200))
	e := w.listen(good)
	w.emit(100, "charge.created")
	w.number()
	began := time.Now()
	w.work()
	good.await(100)
	if took := time.Since(began); took > 3*time.Second { // one attempt that hangs takes so long
		t.Errorf("100 events took %v", took)
	}
	w.awaitDeliveries(e, 100, "succeeded")
	w.attemptedOnce(hanging[0])
	w.emit(1, "charge.captured")
	began = time.Now()
	good.await(101)
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("beside endpoints that fail an event took %v", took)
	}
}

// Many that hang at once take nothing from the others either, of the same application or of another.
func TestReceiversThatHangTogetherTakeNothingFromTheOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 40 {
		w.listen(receive(t, hang), "charge.*")
	}
	good := receive(t, answer(200))
	w.listen(good, "payout.*")
	w.emit(40, "charge.created")
	w.number()
	w.work()
	time.Sleep(300 * time.Millisecond) // attempts take what they can get
	w.emit(1, "payout.paid")
	began := time.Now()
	good.await(1)
	if took := time.Since(began); took > 1500*time.Millisecond { // an attempt that hangs takes twice that
		t.Errorf("beside 40 endpoints that hang an event took %v", took)
	}
}

// TestAnAttemptThatCannotBeWrittenTakesNoOtherWithIt: that of another endpoint in the same batch.
func TestAnAttemptThatCannotBeWrittenTakesNoOtherWithIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var good []webhook.Endpoint
	for range 5 {
		good = append(good, w.listen(receive(t, answer(200))))
	}
	r := receive(t, answer(200))
	r.url += "/poison"
	bad := w.listen(r)
	w.exec(`ALTER TABLE webhook_attempts ADD CHECK (url NOT LIKE '%poison')`, nil)
	w.emit(3, "charge.created")
	w.number()
	if err := w.Webhooks.SendTogether(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, e := range good {
		if n := len(w.deliveries(e, "succeeded")); n != 3 {
			t.Errorf("%d of 3 are written down", n)
		}
	}
	if n := len(w.deliveries(bad, "pending")); n != 3 {
		t.Errorf("%d of 3 wait for another attempt", n)
	}
}

// attemptedOnce waits until an endpoint is known to fail.
func (w world) attemptedOnce(e webhook.Endpoint) {
	w.t.Helper()
	eventually(w.t, func() bool { return w.endpoint(e.ID).FailingSince != nil }, "a failure")
}
