package refund_test

import (
	"testing"
	"time"

	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/refund"
)

// givenUp makes a refund that seems lost, and lets its window pass.
func givenUp(t *testing.T) (testWorld, refund.Refund) {
	t.Helper()
	w, p := newScripted(t)
	p.refund = p.delay
	c := captured(t, w, 100)
	id := create(t, w, of(c, 60), claimOf(w, "k")).Object.ID
	p.refund = nil
	w.Clock.Advance(p.SettleWindow() + time.Second)
	resolve(t, w, 1)
	r := get(t, w, id)
	if r.Status != refund.Failed || r.Failure.Code != "not_submitted" {
		t.Fatalf("%s", jsonOf(t, r))
	}
	return testWorld{w, p, c}, r
}

func TestRefundThatWasMadeAfterAll(t *testing.T) {
	t.Parallel()
	w, lost := givenUp(t)
	if err := w.p.deliver(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Hour)
	resolve(t, w.World, 1)
	w.Clock.Advance(48 * time.Hour)
	resolve(t, w.World, 0)
	r := get(t, w.World, lost.ID)
	if r.Status != refund.Succeeded || r.Failure != nil || r.FailedAt != nil || r.SucceededAt == nil || r.Version != 3 {
		t.Errorf("%s", jsonOf(t, r))
	}
	if now := chargeOf(t, w.World, w.charge.ID); now.AmountRefunded != 60 || now.AmountRefundPending != 0 {
		t.Errorf("%s", jsonOf(t, now))
	}
	audit(t, w.World)
}

func TestRefundThatWasMadeAfterAllAndNoLongerFits(t *testing.T) {
	t.Parallel()
	w, lost := givenUp(t)
	again := create(t, w.World, of(w.charge, 60), nil).Object
	w.p.answers[lost.Processor.Reference] = processor.Answer{Approved: true}
	w.Clock.Advance(time.Hour)
	resolve(t, w.World, 1)
	if a, b := get(t, w.World, lost.ID), get(t, w.World, again.ID); a.Status != refund.Failed ||
		a.Version != lost.Version || b.Status != refund.Succeeded {
		t.Errorf("%s and %s", a.Status, b.Status)
	}
	if n := count(t, w.World, `processor_operations WHERE subject_id = @id AND state = 'approved'
		AND next_check_at IS NULL`, pg.Args{"id": lost.ID}); n != 1 {
		t.Error("the operation does not tell the truth")
	}
	if now := chargeOf(t, w.World, w.charge.ID); now.AmountRefunded != 60 {
		t.Errorf("%s", jsonOf(t, now))
	}
}

// A refund that turns up as made while another one has the rest of the charge is booked once that one has failed.
func TestRefundThatWasMadeAfterAllWaitsForAnother(t *testing.T) {
	t.Parallel()
	w, lost := givenUp(t)
	w.Clock.Advance(50 * time.Second) // it is looked up after a minute, while the other is pending
	w.p.refund = w.p.drop
	other := create(t, w.World, of(w.charge, 60), nil).Object
	w.p.refund = nil
	if err := w.p.deliver(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 60 {
		w.Clock.Advance(15 * time.Second)
		if _, err := w.Operations.Resolve(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if a, b := get(t, w.World, lost.ID), get(t, w.World, other.ID); a.Status != refund.Succeeded ||
		b.Status != refund.Failed {
		t.Errorf("%s and %s", a.Status, b.Status)
	}
	if now := chargeOf(t, w.World, w.charge.ID); now.AmountRefunded != 60 || now.AmountRefundPending != 0 {
		t.Errorf("%s", jsonOf(t, now))
	}
	audit(t, w.World)
}
