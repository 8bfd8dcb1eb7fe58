package conformance

import (
	"errors"
	"testing"
	"time"

	"svcpay/internal/processor"
)

// busy has the counterparty refuse every call for a minute: no call has an outcome, a look-up does not say that a
// reference is unknown, nothing is done, and afterwards the same references are answered as if nothing had been.
func busy(t *testing.T, h Harness) {
	if h.Busy == nil {
		return // by the harness's word it answers every call
	}
	p := h.open()
	held, paid := h.authorized(t, h.Approved, false), h.authorized(t, h.Approved, true)
	fresh, capture, refund := h.authorization(h.Approved, true), h.about(held, amount), h.about(paid, amount)
	calls := map[string]func() (processor.Answer, error){
		"authorize": func() (processor.Answer, error) { return p.Authorize(t.Context(), fresh) },
		"capture":   func() (processor.Answer, error) { return p.Capture(t.Context(), capture) },
		"refund":    func() (processor.Answer, error) { return p.Refund(t.Context(), refund) },
		"look-up":   func() (processor.Answer, error) { return p.Lookup(t.Context(), h.Account, fresh.Reference) },
	}
	h.Busy(true)
	for range 3 {
		for what, call := range calls {
			if answer, err := call(); err == nil || errors.Is(err, processor.ErrNotFound) ||
				errors.Is(err, processor.ErrUnsupported) {
				t.Errorf("%s while the counterparty is busy: %+v, %v; want no outcome", what, answer, err)
			}
		}
		if messages, err := p.Messages(t.Context(), "", 10); err == nil {
			t.Errorf("the feed of a busy counterparty: %+v", messages)
		}
		if h.can().book {
			if lines, err := p.Book(t.Context(), 0, 10); err == nil {
				t.Errorf("the book of a busy counterparty: %+v", lines)
			}
		}
		h.Advance(20 * time.Second)
	}
	h.Busy(false)
	for _, reference := range []string{fresh.Reference, capture.Reference, refund.Reference} {
		if answer, err := p.Lookup(t.Context(), h.Account, reference); !errors.Is(err, processor.ErrNotFound) {
			t.Errorf("what was refused: %+v, %v", answer, err)
		}
	}
	for _, what := range []string{"authorize", "capture", "refund", "look-up"} {
		answer, err := calls[what]()
		outcome(t, what+" afterwards", "", answer, err)
	}
}

// disputedPart has a chargeback about a payment of which a part was refunded: it is of what was captured or less, and
// the rest can be refunded no more than once.
func disputedPart(t *testing.T, h Harness) {
	p := h.open()
	reference := h.authorized(t, h.Disputed, true)
	h.approved(t, h.about(reference, amount*4/10), p.Refund)
	e := h.await(t, "", processor.DisputeOpened, reference, 1)
	if d := e.Dispute; d == nil || d.Amount <= 0 || d.Amount > amount || d.ID == "" || e.Account != h.Account.External {
		t.Fatalf("%+v", e)
	}
	h.tries(t, p.Refund)("refund of more than is left of a disputed payment", "declined", reference, amount)
}
