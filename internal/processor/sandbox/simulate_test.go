package sandbox_test

import (
	"testing"

	"svcpay/internal/money"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
)

// simulate wants something to happen now and checks the code of the refusal.
func simulate(t *testing.T, w *world, s sandbox.Simulation, want string) {
	t.Helper()
	if s.Account.External == "" {
		s.Account = ofPort(account)
	}
	if err := w.open().Simulate(t.Context(), s); code(err) != want {
		t.Fatalf("%s: %v; want %q", s.Kind, err, want)
	}
}

const (
	impossible = "simulation_not_possible"
	missing    = "resource_missing"
	badCode    = "parameter_invalid"
)

func TestSimulatedReturnOfADebit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	reference := debited(t, w, "ach_r01")
	s := sandbox.Simulation{Kind: processor.DebitReturned, Reference: reference, ReturnCode: "R29"}
	for _, bad := range []string{"", "901", "r01", "R1", "R011", " R01"} {
		simulate(t, w, sandbox.Simulation{Kind: s.Kind, Reference: reference, ReturnCode: bad}, badCode)
	}
	simulate(t, w, s, "")
	simulate(t, w, s, "") // the feed did not say yet: still once
	e := told(t, w, processor.DebitReturned)[0]
	if e.ReturnCode != "R29" || e.Settled || e.Reference != reference || !e.At.Equal(start) {
		t.Errorf("%+v", e)
	}
	simulate(t, w, s, impossible)
	simulate(t, w, sandbox.Simulation{Kind: processor.ChargeSettled, Reference: reference}, impossible)
	w.pass(30 * day) // nor does its own return come
	told(t, w, processor.DebitReturned)
	voided := debited(t, w, "acss_settles")
	f := follow(voided, 1250)
	f.Currency = money.CAD
	if answer, err := w.open().Void(t.Context(), f); err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	simulate(t, w, sandbox.Simulation{Kind: processor.DebitReturned, Reference: voided, ReturnCode: "901"}, impossible)
	canadian := debited(t, w, "acss_settles")
	simulate(t, w, sandbox.Simulation{Kind: processor.DebitReturned, Reference: canadian, ReturnCode: "R01"}, badCode)
	simulate(t, w, sandbox.Simulation{Kind: processor.DebitReturned, Reference: canadian, ReturnCode: "905"}, "")
	simulate(t, w, sandbox.Simulation{Kind: processor.DebitReturned, Reference: paid(t, w, "approved"),
		ReturnCode: "R01"}, impossible)
}

func TestSimulatedSettlement(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, reference := range []string{paid(t, w, "approved"), debited(t, w, "ach_settles")} {
		simulate(t, w, sandbox.Simulation{Kind: processor.ChargeSettled, Reference: reference}, "")
		events := feed(t, w)
		if e := events[len(events)-1]; e.Kind != processor.ChargeSettled || e.Reference != reference {
			t.Errorf("%+v", e)
		}
		simulate(t, w, sandbox.Simulation{Kind: processor.ChargeSettled, Reference: reference}, impossible)
		if answer, err := w.open().Void(t.Context(), follow(reference, 1250)); err != nil ||
			answer.DeclineCode != "already_settled" {
			t.Errorf("%+v, %v", answer, err)
		}
	}
	late := debited(t, w, "ach_returned_r10") // which settles first
	simulate(t, w, sandbox.Simulation{Kind: processor.ChargeSettled, Reference: late}, "")
	w.skip(account, 20*day)
	if events := told(t, w, processor.ChargeSettled, processor.ChargeSettled, processor.ChargeSettled,
		processor.DebitReturned); !events[3].Settled || events[2].Settled {
		t.Errorf("a return after the settlement says so: %+v", events)
	}
	held := authorization("4242424242424242")
	held.Capture = false
	if _, err := w.open().Authorize(t.Context(), held); err != nil {
		t.Fatal(err)
	}
	simulate(t, w, sandbox.Simulation{Kind: processor.ChargeSettled, Reference: held.Reference}, impossible)
}

func TestSimulatedPayouts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	paid, failed, returned := processor.PayoutPaid, processor.PayoutFailed, processor.PayoutReturned
	of := func(kind processor.EventKind, reference, code string) sandbox.Simulation {
		return sandbox.Simulation{Kind: kind, Reference: reference, ReturnCode: code}
	}
	one := paidOut(t, w, "payout_failed")
	simulate(t, w, of(returned, one, "R02"), impossible)
	simulate(t, w, of(paid, one, ""), "") // in place of its failure
	told(t, w, paid)
	simulate(t, w, of(paid, one, ""), impossible)
	simulate(t, w, of(failed, one, "R03"), impossible)
	simulate(t, w, of(returned, one, "905"), badCode)
	simulate(t, w, of(returned, one, "R02"), "")
	told(t, w, paid, returned)
	simulate(t, w, of(returned, one, "R02"), impossible)
	two := paidOut(t, w, "payout_returned")
	simulate(t, w, of(failed, two, ""), badCode)
	simulate(t, w, of(failed, two, "R03"), "")
	if e := told(t, w, paid, returned, failed)[2]; e.Reference != two || e.ReturnCode != "R03" {
		t.Errorf("%+v", e)
	}
	simulate(t, w, of(paid, two, ""), impossible)
	three := paidOut(t, w, "payout_returned")
	simulate(t, w, of(paid, three, "R99"), "") // no code belongs to it
	w.pass(30 * day)
	if events := told(t, w, paid, returned, failed, paid, returned); events[3].ReturnCode != "" ||
		events[4].ReturnCode != "R02" {
		t.Errorf("%+v", events)
	}
	declined := processor.Payout{Reference: newReference(), Account: ofPort(account), Amount: 1, Currency: "usd",
		Bank: bank(t, "payout_declined")}
	if _, err := w.open().Payout(t.Context(), declined); err != nil {
		t.Fatal(err)
	}
	simulate(t, w, of(paid, declined.Reference, ""), impossible)
}

func TestSimulatedDispute(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	reference := paid(t, w, "approved")
	open := sandbox.Simulation{Kind: processor.DisputeOpened, Reference: reference, Reason: "duplicate", Amount: 1000}
	simulate(t, w, sandbox.Simulation{Kind: open.Kind, Reference: reference, Amount: 1251}, impossible)
	simulate(t, w, sandbox.Simulation{Kind: open.Kind, Reference: reference, Amount: -1}, impossible)
	simulate(t, w, open, "")
	simulate(t, w, open, impossible) // 250 are left
	simulate(t, w, sandbox.Simulation{Kind: open.Kind, Reference: reference, Retrieval: true}, "")
	simulate(t, w, sandbox.Simulation{Kind: open.Kind, Reference: reference}, impossible)
	events := told(t, w, processor.DisputeOpened, processor.DisputeOpened)
	chargeback, retrieval := events[0].Dispute, events[1].Dispute
	if chargeback.Reason != "duplicate" || chargeback.Amount != 1000 || chargeback.Retrieval ||
		retrieval.Amount != 250 || !retrieval.Retrieval ||
		!chargeback.RespondBy.Equal(start.Add(14*day)) || !retrieval.RespondBy.Equal(start.Add(10*day)) {
		t.Errorf("%+v, %+v", chargeback, retrieval)
	}
	of := func(kind processor.EventKind, d *processor.DisputeNotice) sandbox.Simulation {
		return sandbox.Simulation{Kind: kind, Dispute: d.ID}
	}
	simulate(t, w, of(processor.DisputeClosed, chargeback), impossible)
	simulate(t, w, of(processor.DisputeEscalated, chargeback), impossible)
	simulate(t, w, of(processor.DisputeWon, chargeback), impossible) // no one answered
	respond(t, w, chargeback.ID, "", false, "It was delivered.")
	simulate(t, w, of(processor.DisputeWon, chargeback), "")
	simulate(t, w, of(processor.DisputeWon, retrieval), impossible)
	simulate(t, w, of(processor.DisputeLost, retrieval), impossible)
	simulate(t, w, of(processor.DisputeEscalated, retrieval), "")
	events = told(t, w, processor.DisputeOpened, processor.DisputeOpened, processor.DisputeWon,
		processor.DisputeEscalated)
	if e := events[3].Dispute; e.ID != retrieval.ID || e.Retrieval || !e.RespondBy.Equal(start.Add(14*day)) {
		t.Errorf("%+v", e)
	}
	simulate(t, w, of(processor.DisputeLost, chargeback), impossible) // won already
	simulate(t, w, of(processor.DisputeEscalated, retrieval), impossible)
	simulate(t, w, of(processor.DisputeLost, retrieval), "")
	w.pass(100 * day)
	told(t, w, processor.DisputeOpened, processor.DisputeOpened, processor.DisputeWon, processor.DisputeEscalated,
		processor.DisputeLost)
}

func TestSimulatedEndOfARetrieval(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	e := opened(t, w, "retrieval")
	// it may become one itself
	simulate(t, w, sandbox.Simulation{Kind: processor.DisputeOpened, Reference: e.Reference}, impossible)
	simulate(t, w, sandbox.Simulation{Kind: processor.DisputeClosed, Dispute: e.Dispute.ID}, "")
	w.skip(account, 100*day)
	told(t, w, processor.DisputeOpened, processor.DisputeClosed)
	simulate(t, w, sandbox.Simulation{Kind: processor.DisputeOpened, Reference: e.Reference}, "")
	accepted := opened(t, w, "disputed")
	respond(t, w, accepted.Dispute.ID, "", true)
	simulate(t, w, sandbox.Simulation{Kind: processor.DisputeLost, Dispute: accepted.Dispute.ID}, impossible)
}

func TestSimulationsOfWhatIsNotThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	charge, payout, dispute := debited(t, w, "ach_settles"), paidOut(t, w, "payout_paid"), opened(t, w, "disputed")
	for _, kind := range []processor.EventKind{
		processor.ChargeSettled, processor.DebitReturned, processor.PayoutPaid, processor.PayoutFailed,
		processor.PayoutReturned,
		processor.DisputeOpened, processor.DisputeEscalated, processor.DisputeWon, processor.DisputeLost,
		processor.DisputeClosed,
	} {
		simulate(t, w, sandbox.Simulation{Kind: kind}, missing)
		simulate(t, w, sandbox.Simulation{Kind: kind, Reference: "ch_unheard", Dispute: "case_unheard",
			ReturnCode: "R01"}, missing)
		for _, reference := range []string{charge, payout, dispute.Reference} {
			simulate(t, w, sandbox.Simulation{Kind: kind, Account: ofPort(other), Reference: reference,
				Dispute: dispute.Dispute.ID, ReturnCode: "R01"}, missing)
		}
	}
	simulate(t, w, sandbox.Simulation{Kind: processor.PayoutPaid, Reference: charge}, missing)
	simulate(t, w, sandbox.Simulation{Kind: processor.ChargeSettled, Reference: payout}, missing)
	simulate(t, w, sandbox.Simulation{Kind: processor.DisputeOpened, Reference: charge}, impossible)
	simulate(t, w, sandbox.Simulation{Kind: "earthquake", Reference: charge}, impossible)
}
