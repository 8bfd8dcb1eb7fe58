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
	"svcpay/internal/platform/pg"
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
			Now: d.Now, Times: stripe.Times{PerEndpoint: 10_000}})
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
	if got := w.differing(); len(got) > 0 {
		t.Errorf("%v", got)
	}
	w.agree()
}

// agree fails the test unless Stripe's balances are what our ledger says that Stripe owes. Transfers between the
// accounts of a platform and of its merchants are not in our ledger, so the accounts are added up.
func (w onStripe) agree() {
	w.T.Helper()
	all, err := reconcile.Receivables(w.T.Context(), w.Pool)
	must(w.T, err)
	var owed, fees, charged int64
	for _, r := range all {
		if r.Processor == stripe.Name && r.Currency == money.USD {
			owed, fees = owed+int64(r.Amount), fees+int64(r.Fees)
		}
	}
	for _, m := range slices.Concat(w.stripe.Moved(w.platform), w.stripe.Moved(w.merchant)) {
		if charged += m.Fee; m.Type == "stripe_fee" {
			charged -= m.Amount
		}
	}
	net := w.stripe.Net(w.platform, "usd") + w.stripe.Net(w.merchant, "usd")
	if owed != net || fees != charged || fees == 0 {
		w.T.Errorf("Stripe owes %d after fees of %d; its balance is %d after fees of %d", owed, fees, net, charged)
	}
}

// differing reconciles with Stripe, and returns the kinds of open differences by their references.
func (w onStripe) differing() map[string]reconcile.Kind {
	w.T.Helper()
	kinds := map[string]reconcile.Kind{}
	for _, s := range w.Reconcile {
		_, err := s.RunNow(w.T.Context())
		must(w.T, err)
		differences, err := s.Open(w.T.Context())
		must(w.T, err)
		for _, d := range differences {
			kinds[d.Reference] = d.Kind
			if d.MerchantID == nil && d.ApplicationID == nil {
				w.T.Errorf("no owner: %+v", d)
			}
		}
	}
	return kinds
}

// TestStripesFeesAreCostsOfTheApplication: each fee of Stripe is posted once in the ledger of the application, and
// after a mixed history the ledger and Stripe's balances are the same to the cent. No merchant's balance has any of
// them.
func TestStripesFeesAreCostsOfTheApplication(t *testing.T) {
	t.Parallel()
	w := openOnStripe(t)
	sold := w.charge(t, w.Token(fake.Approved), 30_000, true)
	w.refund(t, sold, 4_000)
	failing := w.charge(t, w.Token(fake.RefundFails), 8_000, true)
	w.refund(t, failing, 3_000)
	lost := w.charge(t, w.Token(fake.Approved), 5_000, true)
	w.stripe.ChargeBack(w.platform, lost.ID.String(), "fraudulent")
	w.charge(t, w.verifiedToken(w.App.Merchants.US, "000222222227"), 9_000, true)
	w.charge(t, w.verifiedToken(w.App.Merchants.US, "000123456789"), 7_000, true)
	w.stripe.Bill(w.platform, "usd", 250)
	w.pass(1)
	w.stripe.Decide(w.platform, w.stripe.Disputes(w.platform)[0], "won")
	w.pass(30)
	if got := w.differing(); len(got) > 0 {
		t.Fatalf("%v", got)
	}
	w.agree()
	if got := w.differing(); len(got) > 0 {
		t.Fatalf("at the second run: %v", got)
	}
	w.agree()
	if n := w.count(t, `ledger_entries WHERE 'processor_fees' IN (debit, credit)`, pg.Args{}); n != 0 {
		t.Errorf("%d fees are postings of merchants", n)
	}

	// A balance transaction that is wrong by a cent, and a posting that is, are found.
	off := w.charge(t, w.Token(fake.Approved), 6_000, true)
	if !w.stripe.Shift(w.platform, "charge", 1) {
		t.Fatal("there is no charge")
	}
	w.pass(2)
	fee, err := pg.Value[string](t.Context(), w.Pool, `SELECT max(business_key) FROM application_entries`, pg.Args{})
	must(t, err)
	if got, want := w.differing(), (map[string]reconcile.Kind{off.ID.String(): reconcile.AmountDiffers}); !maps.Equal(got,
		want) {
		t.Errorf("%v, want %v", got, want)
	}
	w.exec(t, `UPDATE reconciliation_lines SET amount = amount + 1 WHERE reference = @fee`, pg.Args{"fee": fee})
	w.exec(t, `UPDATE reconciliation_differences SET reference = @fee WHERE resolved_at IS NULL`, pg.Args{"fee": fee})
	if got, want := w.differing(), (map[string]reconcile.Kind{fee: reconcile.PostingDiffers}); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
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
	if got := w.differing(); !maps.Equal(got, want) {
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
