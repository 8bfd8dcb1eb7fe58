package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/processor/stripe/fake"
	"svcpay/internal/refund"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

// bankWorld is a production server with a merchant whose bank accounts are debited on Stripe.
type bankWorld struct {
	*app
	t        *testing.T
	fake     *fake.Fake
	account  *fake.Account
	merchant int64
	actor    authz.Actor
	pages    apikey.Issued
	servers  apikey.Issued
	handler  http.Handler
}

func newBankWorld(t *testing.T) *bankWorld {
	t.Helper()
	w := fixture.New(t)
	f := fake.New(machineTime(), true)
	b := &bankWorld{t: t, fake: f, account: f.Open("acct_1banks", "sk_live_1", "whsec_1"), merchant: w.App.Merchants.US}
	b.app = liveApp(t, w, f)
	in := accounts.ConnectInput{MerchantID: &b.merchant, Processor: "stripe", External: "acct_1banks",
		Credentials: sensitive.NewCredentials("sk_live_1\nwhsec_1"),
		Serving: accounts.Serving{Methods: []processor.Method{processor.MethodCard, processor.MethodACH},
			Priority: 1}}
	if _, err := b.Accounts.Connect(t.Context(), w.Admin(), in); err != nil {
		t.Fatal(err)
	}
	var err error
	b.pages, err = b.APIKeys.Create(t.Context(), w.Admin(),
		apikey.CreateInput{Kind: apikey.Public, Name: "Pages", AllowedOrigins: []string{fixture.PageOrigin}})
	if err == nil {
		b.servers, err = b.APIKeys.Create(t.Context(), w.Admin(),
			apikey.CreateInput{Kind: apikey.Secret, Name: "Servers"})
	}
	if err == nil {
		b.handler, err = b.app.handler()
	}
	if err != nil {
		t.Fatal(err)
	}
	b.actor = authz.Actor{Role: authz.RoleSecretKey, ApplicationID: w.App.AppID,
		RequestID: ids.NewRequest(machineTime())}
	return b
}

// typed is the token of a bank account that a payer typed in.
func (b *bankWorld) typed(number string) token.Created {
	b.t.Helper()
	s, err := b.Tokens.OpenSession(b.t.Context(),
		token.SessionInput{PublicKey: b.pages.Text, MerchantID: b.merchant, PageOrigin: fixture.PageOrigin})
	if err != nil {
		b.t.Fatal(err)
	}
	made, err := b.Tokens.CreateBank(b.t.Context(), s.ID, ids.NewRequest(machineTime()).String(),
		token.BankInput{Scheme: processor.ACH,
			Routing: fake.RoutingACH, Number: sensitive.NewAccountNumber(number), AccountType: "checking",
			Billing: token.Billing{FirstName: "Dana", LastName: "Reed", Email: "dana@example.org"},
			Mandate: token.Acceptance{Accepted: true, TextVersion: token.MandateVersion, IP: "192.0.2.7",
				UserAgent: "Browser/1"}})
	if err != nil {
		b.t.Fatal(err)
	}
	return made
}

// post sends a request to the API.
func (b *bankWorld) post(path, body string) *httptest.ResponseRecorder {
	b.t.Helper()
	r := httptest.NewRequest(http.MethodPost, "https://api.example.org"+path, strings.NewReader(body))
	r.Header.Set("X-API-Key", b.servers.Text)
	r.Header.Set("X-App-ID", strconv.FormatInt(b.actor.ApplicationID, 10))
	r.Header.Set("Content-Type", "application/json")
	said := httptest.NewRecorder()
	b.handler.ServeHTTP(said, r)
	return said
}

// verified is the token of a bank account that the payer verified.
func (b *bankWorld) verified(number string) token.Created {
	b.t.Helper()
	made := b.typed(number)
	if said := b.post("/api/tokens/"+made.Token.String()+"/verify", `{"amounts":[45,32]}`); said.Code != http.StatusOK {
		b.t.Fatalf("%d %s", said.Code, said.Body)
	}
	return made
}

func (b *bankWorld) charge(of token.Created) (charge.Charge, error) {
	b.t.Helper()
	text, amount := of.Token.String(), money.Amount(2500)
	made, err := b.Charges.Create(b.t.Context(), b.actor,
		charge.CreateInput{MerchantID: &b.merchant, Token: &text, Amount: &amount}, nil)
	return made.Object, err
}

// later lets days pass at Stripe and delivers its last event by webhook. It returns the charge as it is then.
func (b *bankWorld) later(days int, of charge.Charge) charge.Charge {
	b.t.Helper()
	b.fake.Advance(time.Duration(days) * 24 * time.Hour)
	_, body := b.fake.Webhook(b.account, b.account.LastEvent())
	r := httptest.NewRequest(http.MethodPost, "https://api.example.org/hooks/stripe/acct_1banks", bytes.NewReader(body))
	r.Header.Set("Stripe-Signature", fake.Sign("whsec_1", machineTime().Unix(), body))
	said := httptest.NewRecorder()
	if b.handler.ServeHTTP(said, r); said.Code/100 != 2 {
		b.t.Fatalf("%d %s", said.Code, said.Body)
	}
	if _, err := b.Inbound.Run(b.t.Context()); err != nil {
		b.t.Fatal(err)
	}
	after, err := b.Charges.Get(b.t.Context(), b.actor, of.ID.String())
	if err != nil {
		b.t.Fatal(err)
	}
	return after
}

// TestProductionDebitsBankAccountsOnStripe verifies a typed bank account by its deposits, debits it, and refunds the
// debit after it settled.
func TestProductionDebitsBankAccountsOnStripe(t *testing.T) {
	t.Parallel()
	b := newBankWorld(t)
	typed := b.typed(fake.Debited)
	if typed.BankAccount.Status != token.PendingVerification {
		t.Errorf("a typed account is %s", typed.BankAccount.Status)
	}
	if _, err := b.charge(typed); !fault.HasCode(err, "bank_account_unverified") {
		t.Errorf("a debit before the verification: %v", err)
	}
	if said := b.post("/api/tokens/"+typed.Token.String()+"/verify",
		`{"amounts":[1,2]}`); said.Code != http.StatusUnprocessableEntity {
		t.Errorf("wrong amounts: %d %s", said.Code, said.Body)
	}
	if said := b.post("/api/tokens/"+typed.Token.String()+"/verify",
		`{"amounts":[32,45]}`); said.Code != http.StatusOK {
		t.Fatalf("%d %s", said.Code, said.Body)
	}
	made, err := b.charge(typed)
	if err != nil || made.Status != charge.Pending || made.Processor.Name != "stripe" {
		t.Fatalf("%+v, %v", made, err)
	}
	if _, err := b.Charges.Void(t.Context(), b.actor, made.ID.String(), charge.VoidInput{}, nil); !fault.HasCode(err,
		"charge_not_voidable") {
		t.Errorf("a void of a debit that Stripe has submitted: %v", err)
	}
	if settled := b.later(5, made); settled.Status != charge.Settled || settled.AmountCaptured != 2500 {
		t.Fatalf("%+v", settled)
	}
	chargeID := made.ID.String()
	back, err := b.Refunds.Create(t.Context(), b.actor, refund.CreateInput{ChargeID: &chargeID}, nil)
	if err != nil || back.Object.Status != refund.Succeeded {
		t.Errorf("%+v, %v", back, err)
	}
}

// TestProductionVerifiesByTheCodeOfOneDeposit verifies a bank account by the code on the payer's statement, after a
// wrong code.
func TestProductionVerifiesByTheCodeOfOneDeposit(t *testing.T) {
	t.Parallel()
	b := newBankWorld(t)
	typed := b.typed(fake.Debited)
	path := "/api/tokens/" + typed.Token.String() + "/verify"
	if said := b.post(path, `{"descriptor_code":"SM99ZZ"}`); said.Code != http.StatusUnprocessableEntity ||
		!strings.Contains(said.Body.String(), `"param":"descriptor_code"`) {
		t.Errorf("a wrong code: %d %s", said.Code, said.Body)
	}
	b.fake.Requests()
	if said := b.post(path, `{"descriptor_code":" sm11aa "}`); said.Code != http.StatusOK ||
		!strings.Contains(said.Body.String(), `"status":"active"`) {
		t.Fatalf("%d %s", said.Code, said.Body)
	}
	sent := b.fake.Requests()
	last := sent[len(sent)-1]
	if last.Form.Get("descriptor_code") != "SM11AA" || last.Form.Has("amounts[0]") {
		t.Errorf("%s %v", last.Path, last.Form)
	}
	if made, err := b.charge(typed); err != nil || made.Status != charge.Pending {
		t.Errorf("%+v, %v", made, err)
	}
}

// TestProductionRecordsFailedDebitsOnStripe makes debits fail before and after they settle.
func TestProductionRecordsFailedDebitsOnStripe(t *testing.T) {
	t.Parallel()
	b := newBankWorld(t)
	poor, err := b.charge(b.verified("000222222227"))
	if err != nil {
		t.Fatal(err)
	}
	if failed := b.later(3, poor); failed.Status != charge.Failed || failed.ReturnCode == nil ||
		*failed.ReturnCode != "R01" || !failed.Failure.Retryable {
		t.Errorf("%+v", failed)
	}
	disputed, err := b.charge(b.verified(fake.DisputedLater))
	if err != nil {
		t.Fatal(err)
	}
	if settled := b.later(5, disputed); settled.Status != charge.Settled {
		t.Fatalf("%+v", settled)
	}
	if returned := b.later(7, disputed); returned.Status != charge.Returned || returned.ReturnCode == nil ||
		*returned.ReturnCode != "R10" {
		t.Errorf("%+v", returned)
	}
	if _, err := b.charge(b.verified(fake.OverLimit)); !fault.HasCode(err, "bank_account_unusable") {
		t.Errorf("a debit that Stripe declines at once: %v", err)
	}
}
