package conformance

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/money"
	"svcpay/internal/processor"
)

// tries makes calls of a method about payments, and checks their outcomes.
func (h Harness) tries(t *testing.T, method func(context.Context, processor.FollowUp) (processor.Answer, error),
) func(what, want, original string, a money.Amount) {
	return func(what, want, original string, a money.Amount) {
		t.Helper()
		answer, err := method(t.Context(), h.about(original, a))
		outcome(t, what, want, answer, err)
	}
}

func captures(t *testing.T, h Harness) {
	p := h.open()
	capture := h.tries(t, p.Capture)
	part := h.authorized(t, h.Approved, false)
	capture("more than authorized", "declined", part, amount+1)
	capture("a part", "", part, amount/2)
	capture("the rest", "declined", part, amount/2)
	whole, voided := h.authorized(t, h.Approved, false), h.authorized(t, h.Approved, false)
	capture("all", "", whole, amount)
	capture("in one step", "declined", h.authorized(t, h.Approved, true), amount)
	if h.debits() {
		capture("a debit", "declined", h.debited(t, h.Settles), amount)
	}
	if answer, err := p.Void(t.Context(), h.about(voided, amount)); err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	capture("after a void", "declined", voided, amount)
}

// expires captures one authorization in its last moment, and another when it has expired.
func expires(t *testing.T, h Harness) {
	p := h.open()
	old, fresh := h.authorized(t, h.Approved, false), h.authorized(t, h.Approved, false)
	h.Advance(p.Terms().AuthorizationLife - time.Millisecond)
	h.tries(t, p.Capture)("on the last day", "", fresh, amount)
	h.Advance(time.Millisecond)
	h.tries(t, p.Capture)("when it has expired", "authorization_expired", old, amount)
}

func voids(t *testing.T, h Harness) {
	p := h.open()
	void := h.tries(t, p.Void)
	held, captured := h.authorized(t, h.Approved, false), h.authorized(t, h.Approved, false)
	if answer, err := p.Capture(t.Context(), h.about(captured, 1)); err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	void("a part", "declined", held, amount-1)
	void("an authorization", "", held, amount)
	void("again", "declined", held, amount)
	void("what was captured", "declined", captured, amount)
	void("what was captured in one step", "declined", h.authorized(t, h.Approved, true), amount)
}

func voidsDebits(t *testing.T, h Harness) {
	p := h.open()
	taken, returned := h.debited(t, h.Returned), h.debited(t, h.Returned)
	void := h.tries(t, p.Void)
	if h.DebitsStay {
		void("a debit", "too_late_to_void", taken, amount)
	} else {
		void("a debit", "", taken, amount)
	}
	h.await(t, "", processor.DebitReturned, returned, 7)
	void("a debit that was returned", "declined", returned, amount)
	if h.DebitsStay {
		h.await(t, "", processor.DebitReturned, taken, 0)
		return
	}
	for _, e := range h.feed(t, "") {
		if e.Reference == taken {
			t.Errorf("a debit was taken back, and then %s", e.Kind)
		}
	}
}

func refunds(t *testing.T, h Harness) {
	p := h.open()
	refund := h.tries(t, p.Refund)
	held := h.authorized(t, h.Approved, false)
	refund("before the capture", "refund_exceeds_captured", held, 1)
	capture := h.about(held, amount/2)
	if answer, err := p.Capture(t.Context(), capture); err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	refund("more than captured", "refund_exceeds_captured", held, amount/2+1)
	refund("a part", "", held, 1)
	refund("by the capture's reference", "", capture.Reference, 1)
	refund("more than the rest", "refund_exceeds_captured", held, amount/2-1)
	refund("the rest", "", held, amount/2-2)
	refund("one too much", "refund_exceeds_captured", capture.Reference, 1)
}

func refundsDebits(t *testing.T, h Harness) {
	p, debited := h.open(), h.debited(t, h.Settles)
	refund := h.tries(t, p.Refund)
	refund("more than debited", "refund_exceeds_captured", debited, amount+1)
	refund("a debit", "", debited, amount)
	refund("a debit again", "refund_exceeds_captured", debited, 1)
}

// identifies makes approved calls, which have different ids if the counterparty has any.
func identifies(t *testing.T, h Harness) {
	p := h.open()
	taken, held := h.authorized(t, h.Approved, true), h.authorized(t, h.Approved, false)
	known := map[string]string{}
	answers := map[string]processor.Answer{
		"a payment":      h.approval(t, p, taken),
		"a hold":         h.approval(t, p, held),
		"a capture":      h.approved(t, h.about(held, amount), p.Capture),
		"a refund":       h.approved(t, h.about(taken, 1), p.Refund),
		"another refund": h.approved(t, h.about(taken, 1), p.Refund),
	}
	if h.debits() {
		debited := h.debited(t, h.Settles)
		answers["a debit"] = h.approval(t, p, debited)
		answers["a debit's refund"] = h.approved(t, h.about(debited, 1), p.Refund)
	}
	for what, answer := range answers {
		switch other, taken := known[answer.ExternalID]; {
		case h.HasIDs != (answer.ExternalID != ""):
			t.Errorf("the id of %s is %q", what, answer.ExternalID)
		case taken && h.HasIDs:
			t.Errorf("%s and %s are both %q", what, other, answer.ExternalID)
		}
		known[answer.ExternalID] = what
	}
}

// approval looks up an approved call.
func (h Harness) approval(t *testing.T, p processor.Processor, reference string) processor.Answer {
	t.Helper()
	answer, err := p.Lookup(t.Context(), h.Account, reference)
	outcome(t, reference, "", answer, err)
	return answer
}

// approved makes a follow-up that is approved.
func (h Harness) approved(t *testing.T, f processor.FollowUp,
	method func(context.Context, processor.FollowUp) (processor.Answer, error)) processor.Answer {
	t.Helper()
	answer, err := method(t.Context(), f)
	outcome(t, f.Reference, "", answer, err)
	return answer
}

// named hands the counterparty's ids back, which must be of the payment that our reference names.
func named(t *testing.T, h Harness) {
	if !h.HasIDs {
		return
	}
	p := h.open()
	first, second := h.authorization(h.Approved, true), h.authorization(h.Approved, true)
	answer, err := p.Authorize(t.Context(), first)
	outcome(t, "one payment", "", answer, err)
	other, err := p.Authorize(t.Context(), second)
	outcome(t, "another payment", "", other, err)
	f := h.about(first.Reference, 1)
	f.OriginalID = answer.ExternalID
	answer, err = p.Refund(t.Context(), f)
	outcome(t, "refund of the payment of that id", "", answer, err)
	f.Reference, f.OriginalID = h.reference(), other.ExternalID
	answer, err = p.Refund(t.Context(), f)
	outcome(t, "refund of another payment's id", "declined", answer, err)
}

// takesTurns makes calls that exclude each other at the same time.
func takesTurns(t *testing.T, h Harness) {
	const callers = 8
	p := h.open()
	taken, held := h.authorized(t, h.Approved, true), h.authorized(t, h.Approved, false)
	var refunded, captured, voided atomic.Int64
	var all sync.WaitGroup
	count := func(n *atomic.Int64, answer processor.Answer, err error) {
		if err != nil {
			t.Error(err)
		} else if answer.Approved {
			n.Add(1)
		}
	}
	for range callers {
		all.Go(func() {
			answer, err := p.Refund(t.Context(), h.about(taken, amount*3/10))
			count(&refunded, answer, err)
		})
		all.Go(func() {
			answer, err := p.Capture(t.Context(), h.about(held, amount))
			count(&captured, answer, err)
			answer, err = p.Void(t.Context(), h.about(held, amount))
			count(&voided, answer, err)
		})
	}
	all.Wait()
	if refunded.Load() != 3 || captured.Load()+voided.Load() != 1 {
		t.Errorf("of refunds of 30 %% %d were approved; an authorization was captured %d times and voided %d times",
			refunded.Load(), captured.Load(), voided.Load())
	}
}

func separates(t *testing.T, h Harness) {
	p := h.open()
	f := h.about(h.authorized(t, h.Approved, true), amount)
	f.Account = h.Other
	if found, err := p.Lookup(t.Context(), h.Other, f.Original); !isUnknown(err) {
		t.Errorf("another merchant finds %+v, %v", found, err)
	}
	answer, err := p.Refund(t.Context(), f)
	outcome(t, "refund", "declined", answer, err)
	f = h.about(h.authorized(t, h.Approved, false), amount)
	f.Account = h.Other
	answer, err = p.Capture(t.Context(), f)
	outcome(t, "capture", "declined", answer, err)
	f.Reference = h.reference()
	answer, err = p.Void(t.Context(), f)
	outcome(t, "void", "declined", answer, err)
}
