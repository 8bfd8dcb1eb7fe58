package dispute_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/dispute"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/pgtest"
)

func TestOverdueChargebacksAreLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	next := func() *time.Time {
		m, err := w.Clocks.Moment(t.Context(), w.App.AppID)
		if err != nil {
			t.Fatal(err)
		}
		at, err := w.Disputes.NextOverdue(t.Context(), w.App.AppID, m.At)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	if at := next(); at != nil {
		t.Errorf("nothing is due at %v", at)
	}
	silent, ev := w.opened(1000)
	answered, answeredEv := w.opened(1000)
	_, askedEv := w.asked(1000)
	if _, err := w.submit(answered, words("x"), ""); err != nil {
		t.Fatal(err)
	}
	w.bank.behave(mute)
	underWay, underWayEv := w.opened(1000)
	if out, err := w.accept(underWay, ""); err != nil || !out.Unknown {
		t.Fatalf("%+v, %v", out, err)
	}
	if at := next(); at == nil || !at.Equal(silent.RespondBy.Time) {
		t.Errorf("due at %v, want %v", at, silent.RespondBy)
	}
	left := silent.RespondBy.Sub(w.Clock.Now())
	if err := w.Clocks.Advance(t.Context(), w.App.AppID, left-time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if n := w.sweep(); n != 0 {
		t.Errorf("%d were closed before their time", n)
	}
	if err := w.Clocks.Advance(t.Context(), w.App.AppID, time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if n := w.sweep(); n != 1 {
		t.Errorf("%d were closed", n)
	}
	if d := w.of(ev); d.Status != dispute.Lost || d.ClosedAt == nil || !d.ClosedAt.Equal(silent.RespondBy.Time) {
		t.Errorf("%s", jsonOf(t, d))
	}
	if a, b, c := w.of(answeredEv).Status, w.of(askedEv).Status, w.of(underWayEv).Status; a != dispute.UnderReview ||
		b != dispute.NeedsResponse || c != dispute.NeedsResponse {
		t.Errorf("%s, %s, %s", a, b, c)
	}
	before := w.chargeNow(silent.ChargeID)
	for range 2 { // the processor decided otherwise, and its news come late
		w.heard(won, ev)
	}
	if d, c := w.of(ev), w.chargeNow(silent.ChargeID); d.Status != dispute.Won || before.AmountDisputed != 1000 ||
		c.AmountDisputed != 0 || c.AmountRefundable != 1000 {
		t.Errorf("%s: %d disputed, then %d", d.Status, before.AmountDisputed, c.AmountDisputed)
	}
	if at := next(); at != nil {
		t.Errorf("nothing more is due, at %v", at)
	}
	w.Clock.Advance(time.Second)
	w.resolve(1)
	if d := w.of(underWayEv); d.Status != dispute.Accepted || w.sweep() != 0 {
		t.Errorf("%s", jsonOf(t, d))
	}
	w.audit(t)
}

// An answer that never arrived leaves its dispute to the sweep.
func TestUnansweredAfterAllIsLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.bank.behave(deaf)
	d, ev := w.opened(1000)
	if _, err := w.accept(d, ""); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(8 * 24 * time.Hour)
	if n := w.sweep(); n != 0 {
		t.Errorf("%d were closed while an answer may be on its way", n)
	}
	w.resolve(1)
	if n := w.sweep(); n != 1 || w.of(ev).Status != dispute.Lost {
		t.Errorf("%d were closed: %s", n, jsonOf(t, w.of(ev)))
	}
	w.audit(t)
}

func TestSweepsAtOnceCloseEachOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const disputes = 230 // more than two batches
	c := w.charged(99_999)
	for range disputes {
		w.heard(opened, w.noticed(c, 10))
	}
	w.Clock.Advance(8 * 24 * time.Hour)
	views, err := w.Clocks.Views(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var total atomic.Int64
	var wait sync.WaitGroup
	for range 2 {
		wait.Go(func() {
			for {
				n, err := w.Disputes.CloseOverdue(context.Background(), views[0])
				if err != nil {
					t.Error(err)
				}
				if n > 100 {
					t.Errorf("a batch of %d", n)
				}
				if total.Add(int64(n)); n == 0 {
					return
				}
			}
		})
	}
	wait.Wait()
	if total.Load() != disputes || w.count(`disputes WHERE status = 'lost'`) != disputes ||
		w.count(`events WHERE type = 'dispute.lost'`) != disputes {
		t.Errorf("%d were closed", total.Load())
	}
	w.audit(t)
}

// A dispute that cannot be closed is notified of, and none that is overdue waits for it.
func TestOneThatCannotCloseHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stuck, _ := w.opened(1000)
	_, other := w.opened(2000)
	pgtest.Refuse(t, w.Pool, "disputes", stuck.ID)
	w.Clock.Advance(8 * 24 * time.Hour)
	v, err := w.Clocks.Of(t.Context(), w.App.AppID)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := w.Disputes.CloseOverdue(t.Context(), v); n != 1 || err == nil ||
		!strings.Contains(err.Error(), "refused here") {
		t.Errorf("%d, %v", n, err)
	}
	if w.of(other).Status != dispute.Lost || w.count(`disputes WHERE status = 'needs_response'`) != 1 {
		t.Errorf("%s", jsonOf(t, w.of(other)))
	}
	w.audit(t)
}

// The clock of one application leaves the other's disputes alone.
func TestSweepGoesByEachApplicationsClock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, ev := w.opened(1000)
	if err := w.Clocks.Advance(t.Context(), w.Other.AppID, 30*24*time.Hour); err != nil {
		t.Fatal(err)
	}
	if n := w.sweep(); n != 0 || w.of(ev).Status != dispute.NeedsResponse {
		t.Errorf("%d were closed", n)
	}
	if at, err := w.Disputes.NextOverdue(t.Context(), w.Other.AppID, w.Clock.Now()); err != nil || at != nil {
		t.Errorf("%v, %v", at, err)
	}
}

func TestLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.charged(99_999)
	var all []ids.Dispute
	kinds := []bool{false, true, false, true, false}
	for _, asks := range kinds {
		w.Clock.Advance(time.Millisecond)
		ev := w.noticed(c, 100)
		if asks {
			ev = retrieval(ev)
		}
		all = append(all, w.heard(opened, ev).ID)
	}
	since := w.Clock.Now()
	w.Clock.Advance(time.Millisecond)
	other, ev := w.opened(500)
	w.heard(lost, ev)
	all = append(all, other.ID)
	type by = page.Input[ids.Dispute]
	for name, tt := range map[string]struct {
		in   dispute.ListInput
		want []int
		more bool
	}{
		"newest":              {dispute.ListInput{Page: by{Limit: 2}}, []int{5, 4}, true},
		"after":               {dispute.ListInput{Page: by{Limit: 9, After: all[2]}}, []int{1, 0}, false},
		"before":              {dispute.ListInput{Page: by{Limit: 2, Before: all[1]}}, []int{3, 2}, true},
		"ascending":           {dispute.ListInput{Page: by{Limit: 2, Ascending: true, After: all[1]}}, []int{2, 3}, true},
		"by status":           {dispute.ListInput{Page: by{Limit: 9}, Statuses: []string{"lost", "won"}}, []int{5}, false},
		"by kind":             {dispute.ListInput{Page: by{Limit: 9}, Kinds: []string{"retrieval"}}, []int{3, 1}, false},
		"by charge":           {dispute.ListInput{Page: by{Limit: 9}, ChargeID: &c.ID}, []int{4, 3, 2, 1, 0}, false},
		"by merchant":         {dispute.ListInput{Page: by{Limit: 1}, Merchants: []int64{w.App.Merchants.US}}, []int{5}, true},
		"by another merchant": {dispute.ListInput{Page: by{Limit: 9}, Merchants: []int64{w.App.Merchants.CA}}, nil, false},
		"by several":          {dispute.ListInput{Page: by{Limit: 9}, Kinds: []string{"chargeback"}, Statuses: []string{"needs_response"}, ChargeID: &c.ID}, []int{4, 2, 0}, false},
		"from a time on":      {dispute.ListInput{Page: by{Limit: 9}, Created: page.Times{From: &since}}, []int{5, 4}, false},
		"until a time":        {dispute.ListInput{Page: by{Limit: 1}, Created: page.Times{Until: &since}}, []int{3}, true},
	} {
		p, err := w.Disputes.List(t.Context(), w.Actor(), tt.in)
		var got []int
		for _, d := range p.Items {
			got = append(got, slices.Index(all, d.ID))
			if one, err := w.Disputes.Get(t.Context(), w.Actor(), d.ID.String()); err != nil ||
				jsonOf(t, one) != jsonOf(t, d) {
				t.Errorf("%s: listed %s\nread %s, %v", name, jsonOf(t, d), jsonOf(t, one), err)
			}
		}
		if err != nil || !slices.Equal(got, tt.want) || p.HasMore != tt.more {
			t.Errorf("%s: %v, more %v, %v; want %v, %v", name, got, p.HasMore, err, tt.want, tt.more)
		}
	}
	if p, err := w.Disputes.List(t.Context(), w.ActorOf(w.Other),
		dispute.ListInput{Page: by{Limit: 9}, ChargeID: &c.ID}); err != nil || len(p.Items) != 0 {
		t.Errorf("another application: %+v, %v", p, err)
	}
	_, err := w.Disputes.List(t.Context(), authz.Actor{Role: authz.RolePublicKey}, dispute.ListInput{})
	if f, ok := fault.As(err); !ok || f.Detail["required_permission"] != string(authz.DisputeRead) {
		t.Errorf("a browser: %v", err)
	}
}

// The last guards: what code must never write, the database does not take.
func TestDatabaseRefusesWhatCannotBe(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.opened(money.Amount(1000))
	for name, statement := range map[string]string{
		"chargeback closed": `UPDATE disputes SET status = 'closed', closed_at = now()`,
		"retrieval lost": `UPDATE disputes
			SET kind = 'retrieval', status = 'lost', disputed = 0, closed_at = now()`,
		"final without a time":       `UPDATE disputes SET status = 'lost'`,
		"open with one":              `UPDATE disputes SET closed_at = now()`,
		"review of nothing":          `UPDATE disputes SET status = 'under_review'`,
		"disputed more than it is":   `UPDATE disputes SET disputed = amount + 1`,
		"disputed after a win":       `UPDATE disputes SET status = 'won', closed_at = now()`,
		"disputed by a retrieval":    `UPDATE disputes SET kind = 'retrieval'`,
		"escalated and a retrieval":  `UPDATE disputes SET kind = 'retrieval', disputed = 0, escalated_at = now()`,
		"eleven files":               `UPDATE disputes SET evidence_files = array_fill(id, ARRAY[11])`,
		"no amount":                  `UPDATE disputes SET amount = 0, disputed = 0`,
		"charge of another merchant": `UPDATE disputes SET merchant_id = (SELECT max(id) FROM merchants)`,
		"answer that nobody gave":    `UPDATE disputes SET operation_id = id`,
	} {
		if _, err := pg.Exec(t.Context(), w.Pool, statement, pg.Args{}); pg.Violated(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
