package main

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/processor/stripe/fake"
	"svcpay/internal/refund"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/vault"
)

// liveApp is a server in production that reaches a Stripe of the test.
func liveApp(t *testing.T, w *fixture.World, f *fake.Fake) *app {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	c := config{databaseURL: w.Pool.Config().ConnString(), environment: apikey.Production,
		baseURL: "https://api.example.org", payURL: "https://pay.example.org",
		domainPort: 80, stripeAPI: s.URL}
	a, err := newApp(t.Context(), c, w.Keys, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.close)
	return a
}

// TestProductionChargesCardsOnStripe connects an account, charges a card, refunds it, and hears by a webhook that the
// refund failed.
func TestProductionChargesCardsOnStripe(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	f := fake.New(machineTime(), true)
	onStripe := f.Open("acct_1live", "sk_live_1", "whsec_1")
	a := liveApp(t, w, f)
	merchant := w.App.Merchants.US
	in := accounts.ConnectInput{MerchantID: &merchant, Processor: "stripe", External: "acct_1live",
		Credentials: sensitive.NewCredentials("sk_live_1\nwhsec_1"),
		Serving:     accounts.Serving{Methods: []processor.Method{processor.MethodCard}, Priority: 1}}
	if connected, err := a.Accounts.Connect(t.Context(), w.Admin(), in); err != nil ||
		connected.Onboarding != processor.OnboardingComplete {
		t.Fatalf("%+v, %v", connected, err)
	}
	actor := authz.Actor{Role: authz.RoleSecretKey, ApplicationID: w.App.AppID,
		RequestID: ids.NewRequest(machineTime())}
	pay := payer(t, w, a, merchant, actor)
	if _, err := pay("4000000000009995"); !fault.HasCode(err, "card_declined") {
		t.Errorf("%v", err)
	}
	f.Fail(fake.LostAnswer, fake.LoseAnswer)
	lost, err := pay(fake.LostAnswer)
	if err != nil || !lost.Unknown {
		t.Fatalf("%+v, %v", lost, err)
	}
	for until := time.Now().Add(20 * time.Second); lost.Object.Status == charge.Processing &&
		time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
		if _, err := a.Operations.Resolve(t.Context()); err != nil {
			t.Fatal(err)
		}
		if lost.Object, err = a.Charges.Get(t.Context(), actor, lost.Object.ID.String()); err != nil {
			t.Fatal(err)
		}
	}
	if lost.Object.AmountCaptured != 2500 {
		t.Fatalf("the lost payment is found as %+v", lost.Object)
	}
	paid, err := pay(fake.RefundFails)
	if err != nil || paid.Object.Processor.Name != "stripe" || paid.Object.AmountCaptured != 2500 {
		t.Fatalf("%+v, %v", paid, err)
	}
	chargeID := paid.Object.ID.String()
	made, err := a.Refunds.Create(t.Context(), actor, refund.CreateInput{ChargeID: &chargeID}, nil)
	if err != nil || made.Object.Status != refund.Succeeded {
		t.Fatalf("%+v, %v", made, err)
	}
	f.Advance(4 * 24 * time.Hour)
	_, body := f.Webhook(onStripe, onStripe.LastEvent())
	r := httptest.NewRequest(http.MethodPost, "https://api.example.org/hooks/stripe/acct_1live", bytes.NewReader(body))
	r.Header.Set("Stripe-Signature", fake.Sign("whsec_1", machineTime().Unix(), body))
	h, err := a.handler()
	if err != nil {
		t.Fatal(err)
	}
	said := httptest.NewRecorder()
	if h.ServeHTTP(said, r); said.Code/100 != 2 {
		t.Fatalf("%d %s", said.Code, said.Body)
	}
	if _, err := a.Inbound.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	after, err := a.Refunds.Get(t.Context(), actor, made.Object.ID.String())
	if err != nil || after.Status != refund.Failed || after.Failure.Code != string(processor.AccountClosed) {
		t.Errorf("%+v, %v", after, err)
	}
}

// TestStripeIsConnectedByCommand connects a test account to a sandbox as an operator does. A live key is refused.
func TestStripeIsConnectedByCommand(t *testing.T) { // the commands set the program's log: on its own
	w := fixture.New(t)
	f := fake.New(machineTime(), false)
	f.Open("acct_1test", "sk_test_1", "whsec_1")
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	dir := t.TempDir()
	keys, credentials := filepath.Join(dir, "keys.json"), filepath.Join(dir, "stripe")
	if _, err := vault.CreateKeyFile(keys); err != nil {
		t.Fatal(err)
	}
	env := []string{"DATABASE_URL=" + w.Pool.Config().ConnString(), "SVCPAY_ENVIRONMENT=sandbox",
		"SVCPAY_VAULT_KEY_FILE=" + keys, "SVCPAY_STRIPE_API=" + s.URL}
	for text, status := range map[string]int{"sk_live_1\nwhsec_1\n": 1, "sk_test_wrong\n": 1,
		"sk_test_1\nwhsec_1\n": 0} {
		if err := os.WriteFile(credentials, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var said bytes.Buffer
		args := []string{"processors", "connect", "stripe", "acct_1test", "--application",
			strconv.FormatInt(w.App.AppID, 10), "--credentials-file", credentials}
		if got := run(args, env, &said, &said); got != status || strings.Contains(said.String(), "sk_") {
			t.Errorf("%q ends with %d: %s", text, got, &said)
		}
		if status == 0 && !strings.Contains(said.String(), "complete") {
			t.Errorf("%s", &said)
		}
	}
}

// TestStripeEndpointsAreRegisteredByCommand connects an account without a signing secret, and has the doctor look at
// it.
func TestStripeEndpointsAreRegisteredByCommand(t *testing.T) { // the commands set the program's log: on its own
	w := fixture.New(t)
	f := fake.New(machineTime(), false)
	onStripe := f.Open("acct_1test", "sk_test_1", "")
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	dir := t.TempDir()
	keys, credentials := filepath.Join(dir, "keys.json"), filepath.Join(dir, "stripe")
	if _, err := vault.CreateKeyFile(keys); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(credentials, []byte("sk_test_1"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"DATABASE_URL=" + w.Pool.Config().ConnString(), "SVCPAY_ENVIRONMENT=sandbox",
		"SVCPAY_VAULT_KEY_FILE=" + keys, "SVCPAY_STRIPE_API=" + s.URL, "SVCPAY_BASE_URL=https://api.example.org",
		"SVCPAY_PAY_URL=https://pay.example.org"}
	says := func(args ...string) string {
		t.Helper()
		var said bytes.Buffer
		run(args, env, &said, &said)
		return said.String()
	}
	application := strconv.FormatInt(w.App.AppID, 10)
	onStripe.NoHooks = true
	made := says("processors", "connect", "stripe", "acct_1test", "--application", application, "--credentials-file",
		credentials)
	if !strings.Contains(made, "missing: webhook_key. Allow the restricted key") ||
		!strings.Contains(made, "••••st_1") {
		t.Fatalf("%s", made)
	}
	if found := says("doctor"); !strings.Contains(found, "acct_1test of application "+application+
		" lacks webhook_key") {
		t.Errorf("%s", found)
	}
	onStripe.NoHooks = false
	tested := says("processors", "test", accountID.FindString(made), "--application", application)
	if strings.Contains(tested, "missing") || !strings.Contains(tested, "••••st_1") {
		t.Errorf("%s", tested)
	}
	if found := says("doctor"); !strings.Contains(found, "the processors confirm every processor account") {
		t.Errorf("%s", found)
	}
	at := processor.Account{Adapter: "stripe", External: "acct_1test"}
	box, err := vault.ReadKeyFile(keys)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := accounts.NewKeyring(w.Pool, box.Secrets).Credentials(t.Context(), at)
	if err != nil || strings.Count(kept.Reveal(), "whsec_") != 2 {
		t.Errorf("%d signing secrets are kept, %v", strings.Count(kept.Reveal(), "whsec_"), err)
	}
}
