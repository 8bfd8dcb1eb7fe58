package stripe_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/processor"
	"svcpay/internal/processor/stripe/fake"
)

// disputed makes a disputed payment and returns its reference and the dispute.
func (w *world) disputed(t *testing.T, card string) (reference, dispute string) {
	t.Helper()
	a := w.authorization(card)
	w.paid(t, a)
	w.Advance(2 * time.Hour)
	all := w.Disputes(w.first)
	if len(all) == 0 {
		t.Fatal("there is no dispute")
	}
	return a.Reference, all[len(all)-1]
}

func (w *world) response(dispute string) processor.Response {
	return processor.Response{Reference: w.reference(), Account: account, Dispute: dispute, Amount: 10_000,
		Currency: money.USD,
		Evidence: map[string]string{"product_description": "A box of vegetables."}}
}

// responds checks an answer. want is the decline code, "" for an approval.
func responds(t *testing.T, what, want string, answer processor.Answer, err error) {
	t.Helper()
	if err != nil || answer.Approved != (want == "") || answer.DeclineCode != want {
		t.Errorf("%s: %+v, %v; want %q", what, answer, err, want)
	}
}

func (w *world) status(dispute string) any { return w.Dispute(w.first, dispute)["status"] }

// withoutEvents makes Stripe's list of events empty, as if events were late.
func (w *world) withoutEvents(t *testing.T) {
	w.inFront(t, func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/v1/events" {
			return false
		}
		fmt.Fprint(rw, `{"object": "list", "data": [], "has_more": false}`)
		return true
	})
}

func TestALostResponseIsFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		accept, late bool
		path         string // after the dispute's path
		fault        fake.Fault
		found        bool
	}{
		"evidence":                 {fault: fake.LoseAnswer, found: true},
		"evidence, late events":    {fault: fake.LoseAnswer, found: true, late: true},
		"evidence that got lost":   {fault: fake.LoseCall},
		"acceptance":               {accept: true, path: "/close", fault: fake.LoseAnswer, found: true},
		"acceptance, late events":  {accept: true, path: "/close", fault: fake.LoseAnswer, found: true, late: true},
		"acceptance that got lost": {accept: true, path: "/close", fault: fake.LoseCall},
		"acceptance in between":    {accept: true, fault: fake.LoseAnswer},
		"acceptance before":        {accept: true, fault: fake.LoseCall},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			_, dispute := w.disputed(t, fake.Disputed)
			if c.late {
				w.withoutEvents(t)
			}
			r := w.response(dispute)
			r.Accept = c.accept
			w.Fail("POST /v1/disputes/"+dispute+c.path, c.fault)
			if answer, err := w.open().Respond(t.Context(), r); err == nil {
				t.Fatalf("%+v", answer)
			}
			for _, later := range []time.Duration{0, time.Hour, 60 * 24 * time.Hour} {
				w.Advance(later)
				answer, err := w.open().Lookup(t.Context(), account, r.Reference)
				switch {
				case c.found:
					responds(t, "look-up", "", answer, err)
				case later <= time.Hour && !isUnknown(err):
					t.Errorf("%+v, %v", answer, err)
				}
			}
		})
	}
}

func TestARepeatedResponseIsNotSubmittedTwice(t *testing.T) {
	t.Parallel()
	for _, accept := range []bool{false, true} {
		w := newWorld(t)
		_, dispute := w.disputed(t, fake.Disputed)
		r := w.response(dispute)
		r.Accept = accept
		for range 3 {
			answer, err := w.open().Respond(t.Context(), r)
			responds(t, "response", "", answer, err)
		}
		details := w.Dispute(w.first, dispute)["evidence_details"].(map[string]any)
		if n := details["submission_count"]; n != map[bool]float64{false: 1}[accept] {
			t.Errorf("submitted %v times", n)
		}
	}
}

// A retry completes an acceptance that stopped halfway.
func TestAnAcceptanceIsCompleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, dispute := w.disputed(t, fake.Disputed)
	r := w.response(dispute)
	r.Accept = true
	w.Fail("POST /v1/disputes/"+dispute+"/close", fake.TooMany)
	if answer, err := w.open().Respond(t.Context(), r); err == nil {
		t.Fatalf("%+v", answer)
	}
	answer, err := w.open().Respond(t.Context(), r)
	responds(t, "again", "", answer, err)
	if s := w.status(dispute); s != "lost" {
		t.Error(s)
	}
}

// An inquiry that becomes a chargeback gets two responses, and a look-up finds both.
func TestBothResponsesToADisputeAreFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, dispute := w.disputed(t, fake.Inquired)
	inquiry := w.response(dispute)
	inquiry.Retrieval = true
	answer, err := w.open().Respond(t.Context(), inquiry)
	responds(t, "inquiry", "", answer, err)
	if s := w.status(dispute); s != "warning_under_review" {
		t.Error(s)
	}
	w.Decide(w.first, dispute, "needs_response")
	late := w.response(dispute)
	late.Retrieval = true
	answer, err = w.open().Respond(t.Context(), late)
	responds(t, "inquiry, when it is a chargeback", "dispute_not_answerable", answer, err)
	chargeback := w.response(dispute)
	answer, err = w.open().Respond(t.Context(), chargeback)
	responds(t, "chargeback", "", answer, err)
	w.withoutEvents(t)
	for _, r := range []processor.Response{inquiry, chargeback} {
		answer, err := w.open().Lookup(t.Context(), account, r.Reference)
		responds(t, "look-up", "", answer, err)
	}
}

func TestResponsesThatStripeRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, dispute := w.disputed(t, fake.Disputed)
	for _, name := range []string{"", "dp_unheard", "../charges"} {
		r := w.response(name)
		answer, err := w.open().Respond(t.Context(), r)
		responds(t, name, "dispute_not_found", answer, err)
	}
	for _, status := range []string{"won", "lost", "under_review", "prevented", "warning_under_review",
		"warning_closed"} {
		w.Decide(w.first, dispute, status)
		for _, accept := range []bool{true, false} {
			r := w.response(dispute)
			r.Accept = accept
			answer, err := w.open().Respond(t.Context(), r)
			responds(t, status, "dispute_not_answerable", answer, err)
		}
	}
	_, inquiry := w.disputed(t, fake.Inquired)
	r := w.response(inquiry)
	r.Accept = true
	answer, err := w.open().Respond(t.Context(), r)
	responds(t, "acceptance of an inquiry", "dispute_not_answerable", answer, err)
}

// A dispute may end between reading it and submitting the response.
func TestADisputeThatEndsBeforeTheResponse(t *testing.T) {
	t.Parallel()
	for _, accept := range []bool{true, false} {
		w := newWorld(t)
		_, dispute := w.disputed(t, fake.Disputed)
		p := w.inFront(t, func(_ http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPost && (!accept || strings.HasSuffix(r.URL.Path, "/close")) {
				w.Decide(w.first, dispute, "won")
			}
			return false
		})
		r := w.response(dispute)
		r.Accept = accept
		answer, err := p.Respond(t.Context(), r)
		responds(t, fmt.Sprint("accept ", accept), "dispute_not_answerable", answer, err)
	}
}

// If the payer's bank accepts no response, the dispute can only be accepted.
func TestADisputeWithoutATimeToRespond(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, dispute := w.disputed(t, fake.Disputed)
	p := w.inFront(t, func(rw http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet || !strings.HasPrefix(r.URL.Path, "/v1/disputes/") {
			return false
		}
		fmt.Fprintf(rw, `{"id": %q, "status": "needs_response", "evidence_details": {"due_by": 0}}`, dispute)
		return true
	})
	answer, err := p.Respond(t.Context(), w.response(dispute))
	responds(t, "evidence", "dispute_not_answerable", answer, err)
	r := w.response(dispute)
	r.Accept = true
	answer, err = p.Respond(t.Context(), r)
	responds(t, "acceptance", "", answer, err)
}

// Incomplete responses leave the outcome unknown.
func TestHostileAnswersToResponses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		method, suffix, text string
		status               int
	}{
		"another dispute":    {http.MethodGet, "", `{"id": "dp_other", "status": "needs_response"}`, 200},
		"no dispute":         {http.MethodGet, "", `{}`, 200},
		"a refused key":      {http.MethodGet, "", `{"error": {"type": "invalid_request_error"}}`, 403},
		"conflict":           {http.MethodPost, "", `{"error": {"type": "idempotency_error"}}`, 409},
		"closed and not":     {http.MethodPost, "/close", `{"id": "dp_1", "status": "needs_response"}`, 200},
		"a key without rule": {http.MethodPost, "/close", `{"error": {"type": "invalid_request_error"}}`, 403},
		"a key used before":  {http.MethodPost, "", `{"error": {"type": "idempotency_error"}}`, 400},
	} {
		w := newWorld(t)
		_, dispute := w.disputed(t, fake.Disputed)
		p := w.inFront(t, func(rw http.ResponseWriter, r *http.Request) bool {
			if r.Method != c.method || r.URL.Path != "/v1/disputes/"+dispute+c.suffix {
				return false
			}
			rw.WriteHeader(c.status)
			fmt.Fprint(rw, c.text)
			return true
		})
		r := w.response(dispute)
		r.Accept = c.suffix != ""
		if answer, err := p.Respond(t.Context(), r); err == nil {
			t.Errorf("%s: %+v", name, answer)
		}
	}
}

// A look-up reads the disputes of half a year if no event has its reference.
func TestAResponseIsFoundInOldDisputes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, dispute := w.disputed(t, fake.Disputed)
	w.Advance(10 * 24 * time.Hour)
	for range 120 { // more than a page of newer ones
		w.paid(t, w.authorization(fake.Disputed))
	}
	w.Advance(time.Hour)
	r := w.response(dispute)
	answer, err := w.open().Respond(t.Context(), r)
	responds(t, "response", "", answer, err)
	w.withoutEvents(t)
	answer, err = w.open().Lookup(t.Context(), account, r.Reference)
	responds(t, "look-up", "", answer, err)
	if answer, err := w.open().Lookup(t.Context(), account, ids.NewOperation(w.Now()).String()); !isUnknown(err) {
		t.Errorf("%+v, %v", answer, err)
	}
}

// A key may lose the right to read disputes. Captures and voids that never reached Stripe are not found then, as with
// any other key. Without another right, or while Stripe fails, they stay unknown.
func TestLookupsWithoutTheRightToReadDisputes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path     string
		status   int
		notFound bool
	}{{"/v1/disputes", 403, true}, {"/v1/disputes", 401, false}, {"/v1/disputes", 500, false},
		{"/v1/events", 403, false}, {"/v1/charges", 403, false}} {
		w := newWorld(t)
		held := w.at(account, fake.Approved, false)
		w.paid(t, held)
		p := w.inFront(t, func(rw http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != c.path {
				return false
			}
			rw.WriteHeader(c.status)
			fmt.Fprint(rw, `{"error": {"type": "invalid_request_error", "message": "The key may not."}}`)
			return true
		})
		capture := w.about(held.Reference, held.Amount)
		if answer, err := p.Lookup(t.Context(), account, capture.Reference); err == nil ||
			isUnknown(err) != c.notFound {
			t.Errorf("%s with %d: %+v, %v", c.path, c.status, answer, err)
		}
	}
}

func isUnknown(err error) bool { return errors.Is(err, processor.ErrNotFound) }
