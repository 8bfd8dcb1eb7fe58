package conformance

import (
	"cmp"
	"context"
	"testing"

	"svcpay/internal/money"
	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
)

func describes(t *testing.T, h Harness) {
	p := h.open()
	if p.Name() == "" {
		t.Error("it has no name")
	}
	if p.SettleWindow() <= processor.CallTimeout {
		t.Error("a submission could arrive after its reference was given up")
	}
	if at := p.Terms(); at.AuthorizationLife <= 0 || at.CardSettlementDays < 1 || at.BankSettlementDays < 1 ||
		at.PayoutDays < 1 || at.BatchHour < 0 || at.BatchHour > 23 || at.StatementLength < 20 {
		t.Errorf("%+v", at)
	}
}

func describesCards(t *testing.T, h Harness) {
	p := h.open()
	profile, err := p.Profile(t.Context(), sensitive.NewPAN(h.Approved).BIN())
	if err != nil || profile.Funding == "" || len(profile.Country) != 2 {
		t.Errorf("%+v, %v", profile, err)
	}
	for routing, known := range map[string]bool{h.Settles.Routing: true, "": false, "000000000": false} {
		if name, err := p.BankName(t.Context(), h.Settles.Scheme, routing); err != nil || (name != "") != known {
			t.Errorf("the bank of %q is %q, %v", routing, name, err)
		}
	}
}

// call is one call of any kind.
type call struct {
	reference string
	approved  bool
	make      func(ctx context.Context, p processor.Processor) (processor.Answer, error)
	at        processor.Account // zero: the harness's
}

// account is the account of a call.
func (c call) account(h Harness) processor.Account { return cmp.Or(c.at, h.Account) }

// callOf is a call of a method.
func callOf[In any](method func(processor.Processor, context.Context, In) (processor.Answer, error), in In,
	reference string, approved bool) call {
	return call{reference: reference, approved: approved,
		make: func(ctx context.Context, p processor.Processor) (processor.Answer, error) { return method(p, ctx, in) }}
}

// follow makes a call of one of the methods about an earlier one.
func follow(f processor.FollowUp, approved bool,
	method func(processor.Processor, context.Context, processor.FollowUp) (processor.Answer, error)) call {
	return callOf(method, f, f.Reference, approved)
}

func authorize(a processor.Authorization, approved bool) call {
	return callOf(processor.Processor.Authorize, a, a.Reference, approved)
}

// calls is one of every kind that the adapter can make, approved and declined.
func (h Harness) calls(t *testing.T) map[string]call {
	held, taken, released := h.authorized(t, h.Approved, false), h.authorized(t, h.Approved, true), h.authorized(t,
		h.Approved, false)
	capture, void, refund := processor.Processor.Capture, processor.Processor.Void, processor.Processor.Refund
	all := map[string]call{
		"authorize":          authorize(h.authorization(h.Approved, false), true),
		"authorize, capture": authorize(h.authorization(h.Approved, true), true),
		"authorize declined": authorize(h.authorization(h.Declined, true), false),
		"capture":            follow(h.about(held, amount), true, capture),
		"capture declined":   follow(h.about(taken, amount), false, capture),
		"void":               follow(h.about(released, amount), true, void),
		"void declined":      follow(h.about(taken, amount), false, void),
		"refund":             follow(h.about(taken, 1), true, refund),
		"refund declined":    follow(h.about(taken, amount+1), false, refund),
	}
	if h.debits() {
		debit := h.debit(t, h.Returned)
		all["debit"] = callOf(processor.Processor.Debit, debit, debit.Reference, true)
		all["void of a debit"] = follow(h.about(h.debited(t, h.Settles), amount), !h.DebitsStay, void)
	}
	if h.can().payouts {
		payout := h.payout()
		c := callOf(processor.Processor.Payout, payout, payout.Reference, true)
		c.at = payout.Account
		all["payout"] = c
	}
	if h.can().disputes {
		response := processor.Response{Reference: h.reference(), Account: h.Account, Dispute: "unheard",
			Amount: amount, Currency: money.USD, Accept: true}
		all["respond declined"] = callOf(processor.Processor.Respond, response, response.Reference, false)
	}
	return all
}

// kept reports whether the counterparty keeps the answer to a call.
func (h Harness) kept(name string, c call) bool {
	return c.approved || !h.ForgetsDeclines || name == "authorize declined"
}

func keeps(t *testing.T, h Harness) {
	p := h.open()
	for name, c := range h.calls(t) {
		if a, err := p.Lookup(t.Context(), c.account(h), c.reference); !isUnknown(err) {
			t.Errorf("%s: known before the call: %+v, %v", name, a, err)
		}
		answer, err := c.make(t.Context(), p)
		want := ""
		if !c.approved {
			want = "declined"
		}
		outcome(t, name, want, answer, err)
		h.lookup(t, p, name, c, answer)
	}
	first, err := p.Authorize(t.Context(), h.authorization(h.Approved, true))
	second, err2 := p.Authorize(t.Context(), h.authorization(h.Approved, true))
	if err != nil || err2 != nil || first.NetworkTransactionID == "" ||
		first.NetworkTransactionID == second.NetworkTransactionID {
		t.Errorf("%+v and %+v are mixed up: %v, %v", first, second, err, err2)
	}
}

func unknown(t *testing.T, h Harness) {
	p := h.open()
	for _, reference := range []string{"", "ch_unheard", h.reference()} {
		if a, err := p.Lookup(t.Context(), h.Account, reference); !isUnknown(err) {
			t.Errorf("%q: %+v, %v", reference, a, err)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range h.calls(t) {
		if a, err := c.make(gone, p); err == nil {
			t.Errorf("%s: who gives up is told %+v", name, a)
		}
	}
	if a, err := p.Lookup(gone, h.Account, "ch_unheard"); err == nil || isUnknown(err) {
		t.Errorf("looked up %+v, %v: giving up is not the same as not found", a, err)
	}
	if h.can().feed {
		if e, err := Events(gone, p, "", 10); err == nil {
			t.Errorf("who gives up is told %+v", e)
		}
	}
	f := h.about("ch_unheard", amount)
	for name, make := range map[string]func(context.Context, processor.FollowUp) (processor.Answer, error){
		"capture": p.Capture, "void": p.Void, "refund": p.Refund,
	} {
		f.Reference = h.reference()
		answer, err := make(t.Context(), f)
		outcome(t, name+" of an unheard payment", "declined", answer, err)
	}
}

func repeats(t *testing.T, h Harness) {
	p := h.open()
	for name, c := range h.calls(t) {
		first, err := c.make(t.Context(), p)
		if err != nil {
			t.Fatal(name, err)
		}
		if _, err := c.make(t.Context(), p); err != nil {
			t.Fatal(name, err)
		}
		h.lookup(t, p, name, c, first)
	}
}
