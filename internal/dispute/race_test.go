package dispute_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/dispute"
	"svcpay/internal/money"
	"svcpay/internal/processor"
)

// While an acceptance is on its way the processor decides for the merchant: the decision stands, in
// whatever order the two are written.
func TestAcceptedAndWonAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ends := map[dispute.Status]int{}
	for i := range 12 {
		d, ev := w.opened(1000)
		var wait sync.WaitGroup
		var accepted error
		if i == 0 { // surely in between
			w.bank.during = func() { w.heard(won, ev) }
		} else {
			wait.Go(func() {
				if err := w.hear(won, ev); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Go(func() { _, accepted = w.accept(d, "") })
		wait.Wait()
		w.bank.during = nil
		after := w.of(ev)
		ends[after.Status]++
		switch {
		case after.Status == dispute.Accepted && accepted == nil:
		case after.Status == dispute.Won && code(accepted) == "dispute_not_answerable":
		default:
			t.Errorf("%s, and the merchant is told %v", after.Status, accepted)
		}
	}
	if ends[dispute.Won] == 0 {
		t.Errorf("%v", ends)
	}
	w.audit(t)
}

func TestDecidedWhileAnAnswerIsOnItsWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, kind := range []processor.EventKind{won, lost} {
		d, ev := w.opened(1000)
		w.bank.during = func() { w.heard(kind, ev) }
		out, err := w.submit(d, words("x"), "")
		w.bank.during = nil
		if err != nil || out.Object.EvidenceSubmittedAt == nil ||
			out.Object.Status != map[processor.EventKind]dispute.Status{won: dispute.Won, lost: dispute.Lost}[kind] {
			t.Errorf("evidence, %s: %+v, %v", kind, out, err)
		}
	}
	d, ev := w.opened(1000)
	w.bank.during = func() { w.heard(lost, ev) } // such as the processor's word for the acceptance itself
	if out, err := w.accept(d, ""); err != nil || out.Object.Status != dispute.Lost {
		t.Errorf("acceptance: %+v, %v", out, err)
	}
	d, ev = w.asked(1000)
	w.bank.during = func() { w.heard(escalated, ev) }
	if out, err := w.submit(d, words("x"), ""); code(err) != "dispute_not_answerable" {
		t.Errorf("evidence to what was escalated: %+v, %v", out, err)
	}
	w.bank.during = nil
	if after := w.of(ev); after.Kind != dispute.Chargeback || after.Status != dispute.NeedsResponse ||
		after.EvidenceSubmittedAt != nil {
		t.Errorf("%+v", after)
	}
	w.audit(t)
}

func TestTwoAnswersAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 8 {
		d, _ := w.opened(1000)
		before := len(w.bank.got)
		var wait sync.WaitGroup
		var submitted, accepted error
		wait.Go(func() { _, submitted = w.submit(d, words("x"), "") })
		wait.Go(func() { _, accepted = w.accept(d, "") })
		wait.Wait()
		if (submitted == nil) == (accepted == nil) || len(w.bank.got) != before+1 {
			t.Errorf("%v and %v, %d answers", submitted, accepted, len(w.bank.got)-before)
		}
		for _, err := range []error{submitted, accepted} {
			if c := code(err); c != "" && c != "operation_in_progress" && c != "dispute_not_answerable" {
				t.Error(err)
			}
		}
	}
	w.audit(t)
}

// Whatever a processor says, a merchant does and the clock brings, the books and records agree.
func TestAnythingInAnyOrderKeepsTheBooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rapid.Check(t, func(rt *rapid.T) {
		w.token = w.Token("4242424242424242") // the last one may have expired by the clock
		c := w.charged(1000)
		var events []processor.Event
		for range rapid.IntRange(1, 3).Draw(rt, "disputes") {
			ev := w.noticed(c, money.Amount(rapid.Int64Range(1, 1200).Draw(rt, "amount")))
			if rapid.Bool().Draw(rt, "asks") {
				ev = retrieval(ev)
			}
			events = append(events, ev)
		}
		w.bank.behave(takes)
		rt.Repeat(map[string]func(*rapid.T){
			"hear": func(rt *rapid.T) {
				kind := rapid.SampledFrom([]processor.EventKind{opened, opened, escalated, won, lost, closed}).Draw(rt,
					"kind")
				if err := w.hear(kind, rapid.SampledFrom(events).Draw(rt, "of")); err != nil {
					rt.Fatal(err)
				}
			},
			"behave": func(rt *rapid.T) {
				w.bank.behave(rapid.SampledFrom([]string{takes, refuses, mute, deaf}).Draw(rt, "manner"))
			},
			"answer": func(rt *rapid.T) { w.any(rt, rapid.SampledFrom(events).Draw(rt, "to")) },
			"wait": func(rt *rapid.T) {
				w.Clock.Advance(time.Duration(rapid.Int64Range(1, 200).Draw(rt, "hours")) * time.Hour)
			},
			"sweep": func(*rapid.T) { w.sweep() },
			"resolve": func(rt *rapid.T) {
				if _, err := w.Operations.Resolve(context.Background()); err != nil {
					rt.Fatal(err)
				}
			},
		})
		w.audit(rt)
	})
	w.bank.behave(takes)
	for i := 0; i < 50 && w.count(`processor_operations WHERE state = 'open'`) > 0; i++ {
		w.Clock.Advance(time.Hour)
		if _, err := w.Operations.Resolve(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for w.sweep() > 0 {
	}
	w.audit(t)
	if n := w.count(`disputes WHERE operation_id IS NOT NULL`); n > 0 {
		t.Errorf("%d answers are never found out about", n)
	}
}

// any is a merchant's answer to a dispute that may not be there.
func (w *world) any(rt *rapid.T, ev processor.Event) {
	if w.count(`disputes WHERE processor_dispute = '`+ev.Dispute.ID+`'`) == 0 {
		return
	}
	d := w.of(ev)
	var err error
	switch rapid.SampledFrom([]string{"submit", "accept", "draft"}).Draw(rt, "answer") {
	case "submit":
		_, err = w.submit(d, words("x"), "")
	case "accept":
		_, err = w.accept(d, "")
	case "draft":
		_, err = w.Disputes.SaveDraft(context.Background(), w.Actor(), d.ID.String(), words("y"))
	}
	if c := code(err); c != "" && c != "operation_in_progress" && c != "dispute_not_answerable" {
		rt.Fatal(err)
	}
}
