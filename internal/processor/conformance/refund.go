package conformance

import (
	"slices"
	"testing"
	"time"

	"svcpay/internal/processor"
)

// refundFails has refunds fail after they were approved: the feed reports it under the refund's reference, the book has
// a line of its own, look-ups keep the first answer, and the money can be refunded again.
func refundFails(t *testing.T, h Harness) {
	p := h.open()
	paid, sound := h.authorized(t, h.RefundFails, true), h.authorized(t, h.Approved, true)
	f := h.about(paid, amount*6/10)
	first := h.approved(t, f, p.Refund)
	kept := h.about(sound, amount)
	h.approved(t, kept, p.Refund)
	for _, e := range h.feed(t, "") {
		if e.Kind == processor.RefundFailed {
			t.Errorf("it fails at once: %+v", e)
		}
	}
	h.tries(t, p.Refund)("refund of more than is left", "declined", paid, amount)
	e := h.await(t, "", processor.RefundFailed, f.Reference, 7)
	if e.Account != h.Account.External || !slices.Contains(processor.RefundFailures(), e.Failure) || e.Dispute != nil ||
		e.At.After(h.Now()) || e.ID == "" {
		t.Errorf("%+v", e)
	}
	h.found(t, p, "a refund that failed", f.Reference, first)
	if h.can().book {
		h.booksFailure(t, p, f, kept)
	}
	h.approved(t, h.about(paid, amount), p.Refund)
	h.Advance(30 * 24 * time.Hour)
	for _, e := range h.feed(t, e.ID) {
		if e.Reference == f.Reference || e.Reference == kept.Reference {
			t.Errorf("%+v", e)
		}
	}
}

// booksFailure checks that the book has a line of its own for the failure of f, and none for that of another refund.
func (h Harness) booksFailure(t *testing.T, p processor.Processor, f, sound processor.FollowUp) {
	h.Advance(time.Hour)
	lines := map[string][]processor.BookLine{}
	all, err := p.Book(t.Context(), 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		lines[l.Reference] = append(lines[l.Reference], l)
	}
	both := lines[f.Reference]
	if len(both) != 2 || both[0].Kind != "refund" || both[1].Kind != processor.FailedRefund ||
		both[1].Amount != f.Amount ||
		both[1].Currency != f.Currency || both[1].Account != h.Account.External || !both[1].Approved ||
		len(lines[sound.Reference]) != 1 {
		t.Errorf("the book has %+v, of the other refund %+v", both, lines[sound.Reference])
	}
}
