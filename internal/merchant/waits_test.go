package merchant_test

import (
	"sync"
	"testing"
	"time"

	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

// in the meantime has an update wait for the merchant until something else has happened, and succeed.
func meanwhile(t *testing.T, w *fixture.World, id int64, body string, happens func(*pg.Tx) error) {
	t.Helper()
	var done sync.WaitGroup
	var failed error
	err := pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
		if _, err := w.Merchants.LockTx(t.Context(), tx, w.App.AppID, id); err != nil {
			return err
		}
		done.Go(func() { _, failed = update(t, w, id, body) })
		for count(t, w, `pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
			pg.Args{}) == 0 {
			time.Sleep(time.Millisecond)
		}
		return happens(tx)
	})
	if done.Wait(); err != nil || failed != nil {
		t.Fatal(err, failed)
	}
}

// A percentage that waits while another is set is set after that.
func TestAPercentageIsComparedWithTheOneThatItWaitedFor(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	id := w.App.Merchants.US
	meanwhile(t, w, id, `{"daf_percentage":2}`, func(tx *pg.Tx) error {
		m, err := w.Clocks.Moment(t.Context(), w.App.AppID)
		if err != nil {
			return err
		}
		return w.Fees.SetDAFPercentageTx(t.Context(), tx, m, w.Actor(), id, 2500)
	})
	if m := get(t, w, id); m.DAFPercentage != 2000 || m.Version != 2 {
		t.Errorf("%v in version %d", m.DAFPercentage, m.Version)
	}
}

// Fees that begin while a percentage waits have begun: they stay, and get the percentage.
func TestFeesThatBeginWhileAPercentageWaitsAreInForce(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	id, begins := w.App.Merchants.US, w.Clock.Now().Add(time.Minute)
	now, err := w.Fees.Current(t.Context(), w.Admin(), id)
	if err != nil {
		t.Fatal(err)
	}
	now.CaptureFee = 99
	dearer, err := w.Fees.Schedule(t.Context(), w.Admin(), id,
		fee.Change{Rates: now.Rates, EffectiveAt: &begins, Reason: "agreed", Base: now.Latest})
	if err != nil {
		t.Fatal(err)
	}
	meanwhile(t, w, id, `{"daf_percentage":3}`, func(*pg.Tx) error {
		w.Clock.Advance(2 * time.Minute)
		return nil
	})
	past, err := w.Fees.History(t.Context(), w.Admin(), id, page.Input[ids.FeeSchedule]{Limit: 10})
	if err != nil || len(past.Items) != 3 || past.Items[0].DAFPercentage != 3000 || past.Items[0].CaptureFee != 99 ||
		past.Items[0].Status != fee.InForce ||
		past.Items[1].ID != dearer.ID || past.Items[1].Status != fee.Superseded {
		t.Errorf("%+v, %v", past.Items, err)
	}
}
