package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

// same fails unless a comparison finds nothing.
func same(t rapid.TB, s *ledger.Service, ctx context.Context) {
	t.Helper()
	if found, err := s.Compare(ctx); err != nil || len(found) > 0 {
		t.Fatalf("differences %+v, %v", found, err)
	}
}

func TestTotalsAndTailAreTheSumAtEveryPoint(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	merchants := []int64{w.App.Merchants.US, w.App.Merchants.CA}
	rapid.Check(t, func(rt *rapid.T) {
		s := withBatches(w, rapid.IntRange(1, 7).Draw(rt, "fold"), rapid.IntRange(1, 9).Draw(rt, "sum"))
		for range rapid.IntRange(3, 6).Draw(rt, "steps") {
			switch rapid.SampledFrom([]string{"post", "wait", "fold", "rebuild"}).Draw(rt, "step") {
			case "post":
				if err := post(w, some(rt, w, rapid.SampledFrom(merchants).Draw(rt, "merchant"), 6)...); err != nil {
					rt.Fatal(err)
				}
			case "wait":
				w.Clock.Advance(
					rapid.SampledFrom([]time.Duration{time.Millisecond, ledger.FoldLag / 3, longAgo}).Draw(rt, "d"))
			case "fold":
				if _, err := s.Fold(w.T.Context()); err != nil {
					rt.Fatal(err)
				}
			case "rebuild":
				if err := s.Rebuild(w.T.Context(), w.App.AppID); err != nil {
					rt.Fatal(err)
				}
			}
			sound(rt, w, merchants[0])
			sound(rt, w, merchants[1])
		}
		same(rt, s, w.T.Context())
	})
	if n := count(t, w, "ledger_totals"); n < 4 {
		t.Errorf("only %d totals", n)
	}
}

func TestFoldTakesWhatIsOldABatchAtATime(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	s := withBatches(w, 4, 4)
	for i := range 10 {
		if err := post(w, posting(w, fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	w.Clock.Advance(ledger.FoldLag)
	if err := post(w, posting(w, "young")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{0, 4, 4, 2, 0} { // at first everything is exactly as old as the lag
		if n, err := s.Fold(t.Context()); n != want || err != nil {
			t.Errorf("folded %d, want %d: %v", n, want, err)
		}
		if want == 0 {
			w.Clock.Advance(time.Millisecond)
		}
	}
	total, err := pg.Value[money.Amount](t.Context(), w.Pool,
		`SELECT balance FROM ledger_totals WHERE account = 'merchant_pending'`, pg.Args{})
	if err != nil || total != -1_000 {
		t.Errorf("the total is %d, %v", total, err)
	}
	sound(t, w, w.App.Merchants.US)
}

func TestEachApplicationIsFolded(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	theirs := posting(w, "a")
	theirs.ApplicationID, theirs.MerchantID = w.Other.AppID, w.Other.Merchants.US
	if err := post(w, posting(w, "a"), posting(w, "b"), theirs); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(longAgo)
	if n := fold(t, w.Ledger); n != 3 {
		t.Errorf("folded %d", n)
	}
	same(t, w.Ledger, t.Context())
	if err := w.Ledger.Rebuild(t.Context(), w.Other.AppID); err != nil {
		t.Fatal(err)
	}
	same(t, w.Ledger, t.Context())
	if b, err := ledger.BalanceOf(t.Context(), w.Pool, w.App.AppID, w.App.Merchants.US); err != nil ||
		b.Pending != 200 || b.Currency != money.USD {
		t.Errorf("%+v, %v", b, err)
	}
	if _, err := ledger.BalanceOf(t.Context(), w.Pool, w.App.AppID, w.Other.Merchants.US); !errors.Is(err, pg.ErrNone) {
		t.Errorf("another application's merchant: %v", err)
	}
}

// TestKilledFoldLeavesNothing breaks the transaction after its last statement and at random moments.
func TestKilledFoldLeavesNothing(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	s := withBatches(w, 3, 3)
	for i := range 30 {
		if err := post(w, posting(w, fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	w.Clock.Advance(longAgo)
	if n, err := s.Fold(t.Context()); n != 3 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	state := func() (out []string) {
		t.Helper()
		type row struct{ State string }
		all, err := pg.All[row](t.Context(), w.Pool, `
			SELECT concat_ws(' ', through, account, balance) AS state FROM ledger_cutoffs LEFT
				JOIN ledger_totals USING (application_id) ORDER BY 1`, pg.Args{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all {
			out = append(out, r.State)
		}
		return out
	}
	before, boom := state(), errors.New("boom")
	err := pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
		if n, err := s.FoldTx(t.Context(), tx); n != 3 || err != nil {
			t.Errorf("folds %d, %v", n, err)
		}
		return boom
	})
	if after := state(); !errors.Is(err, boom) || fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("%v\nbecame %v, %v", before, after, err)
	}
	for d := time.Duration(0); ; d += 200 * time.Microsecond {
		ctx, cancel := context.WithTimeout(t.Context(), d)
		n, err := s.Fold(ctx)
		cancel()
		sound(t, w, w.App.Merchants.US)
		same(t, s, t.Context())
		if err == nil && n == 0 {
			return
		}
	}
}

func TestFoldingWhileOthersPostAndFold(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	s := withBatches(w, 5, 11)
	var posters, folders sync.WaitGroup
	var lag sync.RWMutex // the time stands still while a transaction is between its ids and its commit
	done := make(chan struct{})
	const each, writers = 40, 4
	for i := range writers {
		posters.Go(func() {
			for j := range each {
				lag.RLock()
				err := post(w, posting(w, fmt.Sprint(i, ".", j)))
				lag.RUnlock()
				if err != nil {
					t.Error(err)
				}
				lag.Lock()
				w.Clock.Advance(10 * time.Second)
				lag.Unlock()
			}
		})
	}
	for range 3 {
		folders.Go(func() {
			for {
				if _, err := s.Fold(t.Context()); err != nil {
					t.Error(err)
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	posters.Wait()
	close(done)
	folders.Wait()
	if n := count(t, w, "ledger_totals"); n != 2 {
		t.Errorf("%d totals were made meanwhile", n)
	}
	sound(t, w, w.App.Merchants.US)
	w.Clock.Advance(longAgo)
	fold(t, s)
	same(t, s, t.Context())
	sound(t, w, w.App.Merchants.US)
	if got := summed(t, w, w.App.Merchants.US); got.Pending != 100*each*writers {
		t.Errorf("%+v", got)
	}
}

func TestLateEntriesAreFoundAndHealed(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	s := withBatches(w, 100, 2)
	past := instant.Both(w.Clock.Now())
	for i := range 5 {
		if err := postAt(w, instant.Both(past.Machine.Add(time.Millisecond)), posting(w, fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	w.Clock.Advance(2 * longAgo)
	fold(t, s)
	same(t, s, t.Context())
	if err := postAt(w, past, posting(w, "late")); err != nil { // its transaction took ten minutes
		t.Fatal(err)
	}
	want := map[ledger.Account]ledger.Difference{
		ledger.ProcessorReceivable: {ApplicationID: w.App.AppID, MerchantID: w.App.Merchants.US,
			Account: ledger.ProcessorReceivable, Currency: money.USD, Total: 500, Sum: 600},
		ledger.MerchantPending: {ApplicationID: w.App.AppID, MerchantID: w.App.Merchants.US,
			Account: ledger.MerchantPending, Currency: money.USD, Total: -500, Sum: -600},
	}
	for range 2 { // a second comparison does not write it down twice
		found, err := s.Compare(t.Context())
		if err != nil || len(found) != 2 {
			t.Fatalf("%+v, %v", found, err)
		}
		for _, d := range found {
			if d != want[d.Account] {
				t.Errorf("%+v", d)
			}
		}
		if n := count(t, w,
			"ledger_differences WHERE healed_at IS NULL AND abs(total) = 500 AND abs(sum) = 600"); n != 2 {
			t.Errorf("%d are open", n)
		}
	}
	if n := fold(t, s); n != 0 { // folding does not notice
		t.Errorf("folded %d", n)
	}
	if err := s.Rebuild(t.Context(), w.App.AppID); err != nil {
		t.Fatal(err)
	}
	sound(t, w, w.App.Merchants.US)
	w.Clock.Advance(time.Second)
	same(t, s, t.Context())
	if n := count(t, w, "ledger_differences WHERE healed_at > found_at"); n != 2 ||
		count(t, w, "ledger_differences") != 2 {
		t.Errorf("%d were healed", n)
	}
}

// TestTotalsThatSomebodyChanged looks for a total that is wrong, one too many and one that is gone.
func TestTotalsThatSomebodyChanged(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	if err := post(w, posting(w, "a")); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(longAgo)
	if found, err := w.Ledger.Compare(t.Context()); err != nil || len(found) != 0 {
		t.Errorf("before the first fold: %v, %v", found, err)
	}
	if err := w.Ledger.Rebuild(t.Context(), w.App.AppID); err != nil || count(t, w, "ledger_totals") != 0 {
		t.Errorf("nothing to rebuild: %v", err)
	}
	fold(t, w.Ledger)
	for sql, want := range map[string]int{
		`UPDATE ledger_totals SET balance = balance + 1`:               2,
		`DELETE FROM ledger_totals WHERE account = 'merchant_pending'`: 1,
		`DELETE FROM ledger_totals`:                                    2,
		`INSERT INTO ledger_totals SELECT application_id, merchant_id, 'service_fees', currency, 5 FROM ledger_totals
			WHERE account = 'merchant_pending'`: 1,
	} {
		if _, err := pg.Exec(t.Context(), w.Pool, sql, pg.Args{}); err != nil {
			t.Fatal(err)
		}
		if found, err := w.Ledger.Compare(t.Context()); err != nil || len(found) != want {
			t.Errorf("%s: %+v, %v", sql, found, err)
		}
		if err := w.Ledger.Rebuild(t.Context(), w.App.AppID); err != nil {
			t.Fatal(err)
		}
		same(t, w.Ledger, t.Context())
		sound(t, w, w.App.Merchants.US)
	}
}

// TestRebuildingWhileOthersPostAndFold ends with totals that are right.
func TestRebuildingWhileOthersPostAndFold(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	s := withBatches(w, 3, 2)
	var all sync.WaitGroup
	all.Go(func() {
		for i := range 40 {
			if err := post(w, posting(w, fmt.Sprint(i))); err != nil {
				t.Error(err)
			}
			w.Clock.Advance(20 * time.Second)
		}
	})
	for _, run := range []func(context.Context) error{
		func(ctx context.Context) error { return s.Rebuild(ctx, w.App.AppID) },
		func(ctx context.Context) error { _, err := s.Fold(ctx); return err },
		func(ctx context.Context) error { _, err := s.Fold(ctx); return err },
	} {
		all.Go(func() {
			for range 30 {
				if err := run(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	w.Clock.Advance(longAgo)
	fold(t, s)
	same(t, s, t.Context())
	sound(t, w, w.App.Merchants.US)
}

// TestRebuildWaitsForAFold has a rebuilding meet the middle of a fold.
func TestRebuildWaitsForAFold(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	s := withBatches(w, 1, 100)
	if err := post(w, posting(w, "a"), posting(w, "b")); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(longAgo)
	if _, err := s.Fold(t.Context()); err != nil {
		t.Fatal(err)
	}
	rebuilt := make(chan error, 1)
	err := pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
		if n, err := s.FoldTx(t.Context(), tx); n != 1 || err != nil {
			t.Errorf("folds %d, %v", n, err)
		}
		go func() { rebuilt <- s.Rebuild(w.T.Context(), w.App.AppID) }()
		for count(t, w, "pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'") == 0 {
			time.Sleep(time.Millisecond)
		}
		return nil
	})
	if err := errors.Join(err, <-rebuilt); err != nil {
		t.Fatal(err)
	}
	same(t, s, t.Context())
	sound(t, w, w.App.Merchants.US)
}
