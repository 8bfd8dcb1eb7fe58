package main

import (
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/payout"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/processor/stripe/fake"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

// TestProductionPaysOutOnStripe connects a platform and a merchant's connected account, verifies the merchant's bank
// account with Stripe, and pays out. The platform's balance is too low at first. Then the bank returns the payout, and
// the platform has the money again.
func TestProductionPaysOutOnStripe(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	f := fake.New(machineTime(), true)
	platform := f.Open("acct_1live", "sk_live_1", "whsec_1")
	onStripe := f.OpenConnected(platform, "acct_1merchant")
	f.AddBank(onStripe, "usd", "110000000", fake.NoAccount)
	a := liveApp(t, w, f)
	merchant := w.App.Merchants.US
	for external, in := range map[string]accounts.ConnectInput{
		"acct_1live":     {Credentials: sensitive.NewCredentials("sk_live_1 whsec_1"), Serving: accounts.Serving{Methods: []processor.Method{processor.MethodCard}, Priority: 1}},
		"acct_1merchant": {MerchantID: &merchant, Credentials: sensitive.NewCredentials("sk_live_1 acct_1live"), Serving: accounts.Serving{Methods: []processor.Method{processor.MethodPayout}, Priority: 1}},
	} {
		in.Processor, in.External = "stripe", external
		if connected, err := a.Accounts.Connect(t.Context(), w.Admin(), in); err != nil ||
			connected.Onboarding != processor.OnboardingComplete {
			t.Fatalf("%+v, %v", connected, err)
		}
	}
	bank := payout.BankInput{MerchantID: merchant, Account: token.BankInput{Scheme: processor.ACH, Routing: "110000000",
		Number: sensitive.NewAccountNumber(fake.NoAccount), AccountType: "checking",
		Billing: token.Billing{FirstName: "Riverside", LastName: "Food Bank"}}}
	if _, err := a.Payouts.AddBankAccount(t.Context(), w.Admin(), bank); err != nil {
		t.Fatal(err)
	}
	if n, err := a.Payouts.ConfirmBankAccounts(t.Context()); err != nil || n != 1 {
		t.Fatalf("%d confirmed, %v", n, err)
	}
	earn(t, w, merchant, 4_000)
	if p := paidOut(t, w, a, merchant); p.Status != payout.Failed || p.Failure.Code != "balance_too_low" {
		t.Errorf("without money: %+v", p)
	}
	f.Fund(platform, "usd", 10_000)
	p := paidOut(t, w, a, merchant)
	if p.Status != payout.Processing || f.Available(platform, "usd") != 6_000 ||
		f.PaidOut(onStripe, fake.NoAccount) != 4_000 {
		t.Errorf("%+v", p)
	}
	f.Advance(3 * 24 * time.Hour)
	header, body := f.Webhook(onStripe, onStripe.LastEvent())
	header.Set("Stripe-Signature", fake.Sign("whsec_1", machineTime().Unix(), body))
	if err := a.Inbound.Notice(t.Context(), processor.Account{Adapter: "stripe", External: "acct_1live"}, header,
		body); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Inbound.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	p, err := a.Payouts.Get(t.Context(), w.Admin(), p.ID.String())
	if err != nil || p.Status != payout.Failed || p.Failure.Code != "bank_refused" || *p.Failure.ReturnCode != "R03" ||
		f.Available(platform, "usd") != 10_000 {
		t.Errorf("%+v, %v", p, err)
	}
}

// earn makes an amount available to a merchant.
func earn(t *testing.T, w *fixture.World, merchant int64, amount money.Amount) {
	t.Helper()
	c, at := ids.NewCharge(machineTime()), instant.Both(machineTime())
	p := ledger.Posting{ApplicationID: w.App.AppID, MerchantID: merchant, BusinessKey: c.String() + ":capture",
		Kind:  "capture",
		Debit: ledger.ProcessorReceivable, Credit: ledger.MerchantPending, Amount: amount, Currency: money.USD,
		SourceID: c.Bytes(), ChargeID: c}
	released := p
	released.BusinessKey, released.Debit, released.Credit = p.BusinessKey+
		":release", ledger.MerchantPending, ledger.MerchantAvailable
	if err := pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
		ledger.PostTx(tx, at, p, released)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// paidOut creates the payout of a merchant now and returns it.
func paidOut(t *testing.T, w *fixture.World, a *app, merchant int64) payout.Payout {
	t.Helper()
	if _, err := w.Pool.Exec(t.Context(), `UPDATE merchants SET next_payout_at = now() - interval '1 second'
		WHERE application_id = $1 AND id = $2`, w.App.AppID, merchant); err != nil {
		t.Fatal(err)
	}
	views, err := a.Clocks.Views(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range views {
		if _, err := a.Payouts.Run(t.Context(), v); err != nil {
			t.Fatal(err)
		}
	}
	id, err := pg.Value[ids.Payout](t.Context(), w.Pool, `SELECT id FROM payouts WHERE application_id = @app
		AND merchant_id = @merchant ORDER BY id DESC LIMIT 1`,
		pg.Args{"app": w.App.AppID, "merchant": merchant})
	if err != nil {
		t.Fatal(err)
	}
	p, err := a.Payouts.Get(t.Context(), w.Admin(), id.String())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestCardsAreChargedOnBehalfOfACapableMerchant has Stripe report a merchant's capability by an event.
func TestCardsAreChargedOnBehalfOfACapableMerchant(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	f := fake.New(machineTime(), true)
	platform := f.Open("acct_1live", "sk_live_1", "whsec_1")
	onStripe := f.OpenConnected(platform, "acct_1merchant")
	a, merchant := liveApp(t, w, f), w.App.Merchants.US
	for external, in := range map[string]accounts.ConnectInput{
		"acct_1live": {Credentials: sensitive.NewCredentials("sk_live_1 whsec_1"),
			Serving: accounts.Serving{Methods: []processor.Method{processor.MethodCard}, Priority: 1}},
		"acct_1merchant": {MerchantID: &merchant, Credentials: sensitive.NewCredentials("sk_live_1 acct_1live"),
			Serving: accounts.Serving{Methods: []processor.Method{processor.MethodPayout}, Priority: 1}},
	} {
		in.Processor, in.External = "stripe", external
		if _, err := a.Accounts.Connect(t.Context(), w.Admin(), in); err != nil {
			t.Fatal(err)
		}
	}
	pay := payer(t, w, a, merchant, authz.Actor{Role: authz.RoleSecretKey, ApplicationID: w.App.AppID,
		RequestID: ids.NewRequest(machineTime())})
	chargedFor := func() (id string) {
		t.Helper()
		_ = f.Requests()
		if made, err := pay(fake.RefundFails); err != nil || made.Object.AmountCaptured != 2500 {
			t.Fatalf("%+v, %v", made, err)
		}
		for _, r := range f.Requests() {
			if r.Path == "/v1/payment_intents" {
				id = r.Form.Get("on_behalf_of")
			}
		}
		return id
	}
	if got := chargedFor(); got != "" {
		t.Errorf("before Stripe reports the capability: %q", got)
	}
	for status, want := range map[string]string{"active": "acct_1merchant", "inactive": ""} {
		f.Update(onStripe, func() { onStripe.CardPayments = status })
		header, body := f.Webhook(onStripe, onStripe.LastEvent())
		header.Set("Stripe-Signature", fake.Sign("whsec_1", machineTime().Unix(), body))
		if err := a.Inbound.Notice(t.Context(), processor.Account{Adapter: "stripe", External: "acct_1live"}, header,
			body); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Inbound.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := chargedFor(); got != want {
			t.Errorf("%s: %q", status, got)
		}
	}
}
