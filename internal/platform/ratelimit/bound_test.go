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

// mails is a bound as others have them.
var mails = ratelimit.Bound{What: "mail", Most: 3, Within: time.Hour}

// take counts one more, if there may be one, and says how many were left before it.
func take(t *testing.T, pool *pgxpool.Pool, b ratelimit.Bound, applicationID int64, key string,
	now time.Time) (left int) {
	t.Helper()
	err := pg.InTx(t.Context(), pool, func(tx *pg.Tx) (err error) {
		if left, err = b.LockTx(t.Context(), tx, applicationID, []byte(key), now); err == nil && left > 0 {
			b.CountTx(tx, applicationID, []byte(key), now)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return left
}

func TestABoundHoldsInAnyWhile(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	other := mails
	other.What = "letter"
	for _, c := range []struct {
		after time.Duration
		left  int
	}{{0, 3}, {50 * time.Minute, 2}, {59 * time.Minute, 1}, {time.Hour - 1000, 0}, {time.Hour, 1}, {time.Hour, 0},
		{109 * time.Minute, 0},
		{110 * time.Minute, 1}, {110 * time.Minute, 0}, {3 * time.Hour, 3}} {
		now := start.Add(c.after)
		if left, err := mails.Left(t.Context(), pool, 1, []byte("a"), now); err != nil || left != c.left {
			t.Errorf("after %s there would be %d, want %d; %v", c.after, left, c.left, err)
		}
		if left := take(t, pool, mails, 1, "a", now); left != c.left {
			t.Errorf("after %s: %d, want %d", c.after, left, c.left)
		}
	}
	now := start.Add(3 * time.Hour)
	for what, left := range map[string]int{"another key": take(t, pool, mails, 1, "b", now),
		"another application": take(t, pool, mails, 2, "a", now), "another bound": take(t, pool, other, 1, "a", now)} {
		if left != 3 {
			t.Errorf("%s: %d", what, left)
		}
	}
}

func TestManyAtOnceOutrunNoBound(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	var taken atomic.Int64
	var all sync.WaitGroup
	for range 12 {
		all.Go(func() {
			if take(t, pool, mails, 1, "a", start) > 0 {
				taken.Add(1)
			}
		})
	}
	all.Wait()
	if n := taken.Load(); n != 3 {
		t.Errorf("%d were taken", n)
	}
}

func TestWhatCountsNoMoreIsForgotten(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	take(t, pool, mails, 1, "a", start)
	take(t, pool, mails, 1, "b", start)
	take(t, pool, mails, 1, "b", start.Add(time.Minute))
	for _, c := range []struct {
		after time.Duration
		gone  int64
	}{{time.Hour - time.Millisecond, 0}, {time.Hour, 1}, {time.Hour, 0}, {61 * time.Minute, 1}} {
		if n, err := ratelimit.Purge(t.Context(), pool, start.Add(c.after)); err != nil || n != c.gone {
			t.Errorf("after %s: %d, %v", c.after, n, err)
		}
	}
}

// A purge that waits for a row spares it, if it counts again by then.
func TestAPurgeSparesWhatCountsAgain(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	take(t, pool, mails, 1, "a", start)
	later := start.Add(2 * time.Hour)
	var purging sync.WaitGroup
	err := pg.InTx(t.Context(), pool, func(tx *pg.Tx) error {
		if _, err := mails.LockTx(t.Context(), tx, 1, []byte("a"), later); err != nil {
			return err
		}
		mails.CountTx(tx, 1, []byte("a"), later)
		purging.Go(func() {
			if n, err := ratelimit.Purge(t.Context(), pool, later); err != nil || n != 0 {
				t.Errorf("purged %d, %v", n, err)
			}
		})
		return waits(t, pool)
	})
	purging.Wait()
	if left, leftErr := mails.Left(t.Context(), pool, 1, []byte("a"), later); err != nil || leftErr != nil ||
		left != 2 {
		t.Errorf("%d are left, %v, %v", left, err, leftErr)
	}
}

// waits returns when someone waits for a lock.
func waits(t *testing.T, pool *pgxpool.Pool) error {
	for range 5000 {
		waiting, err := pg.Value[bool](t.Context(), pool, `
			SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
				AND wait_event_type = 'Lock')`, pg.Args{})
		if waiting || err != nil {
			return err
		}
		time.Sleep(time.Millisecond)
	}
	return errors.New("nobody waits")
}

// What does not count after all leaves the others as they are, also those of the same time.
func TestWhatWasCountedCanBeTakenBack(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	for range 3 {
		take(t, pool, mails, 1, "a", start)
	}
	for _, c := range []struct {
		at   time.Time
		left int
	}{{start.Add(time.Second), 0}, {start, 1}, {start, 2}} {
		err := pg.InTx(t.Context(), pool, func(tx *pg.Tx) error {
			mails.UncountTx(tx, 1, []byte("a"), c.at)
			return nil
		})
		if left, leftErr := mails.Left(t.Context(), pool, 1, []byte("a"), start); errors.Join(err, leftErr) != nil ||
			left != c.left {
			t.Errorf("%d are left, want %d; %v, %v", left, c.left, err, leftErr)
		}
	}
}
