package sandbox_test

import (
	"testing"
	"time"

	"svcpay/internal/money"
	"svcpay/internal/processor"
)

// opened makes a payment with a disputed card and returns the event of its dispute.
func opened(t *testing.T, w *world, name string) processor.Event {
	t.Helper()
	reference := paid(t, w, name)
	w.skip(account, time.Hour)
	for _, e := range feed(t, w) {
		if e.Reference == reference && e.Kind == processor.DisputeOpened {
			return e
		}
	}
	t.Fatal("no dispute was opened")
	return processor.Event{}
}

// respond answers a dispute and checks the decline code.
func respond(t *testing.T, w *world, dispute, want string, accept bool, evidence ...string) {
	t.Helper()
	r := processor.Response{Reference: newReference(), Account: ofPort(account), Dispute: dispute, Amount: 1250,
		Currency: money.USD,
		Accept:   accept, Evidence: map[string]string{"other": "x"}}
	for _, text := range evidence {
		r.Evidence["explanation"] = text
	}
	if answer, err := w.open().Respond(t.Context(), r); err != nil || answer.Approved != (want == "") ||
		answer.DeclineCode != want {
		t.Fatalf("%+v, %v; want %q", answer, err, want)
	}
}

func TestChargebackIsOpenedAnHourAfterTheCapture(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	reference := paid(t, w, "disputed")
	w.skip(account, time.Hour-time.Millisecond)
	told(t, w)
	w.skip(account, time.Millisecond)
	e := told(t, w, processor.DisputeOpened)[0]
	want := processor.DisputeNotice{ID: e.Dispute.ID, Reason: "fraudulent", Amount: 1250, Currency: money.USD,
		RespondBy: start.Add(time.Hour + 14*day)}
	e.Dispute.RespondBy = e.Dispute.RespondBy.UTC()
	if e.Reference != reference || *e.Dispute != want || !e.At.Equal(start.Add(time.Hour)) || len(e.Dispute.ID) < 10 {
		t.Errorf("%+v, %+v", e, *e.Dispute)
	}
}

func TestLaterCaptureIsDisputedForWhatItTook(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := authorization(number(t, "retrieval"))
	a.Capture = false
	if answer, err := w.open().Authorize(t.Context(), a); err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	w.skip(account, day)
	told(t, w)
	if answer, err := w.open().Capture(t.Context(), follow(a.Reference, 1251)); err != nil || answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	if answer, err := w.open().Capture(t.Context(), follow(a.Reference, 700)); err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	w.skip(account, time.Hour)
	e := told(t, w, processor.DisputeOpened)[0]
	if e.Reference != a.Reference || e.Dispute.Amount != 700 || !e.Dispute.Retrieval ||
		e.Dispute.Reason != "unrecognized" ||
		!e.Dispute.RespondBy.Equal(start.Add(day+time.Hour+10*day)) {
		t.Errorf("%+v, %+v", e, *e.Dispute)
	}
}

func TestEvidenceDecidesAChargeback(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		evidence string
		accept   bool
		after    time.Duration
		want     []processor.EventKind
	}{
		"winning": {"see winning_evidence, page 2", false, day, []processor.EventKind{processor.DisputeWon}},
		"losing":  {"losing_evidence", false, day, []processor.EventKind{processor.DisputeLost}},
		"neither": {"It was delivered.", false, 14 * day, []processor.EventKind{processor.DisputeLost}},
		"accept":  {"winning_evidence", true, 100 * day, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			e := opened(t, w, "disputed")
			w.skip(account, 14*day-time.Millisecond)
			respond(t, w, e.Dispute.ID, "", c.accept, c.evidence)
			respond(t, w, e.Dispute.ID, "dispute_not_answerable", true)
			w.skip(account, c.after-time.Millisecond)
			told(t, w, processor.DisputeOpened)
			w.skip(account, time.Millisecond)
			events := told(t, w, append([]processor.EventKind{processor.DisputeOpened}, c.want...)...)
			for _, later := range events[1:] {
				if *later.Dispute != *e.Dispute || later.Reference != e.Reference {
					t.Errorf("%+v, %+v", later, *later.Dispute)
				}
			}
			w.skip(account, 100*day)
			told(t, w, append([]processor.EventKind{processor.DisputeOpened}, c.want...)...)
			respond(t, w, e.Dispute.ID, "dispute_not_answerable", false)
		})
	}
}

func TestUnansweredChargebackIsLostAtItsDeadline(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	e := opened(t, w, "disputed")
	w.skip(account, 14*day)
	respond(t, w, e.Dispute.ID, "dispute_not_answerable", false, "winning_evidence") // before the feed reports the loss
	if lost := told(t, w, processor.DisputeOpened, processor.DisputeLost)[1]; !lost.At.Equal(e.Dispute.RespondBy) {
		t.Errorf("%+v", lost)
	}
	respond(t, w, e.Dispute.ID, "dispute_not_answerable", true)
}

func TestAnsweredRetrievalClosesByItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	e := opened(t, w, "retrieval")
	respond(t, w, e.Dispute.ID, "", false, "losing_evidence")
	w.skip(account, day)
	told(t, w, processor.DisputeOpened, processor.DisputeClosed)
	w.skip(account, 100*day)
	told(t, w, processor.DisputeOpened, processor.DisputeClosed)
}

func TestUnansweredRetrievalEscalates(t *testing.T) {
	t.Parallel()
	open := func() (*world, processor.Event) {
		w := newWorld(t)
		e := opened(t, w, "retrieval")
		w.skip(account, 10*day)
		respond(t, w, e.Dispute.ID, "dispute_not_answerable", false) // the deadline has come
		escalated := told(t, w, processor.DisputeOpened, processor.DisputeEscalated)[1]
		d := *escalated.Dispute
		if d.ID != e.Dispute.ID || d.Retrieval || d.Amount != 1250 ||
			!d.RespondBy.Equal(e.Dispute.RespondBy.Add(14*day)) || !escalated.At.Equal(e.Dispute.RespondBy) {
			t.Errorf("%+v", d)
		}
		return w, escalated
	}
	w, _ := open()
	w.skip(account, 14*day)
	told(t, w, processor.DisputeOpened, processor.DisputeEscalated, processor.DisputeLost)
	w, e := open()
	respond(t, w, e.Dispute.ID, "", false, "winning_evidence")
	w.skip(account, 14*day)
	told(t, w, processor.DisputeOpened, processor.DisputeEscalated, processor.DisputeWon)
}

func TestWhatNobodyAnswersHappensInItsOrderAfterALongLeap(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	paid(t, w, "retrieval")
	w.skip(account, 365*day)
	events := told(t, w, processor.DisputeOpened, processor.DisputeEscalated, processor.DisputeLost)
	if !events[2].At.Equal(start.Add(time.Hour + 24*day)) {
		t.Errorf("%+v", events[2])
	}
	next, err := w.open().NextDue(t.Context(), "app-1/", start)
	if err != nil || next != nil {
		t.Errorf("due at %v, %v", next, err)
	}
}

func TestDisputeOfAnotherOrOfNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	e := opened(t, w, "disputed")
	respond(t, w, "", "dispute_not_found", false)
	respond(t, w, "case_unheard", "dispute_not_found", false)
	answer, err := w.open().Respond(t.Context(),
		processor.Response{Reference: newReference(), Account: ofPort(other), Dispute: e.Dispute.ID,
			Amount: 1250, Currency: money.USD})
	if err != nil || answer.DeclineCode != "dispute_not_found" {
		t.Errorf("%+v, %v", answer, err)
	}
}
