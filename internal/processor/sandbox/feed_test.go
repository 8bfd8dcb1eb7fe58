package sandbox_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/conformance"
)

// TestADebitIsTakenBackOrReturned lets voids race with the feed: for each debit one of the two wins.
func TestADebitIsTakenBackOrReturned(t *testing.T) {
	t.Parallel()
	const debits = 60
	w := newWorld(t)
	references := make([]string, debits)
	for i := range references {
		references[i] = debited(t, w, "ach_r01")
	}
	w.pass(10 * day)
	var wg sync.WaitGroup
	voided := make([]bool, debits)
	for part := range 3 {
		wg.Go(func() {
			for i := part; i < debits; i += 3 {
				answer, err := w.open().Void(t.Context(), follow(references[i], 1250))
				if err != nil || !answer.Approved && answer.DeclineCode != "debit_returned" {
					t.Errorf("%+v, %v", answer, err)
				}
				voided[i] = answer.Approved
			}
		})
	}
	wg.Go(func() {
		for range 2 * debits {
			if _, err := conformance.Events(t.Context(), w.open(), "", 5); err != nil {
				t.Error(err)
			}
			if _, err := conformance.Events(t.Context(), w.open(), lastOf(t, w), 1); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Wait()
	returned := map[string]int{}
	for _, e := range feed(t, w) {
		returned[e.Reference]++
	}
	for i, reference := range references {
		if voided[i] == (returned[reference] > 0) || returned[reference] > 1 {
			t.Errorf("voided: %v, returned %d times", voided[i], returned[reference])
		}
	}
}

// lastOf is the id of the feed's last event, "" if it has none.
func lastOf(t *testing.T, w *world) string {
	id, err := pg.Value[string](t.Context(), w.pool, `SELECT coalesce(lpad(max(id)::text, 19, '0'), '')
		FROM sandbox_processor_feed`, pg.Args{})
	if err != nil {
		t.Error(err)
	}
	return id
}

// TestADisputeIsAnsweredOrLost lets answers race with the deadline.
func TestADisputeIsAnsweredOrLost(t *testing.T) {
	t.Parallel()
	const disputes = 20
	w := newWorld(t)
	for range disputes {
		paid(t, w, "disputed")
	}
	w.pass(time.Hour)
	open := feed(t, w)
	var wg sync.WaitGroup
	var mu sync.Mutex
	answered := map[string]int{}
	for range 2 {
		wg.Go(func() {
			for _, e := range open {
				answer, err := w.open().Respond(t.Context(),
					processor.Response{Reference: newReference(), Account: ofPort(account),
						Dispute: e.Dispute.ID, Amount: 1250, Currency: money.USD,
						Evidence: map[string]string{"x": "winning_evidence"}})
				if err != nil {
					t.Error(err)
				}
				if mu.Lock(); answer.Approved {
					answered[e.Dispute.ID]++
				}
				mu.Unlock()
			}
		})
	}
	wg.Go(func() {
		time.Sleep(10 * time.Millisecond)
		w.pass(14 * day)
		feed(t, w)
	})
	wg.Wait()
	w.pass(14 * day)
	ends := map[string][]processor.EventKind{}
	for _, e := range feed(t, w) {
		if e.Kind != processor.DisputeOpened {
			ends[e.Dispute.ID] = append(ends[e.Dispute.ID], e.Kind)
		}
	}
	for _, e := range open {
		want := []processor.EventKind{processor.DisputeLost}
		if answered[e.Dispute.ID] > 0 {
			want[0] = processor.DisputeWon
		}
		if n := answered[e.Dispute.ID]; n > 1 || !slices.Equal(ends[e.Dispute.ID], want) {
			t.Errorf("answered %d times, ended by %v", n, ends[e.Dispute.ID])
		}
	}
}

func TestAFullPageNeedsNothingNew(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 3 {
		paidOut(t, w, "payout_paid")
	}
	w.pass(2 * day)
	for range 2 { // the second time the page is full already
		if page, err := conformance.Events(t.Context(), w.open(), "", 2); err != nil || len(page) != 2 {
			t.Fatalf("%+v, %v", page, err)
		}
	}
	if n, err := pg.Value[int64](t.Context(), w.pool, `SELECT count(*) FROM sandbox_processor_schedule`,
		pg.Args{}); err != nil || n != 1 {
		t.Errorf("%d are still to come, %v; want 1", n, err)
	}
	told(t, w, processor.PayoutPaid, processor.PayoutPaid, processor.PayoutPaid)
}

func TestAnAccountWithoutAClockIsServedNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, f := authorization("4242424242424242"), follow("x", 1)
	a.Account, f.Account = ofPort("unknown"), ofPort("unknown")
	d := processor.Debit{Reference: newReference(), Account: ofPort("unknown"), Amount: 1, Currency: "usd",
		Bank: bank(t, "ach_settles")}
	p := w.open()
	_, err1 := p.Authorize(t.Context(), a)
	_, err2 := p.Capture(t.Context(), f)
	_, err3 := p.Debit(t.Context(), d)
	_, err4 := p.Respond(t.Context(),
		processor.Response{Reference: newReference(), Account: ofPort("unknown"), Amount: 1})
	for i, err := range []error{err1, err2, err3, err4} {
		if err == nil {
			t.Errorf("call %d is answered", i)
		}
	}
	d.Account, d.Bank.Scheme = ofPort(account), "sepa"
	if _, err := p.Payout(t.Context(), processor.Payout{Reference: newReference(), Account: ofPort(account), Amount: 1,
		Currency: "usd", Bank: d.Bank}); err == nil {
		t.Error("a payout by an unheard scheme is answered")
	}
	for _, reference := range []string{a.Reference, f.Reference, d.Reference} {
		if answer, err := p.Lookup(t.Context(), ofPort(account), reference); !errors.Is(err, processor.ErrNotFound) {
			t.Errorf("%+v, %v", answer, err)
		}
	}
	for _, id := range []string{"x", "1", "-1", "99999999999999999999", "0000000000000000001 "} {
		if events, err := conformance.Events(t.Context(), p, id, 1); err == nil {
			t.Errorf("after %q comes %+v", id, events)
		}
	}
}
