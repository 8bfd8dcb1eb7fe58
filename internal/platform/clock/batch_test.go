package clock_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/pgtest"
)

// chores are numbers that become due, in the order of their sizes, and how doing them failed by number.
type chores struct {
	pool  *pgxpool.Pool
	wrong map[int64]error
	calls int
}

func newChores(t *testing.T, n int) *chores {
	t.Helper()
	c := &chores{pool: pgtest.New(t), wrong: map[int64]error{}}
	if _, err := pg.Exec(t.Context(), c.pool, `CREATE TABLE chores AS SELECT i::bigint AS id, false AS done
		FROM generate_series(1, @n::int) i`, pg.Args{"n": n}); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *chores) run(ctx context.Context, size int) (int, error) {
	return clock.Batch[int64, int64]{
		Due: func(ctx context.Context, tx *pg.Tx, limit int, except []int64) ([]int64, error) {
			type chore struct{ ID int64 }
			rows, err := pg.All[chore](ctx, tx, `SELECT id FROM chores WHERE NOT done AND id <> ALL (@except)
				ORDER BY id LIMIT @limit FOR UPDATE SKIP LOCKED`,
				pg.Args{"limit": limit, "except": except})
			out := make([]int64, len(rows))
			for i, r := range rows {
				out[i] = r.ID
			}
			return out, err
		},
		Key: func(id int64) int64 { return id },
		Do: func(ctx context.Context, tx *pg.Tx, due []int64) error {
			c.calls++
			for _, id := range due {
				tx.Later(`UPDATE chores SET done = true WHERE id = @id`, pg.Args{"id": id})
				if err := c.wrong[id]; err != nil {
					return err
				}
			}
			return nil
		},
	}.Run(ctx, c.pool, size)
}

func (c *chores) left(t *testing.T) []int64 {
	t.Helper()
	out, err := pg.Value[[]int64](t.Context(), c.pool, `SELECT coalesce(array_agg(id ORDER BY id), '{}') FROM chores
		WHERE NOT done`, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestABatchIsDoneInOneTransaction(t *testing.T) {
	t.Parallel()
	c := newChores(t, 25)
	for _, want := range []int{10, 10, 5, 0} {
		if n, err := c.run(t.Context(), 10); n != want || err != nil {
			t.Errorf("%d, %v, want %d", n, err, want)
		}
	}
	if c.calls != 3 || len(c.left(t)) > 0 {
		t.Errorf("%d calls, left %v", c.calls, c.left(t))
	}
}

// What cannot be done is told and stays; all the others are done.
func TestOneThatCannotBeDoneKeepsNoOtherWaiting(t *testing.T) {
	t.Parallel()
	c := newChores(t, 25)
	for _, id := range []int64{1, 4, 5, 25} {
		c.wrong[id] = fmt.Errorf("number %d", id)
	}
	sum := 0
	for range 6 {
		n, err := c.run(t.Context(), 10)
		if sum += n; !errors.Is(err, c.wrong[1]) || !errors.Is(err, c.wrong[4]) {
			t.Errorf("%v", err)
		}
	}
	if left := c.left(t); sum != 21 || !slices.Equal(left, []int64{1, 4, 5, 25}) {
		t.Errorf("%d, left %v", sum, left)
	}
	delete(c.wrong, 4)
	if n, err := c.run(t.Context(), 10); n != 1 || !errors.Is(err, c.wrong[25]) {
		t.Errorf("what can be done since: %d, %v", n, err)
	}
}

// Where no record is at fault nothing is tried again.
func TestABatchIsNotTakenApartForNothing(t *testing.T) {
	t.Parallel()
	for _, wrong := range []error{pg.ErrCommit, context.Canceled, context.DeadlineExceeded} {
		c := newChores(t, 5)
		c.wrong[3] = wrong
		if n, err := c.run(t.Context(), 10); n != 0 || !errors.Is(err, wrong) || c.calls != 1 || len(c.left(t)) != 5 {
			t.Errorf("%d, %v after %d calls, left %v", n, err, c.calls, c.left(t))
		}
	}
}

// That the records that are due could not be looked for is told, too.
func TestABatchThatCannotBeLookedForIsTold(t *testing.T) {
	t.Parallel()
	c := newChores(t, 5)
	if _, err := pg.Exec(t.Context(), c.pool, `ALTER TABLE chores RENAME TO errands`, pg.Args{}); err != nil {
		t.Fatal(err)
	}
	if n, err := c.run(t.Context(), 10); n != 0 || err == nil || c.calls != 0 {
		t.Errorf("%d, %v after %d calls", n, err, c.calls)
	}
}
