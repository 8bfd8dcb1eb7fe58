package stripe_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/processor"
	"svcpay/internal/processor/stripe"
	"svcpay/internal/processor/stripe/fake"
	"svcpay/internal/sensitive"
)

// inFront answers some requests in place of the world's Stripe.
func (w *world) inFront(t *testing.T, answers func(http.ResponseWriter, *http.Request) bool) *stripe.Adapter {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if !answers(rw, r) {
			w.ServeHTTP(rw, r)
		}
	}))
	t.Cleanup(s.Close)
	w.address = s.URL
	return w.open()
}

// A refund is sent long after its reference was made if it waited for money.
func TestALostRefundIsFoundWheneverItWasSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.authorization(fake.Approved)
	w.paid(t, a)
	f := w.about(a.Reference, a.Amount)
	f.Reference = ids.NewRefund(w.Now()).String()
	w.Advance(3 * 24 * time.Hour)
	w.Fail("POST /v1/refunds", fake.LoseAnswer)
	if answer, err := w.open().Refund(t.Context(), f); err == nil {
		t.Fatalf("%+v", answer)
	}
	w.Advance(time.Hour)
	if answer, err := w.open().Lookup(t.Context(), account, f.Reference); err != nil || !answer.Approved ||
		answer.ExternalID == "" {
		t.Errorf("%+v, %v", answer, err)
	}
}

// No request follows a redirect: its body may be a card.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		var asked atomic.Int32
		elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
		t.Cleanup(elsewhere.Close)
		w := newWorld(t)
		p := w.inFront(t, func(rw http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/v1/payment_methods" {
				return false
			}
			rw.Header().Set("Location", elsewhere.URL)
			rw.WriteHeader(status)
			fmt.Fprint(rw, `{"id": "pm_1"}`)
			return true
		})
		if answer, err := p.Authorize(t.Context(), w.authorization(fake.Approved)); err == nil || asked.Load() != 0 {
			t.Errorf("%d: %+v, %v, followed %d times", status, answer, err, asked.Load())
		}
	}
}

// What cannot be read may repeat what was sent, so no error has it.
func TestUnreadableAnswersAreNotQuoted(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"cut off": `{"id": "pm_1", "number": "` + fake.Approved,
		"no JSON":         "you sent " + fake.Approved,
		"no error object": `{"sent": "` + fake.Approved + `"}`} {
		for _, status := range []int{http.StatusOK, http.StatusBadRequest, http.StatusBadGateway} {
			if name == "no error object" && status == http.StatusOK {
				continue // which is an answer
			}
			w := newWorld(t)
			p := w.inFront(t, func(rw http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path != "/v1/payment_methods" {
					return false
				}
				rw.WriteHeader(status)
				fmt.Fprint(rw, text)
				return true
			})
			if answer, err := p.Authorize(t.Context(), w.authorization(fake.Approved)); err == nil ||
				strings.Contains(err.Error(), "4242") {
				t.Errorf("%s, %d: %+v, %v", name, status, answer, err)
			}
		}
	}
}

// A key that may not read what look-ups read would leave every lost answer unknown for good.
func TestAKeyMustReadWhatLookupsRead(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/v1/charges", "/v1/refunds", "/v1/events", "/v1/payment_intents",
		"/v1/disputes", ""} {
		w := newWorld(t)
		p := w.inFront(t, func(rw http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodGet || r.URL.Path != path {
				return false
			}
			rw.WriteHeader(http.StatusForbidden)
			fmt.Fprint(rw, `{"error": {"type": "invalid_request_error", "message": "The key may not."}}`)
			return true
		})
		want := processor.OnboardingRestricted
		if path == "" {
			want = processor.OnboardingComplete
		}
		if got, err := p.Check(t.Context(), account, sensitive.NewCredentials("sk_test_first")); err != nil ||
			got != want {
			t.Errorf("without %q: %s, %v", path, got, err)
		}
	}
}
