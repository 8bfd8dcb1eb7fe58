package sandbox_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/conformance"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/sandbox/kit"
)

// pair is two processors of one database.
type pair struct {
	*world
	first, second *sandbox.Processor
}

func newPair(t *testing.T) pair {
	w := newWorld(t)
	return pair{w, w.named("sandbox"), w.named("second")}
}

// declines checks that an answer declines, with that code.
func declines(t *testing.T, what, code string, answer processor.Answer, err error) {
	t.Helper()
	if err != nil || answer.Approved || answer.DeclineCode != code {
		t.Errorf("%s: %+v, %v; want %s", what, answer, err, code)
	}
}

func approves(t *testing.T, what string, answer processor.Answer, err error) {
	t.Helper()
	if err != nil || !answer.Approved {
		t.Errorf("%s: %+v, %v", what, answer, err)
	}
}

func TestPaymentsOfOneProcessorAreUnknownToTheOther(t *testing.T) {
	t.Parallel()
	w := newPair(t)
	hold, debit := authorization(number(t, "approved")), processor.Debit{Reference: newReference(),
		Account: ofPort(account), Amount: 1250,
		Currency: money.USD, Bank: bank(t, "ach_settles")}
	hold.Capture = false
	answer, err := w.first.Authorize(t.Context(), hold)
	approves(t, "authorize", answer, err)
	answer, err = w.first.Debit(t.Context(), debit)
	approves(t, "debit", answer, err)
	out := paidOut(t, w.world, "payout_paid")
	dispute := opened(t, w.world, "disputed")
	for _, reference := range []string{hold.Reference, debit.Reference, out, dispute.Reference} {
		if answer, err := w.second.Lookup(t.Context(), ofPort(account), reference); !errors.Is(err,
			processor.ErrNotFound) {
			t.Errorf("the other looks up %+v, %v", answer, err)
		}
	}
	f := follow(hold.Reference, 1250)
	answer, err = w.second.Capture(t.Context(), f)
	declines(t, "capture", "original_not_found", answer, err)
	answer, err = w.second.Void(t.Context(), follow(debit.Reference, 1250))
	declines(t, "void", "original_not_found", answer, err)
	answer, err = w.second.Refund(t.Context(), follow(dispute.Reference, 1))
	declines(t, "refund", "original_not_found", answer, err)
	r := processor.Response{Reference: newReference(), Account: ofPort(account), Dispute: dispute.Dispute.ID,
		Amount: 1250, Currency: money.USD,
		Evidence: map[string]string{"other": "x"}}
	answer, err = w.second.Respond(t.Context(), r)
	declines(t, "respond", "dispute_not_found", answer, err)
	for _, s := range []sandbox.Simulation{
		{Kind: processor.ChargeSettled, Reference: debit.Reference}, {Kind: processor.PayoutPaid, Reference: out},
		{Kind: processor.DisputeLost, Dispute: dispute.Dispute.ID},
	} {
		s.Account = ofPort(account)
		if err := w.second.Simulate(t.Context(), s); code(err) != missing {
			t.Errorf("%s at the other: %v", s.Kind, err)
		}
		if err := w.first.Simulate(t.Context(), s); err != nil {
			t.Errorf("%s: %v", s.Kind, err)
		}
	}
	answer, err = w.first.Capture(t.Context(), f) // of the reference that the other declined
	approves(t, "capture", answer, err)
}

// The same reference and account at both processors are two payments, whose captures, refunds, settlements and disputes
// are their own.
func TestOneReferenceAtTwoProcessorsIsTwoPayments(t *testing.T) {
	t.Parallel()
	w := newPair(t)
	hold, declined := authorization(number(t, "approved")), authorization(number(t, "declined"))
	hold.Capture = false
	approved := declined
	approved.Card = card(number(t, "approved"))
	answer, err := w.first.Authorize(t.Context(), declined)
	declines(t, "authorize", "generic_decline", answer, err)
	answer, err = w.second.Authorize(t.Context(), approved)
	approves(t, "authorize", answer, err)
	for p, want := range map[*sandbox.Processor]bool{w.first: false, w.second: true} {
		if answer, err := p.Lookup(t.Context(), ofPort(account), approved.Reference); err != nil ||
			answer.Approved != want {
			t.Errorf("%s looks up %+v, %v", p.Name(), answer, err)
		}
	}
	b := bank(t, "ach_settles")
	debit := processor.Debit{Reference: newReference(), Account: ofPort(account), Amount: 1250,
		Currency: money.USD, Bank: b}
	out := processor.Payout{Reference: newReference(), Account: ofPort(account), Amount: 1250, Currency: money.USD,
		Bank: bank(t, "payout_paid")}
	for _, p := range []*sandbox.Processor{w.first, w.second} { // each does all that is possible once
		answer, err := p.Authorize(t.Context(), hold)
		approves(t, "authorize", answer, err)
		answer, err = p.Capture(t.Context(), follow(hold.Reference, 1250))
		approves(t, "capture", answer, err)
		answer, err = p.Refund(t.Context(), follow(hold.Reference, 1250))
		approves(t, "refund", answer, err)
		answer, err = p.Debit(t.Context(), debit)
		approves(t, "debit", answer, err)
		answer, err = p.Payout(t.Context(), out)
		approves(t, "payout", answer, err)
		for _, s := range []sandbox.Simulation{
			{Kind: processor.DisputeOpened, Reference: hold.Reference},
			{Kind: processor.PayoutPaid, Reference: out.Reference},
			{Kind: processor.DebitReturned, Reference: debit.Reference, ReturnCode: "R01"},
		} {
			s.Account = ofPort(account)
			if err := p.Simulate(t.Context(), s); err != nil {
				t.Errorf("%s at %s: %v", s.Kind, p.Name(), err)
			}
		}
		events, err := conformance.Events(t.Context(), p, "", 10)
		if err != nil || len(events) != 3 {
			t.Fatalf("%s has the events %+v, %v", p.Name(), events, err)
		}
		if i := slices.IndexFunc(events,
			func(e processor.Event) bool { return e.Kind == processor.DebitReturned }); i < 0 || events[i].Settled {
			t.Errorf("%+v", events)
		}
	}
}

// Each processor emits, counts and pages for itself, whatever the other has.
func TestFeedsAndBooksAreSeparate(t *testing.T) {
	t.Parallel()
	w := newPair(t)
	want := map[*sandbox.Processor][]string{}
	for range 3 {
		for _, p := range []*sandbox.Processor{w.first, w.second} {
			out := processor.Payout{Reference: newReference(), Account: ofPort(account), Amount: 1250,
				Currency: money.USD, Bank: bank(t, "payout_paid")}
			answer, err := p.Payout(t.Context(), out)
			approves(t, "payout", answer, err)
			want[p] = append(want[p], out.Reference)
		}
	}
	answer, err := w.second.Authorize(t.Context(), authorization(number(t, "disputed")))
	approves(t, "authorize", answer, err)
	due := func(p *sandbox.Processor) time.Time {
		next, err := p.NextDue(t.Context(), processor.AccountPrefix(1), start)
		if err != nil || next == nil {
			t.Fatalf("%v, %v", next, err)
		}
		return *next
	}
	if !due(w.second).Equal(start.Add(time.Hour)) || due(w.first).Before(start.Add(day)) {
		t.Errorf("next due at %v and %v", due(w.first), due(w.second))
	}
	w.pass(7 * day)
	for p, references := range want {
		var told []string
		for after := ""; ; {
			page, err := conformance.Events(t.Context(), p, after, 2)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range page {
				if e.ID <= after {
					t.Errorf("%s comes after %s", e.ID, after)
				}
				after = e.ID
				if e.Kind == processor.PayoutPaid {
					told = append(told, e.Reference)
				}
			}
			if len(page) < 2 {
				break
			}
		}
		if !slices.Equal(told, references) {
			t.Errorf("the feed of %s has %v, want %v", p.Name(), told, references)
		}
		var lines []string
		for after := int64(0); ; {
			page, err := p.Book(t.Context(), after, 2)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range page {
				if l.Number <= after {
					t.Errorf("line %d comes after %d", l.Number, after)
				}
				after = l.Number
				if l.Kind == "payout" {
					lines = append(lines, l.Reference)
				}
			}
			if len(page) < 2 {
				break
			}
		}
		if !slices.Equal(lines, references) {
			t.Errorf("the book of %s has %v, want %v", p.Name(), lines, references)
		}
	}
	left, err := pg.Value[int64](t.Context(), w.pool, `SELECT count(*) FROM sandbox_processor_schedule
		WHERE processor = 'sandbox'`, pg.Args{})
	if err != nil || left != 0 {
		t.Errorf("%d events of the first are still to come, %v", left, err)
	}
}

// A line that is still withheld holds up its own book only.
func TestABookWaitsForItsOwnLinesOnly(t *testing.T) {
	t.Parallel()
	w := newPair(t)
	_, err := w.first.Authorize(t.Context(), authorization(number(t, "approved")))
	if err != nil {
		t.Fatal(err)
	}
	w.pass(-time.Minute) // the second writes a line of a higher number earlier
	answer, err := w.second.Authorize(t.Context(), authorization(number(t, "approved")))
	approves(t, "authorize", answer, err)
	w.pass(kit.BookDelay)
	for p, want := range map[*sandbox.Processor]int{w.first: 0, w.second: 1} {
		if lines, err := p.Book(t.Context(), 0, 10); err != nil || len(lines) != want {
			t.Errorf("the book of %s has %d lines, %v; want %d", p.Name(), len(lines), err, want)
		}
	}
}
