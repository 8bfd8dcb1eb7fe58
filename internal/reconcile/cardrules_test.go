package reconcile_test

import (
	"strings"
	"testing"

	"svcpay/internal/charge"
	"svcpay/internal/charge/rule"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor/stripe/fake"
)

// checks has the merchant block cards whose security code or postal code is wrong.
func (w place) checks(t *testing.T) {
	t.Helper()
	_, err := w.CardRules.Set(t.Context(), w.Actor(), w.App.Merchants.US,
		rule.Proposed(rule.Settings{CVCMismatch: true, PostalCodeMismatch: true}), nil)
	must(t, err)
}

// blockedBy counts the charges that a rule blocked after they were held.
func (w place) blockedBy(t *testing.T, by rule.Name) int {
	t.Helper()
	return w.count(t, `charges WHERE status = 'failed' AND failure->>'rule' = @rule
		AND EXISTS (SELECT FROM processor_operations o WHERE o.charge_id = charges.id AND o.kind = 'reverse'
			AND o.state = 'approved')`, pg.Args{"rule": by})
}

// Amounts that are held until the issuer's checks are known are captured or voided at Stripe, and our books match
// Stripe's.
func TestRulesAboutChecksOnStripe(t *testing.T) {
	t.Parallel()
	w := openOnStripe(t)
	w.checks(t)
	good := w.charge(t, w.Token(fake.Approved), 30_000, true)
	held := w.charge(t, w.Token(fake.Approved), 20_000, false)
	if good.Status != charge.Captured || good.AmountCaptured != 30_000 || held.Status != charge.Authorized {
		t.Fatalf("%+v, %+v", good, held)
	}
	for _, capture := range []bool{true, false} {
		w.charge(t, w.Token(fake.CVCFails), 5_000, capture)
		w.charge(t, w.Token(fake.AddressFails), 7_000, capture)
	}
	w.pass(2)
	if cvc, zip := w.blockedBy(t, rule.CVCMismatch), w.blockedBy(t, rule.PostalCodeMismatch); cvc != 2 || zip != 2 {
		t.Errorf("%d and %d are blocked and voided", cvc, zip)
	}
	calls := map[string]int{}
	for _, r := range w.stripe.Requests() {
		// Payments that are abandoned are those of the test of an account.
		if r.Method == "POST" && strings.HasPrefix(r.Path, "/v1/payment_intents/") &&
			r.Form.Get("cancellation_reason") != "abandoned" {
			calls[r.Path[strings.LastIndexByte(r.Path, '/')+1:]]++
		}
	}
	if calls["confirm"] != 6 || calls["capture"] != 1 || calls["cancel"] != 4 {
		t.Errorf("calls: %v", calls)
	}
	var sold money.Amount
	for _, m := range w.stripe.Moved(w.platform) {
		if m.Type == "charge" {
			sold += money.Amount(m.Amount)
		}
	}
	if sold != 30_000 {
		t.Errorf("Stripe moved %d", sold)
	}
	if got := w.differing(); len(got) > 0 {
		t.Errorf("%v", got)
	}
	w.agree()
}

// The same at the sandbox's processor.
func TestRulesAboutChecksReconcile(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.checks(t)
	if c := w.charge(t, w.Token(good), 3_000, true); c.Status != charge.Captured {
		t.Fatalf("%+v", c)
	}
	w.charge(t, w.Token("4000000000000101"), 500, true)
	w.charge(t, w.Token("4000000000000010"), 700, true)
	w.settle(t)
	if cvc, zip := w.blockedBy(t, rule.CVCMismatch), w.blockedBy(t, rule.PostalCodeMismatch); cvc != 1 || zip != 1 {
		t.Errorf("%d and %d are blocked and voided", cvc, zip)
	}
	if r := w.now(t); r.Lines < 6 { // three holds, a capture and two voids
		t.Errorf("%d lines", r.Lines)
	}
	w.expect(t, "held, then captured or voided")
}
