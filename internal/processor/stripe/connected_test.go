package stripe_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"svcpay/internal/processor"
	"svcpay/internal/processor/stripe/fake"
)

// TestAccountChangesAreReported changes a connected account's requirements at Stripe, which an event reports.
func TestAccountChangesAreReported(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	paid, a := w.connectMerchant(), w.open()
	credentials, _ := w.keys.Credentials(t.Context(), merchant)
	report, err := a.Inspect(t.Context(), merchant, credentials)
	if err != nil || report.Requirements != nil || report.Capabilities[processor.CardPayments] != "" ||
		report.Platform != account.External || report.Onboarding != processor.OnboardingComplete {
		t.Errorf("%+v, %v", report, err)
	}
	deadline := w.Now().Add(72 * time.Hour).Truncate(time.Second)
	w.Update(paid, func() {
		paid.CardPayments, paid.CurrentlyDue, paid.PastDue = "inactive", []string{"company.tax_id"}, []string{"tos"}
		paid.Deadline, paid.DisabledReason = deadline, "requirements.past_due"
	})
	header, body := w.Webhook(paid, paid.LastEvent())
	messages, err := a.Notice(t.Context(), account, header, body)
	if err != nil || len(messages) != 1 {
		t.Fatalf("%+v, %v", messages, err)
	}
	events, err := a.Events(t.Context(), messages[0])
	if err != nil || len(events) != 1 || events[0].Kind != processor.AccountUpdated ||
		events[0].Account != merchant.External {
		t.Errorf("%+v, %v", events, err)
	}
	report, err = a.Inspect(t.Context(), merchant, credentials)
	r := report.Requirements
	if err != nil || r == nil || !slices.Equal(r.CurrentlyDue, []string{"company.tax_id"}) || len(r.PastDue) != 1 ||
		!r.Deadline.Equal(deadline) || r.DisabledReason != "requirements.past_due" ||
		report.Capabilities[processor.CardPayments] != "inactive" || report.Onboarding != processor.OnboardingPending {
		t.Errorf("%+v, %+v, %v", report, r, err)
	}
}

// TestADisconnectedAccountKeepsBackNoOther ends the connection of a merchant's account: the platform's own events and
// balance transactions are read as before.
func TestADisconnectedAccountKeepsBackNoOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	connected := w.connectMerchant()
	w.paid(t, w.authorization(fake.Approved))
	w.refunded(t, fake.Approved)
	w.Advance(time.Hour)
	read := func() (messages, lines int) {
		t.Helper()
		m, err := w.open().Messages(t.Context(), "", 100)
		if err != nil {
			t.Error(err)
		}
		l, err := w.open().Book(t.Context(), 0, 100)
		if err != nil {
			t.Error(err)
		}
		return len(m), len(l)
	}
	messages, lines := read()
	w.Disconnect(connected)
	if m, l := read(); m != messages || l != lines || messages == 0 || lines == 0 {
		t.Errorf("%d messages and %d lines, and %d and %d before", m, l, messages, lines)
	}
	header, body := w.Webhook(connected, connected.LastEvent())
	told, err := w.open().Notice(t.Context(), account, header, body)
	if err != nil || len(told) != 1 {
		t.Fatalf("%+v, %v", told, err)
	}
	events, err := w.open().Events(t.Context(), told[0])
	if err != nil || len(events) != 1 || events[0].Kind != processor.AccountUpdated ||
		events[0].Account != merchant.External {
		t.Errorf("%+v, %v", events, err)
	}
	credentials, _ := w.keys.Credentials(t.Context(), merchant)
	if report, err := w.open().Inspect(t.Context(), merchant, credentials); !errors.Is(err, processor.ErrNoAccount) {
		t.Errorf("%+v, %v", report, err)
	}
	p := w.payout(ours)
	if answer, err := w.open().Payout(t.Context(), p); err == nil {
		t.Errorf("a payout to an account that cannot be read: %+v", answer)
	}
	w.Advance(2 * time.Minute)
	if answer, err := w.open().Lookup(t.Context(), merchant, p.Reference); !errors.Is(err, processor.ErrNotFound) {
		t.Errorf("%+v, %v", answer, err)
	}
}

func TestPaysOnBehalfOfAConnectedAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	paid := w.connectMerchant()
	sentFor := func() string {
		t.Helper()
		for _, r := range w.Requests() {
			if r.Method == "POST" && r.Path == "/v1/payment_intents" {
				return r.Form.Get("on_behalf_of")
			}
		}
		t.Fatal("no intent")
		return ""
	}
	in := w.authorization("4242424242424242")
	w.paid(t, in)
	if got := sentFor(); got != "" {
		t.Errorf("without a connected account, the payment names %q", got)
	}
	in = w.authorization("4242424242424242")
	in.OnBehalfOf = merchant.External
	if answer, err := w.open().Authorize(t.Context(), in); err != nil || answer.Approved ||
		answer.RawCode != "account_invalid" {
		t.Errorf("without the capability: %+v, %v", answer, err)
	}
	w.Update(paid, func() { paid.CardPayments = "active" })
	_ = w.Requests()
	in = w.authorization("4242424242424242")
	in.OnBehalfOf = merchant.External
	w.paid(t, in)
	if got := sentFor(); got != merchant.External {
		t.Errorf("the payment names %q", got)
	}
}
