package stripe_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/processor"
	"svcpay/internal/processor/conformance"
	"svcpay/internal/processor/stripe"
	"svcpay/internal/processor/stripe/fake"
)

// told returns the kinds of events, with "retrieval" for a retrieval.
func told(events []processor.Event) (kinds []string) {
	for _, e := range events {
		kind := strings.TrimPrefix(string(e.Kind), "dispute_")
		if e.Dispute.Retrieval {
			kind += " retrieval"
		}
		kinds = append(kinds, kind)
	}
	return kinds
}

// notified gives an event of a dispute to an adapter and returns the events that it reports.
func (w *world) notified(t *testing.T, p *stripe.Adapter, kind, dispute, status,
	before string) ([]processor.Event, error) {
	t.Helper()
	data := map[string]any{"object": map[string]any{"id": dispute, "object": "dispute", "status": status}}
	if before != "" {
		data["previous_attributes"] = map[string]any{"status": before}
	}
	body, err := json.Marshal(map[string]any{"id": "evt_1", "object": "event", "type": "charge.dispute." + kind,
		"created": w.Now().Unix(), "data": data})
	if err != nil {
		t.Fatal(err)
	}
	messages, err := p.Notice(t.Context(), account,
		http.Header{"Stripe-Signature": {fake.Sign("whsec_first", w.Now().Unix(), body)}}, body)
	if err != nil || len(messages) != 1 {
		t.Fatal(messages, err)
	}
	return p.Events(t.Context(), messages[0])
}

// serving responds to every request for a dispute with a text.
func (w *world) serving(t *testing.T, text string) *stripe.Adapter {
	return w.inFront(t, func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/v1/disputes/dp_1" {
			return false
		}
		fmt.Fprint(rw, text)
		return true
	})
}

const disputeText = `{"id": "dp_1", "object": "dispute", "status": %q, "amount": 10000, "currency": "usd", "reason": "fraudulent", "created": 1000,
	"balance_transactions": [%s], "evidence_details": {"due_by": 2000},
	"payment_intent": {"id": "pi_1", "object": "payment_intent", "metadata": {"svcpay_reference": "ch_1"}}}`

func TestEventsOfDisputes(t *testing.T) {
	t.Parallel()
	const withdrawn, reinstated = `{"id": "txn_1", "amount": -10000}`, `{"id": "txn_2", "amount": 10000}`
	for _, c := range []struct {
		event, then, before, now, moves string
		want                            []string
	}{
		{event: "created", then: "warning_needs_response", now: "warning_needs_response", want: []string{"opened retrieval"}},
		{event: "created", then: "warning_needs_response", now: "warning_under_review", want: []string{"opened retrieval"}},
		{event: "created", then: "warning_needs_response", now: "warning_closed", want: []string{"opened retrieval", "closed retrieval"}},
		{event: "created", then: "warning_needs_response", now: "needs_response", want: []string{"opened retrieval", "escalated"}},
		{event: "created", then: "warning_needs_response", now: "lost", want: []string{"opened retrieval", "escalated", "lost"}},
		{event: "created", then: "needs_response", now: "needs_response", want: []string{"opened"}},
		{event: "created", then: "needs_response", now: "under_review", want: []string{"opened"}},
		{event: "created", then: "needs_response", now: "won", want: []string{"opened", "won"}},
		{event: "created", then: "lost", now: "lost", want: []string{"opened", "lost"}},
		{event: "updated", then: "needs_response", before: "warning_needs_response", now: "needs_response", want: []string{"opened retrieval", "escalated"}},
		{event: "updated", then: "needs_response", before: "warning_under_review", now: "won", want: []string{"opened retrieval", "escalated", "won"}},
		{event: "updated", then: "warning_under_review", before: "warning_needs_response", now: "warning_under_review", want: []string{"opened retrieval"}},
		{event: "updated", then: "under_review", before: "needs_response", now: "under_review", want: []string{"opened"}},
		{event: "updated", then: "under_review", before: "needs_response", now: "lost", want: []string{"lost"}},
		{event: "funds_withdrawn", then: "needs_response", now: "needs_response", want: []string{"opened"}},
		{event: "funds_withdrawn", then: "needs_response", now: "won", want: []string{"won"}},
		{event: "funds_reinstated", then: "won", now: "won", want: []string{"won"}},
		{event: "closed", then: "won", now: "won", want: []string{"won"}},
		{event: "closed", then: "lost", now: "lost", want: []string{"lost"}},
		{event: "closed", then: "warning_closed", now: "warning_closed", want: []string{"opened retrieval", "closed retrieval"}},
		{event: "closed", then: "lost", now: "won", want: []string{"won"}}, // decided again
		{event: "created", then: "prevented", now: "prevented", moves: withdrawn, want: []string{"opened", "lost"}},
		{event: "closed", then: "prevented", now: "prevented", moves: withdrawn, want: []string{"lost"}},
		{event: "closed", then: "prevented", now: "prevented", moves: withdrawn + "," + reinstated, want: []string{"won"}},
		{event: "created", then: "prevented", now: "prevented", want: []string{"opened retrieval", "closed retrieval"}},
		{event: "created", then: "needs_response", now: "prevented", want: []string{"opened", "won"}},
		{event: "updated", then: "prevented", before: "warning_needs_response", now: "prevented", want: []string{"opened retrieval", "closed retrieval"}},
	} {
		w := newWorld(t)
		p := w.serving(t, fmt.Sprintf(disputeText, c.now, c.moves))
		events, err := w.notified(t, p, c.event, "dp_1", c.then, c.before)
		if err != nil || !slices.Equal(told(events), c.want) {
			t.Errorf("%s from %q to %q, now %q: %q, %v; want %q", c.event, c.before, c.then, c.now, told(events),
				err, c.want)
		}
		for _, e := range events {
			n := *e.Dispute
			n.Retrieval = false
			want := processor.DisputeNotice{ID: "dp_1", Reason: "fraudulent", Amount: 10_000, Currency: "usd",
				RespondBy: time.Unix(2000, 0).UTC()}
			if n != want || e.Reference != "ch_1" || e.Account != account.External || e.ID == "" {
				t.Errorf("%+v, %+v", e, n)
			}
		}
	}
}

// The adapter never makes up missing data. A person must look at the message, unless it is about a payment that we did
// not make.
func TestHostileDisputes(t *testing.T) {
	t.Parallel()
	whole := fmt.Sprintf(disputeText, "needs_response", "")
	for name, c := range map[string]struct {
		old, new string
		fails    bool
	}{
		"another dispute":      {`"dp_1"`, `"dp_2"`, true},
		"an unknown status":    {`"needs_response"`, `"paused"`, true},
		"no status":            {`"status"`, `"state"`, true},
		"a payment not read":   {`{"id": "pi_1", "object": "payment_intent", "metadata": {"svcpay_reference": "ch_1"}}`, `"pi_1"`, true},
		"no payment":           {`{"id": "pi_1", "object": "payment_intent", "metadata": {"svcpay_reference": "ch_1"}}`, `null`, false},
		"another's payment":    {`"svcpay_reference"`, `"their_reference"`, false},
		"unknown of another's": {whole, `{"id": "dp_1", "status": "paused", "payment_intent": null}`, false},
	} {
		w := newWorld(t)
		events, err := w.notified(t, w.serving(t, strings.ReplaceAll(whole, c.old, c.new)), "created", "dp_1",
			"needs_response", "")
		if (err != nil) != c.fails || len(events) != 0 {
			t.Errorf("%s: %+v, %v", name, events, err)
		}
	}
	for name, c := range map[string]struct{ old, new, reason, due string }{
		"no reason":      {`"reason"`, `"because"`, "general", "1970-01-01T00:33:20Z"},
		"another reason": {`"fraudulent"`, `"debit_not_authorized"`, "debit_not_authorized", "1970-01-01T00:33:20Z"},
		"a long reason":  {`"fraudulent"`, `"<b>Pay</b>"`, "general", "1970-01-01T00:33:20Z"},
		"no time":        {`"due_by": 2000`, `"due_by": 0`, "fraudulent", "1970-01-01T00:16:40Z"},
		"null time":      {`{"due_by": 2000}`, `null`, "fraudulent", "1970-01-01T00:16:40Z"},
	} {
		w := newWorld(t)
		events, err := w.notified(t, w.serving(t, strings.ReplaceAll(whole, c.old, c.new)), "created", "dp_1",
			"needs_response", "")
		if err != nil || len(events) != 1 || events[0].Dispute.Reason != c.reason ||
			events[0].Dispute.RespondBy.Format(time.RFC3339) != c.due {
			t.Errorf("%s: %+v, %v", name, events, err)
		}
	}
}

// heard returns all events of the feed.
func (w *world) heard(t *testing.T) []processor.Event {
	t.Helper()
	w.Advance(2 * time.Minute)
	events, err := conformance.Events(t.Context(), w.open(), "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// lives checks the feed after a step of a dispute, without the repeated events that the flow accepts.
func (w *world) lives(t *testing.T, what string, want ...string) {
	t.Helper()
	if got := slices.Compact(told(w.heard(t))); !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func TestDisputesFromOpeningToOutcome(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"won": fake.WinningEvidence, "lost": fake.LosingEvidence} {
		w := newWorld(t)
		reference, dispute := w.disputed(t, fake.NotReceived)
		w.lives(t, "opened", "opened")
		if e := w.heard(t)[0]; e.Reference != reference || e.Dispute.ID != dispute ||
			e.Dispute.Reason != "product_not_received" ||
			!e.Dispute.RespondBy.Equal(e.At.Add(14*24*time.Hour)) {
			t.Errorf("%+v, %+v", e, e.Dispute)
		}
		r := w.response(dispute)
		r.Evidence["uncategorized_text"] = text
		answer, err := w.open().Respond(t.Context(), r)
		responds(t, name, "", answer, err)
		w.Advance(6 * 24 * time.Hour)
		if s := w.status(dispute); s != name {
			t.Error(s)
		}
		w.lives(t, name, "opened", name)
	}
}

func TestInquiriesFromOpeningToOutcome(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, dispute := w.disputed(t, fake.Inquired)
	w.lives(t, "opened", "opened retrieval")
	w.Advance(14 * 24 * time.Hour)
	w.lives(t, "escalated", "opened retrieval", "escalated", "opened retrieval", "escalated", "opened")
	w.Advance(14 * 24 * time.Hour)
	if s := w.status(dispute); s != "lost" {
		t.Error(s)
	}
	w = newWorld(t)
	_, dispute = w.disputed(t, fake.Inquired)
	answer, err := w.open().Respond(t.Context(), w.response(dispute))
	responds(t, "inquiry", "", answer, err)
	w.Advance(6 * 24 * time.Hour)
	w.lives(t, "closed", "opened retrieval", "closed retrieval", "opened retrieval", "closed retrieval",
		"opened retrieval", "closed retrieval")
}

// A refund is declined while a dispute holds the payment's money.
func TestADisputedPaymentIsNotRefunded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	reference, _ := w.disputed(t, fake.Disputed)
	answer, err := w.open().Refund(t.Context(), w.about(reference, 1))
	if err != nil || answer.Approved || answer.RawCode != "charge_disputed" {
		t.Errorf("%+v, %v", answer, err)
	}
}
