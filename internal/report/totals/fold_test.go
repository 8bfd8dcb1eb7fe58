package totals_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/refund"
	"svcpay/internal/report/totals"
	"svcpay/internal/sandbox/simulate"
	"svcpay/internal/testing/fixture"
)

// drained folds until nothing is left, after everything that happened has its number.
func drained(ctx context.Context, w *fixture.World) error {
	// Of a pass that was cut off the server may not know yet: it still holds its cut-off, and the next one leaves that
	// alone.
	if _, err := pg.Exec(ctx, w.Pool, `SELECT FROM charge_cutoffs FOR UPDATE`, pg.Args{}); err != nil {
		return err
	}
	for _, run := range []func(context.Context) (int, error){w.Events.Number, w.Totals.Fold} {
		for n := 1; n > 0; {
			var err error
			if n, err = run(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

func drain(t *testing.T, w *fixture.World) {
	t.Helper()
	if err := drained(t.Context(), w); err != nil {
		t.Fatal(err)
	}
}

// sameDays compares what Days adds up from totals with what it does from charges.
func sameDays(ctx context.Context, w *fixture.World, actor authz.Actor, in totals.Input, zone string) error {
	got, err := w.Totals.Days(ctx, actor, in, zone)
	if err != nil {
		return err
	}
	in.Merchants = actor.Within(in.Merchants)
	want, err := w.Totals.DaysOfCharges(ctx, w.Pool, actor.ApplicationID, in, zone)
	if err == nil && !slices.Equal(got, want) {
		err = fmt.Errorf("in %s, %+v: %+v; want %+v", zone, in, got, want)
	}
	return err
}

// cutoff is that of the first application's totals.
func cutoff(t *testing.T, w *fixture.World) time.Time {
	t.Helper()
	at, err := pg.Value[time.Time](t.Context(), w.Pool, `SELECT until FROM charge_cutoffs WHERE application_id = @id`,
		pg.Args{"id": w.App.AppID})
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// of adds up all days of the first application.
func of(t *testing.T, w *fixture.World) (all charge.Totals) {
	t.Helper()
	days, err := w.Totals.Days(t.Context(), w.Actor(), totals.Input{}, "UTC")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range days {
		all = all.Plus(d.Totals)
	}
	return all
}

// A charge counts at once. The outcome of one that is in the totals counts when it is folded, of another at once.
func TestDaysBetweenPasses(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	back := money.Amount(30)
	giveBack := func(c charge.Charge) {
		t.Helper()
		if _, err := w.Refunds.Create(t.Context(), w.Actor(),
			refund.CreateInput{ChargeID: ptr(c.ID.String()), Amount: &back}, nil); err != nil {
			t.Fatal(err)
		}
	}
	old := create(t, w, input(w, good, 100))
	giveBack(old)
	if got := of(t, w); got.Count != 1 || got.Refunded != 30 {
		t.Errorf("before any pass: %+v", got)
	}
	w.Clock.Advance(time.Hour)
	drain(t, w)
	if at := cutoff(t, w); !at.After(old.CreatedAt.Time) || at.After(w.Clock.Now().Add(-time.Minute)) {
		t.Errorf("at %v quarters until %v are folded", w.Clock.Now(), at)
	}
	fresh := create(t, w, input(w, good, 500))
	giveBack(old)
	giveBack(fresh)
	if got := of(t, w); got.Count != 2 || got.Captured != 600 || got.Refunded != 60 {
		t.Errorf("before the next pass: %+v", got)
	}
	drain(t, w)
	if got := of(t, w); got.Count != 2 || got.Captured != 600 || got.Refunded != 90 {
		t.Errorf("after it: %+v", got)
	}
}

// A charge whose transaction commits after its quarter went into the totals is in them after the next pass.
func TestLateCommitsAreFolded(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	create(t, w, input(w, good, 100))
	late := input(w, good, 500)
	made := make(chan error)
	err := pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
		if _, err := tx.Exec(t.Context(), `SELECT FROM tokens FOR UPDATE`, pg.Args{}); err != nil {
			return err
		}
		go func() {
			_, err := w.Charges.Create(t.Context(), w.Actor(), late, nil)
			made <- err
		}()
		for count(t, w, `pg_locks WHERE NOT granted AND pid IN (SELECT pid FROM pg_stat_activity
			WHERE datname = current_database())`, pg.Args{}) == 0 {
			time.Sleep(time.Millisecond)
		}
		if err := w.Clocks.Advance(t.Context(), w.App.AppID, time.Hour); err != nil {
			return err
		}
		return drained(t.Context(), w)
	})
	if err := errors.Join(err, <-made); err != nil {
		t.Fatal(err)
	}
	if n := count(t, w, `charges WHERE created_at < @until`, pg.Args{"until": cutoff(t, w)}); n != 2 {
		t.Fatalf("%d charges are older than the cut-off", n)
	}
	drain(t, w)
	if got := of(t, w); got.Count != 2 || got.Captured != 600 {
		t.Errorf("%+v", got)
	}
}

// A pass that fails at its end has moved nothing, and holds up no other application.
func TestFoldingIsAllOrNothing(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	create(t, w, input(w, good, 100))
	theirs := w.TokenIn(w.SessionOf(w.Other, w.Other.Merchants.US), good)
	if _, err := w.Charges.Create(t.Context(), w.ActorOf(w.Other),
		charge.CreateInput{MerchantID: &w.Other.Merchants.US, Amount: ptr(money.Amount(70)), Token: &theirs},
		nil); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Hour)
	execute(t, w, `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION $$no$$; END'`)
	execute(t, w, fmt.Sprintf(`CREATE TRIGGER fails BEFORE UPDATE ON charge_cutoffs FOR EACH ROW
		WHEN (OLD.application_id = %d) EXECUTE FUNCTION fail()`, w.App.AppID))
	if err := drained(t.Context(), w); err == nil {
		t.Fatal("it did not fail")
	}
	mine := pg.Args{"id": w.App.AppID}
	if n := count(t, w, `charge_totals WHERE application_id = @id`, mine); n != 0 || cutoff(t, w).Unix() != 0 {
		t.Errorf("%d totals of a pass that failed, until %v", n, cutoff(t, w))
	}
	if n := count(t, w, `charge_totals WHERE application_id <> @id AND captured = 70`, mine); n != 2 {
		t.Errorf("%d totals of another application", n)
	}
	if got := of(t, w); got.Count != 1 {
		t.Errorf("meanwhile %+v", got)
	}
	execute(t, w, `DROP TRIGGER fails ON charge_cutoffs`)
	drain(t, w)
	if n := count(t, w, `charge_totals WHERE application_id = @id AND captured = 100`, mine); n != 2 {
		t.Errorf("%d totals after it", n)
	}
}

func execute(t *testing.T, w *fixture.World, sql string) {
	t.Helper()
	if _, err := pg.Exec(t.Context(), w.Pool, sql, pg.Args{}); err != nil {
		t.Fatal(err)
	}
}

// Binaries that fold at once, while charges are made and changed, come to what one does.
func TestFoldingBySeveralBinaries(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	w.Totals.FoldAtMost(5, 10)
	w.Clock.Advance(time.Minute)
	w.Copies(create(t, w, input(w, good, 100)), 200, 5*time.Minute, nil)
	var all, making sync.WaitGroup
	done := make(chan struct{})
	for range 4 {
		making.Go(func() {
			for range 10 {
				c := create(t, w, input(w, good, 100))
				_, refunded := w.Refunds.Create(t.Context(), w.Actor(),
					refund.CreateInput{ChargeID: ptr(c.ID.String()), Amount: ptr(money.Amount(1))}, nil)
				if err := errors.Join(refunded, w.Clocks.Advance(t.Context(), w.App.AppID, 4*time.Minute)); err != nil {
					t.Error(err)
				}
			}
		})
		all.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				_, numbered := w.Events.Number(t.Context())
				_, folded := w.Totals.Fold(t.Context())
				if err := errors.Join(numbered, folded); err != nil {
					t.Error(err)
				}
			}
		})
	}
	making.Wait()
	close(done)
	all.Wait()
	drain(t, w)
	if err := sameDays(t.Context(), w, w.Actor(), totals.Input{}, "UTC"); err != nil {
		t.Error(err)
	}
	if got := of(t, w); got.Count != 241 || got.Refunded != 40 {
		t.Errorf("%+v", got)
	}
}

// An application that another binary folds is left to it, without waiting.
func TestAnApplicationIsFoldedByOneAtATime(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	create(t, w, input(w, good, 100))
	drain(t, w)
	w.Clock.Advance(time.Hour)
	before := cutoff(t, w)
	err := pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error { // the other binary
		if _, err := tx.Exec(t.Context(), `UPDATE charge_cutoffs SET until = until WHERE application_id = @id`,
			pg.Args{"id": w.App.AppID}); err != nil {
			return err
		}
		_, err := w.Totals.Fold(t.Context())
		if at := cutoff(t, w); !at.Equal(before) {
			t.Errorf("up to %v, from %v", at, before)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if drain(t, w); !cutoff(t, w).After(before) {
		t.Errorf("up to %v, from %v", cutoff(t, w), before)
	}
}

// Charges that were there before the first pass are taken in a part at a time. In the meantime, and if their clock
// was moved, the days are right.
func TestChargesOfAnUpgradeAreFolded(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	w.Copies(create(t, w, input(w, good, 100)), 300, 7*time.Minute, func(k int) map[string]any {
		if k%3 == 0 {
			return map[string]any{"amount_refunded": k % 50}
		}
		return nil
	})
	if err := w.Clocks.Advance(t.Context(), w.App.AppID, 20*24*time.Hour); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Second)
	create(t, w, input(w, good, 100))
	w.Clock.Advance(time.Hour)
	w.Totals.FoldAtMost(10, 20)
	if _, err := w.Events.Number(t.Context()); err != nil {
		t.Fatal(err)
	}
	passes := 0
	for n := 1; n > 0; passes++ {
		var err error
		if n, err = w.Totals.Fold(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := sameDays(t.Context(), w, w.Actor(), totals.Input{}, "Asia/Kathmandu"); err != nil {
			t.Fatal(err)
		}
	}
	if n := count(t, w, `charges WHERE created_at >= @until`, pg.Args{"until": cutoff(t, w)}); passes < 12 || n != 0 {
		t.Errorf("after %d passes %d charges are in no total", passes, n)
	}
	if n := count(t, w, `charge_totals t WHERE merchant_id IS NULL AND count <> (SELECT sum(count) FROM charge_totals m
		WHERE m.application_id = t.application_id AND m.quarter = t.quarter
			AND m.merchant_id IS NOT NULL)`, pg.Args{}); n != 0 {
		t.Errorf("%d quarters are not the sum of their merchants'", n)
	}
}

// A refund that fails counts no more: at once of a charge that is in no total, and after the next pass of another.
func TestRefundsThatFailLaterAreFolded(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	failed := "failed"
	old := create(t, w, input(w, good, 100))
	out, err := w.Refunds.Create(t.Context(), w.Actor(), refund.CreateInput{ChargeID: ptr(old.ID.String())}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Hour)
	drain(t, w)
	if got := of(t, w); got.Refunded != 100 {
		t.Errorf("before the failure: %+v", got)
	}
	if _, err := w.Simulate.Refund(t.Context(), w.Actor(), out.Object.ID.String(),
		simulate.RefundInput{Outcome: &failed}, nil); err != nil {
		t.Fatal(err)
	}
	drain(t, w)
	if got := of(t, w); got.Refunded != 0 || got.Captured != 100 {
		t.Errorf("after it: %+v", got)
	}
	if err := sameDays(t.Context(), w, w.Actor(), totals.Input{}, "UTC"); err != nil {
		t.Error(err)
	}
}
