package dispute_test

import (
	"testing"
	"time"

	"svcpay/internal/dispute"
	"svcpay/internal/operation"
	"svcpay/internal/processor"
	"svcpay/internal/testing/pgtest"
)

func TestLostRepliesAreFoundOut(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(*world, dispute.Dispute, string) (dispute.Result, error){
		"evidence": func(w *world, d dispute.Dispute, key string) (dispute.Result, error) {
			return w.submit(d, words("x"), key)
		},
		"acceptance": func(w *world, d dispute.Dispute, key string) (dispute.Result, error) { return w.accept(d, key) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.bank.behave(mute)
			d, ev := w.opened(1000)
			out, err := answer(w, d, "k")
			if err != nil || !out.Unknown || out.Object.Status != dispute.NeedsResponse {
				t.Fatalf("%+v, %v", out, err)
			}
			if out, err := answer(w, d, "k"); err != nil || !out.Unknown || out.Prior == nil || out.Object.ID != d.ID {
				t.Errorf("meanwhile, with the key: %+v, %v", out, err)
			}
			_, accepted := w.accept(d, "")
			_, drafted := w.Disputes.SaveDraft(t.Context(), w.Actor(), d.ID.String(), words("y"))
			if code(accepted) != "operation_in_progress" || code(drafted) != "operation_in_progress" {
				t.Errorf("meanwhile: %v, %v", accepted, drafted)
			}
			w.Clock.Advance(operation.Backoff(0))
			w.resolve(1)
			want := map[string]dispute.Status{"evidence": dispute.UnderReview, "acceptance": dispute.Accepted}[name]
			if after := w.of(ev); after.Status != want {
				t.Errorf("%s", jsonOf(t, after))
			}
			out, err = answer(w, d, "k")
			if err != nil || out.Prior == nil || string(out.Prior.Outcome.Result) != jsonOf(t, w.of(ev)) {
				t.Errorf("afterwards: %+v, %v", out, err)
			}
			if len(w.bank.got) != 1 {
				t.Errorf("the processor got %d answers", len(w.bank.got))
			}
			w.audit(t)
		})
	}
}

// An answer whose commit happened, though no one told so, is submitted: its time may be over before the resolver looks.
func TestAnswerGoesOnWhenItsCommitWasLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	deps := w.Disputes.Deps()
	lossy, armed := pgtest.Lossy(t, w.Pool)
	deps.Pool = lossy
	w.Disputes = dispute.New(deps)
	for want, answer := range map[dispute.Status]func(d dispute.Dispute) (dispute.Result, error){
		dispute.UnderReview: func(d dispute.Dispute) (dispute.Result, error) {
			return w.submit(d, words("x"), "evidence")
		},
		dispute.Accepted: func(d dispute.Dispute) (dispute.Result, error) { return w.accept(d, "acceptance") },
	} {
		d, ev := w.opened(1000)
		armed.Store(true)
		out, err := answer(d)
		if err != nil || out.Unknown || w.of(ev).Status != want || armed.Load() {
			t.Errorf("%+v, %v; want %s", out, err, want)
		}
	}
	if len(w.bank.got) != 2 {
		t.Errorf("the processor got %d answers", len(w.bank.got))
	}
	w.audit(t)
}

// The resolver may find an outcome before the request that waits for it: both tell the same.
func TestResolverIsQuickerThanTheRequest(t *testing.T) {
	t.Parallel()
	for manner, want := range map[string]string{takes: "", refuses: "dispute_not_answerable"} {
		w := newWorld(t)
		w.bank.behave(manner)
		w.bank.after = func() {
			w.Clock.Advance(3 * time.Second)
			w.resolve(1)
		}
		d, ev := w.opened(1000)
		out, err := w.submit(d, words("x"), "k")
		if code(err) != want || want == "" && jsonOf(t, out.Object) != jsonOf(t, w.of(ev)) {
			t.Errorf("%s: %+v, %v", manner, out, err)
		}
		kept, err := w.submit(d, words("x"), "k")
		if err != nil || kept.Prior == nil || (kept.Prior.Outcome.Refusal != nil) != (want != "") {
			t.Errorf("%s, again: %+v, %v", manner, kept, err)
		}
		w.audit(t)
	}
}

func TestAnswersThatNeverArrived(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.bank.behave(deaf)
	d, ev := w.opened(1000)
	if out, err := w.submit(d, words("x"), "k"); err != nil || !out.Unknown {
		t.Fatalf("%+v, %v", out, err)
	}
	w.Clock.Advance(w.Processor.SettleWindow() + time.Second)
	w.resolve(1)
	out, err := w.submit(d, words("x"), "k")
	if err != nil || out.Prior == nil || out.Prior.Outcome.Refusal == nil ||
		out.Prior.Outcome.Refusal.Code != "processor_error" {
		t.Errorf("%+v, %v", out, err)
	}
	if after := w.of(ev); after.Status != dispute.NeedsResponse {
		t.Errorf("%s", jsonOf(t, after))
	}
	w.bank.behave(takes)
	if out, err := w.submit(d, words("x"), "k2"); err != nil || out.Object.Status != dispute.UnderReview {
		t.Errorf("another try: %+v, %v", out, err)
	}
	w.audit(t)
}

// An answer that turns up after it was given up counts, unless the dispute has moved on.
func TestAnswersThatTurnUpLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.bank.behave(deaf)
	late := func(accept bool, meanwhile func(processor.Event)) dispute.Dispute {
		d, ev := w.opened(1000)
		if accept {
			_, err := w.accept(d, "")
			if err != nil {
				t.Fatal(err)
			}
		} else if _, err := w.submit(d, words("x"), ""); err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(w.Processor.SettleWindow() + time.Second)
		w.resolve(1)
		w.bank.turnsUp(w.lastReference())
		if meanwhile != nil {
			meanwhile(ev)
		}
		w.Clock.Advance(time.Minute)
		w.resolve(1)
		return w.of(ev)
	}
	if d := late(false, nil); d.Status != dispute.UnderReview || d.EvidenceSubmittedAt == nil {
		t.Errorf("evidence: %s", jsonOf(t, d))
	}
	if d := late(true, nil); d.Status != dispute.Accepted {
		t.Errorf("acceptance: %s", jsonOf(t, d))
	}
	if d := late(true, func(ev processor.Event) { w.heard(won, ev) }); d.Status != dispute.Won {
		t.Errorf("acceptance of what was won: %s", jsonOf(t, d))
	}
	if d := late(false, func(ev processor.Event) { w.heard(lost, ev) }); d.Status != dispute.Lost ||
		d.EvidenceSubmittedAt == nil {
		t.Errorf("evidence to what was lost: %s", jsonOf(t, d))
	}
	w.audit(t)
	if n := w.count(`processor_operations WHERE kind = 'respond' AND state <> 'approved'`); n != 0 {
		t.Errorf("%d answers are not known to have arrived", n)
	}
}
