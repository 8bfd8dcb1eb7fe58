package dispute_test

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/charge"
	"svcpay/internal/dispute"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

const (
	opened    = processor.DisputeOpened
	escalated = processor.DisputeEscalated
	won       = processor.DisputeWon
	lost      = processor.DisputeLost
	closed    = processor.DisputeClosed
)

type money4 map[ledger.Account]money.Amount

func TestMoneyOfEachStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	available, reserved, receivable, fees := ledger.MerchantAvailable, ledger.MerchantReserved,
		ledger.ProcessorReceivable, ledger.ApplicationFees
	for name, tt := range map[string]struct {
		retrieval bool
		steps     []processor.EventKind
		status    dispute.Status
		moved     money4
		disputed  money.Amount
		feeTotal  money.Amount
	}{
		"chargeback":      {false, []processor.EventKind{opened}, dispute.NeedsResponse, money4{available: -6500, reserved: 5000, fees: 1500}, 5000, 1500},
		"won":             {false, []processor.EventKind{opened, won}, dispute.Won, money4{available: -1500, fees: 1500}, 0, 1500},
		"lost":            {false, []processor.EventKind{opened, lost}, dispute.Lost, money4{available: -6500, receivable: 5000, fees: 1500}, 5000, 1500},
		"retrieval":       {true, []processor.EventKind{opened}, dispute.NeedsResponse, money4{available: -500, fees: 500}, 0, 500},
		"closed":          {true, []processor.EventKind{opened, closed}, dispute.Closed, money4{available: -500, fees: 500}, 0, 500},
		"escalated":       {true, []processor.EventKind{opened, escalated}, dispute.NeedsResponse, money4{available: -7000, reserved: 5000, fees: 2000}, 5000, 2000},
		"escalated, won":  {true, []processor.EventKind{opened, escalated, won}, dispute.Won, money4{available: -2000, fees: 2000}, 0, 2000},
		"escalated, lost": {true, []processor.EventKind{opened, escalated, lost}, dispute.Lost, money4{available: -7000, receivable: 5000, fees: 2000}, 5000, 2000},
	} {
		c := w.charged(12_500)
		ev := w.noticed(c, 5000)
		before := w.balances()
		var d dispute.Dispute
		for _, step := range tt.steps {
			if step == opened && tt.retrieval {
				d = w.heard(step, retrieval(ev))
			} else {
				d = w.heard(step, ev)
			}
		}
		if d.Status != tt.status || d.Version != len(tt.steps) || d.FeeTotal != tt.feeTotal || d.Amount != 5000 ||
			(d.ClosedAt != nil) != (d.Status != dispute.NeedsResponse) {
			t.Errorf("%s: %s", name, jsonOf(t, d))
		}
		if got := moved(before, w.balances()); !maps.Equal(got, map[ledger.Account]money.Amount(tt.moved)) {
			t.Errorf("%s: moved %v, want %v", name, got, tt.moved)
		}
		if now := w.chargeNow(c.ID); now.AmountDisputed != tt.disputed || now.AmountRefundable != 12_500-tt.disputed ||
			now.Status != c.Status {
			t.Errorf("%s: the charge is %s", name, jsonOf(t, now))
		}
	}
	w.audit(t)
}

func TestRecordOfADispute(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.charged(900)
	ev := w.noticed(c, 700)
	if err := w.Clocks.Advance(t.Context(), w.App.AppID, 48*time.Hour); err != nil { // by the application's clock
		t.Fatal(err)
	}
	d := w.heard(opened, ev)
	if d.Object != "dispute" || d.Livemode || d.MerchantID != c.MerchantID || d.ChargeID != c.ID ||
		d.Currency != c.Currency || d.Reason != "fraudulent" ||
		d.Processor != (dispute.ProcessorRef{Name: w.Processor.Name(), Dispute: ev.Dispute.ID}) ||
		!d.RespondBy.Equal(ev.Dispute.RespondBy) ||
		!d.CreatedAt.Equal(w.Clock.Now().Add(48*time.Hour)) || d.EscalatedAt != nil || d.Evidence == nil ||
		d.EvidenceFiles == nil || len(d.Fees) != 1 {
		t.Errorf("%s", jsonOf(t, d))
	}
	type event struct {
		Type   string `db:"type"`
		Object string `db:"object"`
		Source string `db:"source"`
	}
	e, err := pg.One[event](t.Context(), w.Pool, `SELECT type, object->>'id' AS object, source FROM events
		WHERE object_id = @id`, pg.Args{"id": d.ID})
	if err != nil || e != (event{"dispute.created", d.ID.String(), "job"}) {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestEscalationTakesWhatTheChargebackSays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d, ev := w.asked(5000)
	if _, err := w.Disputes.SubmitEvidence(t.Context(), w.Actor(), d.ID.String(), words("a receipt"), nil); err != nil {
		t.Fatal(err)
	}
	n := *ev.Dispute
	n.Amount, n.Reason, n.RespondBy = 4000, "duplicate", n.RespondBy.Add(24*time.Hour)
	ev.Dispute = &n
	after := w.heard(escalated, ev)
	if after.ID != d.ID || after.Kind != dispute.Chargeback || after.Status != dispute.NeedsResponse ||
		after.Amount != 4000 || after.Reason != "duplicate" ||
		!after.RespondBy.Equal(n.RespondBy) || after.EscalatedAt == nil || after.EvidenceSubmittedAt != nil ||
		after.Evidence["uncategorized_text"] != "a receipt" {
		t.Errorf("%s", jsonOf(t, after))
	}
	if _, err := w.Disputes.SubmitEvidence(t.Context(), w.Actor(), d.ID.String(), words("more"), nil); err != nil {
		t.Errorf("the chargeback cannot be answered: %v", err)
	}
	w.audit(t)
}

// A network may dispute the whole amount of a charge that was refunded in part: its money moves, and
// the charge is disputed as far as something is left of it.
func TestDisputeOfMoreThanIsLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, tt := range map[string]struct{ refunded, pending, amount, disputed money.Amount }{
		"whole": {0, 0, 1000, 1000}, "part": {0, 0, 300, 300}, "refunded in part": {400, 0, 1000, 600},
		"refund on its way": {0, 250, 1000, 750},
		"both":              {400, 250, 1000, 350}, "small enough": {400, 250, 350, 350},
		"refunded whole":     {1000, 0, 1000, 0},
		"more than captured": {0, 0, 1500, 1000},
	} {
		c := w.charged(1000)
		if err := pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
			l, err := w.Charges.LockTx(t.Context(), tx, c.ApplicationID, c.ID)
			if err != nil {
				return err
			}
			m, err := w.Clocks.Moment(t.Context(), c.ApplicationID)
			if err != nil {
				return err
			}
			bookRefundTx(tx, m, c, tt.refunded)
			_, err = w.Charges.ChangeTx(tx, m, l,
				charge.Change{Refunded: tt.refunded, RefundPending: tt.pending, Event: "charge.updated", Source: "job"})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		ev := w.noticed(c, tt.amount)
		reserved := w.balances()[ledger.MerchantReserved]
		d := w.heard(opened, ev)
		if got := w.chargeNow(c.ID); got.AmountDisputed != tt.disputed || d.Amount != tt.amount ||
			w.balances()[ledger.MerchantReserved]-reserved != tt.amount {
			t.Errorf("%s: disputed %d of %s", name, got.AmountDisputed, jsonOf(t, d))
		}
		w.audit(t)
		if w.heard(won, ev); w.chargeNow(c.ID).AmountDisputed != 0 ||
			w.balances()[ledger.MerchantReserved] != reserved {
			t.Errorf("%s: the win leaves %d disputed", name, w.chargeNow(c.ID).AmountDisputed)
		}
	}
	w.audit(t)
}

func TestSeveralDisputesOfACharge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.charged(1000)
	first, second, third := w.noticed(c, 600), w.noticed(c, 300), w.noticed(c, 500)
	for _, ev := range []processor.Event{first, second, third} {
		w.heard(opened, ev)
	}
	if got := w.chargeNow(c.ID).AmountDisputed; got != 1000 {
		t.Errorf("%d disputed", got)
	}
	w.heard(won, second)
	if w.heard(lost, first); w.chargeNow(c.ID).AmountDisputed != 1000 {
		t.Error("after a win and a loss the other two still ask for 1100")
	}
	if w.heard(won, third); w.chargeNow(c.ID).AmountDisputed != 600 {
		t.Error("another win frees what it held")
	}
	w.audit(t)
}

// story is what a processor reports one dispute, in order.
type story struct {
	name  string
	kinds []processor.EventKind
	asks  bool // it begins as a retrieval
}

var stories = []story{
	{"chargeback", []processor.EventKind{opened}, false},
	{"won", []processor.EventKind{opened, won}, false},
	{"lost", []processor.EventKind{opened, lost}, false},
	{"retrieval", []processor.EventKind{opened}, true},
	{"closed", []processor.EventKind{opened, closed}, true},
	{"escalated", []processor.EventKind{opened, escalated}, true},
	{"escalated, won", []processor.EventKind{opened, escalated, won}, true},
	{"escalated, lost", []processor.EventKind{opened, escalated, lost}, true},
}

// tell gives the story's events about a charge. What a chargeback says differs from what was asked.
func (s story) tell(w *world, c charge.Charge, asked, amount money.Amount) []processor.Event {
	base := w.noticed(c, amount)
	var out []processor.Event
	for i, kind := range s.kinds {
		ev := base
		if s.asks && (i == 0 || kind == closed) {
			ev = retrieval(base)
			ev.Dispute.Amount, ev.Dispute.RespondBy = asked, base.Dispute.RespondBy.Add(-24*time.Hour)
		}
		ev.Kind = kind
		out = append(out, ev)
	}
	return out
}

// entry is a posting without what is different for each dispute.
type entry struct {
	Kind   string       `db:"kind"`
	Debit  string       `db:"debit"`
	Credit string       `db:"credit"`
	Amount money.Amount `db:"amount"`
}

// ending is what the end of a story must not owe to the way that it was told.
type ending struct {
	Kind      dispute.Kind
	Status    dispute.Status
	Amount    money.Amount
	Reason    string
	Due       time.Duration
	Fees      []string
	FeeTotal  money.Amount
	Escalated bool
	Disputed  money.Amount
	Books     []entry
}

func (w *world) endingOf(t *rapid.T, ev processor.Event, c charge.Charge, start time.Time) string {
	d := w.of(ev)
	e := ending{Kind: d.Kind, Status: d.Status, Amount: d.Amount, Reason: d.Reason, Due: d.RespondBy.Sub(start),
		FeeTotal:  d.FeeTotal,
		Escalated: d.EscalatedAt != nil, Disputed: w.chargeNow(c.ID).AmountDisputed}
	for _, f := range d.Fees {
		e.Fees = append(e.Fees, f.Fee)
	}
	slices.Sort(e.Fees)
	var err error
	e.Books, err = pg.All[entry](context.Background(), w.Pool, `SELECT kind, debit, credit, amount FROM ledger_entries
		WHERE source_id = @id ORDER BY business_key`,
		pg.Args{"id": d.ID})
	if err != nil {
		t.Fatal(err)
	}
	return jsonOf(t, e)
}

func TestEventsInAnyOrderEndAlike(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rapid.Check(t, func(rt *rapid.T) {
		s := rapid.SampledFrom(stories).Draw(rt, "story")
		asked := money.Amount(rapid.Int64Range(1, 1500).Draw(rt, "asked"))
		amount := money.Amount(rapid.Int64Range(1, 1500).Draw(rt, "amount"))
		start := w.Clock.Now()
		straight := w.charged(1000)
		told := s.tell(w, straight, asked, amount)
		for _, ev := range told {
			w.heard(ev.Kind, ev)
		}
		want := w.endingOf(rt, told[0], straight, start)

		mixed := w.charged(1000)
		events := s.tell(w, mixed, asked, amount)
		again := rapid.SliceOfN(rapid.SampledFrom(events), 0, 4).Draw(rt, "again")
		for _, ev := range rapid.Permutation(slices.Concat(events, again)).Draw(rt, "order") {
			if err := w.hear(ev.Kind, ev); err != nil {
				rt.Fatal(err)
			}
		}
		if got := w.endingOf(rt, events[0], mixed, start); got != want {
			rt.Fatalf("%s ends as\n%s\nin order as\n%s", s.name, got, want)
		}
	})
	w.audit(t)
}

func TestRepeatedEventsAtOnceHappenOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 5 {
		c := w.charged(1000)
		told := stories[6].tell(w, c, 1000, 1000)
		var wait sync.WaitGroup
		for range 4 {
			for _, ev := range told {
				wait.Go(func() {
					if err := w.hear(ev.Kind, ev); err != nil {
						t.Error(err)
					}
				})
			}
		}
		wait.Wait()
		if d := w.of(told[0]); d.Status != dispute.Won || d.FeeTotal != 2000 {
			t.Errorf("%s", jsonOf(t, d))
		}
	}
	w.audit(t)
}

func TestEventsThatContradictAreLeftOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, tt := range map[string]struct {
		asks   bool
		before []processor.EventKind
		then   processor.EventKind
	}{
		"lost after won":         {false, []processor.EventKind{opened, won}, lost},
		"closed chargeback":      {false, []processor.EventKind{opened}, closed},
		"escalated chargeback":   {false, []processor.EventKind{opened}, escalated},
		"escalated after closed": {true, []processor.EventKind{opened, closed}, escalated},
		"won after closed":       {true, []processor.EventKind{opened, closed}, won},
		"closed after escalated": {true, []processor.EventKind{opened, escalated}, closed},
		"won, escalated":         {false, []processor.EventKind{opened, won}, escalated},
	} {
		ev := w.noticed(w.charged(1000), 1000)
		for _, kind := range tt.before {
			if kind == opened && tt.asks {
				w.heard(kind, retrieval(ev))
			} else {
				w.heard(kind, ev)
			}
		}
		before := w.of(ev)
		if after := w.heard(tt.then, ev); jsonOf(t, after) != jsonOf(t, before) {
			t.Errorf("%s: %s\nwas %s", name, jsonOf(t, after), jsonOf(t, before))
		}
	}
	w.audit(t)
}

// underWay makes a charge whose outcome is not known.
func (w *world) underWay() charge.Charge {
	w.t.Helper()
	amount, token := money.Amount(1000), w.Token("4000000000005423")
	out, err := w.Charges.Create(context.Background(), w.Actor(),
		charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount, Token: &token}, nil)
	if err != nil || out.Object.Status != charge.Processing {
		w.t.Fatalf("%+v, %v", out, err)
	}
	return out.Object
}
