package stripe_test

import (
	"slices"
	"testing"
	"time"

	"svcpay/internal/processor"
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
