package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/dispute"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/processor/stripe/fake"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
	"svcpay/internal/upload"
)

// payer returns a function that pays a merchant of an app by card.
func payer(t *testing.T, w *fixture.World, a *app, merchant int64,
	actor authz.Actor) func(number string) (charge.Result, error) {
	t.Helper()
	key, err := a.APIKeys.Create(t.Context(), w.Admin(),
		apikey.CreateInput{Kind: apikey.Public, Name: "Pages", AllowedOrigins: []string{fixture.PageOrigin}})
	if err != nil {
		t.Fatal(err)
	}
	return func(number string) (charge.Result, error) {
		t.Helper()
		s, err := a.Tokens.OpenSession(t.Context(),
			token.SessionInput{PublicKey: key.Text, MerchantID: merchant, PageOrigin: fixture.PageOrigin})
		if err != nil {
			t.Fatal(err)
		}
		made, err := a.Tokens.CreateCard(t.Context(), s.ID, ids.NewRequest(machineTime()).String(), w.Card(number))
		if err != nil {
			t.Fatal(err)
		}
		text, amount := made.Token.String(), money.Amount(2500)
		return a.Charges.Create(t.Context(), actor,
			charge.CreateInput{MerchantID: &merchant, Token: &text, Amount: &amount}, nil)
	}
}

// disputed is a production server with a connected Stripe account.
type disputed struct {
	*app
	stripe   *fake.Fake
	account  *fake.Account
	merchant int64
	actor    authz.Actor
	pay      func(number string) (charge.Result, error)
}

func newDisputed(t *testing.T) *disputed {
	w := fixture.New(t)
	f := fake.New(machineTime(), true)
	account := f.Open("acct_1live", "sk_live_1", "whsec_1")
	a, merchant := liveApp(t, w, f), w.App.Merchants.US
	in := accounts.ConnectInput{MerchantID: &merchant, Processor: "stripe", External: "acct_1live",
		Credentials: sensitive.NewCredentials("sk_live_1\nwhsec_1"),
		Serving:     accounts.Serving{Methods: []processor.Method{processor.MethodCard}, Priority: 1}}
	if _, err := a.Accounts.Connect(t.Context(), w.Admin(), in); err != nil {
		t.Fatal(err)
	}
	actor := authz.Actor{Role: authz.RoleSecretKey, ApplicationID: w.App.AppID,
		RequestID: ids.NewRequest(machineTime())}
	return &disputed{a, f, account, merchant, actor, payer(t, w, a, merchant, actor)}
}

// notify delivers events by webhook, in that order, and handles them.
func (d *disputed) notify(t *testing.T, events ...string) {
	t.Helper()
	h, err := d.handler()
	if err != nil {
		t.Fatal(err)
	}
	for _, event := range events {
		_, body := d.stripe.Webhook(d.account, event)
		r := httptest.NewRequest(http.MethodPost, "https://api.example.org/hooks/stripe/acct_1live",
			bytes.NewReader(body))
		r.Header.Set("Stripe-Signature", fake.Sign("whsec_1", machineTime().Unix(), body))
		said := httptest.NewRecorder()
		if h.ServeHTTP(said, r); said.Code/100 != 2 {
			t.Fatalf("%d %s", said.Code, said.Body)
		}
		if _, err := d.Inbound.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// opened is the only dispute of a charge.
func (d *disputed) opened(t *testing.T, c charge.Charge) dispute.Dispute {
	t.Helper()
	found, err := d.Disputes.List(t.Context(), d.actor,
		dispute.ListInput{Page: page.Input[ids.Dispute]{Limit: 10}, ChargeID: &c.ID})
	if err != nil || len(found.Items) != 1 {
		t.Fatalf("%+v, %v", found, err)
	}
	return found.Items[0]
}

// TestProductionRespondsToDisputesOnStripe receives a chargeback, submits evidence with a file, and wins the dispute.
func TestProductionRespondsToDisputesOnStripe(t *testing.T) {
	t.Parallel()
	d := newDisputed(t)
	paid, err := d.pay(fake.NotReceived)
	if err != nil {
		t.Fatal(err)
	}
	d.stripe.Advance(2 * time.Hour)
	d.notify(t, d.stripe.Events(d.account, "charge.dispute.")...)
	got := d.opened(t, paid.Object)
	at := d.stripe.Disputes(d.account)[0]
	if got.Kind != dispute.Chargeback || got.Status != dispute.NeedsResponse || got.Amount != 2500 ||
		got.Reason != "product_not_received" ||
		got.Processor != (dispute.ProcessorRef{Name: "stripe", Dispute: at}) {
		t.Errorf("%+v", got)
	}
	file, err := d.Uploads.Create(t.Context(), d.actor,
		upload.CreateInput{Name: "receipt.pdf", ContentType: upload.PDF, Content: []byte("%PDF-1.4\n%%EOF")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	answered, err := d.Disputes.SubmitEvidence(t.Context(), d.actor, got.ID.String(), dispute.EvidenceInput{
		Evidence: map[string]string{"payer_email": "ada@example.org", "uncategorized_text": fake.WinningEvidence},
		Files:    []string{file.Object.ID.String()}}, nil)
	if err != nil || answered.Unknown || answered.Object.Status != dispute.UnderReview {
		t.Fatalf("%+v, %v", answered, err)
	}
	there := d.stripe.Dispute(d.account, at)
	if said := there["evidence"].(map[string]any); said["customer_email_address"] != "ada@example.org" ||
		said["receipt"] == nil || there["status"] != "under_review" {
		t.Errorf("%v", there)
	}
	d.stripe.Advance(6 * 24 * time.Hour)
	d.notify(t, d.stripe.Events(d.account, "charge.dispute.")...)
	after, err := d.Charges.Get(t.Context(), d.actor, paid.Object.ID.String())
	if got = d.opened(t, paid.Object); got.Status != dispute.Won || err != nil || after.AmountDisputed != 0 {
		t.Errorf("%+v, %+v, %v", got, after, err)
	}
}

// TestDisputesOnStripeInAnyOrder delivers the events of an inquiry that became a chargeback and was lost, the last one
// first.
func TestDisputesOnStripeInAnyOrder(t *testing.T) {
	t.Parallel()
	d := newDisputed(t)
	paid, err := d.pay(fake.Inquired)
	if err != nil {
		t.Fatal(err)
	}
	d.stripe.Advance(30 * 24 * time.Hour)
	events := d.stripe.Events(d.account, "charge.dispute.")
	slices.Reverse(events)
	d.notify(t, events...)
	got := d.opened(t, paid.Object)
	after, err := d.Charges.Get(t.Context(), d.actor, paid.Object.ID.String())
	if got.Kind != dispute.Chargeback || got.Status != dispute.Lost || got.EscalatedAt == nil || err != nil ||
		after.AmountDisputed != 2500 {
		t.Errorf("%+v, %+v, %v", got, after, err)
	}
}
