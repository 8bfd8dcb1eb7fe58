package reconcile_test

import (
	"maps"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"svcpay/internal/assembly"
	"svcpay/internal/charge"
	"svcpay/internal/dispute"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/payout"
	"svcpay/internal/platform/page"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/processor/stripe"
	"svcpay/internal/processor/stripe/fake"
	"svcpay/internal/reconcile"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/sandbox/kit"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

// onStripe is a world whose merchant is charged and paid out at Stripe.
type onStripe struct {
	place
	stripe             *fake.Fake
	platform, merchant *fake.Account
}

func openOnStripe(t *testing.T) onStripe {
	t.Helper()
	w := onStripe{}
	w.World = fixture.New(t, func(d *assembly.Deps) {
		w.stripe = fake.New(d.Now(), false)
		server := httptest.NewServer(w.stripe)
		t.Cleanup(server.Close)
		adapter := stripe.New(stripe.Config{Accounts: accounts.NewKeyring(d.Pool, d.Secrets), API: server.URL,
			Now: d.Now})
		open := sandbox.New("sandbox", d.Pool, d.Now, kit.AccountClock(d.Clock.Moment))
		d.Processors = processor.NewRegistry(open, open, adapter)
	})
	w.platform = w.stripe.Open("acct_platform", "sk_test_platform", "whsec_platform")
	w.connect(accounts.ConnectInput{Processor: stripe.Name, External: w.platform.ID,
		Credentials: sensitive.NewCredentials("sk_test_platform"),
		Serving: accounts.Serving{Methods: []processor.Method{processor.MethodCard, processor.MethodACH},
			Priority: 1}})
	w.BankAccount(w.App, w.App.Merchants.US)
	w.merchant = w.stripe.OpenConnected(w.platform, "acct_merchant")
	w.stripe.AddBank(w.merchant, "usd", demo.Routing(money.USD), demo.PaidNumber)
	w.connect(accounts.ConnectInput{MerchantID: &w.App.Merchants.US, Processor: stripe.Name, External: w.merchant.ID,
		Credentials: sensitive.NewCredentials("sk_test_platform acct_platform"),
		Serving:     accounts.Serving{Methods: []processor.Method{processor.MethodPayout}, Priority: 1}})
	return w
}

func (w onStripe) connect(in accounts.ConnectInput) {
	w.T.Helper()
	connected, err := w.Accounts.Connect(w.T.Context(), w.Admin(), in)
	must(w.T, err)
	if connected.Onboarding != processor.OnboardingComplete {
		w.T.Fatalf("%+v", connected)
	}
}

// pass lets days pass, here and at Stripe, six hours at a time, and runs everything that is due.
func (w onStripe) pass(days int) {
	w.T.Helper()
	for range 4 * days {
		w.Clock.Advance(6 * time.Hour)
		w.stripe.Advance(6 * time.Hour)
		w.settle(w.T)
	}
}

func (w onStripe) chargeOf(id string) charge.Charge {
	w.T.Helper()
	c, err := w.Charges.Get(w.T.Context(), w.Actor(), id)
	must(w.T, err)
	return c
}

// paidOut returns the amounts of the merchant's paid payouts, the newest first.
func (w onStripe) paidOut() (amounts []money.Amount) {
	w.T.Helper()
	all, err := w.Payouts.List(w.T.Context(), w.Actor(), payout.ListInput{Page: page.Input[ids.Payout]{Limit: 9}})
	must(w.T, err)
	for _, p := range all.Items {
		if p.Status == payout.Paid {
			amounts = append(amounts, p.Amount)
		}
	}
	return amounts
}

// TestScenarioOnStripe plays docs/scenario.md with Stripe as the processor. The amounts and payouts are the same, and
// our books match Stripe's.
func TestScenarioOnStripe(t *testing.T) {
	t.Parallel()
	w := openOnStripe(t)
	merchant := w.App.Merchants.US

	held := w.charge(t, w.Token("378282246310005"), 12_500, false)
	if held.Processor.Name != stripe.Name || held.Status != charge.Authorized || held.FeeTotal != 10 {
		t.Fatalf("%+v", held)
	}
	part := money.Amount(10_000)
	taken, err := w.Charges.Capture(t.Context(), w.Actor(), held.ID.String(), charge.CaptureInput{Amount: &part}, nil)
	must(t, err)
	if c := taken.Object; c.FeeTotal != 185 || c.Net != 9_815 {
		t.Errorf("captured: %+v", c)
	}
	w.refund(t, taken.Object, 4_000)
	w.stripe.ChargeBack(w.platform, held.ID.String(), "fraudulent")
	w.pass(1)
	d := disputeOf(w.place, held)
	if c := w.chargeOf(held.ID.String()); d.Amount != 6_000 || d.FeeTotal != 1_500 || c.AmountDisputed != 6_000 ||
		c.AmountRefundable != 0 {
		t.Fatalf("disputed: %+v, %+v", d, c)
	}
	_, err = w.Disputes.SubmitEvidence(t.Context(), w.Actor(), d.ID.String(),
		dispute.EvidenceInput{Evidence: map[string]string{"uncategorized_text": fake.WinningEvidence}}, nil)
	must(t, err)

	debit := w.charge(t, w.verifiedToken(merchant, fake.DisputedLater), 20_000, true)
	if debit.Processor.Name != stripe.Name || debit.Status != charge.Pending || debit.FeeTotal != 0 {
		t.Fatalf("%+v", debit)
	}
	w.pass(31)
	if d := disputeOf(w.place, held); d.Status != dispute.Won || d.FeeTotal != 1_500 {
		t.Errorf("after the evidence: %+v", d)
	}
	if c := w.chargeOf(debit.ID.String()); c.Status != charge.Returned || c.FeeTotal != 890 {
		t.Errorf("the debit: %+v", c)
	}
	if got := w.paidOut(); sum(got) != 19_610+4_315 {
		t.Errorf("paid out: %v", got)
	}
	w.charge(t, w.Token(fake.Approved), 30_000, true)
	w.pass(15)
	if got := w.paidOut(); len(got) == 0 || got[0] != 9_165 || sum(got) != 33_090 {
		t.Errorf("paid out in the end: %v", got)
	}
	if got := w.stripe.PaidOut(w.merchant, demo.PaidNumber); got != 33_090 {
		t.Errorf("arrived at the bank: %d", got)
	}
	for _, s := range w.Reconcile {
		_, err := s.RunNow(t.Context())
		must(t, err)
		differences, err := s.Open(t.Context())
		must(t, err)
		if len(differences) > 0 {
			t.Errorf("%s: %+v", s.Name(), differences)
		}
	}
	owed, err := reconcile.Receivables(t.Context(), w.Pool)
	must(t, err)
	if !slices.ContainsFunc(owed, func(r reconcile.Receivable) bool { return r.Processor == stripe.Name }) {
		t.Errorf("%+v", owed)
	}
}

// TestMoneyMovedInStripesDashboard: refunds and captures that were not made by the service are differences.
func TestMoneyMovedInStripesDashboard(t *testing.T) {
	t.Parallel()
	w := openOnStripe(t)
	sold, held := w.charge(t, w.Token(fake.Approved), 30_000, true), w.charge(t, w.Token(fake.Approved), 12_500, false)
	taken := w.charge(t, w.Token(fake.Approved), 8_000, false)
	_, err := w.Charges.Capture(t.Context(), w.Actor(), taken.ID.String(), charge.CaptureInput{}, nil)
	must(t, err)
	w.refund(t, sold, 4_000)
	refund := w.platform.RefundByHand(w.stripe, sold.ID.String(), 5_000)
	if refund == "" || !w.platform.CaptureByHand(w.stripe, held.ID.String(), 12_500) {
		t.Fatal("they are not made")
	}
	w.pass(2)
	want := map[string]reconcile.Kind{refund: reconcile.UnknownReference, held.ID.String(): reconcile.PostingMissing}
	got := map[string]reconcile.Kind{}
	for _, s := range w.Reconcile {
		_, err := s.RunNow(t.Context())
		must(t, err)
		differences, err := s.Open(t.Context())
		must(t, err)
		for _, d := range differences {
			got[d.Reference] = d.Kind
			if d.MerchantID == nil && d.ApplicationID == nil {
				t.Errorf("no owner: %+v", d)
			}
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// verifiedToken is the token of a bank account that a payer typed and verified by its deposits.
func (w onStripe) verifiedToken(merchant int64, number string) string {
	w.T.Helper()
	text := w.BankToken(merchant, w.USBank(number))
	_, err := w.Tokens.Verify(w.T.Context(), w.Actor(), text, token.VerifyInput{Amounts: []int64{32, 45}}, nil)
	must(w.T, err)
	return text
}

func sum(amounts []money.Amount) (total money.Amount) {
	for _, a := range amounts {
		total += a
	}
	return total
}
