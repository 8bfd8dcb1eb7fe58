package ratelimit_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/ratelimit"
	"svcpay/internal/testing/pgtest"
)

var scans = ratelimit.Quota{Kind: "scans", Most: 100}

// store takes bytes of a quota and reports whether there was room.
func store(t *testing.T, pool *pgxpool.Pool, q ratelimit.Quota, applicationID, bytes int64, now time.Time) (ok bool) {
	t.Helper()
	err := pg.InTx(t.Context(), pool, func(tx *pg.Tx) (err error) {
		ok, err = q.TakeTx(t.Context(), tx, applicationID, bytes, now)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return ok
}

func TestAQuotaHoldsForADay(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	midnight := start.UTC().Truncate(24 * time.Hour)
	zone := time.FixedZone("", -5*3600)
	other := ratelimit.Quota{Kind: "letters", Most: 100}
	for i, c := range []struct {
		quota       ratelimit.Quota
		application int64
		after       time.Duration
		bytes       int64
		ok          bool
		left        int64
	}{
		{scans, 1, 0, 100, true, 0}, {scans, 1, 0, 1, false, 0}, {scans, 2, 0, 60, true, 40},
		{other, 1, 0, 70, true, 30},
		{scans, 2, time.Hour, 41, false, 40}, {scans, 2, 24*time.Hour - 1, 40, true, 0},
		{scans, 1, 24*time.Hour - 1, 1, false, 0}, {scans, 1, 24 * time.Hour, 30, true, 70},
		// a server whose clock is behind counts in the later day
		{scans, 1, 24*time.Hour - 1, 30, true, 40}, {scans, 1, 24 * time.Hour, 41, false, 40},
		{scans, 1, 72 * time.Hour, 99, true, 1},
	} {
		now := midnight.Add(c.after).In(zone)
		if ok := store(t, pool, c.quota, c.application, c.bytes, now); ok != c.ok {
			t.Errorf("%d: there was room: %v", i, ok)
		}
		if left, err := c.quota.Left(t.Context(), pool, c.application, now); err != nil || left != c.left {
			t.Errorf("%d: %d are left, want %d; %v", i, left, c.left, err)
		}
	}
	for after, want := range map[time.Duration]time.Duration{0: 24 * time.Hour, 23 * time.Hour: time.Hour} {
		if got := ratelimit.UntilNextDay(midnight.Add(after).In(zone)); got != want {
			t.Errorf("%s after midnight, %s until the next", after, got)
		}
	}
}

func TestParallelUseNeverExceedsAQuota(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	var wait sync.WaitGroup
	var stored atomic.Int64
	for range 16 {
		wait.Go(func() {
			if store(t, pool, scans, 1, 15, start) {
				stored.Add(15)
			}
		})
	}
	wait.Wait()
	if left, err := scans.Left(t.Context(), pool, 1, start); err != nil || stored.Load() != 90 || left != 10 {
		t.Errorf("%d stored, %d left, %v", stored.Load(), left, err)
	}
}

func TestAddedBytesMayExceedAQuota(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	for want, bytes := range []int64{60, 70} {
		err := pg.InTx(t.Context(), pool, func(tx *pg.Tx) error {
			scans.AddTx(tx, 1, bytes, start)
			return nil
		})
		if left, lost := scans.Left(t.Context(), pool, 1, start); err != nil || lost != nil ||
			left != []int64{40, -30}[want] {
			t.Errorf("%d are left, %v, %v", left, err, lost)
		}
	}
}

func TestWhatIsRolledBackUsesNoQuota(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	failed := errors.New("the file was not stored")
	if err := pg.InTx(t.Context(), pool, func(tx *pg.Tx) error {
		if _, err := scans.TakeTx(t.Context(), tx, 1, 100, start); err != nil {
			return err
		}
		return failed
	}); !errors.Is(err, failed) {
		t.Fatal(err)
	}
	if !store(t, pool, scans, 1, 100, start) {
		t.Error("there was no room")
	}
}
