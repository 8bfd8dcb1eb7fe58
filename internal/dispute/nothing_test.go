package dispute_test

import (
	"errors"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/dispute"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/processor"
)

// held makes an authorization.
func (w *world) held(amount money.Amount) charge.Charge {
	w.t.Helper()
	capture := false
	out, err := w.Charges.Create(w.t.Context(), w.Actor(),
		charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount, Token: &w.token, Capture: &capture}, nil)
	if err != nil || out.Object.Status != charge.Authorized {
		w.t.Fatalf("%+v, %v", out, err)
	}
	return out.Object
}

// back has the bank send a debit back.
func (w *world) back(c charge.Charge) {
	w.t.Helper()
	if err := w.Charges.Return(w.t.Context(),
		processor.Event{Adapter: "sandbox", Account: processor.MerchantAccount(c.ApplicationID, c.MerchantID),
			Reference: c.Processor.Reference, ReturnCode: "R01"}); err != nil {
		w.t.Fatal(err)
	}
}

// A dispute takes nothing from the merchant of a charge that brought nothing: its events wait for people.
func TestDisputeOfAChargeThatBroughtNothingWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	expired := w.held(1000)
	w.Clock.Advance(7 * 24 * time.Hour)
	v, err := w.Clocks.Of(t.Context(), w.App.AppID)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := w.Charges.Step(t.Context(), v); n != 1 || err != nil {
		t.Fatalf("%d expire, %v", n, err)
	}
	voided, failed := w.held(1000), w.debited(1000)
	if _, err := w.Charges.Void(t.Context(), w.Actor(), voided.ID.String(), charge.VoidInput{}, nil); err != nil {
		t.Fatal(err)
	}
	w.back(failed)
	before := w.balances()
	for _, c := range []charge.Charge{expired, voided, failed} {
		ev := w.noticed(c, 1000)
		for _, kind := range []processor.EventKind{opened, escalated, won, lost, closed} {
			if err := w.hear(kind, ev); !errors.Is(err, dispute.ErrNothingTaken) {
				t.Errorf("%s of a charge that is %s: %v", kind, w.chargeNow(c.ID).Status, err)
			}
		}
	}
	if got := moved(before, w.balances()); len(got) > 0 || w.count("disputes") > 0 {
		t.Errorf("moved %v", got)
	}
	w.audit(t)
}

// Of an authorization a capture may still be found; and what was disputed of a charge before its money went is decided.
func TestDisputeOfAChargeThatMayBringSomething(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if d := w.heard(opened, w.noticed(w.held(1000), 1000)); d.Status != dispute.NeedsResponse {
		t.Errorf("%s", jsonOf(t, d))
	}
	c := w.debited(1000)
	ev := w.noticed(c, 1000)
	w.heard(opened, ev)
	w.back(c)
	if d := w.heard(won, ev); d.Status != dispute.Won || w.balances()[ledger.MerchantReserved] != 1000 {
		t.Errorf("%s, %v", jsonOf(t, d), w.balances())
	}
	w.audit(t)
}
