package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/platform/jobs"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/pgtest"
)

func start(t *testing.T, pool *pgxpool.Pool, schedules ...jobs.Schedule) *jobs.Runner {
	t.Helper()
	r, err := jobs.Start(context.WithoutCancel(t.Context()), pool, slog.New(slog.NewTextHandler(io.Discard, nil)),
		time.Now, schedules...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func stop(t *testing.T, r *jobs.Runner) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := r.Stop(ctx); err != nil {
		t.Error(err)
	}
}

// await waits until ok, at most for as long as a busy machine may take.
func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s did not happen", what)
		}
	}
}

func TestSchedulesRunWhileThereIsMoreAndDespiteErrors(t *testing.T) {
	t.Parallel()
	var plenty, failing, panicking, healthy atomic.Int64
	r := start(t, pgtest.New(t),
		jobs.Schedule{Name: "plenty", Every: time.Hour,
			Run: func(context.Context) (bool, error) { return plenty.Add(1) < 5, nil }},
		jobs.Schedule{Name: "failing", Every: time.Second,
			Run: func(context.Context) (bool, error) { failing.Add(1); return true, errors.New("no") }},
		jobs.Schedule{Name: "panicking", Every: time.Second,
			Run: func(context.Context) (bool, error) { panicking.Add(1); panic("no") }},
		jobs.Schedule{Name: "healthy", Every: time.Second,
			Run: func(context.Context) (bool, error) { healthy.Add(1); return false, nil }})
	defer stop(t, r)
	await(t, "the first run of all", func() bool {
		return plenty.Load() == 5 && failing.Load() > 0 && panicking.Load() > 0 && healthy.Load() > 0
	})
	runs, fails := healthy.Load(), failing.Load()
	await(t, "a further run", func() bool { return healthy.Load() > runs && failing.Load() > fails })
	if n := plenty.Load(); n != 5 {
		t.Errorf("work without more ran %d times", n)
	}
}

// written is a log that may be read while it is written.
type written struct {
	mu   sync.Mutex
	text strings.Builder
}

func (w *written) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *written) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

func TestTheLogIsToldWhichJobFailedAndWhy(t *testing.T) {
	t.Parallel()
	var out written
	var ran, failed atomic.Int64
	met := func(_ time.Duration, err error) {
		ran.Add(1)
		if err != nil {
			failed.Add(1)
		}
	}
	bad := func(context.Context) (bool, error) { return true, errors.New("no such table") }
	r, err := jobs.Start(context.WithoutCancel(t.Context()), pgtest.New(t),
		slog.New(slog.NewTextHandler(&out, nil)), time.Now,
		jobs.Schedule{Name: "frequent", Every: 20 * time.Millisecond, Run: bad, Ran: met},
		jobs.Schedule{Name: "hourly", Every: time.Hour, Run: bad, Ran: met},
		jobs.Schedule{Name: "panicking", Every: time.Hour,
			Run: func(context.Context) (bool, error) { panic("upside down") }, Ran: met})
	if err != nil {
		t.Fatal(err)
	}
	defer stop(t, r)
	for _, want := range []string{`msg="a job failed" job=frequent error="no such table"`,
		`job=hourly error="no such table"`, `job=panicking error="panic: upside down`} {
		await(t, want, func() bool { return strings.Contains(out.String(), want) })
	}
	await(t, "many runs", func() bool { return ran.Load() > 20 })
	if n := strings.Count(out.String(), "job=frequent"); n != 1 {
		t.Errorf("the same error is told %d times within a minute", n)
	}
	if ran.Load() != failed.Load() {
		t.Errorf("%d of %d runs failed", failed.Load(), ran.Load())
	}
}

// A job is canceled when its time is up: a minute, or what its schedule says, whether the queue runs it or this binary
// itself.
func TestJobsHaveTheirTime(t *testing.T) {
	t.Parallel()
	type job struct {
		name string
		left time.Duration
	}
	ran := make(chan job)
	ended := make(chan struct{})
	of := func(name string, every, within time.Duration) jobs.Schedule {
		return jobs.Schedule{Name: name, Every: every, Within: within, Run: func(ctx context.Context) (bool, error) {
			until, _ := ctx.Deadline()
			select {
			case ran <- job{name, time.Until(until)}:
			case <-ended:
			}
			return false, nil
		}}
	}
	const long = 10 * time.Minute
	r := start(t, pgtest.New(t), of("hourly", time.Hour, 0), of("hourly, long", time.Hour, long),
		of("frequent", time.Second, 0), of("frequent, long", time.Second, long))
	defer stop(t, r)
	defer close(ended)
	seen := map[string]bool{}
	for len(seen) < 4 {
		j := <-ran
		seen[j.name] = true
		want := time.Minute
		if strings.HasSuffix(j.name, "long") {
			want = long
		}
		if j.left > want || j.left < want-want/2 {
			t.Errorf("%s has %v, want %v", j.name, j.left, want)
		}
	}
}

// A binary that was killed while it led is the leader until its lease ends.
func TestSchedulesAreKeptWhileADeadBinaryLeads(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	if _, err := pg.Exec(t.Context(), pool, `
		INSERT INTO river.river_leader (name, leader_id, elected_at, expires_at)
		VALUES ('default', 'killed', now(), now() + interval '1 hour')`, pg.Args{}); err != nil {
		t.Fatal(err)
	}
	var runs atomic.Int64
	r := start(t, pool,
		jobs.Schedule{Name: "frequent", Every: 20 * time.Millisecond, Run: func(context.Context) (bool, error) {
			runs.Add(1)
			return false, nil
		}})
	await(t, "several runs", func() bool { return runs.Load() >= 5 })
	stop(t, r) // and stopping does not wait for an election
}

// There may be more frequent schedules than workers, and jobs of binaries that were killed: none waits for
// the others.
func TestNoScheduleWaitsForTheOthers(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	if _, err := pg.Exec(t.Context(), pool, `
		INSERT INTO river.river_leader (name, leader_id, elected_at, expires_at)
		VALUES ('default', 'killed', now(), now() + interval '1 hour')`, pg.Args{}); err != nil {
		t.Fatal(err)
	}
	var runs [12]atomic.Int64
	var all []jobs.Schedule
	never := make(chan struct{})
	for i := range runs {
		all = append(all, jobs.Schedule{Name: fmt.Sprint("frequent ", i), Every: 20 * time.Millisecond,
			Run: func(ctx context.Context) (bool, error) {
				if runs[i].Add(1); i%3 == 0 { // and some hang
					select {
					case <-ctx.Done():
					case <-never:
					}
				}
				return false, nil
			}})
	}
	r := start(t, pool, all...)
	await(t, "runs of all that do not hang", func() bool {
		for i := range runs {
			if i%3 != 0 && runs[i].Load() < 5 {
				return false
			}
		}
		return true
	})
	close(never)
	stop(t, r)
}

// What a binary is at is not begun a second time in it.
func TestAScheduleRunsOnceAtATime(t *testing.T) {
	t.Parallel()
	var running, twice, runs atomic.Int64
	r := start(t, pgtest.New(t),
		jobs.Schedule{Name: "slow", Every: time.Second, Run: func(context.Context) (bool, error) {
			if running.Add(1) > 1 {
				twice.Add(1)
			}
			time.Sleep(1500 * time.Millisecond)
			running.Add(-1)
			return runs.Add(1) < 3, nil
		}})
	await(t, "three runs", func() bool { return runs.Load() >= 3 })
	stop(t, r)
	if n := twice.Load(); n > 0 {
		t.Errorf("it ran beside itself %d times", n)
	}
}

func TestWorkOfAKilledRunnerIsTakenByAnother(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	open := func() *pgxpool.Pool {
		pool, err := pg.Open(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		return pool
	}
	begun, never := make(chan struct{}, 10), make(chan struct{})
	dying := open()
	killed := start(t, dying, jobs.Schedule{Name: "shared", Every: time.Hour, Run: func(context.Context) (bool, error) {
		begun <- struct{}{}
		<-never
		return false, nil
	}})
	<-begun
	dying.Close() // as if killed: it leads and holds its job, but reaches the database no more
	heir := open()
	defer heir.Close()
	var done atomic.Int64
	r := start(t, heir,
		jobs.Schedule{Name: "shared", Every: time.Hour,
			Run: func(context.Context) (bool, error) { done.Add(1); return false, nil }})
	defer stop(t, r)
	await(t, "the work", func() bool { return done.Load() > 0 })
	close(never)
	stop(t, killed) // what a real one would not leave
}

func TestStopEndsWorkThatDoesNot(t *testing.T) {
	t.Parallel()
	begun, ended := make(chan struct{}), make(chan struct{})
	r := start(t, pgtest.New(t),
		jobs.Schedule{Name: "endless", Every: time.Hour, Run: func(ctx context.Context) (bool, error) {
			close(begun)
			<-ctx.Done()
			close(ended)
			return false, ctx.Err()
		}})
	<-begun
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := r.Stop(ctx); err != nil {
		t.Error(err)
	}
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("the work was not told to end")
	}
}
