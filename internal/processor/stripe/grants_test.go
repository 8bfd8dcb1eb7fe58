package stripe_test

import (
	"slices"
	"strings"
	"testing"

	"svcpay/internal/processor"
	"svcpay/internal/processor/stripe/fake"
	"svcpay/internal/sensitive"
)

// granted is an account that may send what Stripe allows to some accounts only.
var granted = processor.Account{Adapter: "stripe", External: "acct_granted"}

// grantedWorld is a world with that account.
func grantedWorld(t *testing.T) *world {
	w := newWorld(t)
	w.Open(granted.External, "sk_test_granted", "whsec_granted")
	w.first.NetworkIDs, w.first.WalletTokens = false, false // which no payment must notice
	w.keys[granted] = "sk_test_granted"
	return w
}

// The test of an account finds out what Stripe granted it. It leaves nothing that could be paid.
func TestGrantsAreFoundOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	find := func() []processor.Grant {
		t.Helper()
		report, err := w.open().Inspect(t.Context(), account, sensitive.NewCredentials("sk_test_first"))
		if err != nil || report.Onboarding != processor.OnboardingComplete ||
			len(report.Grants)+len(report.Lacks) != 2 {
			t.Fatalf("%+v, %v", report, err)
		}
		for _, l := range report.Lacks {
			if !strings.Contains(l.Remedy, "Ask Stripe") {
				t.Errorf("%+v", l)
			}
		}
		return report.Grants
	}
	all := []processor.Grant{processor.GrantNetworkTransactionID, processor.GrantWalletTokens}
	if got := find(); !slices.Equal(got, all) {
		t.Errorf("all are granted, and it finds %v", got)
	}
	w.first.WalletTokens = false
	if got := find(); !slices.Equal(got, all[:1]) {
		t.Errorf("one is granted, and it finds %v", got)
	}
	w.first.NetworkIDs = false
	if got := find(); len(got) != 0 {
		t.Errorf("none is granted, and it finds %v", got)
	}
	made, canceled := 0, 0
	for _, r := range w.Requests() {
		switch {
		case strings.HasSuffix(r.Path, "/cancel"):
			canceled++
		case r.Method == "POST" && r.Path == "/v1/payment_intents":
			made++
		}
	}
	if made != 6 || canceled != 3 {
		t.Errorf("%d were made, %d canceled", made, canceled)
	}
	w.Fail("POST /v1/payment_intents", fake.TooMany)
	if report, err := w.open().Inspect(t.Context(), account, sensitive.NewCredentials("sk_test_first")); err == nil {
		t.Errorf("Stripe is too busy, and it finds %+v", report)
	}
}

// Payments that a merchant initiates name the series where the account may do so, and are otherwise as before.
func TestNetworkTransactionIDs(t *testing.T) {
	t.Parallel()
	const name = "payment_method_options[card][mit_exemption][network_transaction_id]"
	for _, c := range []struct {
		at          processor.Account
		stored      processor.StoredCredential
		id          string
		use, sentID string
	}{
		{granted, processor.Recurring, "ntx_1", "recurring", "ntx_1"},
		{granted, processor.Unscheduled, "ntx_1", "one_off", "ntx_1"},
		{granted, processor.Recurring, "", "true", ""}, // the network gave none
		{granted, processor.Initial, "", "", ""},
		{granted, processor.NotStored, "", "", ""},
		{account, processor.Recurring, "ntx_1", "true", ""},
		{account, processor.Unscheduled, "ntx_1", "true", ""},
	} {
		w := grantedWorld(t)
		a := w.at(c.at, fake.Approved, true)
		a.Stored, a.NetworkTransactionID = c.stored, c.id
		w.paid(t, a)
		sent := w.Requests()[2].Form
		if sent.Get("off_session") != c.use || len(sent["off_session"]) > 1 || sent.Get(name) != c.sentID {
			t.Errorf("%+v: %v", c, sent)
		}
	}
}

// A wallet's card goes to Stripe with its cryptogram where the account may send it. It is never sent as if the payer
// had typed it, and never appears in an error.
func TestWalletTokens(t *testing.T) {
	t.Parallel()
	w := grantedWorld(t)
	a := w.at(granted, fake.Approved, true)
	a.Card.CVC = sensitive.CVC{}
	a.Card.Cryptogram, a.Card.Wallet, a.Card.ECI = sensitive.NewCryptogram("AgAAAAAABk4DWZ4C28yUQAAAAAA="),
		"wallet_a", "7"
	if answer := w.paid(t, a); answer.NetworkTransactionID == "" {
		t.Errorf("%+v", answer)
	}
	all := w.Requests()
	if len(all) != 2 {
		t.Fatalf("%d requests", len(all))
	}
	sent := all[1].Form
	for name, want := range map[string]string{
		"payment_method": "", "payment_method_data[type]": "card",
		"payment_method_data[card][network_token][number]":                           fake.Approved,
		"payment_method_data[card][network_token][tokenization_method]":              "apple_pay",
		"payment_method_options[card][network_token][cryptogram]":                    "AgAAAAAABk4DWZ4C28yUQAAAAAA=",
		"payment_method_options[card][network_token][electronic_commerce_indicator]": "07",
		"payment_method_data[card][last4]":                                           "4242",
	} {
		if sent.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, sent.Get(name), want)
		}
	}
	again := a
	again.Reference, again.Card.Wallet, again.Card.ECI = w.reference(), "wallet_b", ""
	w.paid(t, again)
	if form := w.Requests()[1].Form; form.Has("payment_method_options[card][network_token][electronic_commerce_indicator]") ||
		form.Get("payment_method_data[card][network_token][tokenization_method]") != "google_pay_dpan" {
		t.Errorf("%v", form)
	}
	unknown := a
	unknown.Reference, unknown.Card.Wallet = w.reference(), ""
	if answer, err := w.open().Authorize(t.Context(), unknown); err != nil ||
		answer.RawCode != "wallet_not_supported" ||
		len(w.Requests()) != 0 {
		t.Errorf("a wallet without a name: %+v, %v", answer, err)
	}
	lost := a
	lost.Reference = w.reference()
	w.Fail("POST /v1/payment_intents/:id/confirm", fake.Broken)
	if _, err := w.open().Authorize(t.Context(), lost); err == nil || strings.Contains(err.Error(), fake.Approved) ||
		strings.Contains(err.Error(), "AgAA") {
		t.Errorf("%v", err)
	}
}
