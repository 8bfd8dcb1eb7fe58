package sandbox_test

import (
	"testing"
	"time"

	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
)

// refunded refunds an amount of a payment and returns the refund's reference.
func refunded(t *testing.T, w *world, payment string) string {
	t.Helper()
	f := follow(payment, 1000)
	if answer, err := w.open().Refund(t.Context(), f); err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	return f.Reference
}

// A refund fails by its account's clock.
func TestRefundFailsAfterThreeDays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	reference := refunded(t, w, paid(t, w, "refund_fails"))
	w.skip(account, 3*day-time.Second)
	told(t, w)
	w.skip(account, time.Second)
	e := told(t, w, processor.RefundFailed)[0]
	if e.Reference != reference || e.Failure != processor.AccountClosed || e.RawCode != "expired_or_canceled_card" ||
		e.ReturnCode != "" ||
		e.Dispute != nil || !e.At.Equal(start.Add(3*day)) {
		t.Errorf("%+v", e)
	}
}

func TestSimulatedFailureOfARefund(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	payment := paid(t, w, "refund_fails")
	reference := refunded(t, w, payment)
	s := sandbox.Simulation{Kind: processor.RefundFailed, Reference: reference, Failure: processor.BankRefused}
	simulate(t, w, sandbox.Simulation{Kind: s.Kind, Reference: reference}, impossible)
	simulate(t, w, sandbox.Simulation{Kind: s.Kind, Reference: reference, Failure: s.Failure, Account: ofPort(other)},
		missing)
	for _, wrong := range []string{payment, "unheard", ""} {
		simulate(t, w, sandbox.Simulation{Kind: s.Kind, Reference: wrong, Failure: s.Failure}, missing)
	}
	simulate(t, w, s, "")
	simulate(t, w, s, "") // the feed did not say yet: still once
	if e := told(t, w, processor.RefundFailed)[0]; e.Failure != processor.BankRefused || e.RawCode != "declined" ||
		!e.At.Equal(start) {
		t.Errorf("%+v", e)
	}
	simulate(t, w, s, impossible)
	w.pass(30 * day) // nor does its own failure come
	told(t, w, processor.RefundFailed)
	declined := follow(payment, 1251)
	if answer, err := w.open().Refund(t.Context(), declined); err != nil || answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	simulate(t, w, sandbox.Simulation{Kind: s.Kind, Reference: declined.Reference, Failure: s.Failure}, impossible)
}
