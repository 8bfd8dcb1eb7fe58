package totals_test

import (
	"errors"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
	"svcpay/internal/refund"
	"svcpay/internal/report/totals"
	"svcpay/internal/testing/fixture"
)

// Each part reads its own charges, not all that are left: where there are ten million, it would not end in time.
func TestAnUpgradeReadsEachChargeSeldom(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	const n = 300
	w.Copies(create(t, w, input(w, good, 100)), n, 7*time.Minute, nil)
	w.Clock.Advance(time.Hour)
	execute(t, w, "ANALYZE charges")
	w.Totals.FoldAtMost(1000, 20)
	_, numbered := w.Events.Number(t.Context())
	_, err := w.Totals.Fold(t.Context())
	if err := errors.Join(numbered, err); err != nil {
		t.Fatal(err)
	}
	all := int64(0)
	for more := 1; more > 0; {
		var read int64
		if more, read, err = w.Totals.FoldReading(t.Context(), w.App.AppID); err != nil {
			t.Fatal(err)
		}
		all += read
	}
	if got := of(t, w); got.Count != n+1 || all < n/2 || all > 3*n {
		t.Errorf("%d rows were read for %+v", all, got)
	}
}

// Many changes of few quarters are added up together, those of many quarters a few at a time: in either case a pass
// ends in time.
func TestChangesOfOneQuarterAreAddedUpTogether(t *testing.T) {
	t.Parallel()
	const charges, events = 30, 5
	for name, quarters := range map[string]int{"of one": 1, "of many": charges} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := fixture.New(t)
			w.Totals.FoldAtMost(events, 1000)
			made := make([]charge.Charge, charges)
			for i := range made {
				made[i] = create(t, w, input(w, good, 100))
				if quarters > 1 {
					w.Clock.Advance(15 * time.Minute)
				}
			}
			w.Clock.Advance(time.Hour)
			drain(t, w)
			for _, c := range made {
				if _, err := w.Refunds.Create(t.Context(), w.Actor(),
					refund.CreateInput{ChargeID: ptr(c.ID.String()), Amount: ptr(money.Amount(1))}, nil); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := w.Events.Number(t.Context()); err != nil {
				t.Fatal(err)
			}
			passes, rows := 0, int64(0)
			for more := 1; more > 0; passes++ {
				n, read, err := w.Totals.FoldReading(t.Context(), w.App.AppID)
				if err != nil {
					t.Fatal(err)
				}
				more, rows = n, rows+read
			}
			if got := of(t, w); got.Refunded != charges {
				t.Errorf("%+v", got)
			}
			if quarters == 1 && (passes > 3 || rows > 6*charges) || quarters > 1 && passes < charges/events {
				t.Errorf("%d rows in %d passes", rows, passes)
			}
		})
	}
}

// Changes of charges that are in no total yet are passed over without a look at the charges.
func TestNewChargesAreNotReadForTheirEvents(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	create(t, w, input(w, good, 100))
	w.Clock.Advance(time.Hour)
	drain(t, w)
	for range 20 {
		create(t, w, input(w, good, 100))
	}
	if _, err := w.Events.Number(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, read, err := w.Totals.FoldReading(t.Context(), w.App.AppID); n != 1 || read != 0 || err != nil {
		t.Errorf("moved %d, read %d charges, %v", n, read, err)
	}
}

// What is in the totals is not read again: neither the charges, nor more totals than the time has quarters.
func TestDaysReadLittleOfManyCharges(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	const n, most = 8_000, 40 // charges; blocks, of the 1,200 that they fill
	last := create(t, w, input(w, good, 100))
	w.Copies(last, n, 25*time.Second, nil)
	w.Clock.Advance(time.Hour)
	drain(t, w)
	fresh := create(t, w, input(w, good, 100))
	conn, err := w.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if _, err := conn.Exec(t.Context(), "ANALYZE charges, charge_totals"); err != nil {
		t.Fatal(err)
	}
	q := &explained{Conn: conn}
	day := fresh.CreatedAt.Truncate(24 * time.Hour)
	for name, in := range map[string]totals.Input{"all": {}, "a day": {Created: page.Times{From: &day}},
		"a merchant": {Merchants: []int64{last.MerchantID}}} {
		days, err := w.Totals.DaysThrough(t.Context(), q, w.App.AppID, in, "UTC")
		if err != nil || len(days) == 0 || q.blocks > most {
			t.Errorf("%s: %d days, %d blocks, %v\n%s", name, len(days), q.blocks, err, q.plan)
		}
		if _, err := w.Totals.DaysOfCharges(t.Context(), q, w.App.AppID, in, "UTC"); err != nil || q.blocks < most &&
			name == "all" {
			t.Errorf("%s: charges are added up in %d blocks, %v: this tells nothing", name, q.blocks, err)
		}
	}
}
