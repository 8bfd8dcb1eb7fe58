// Package jobs runs background work on River: every server works, one at a time is the leader and schedules. River
// polls; its tables are in a schema of their own.
package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"svcpay/migrations"
)

const (
	workers     = 4
	pollEvery   = 500 * time.Millisecond
	jobTimeout  = time.Minute
	keepDone    = 10 * time.Minute
	rescueAfter = 2 * jobTimeout // a job whose binary died is taken over after this
)

// Schedule is work that is due every so often. Run is called again while it returns true (there
// is more) and must be safe to run in several binaries at once and to be killed anywhere.
type Schedule struct {
	Name  string
	Every time.Duration
	Run   func(ctx context.Context) (more bool, err error)
	// Within is how long a job may run until it is canceled; zero for a minute.
	Within time.Duration
	// Ran is notified of each call of Run, a panic as its error; nil for no one.
	Ran func(took time.Duration, err error)
}

// sweep is the one kind of job: run the schedule of that name.
type sweep struct {
	Name string `json:"name"`
}

// election is how long it may take, after a leading binary was killed, until another one schedules.
const election = 20 * time.Second

// once: the next tick is the retry. Jobs are not unique, since one whose binary was killed would
// keep the next from being made; two at once only share the work.
var once = &river.InsertOpts{MaxAttempts: 1}

// Kind implements river.JobArgs.
func (sweep) Kind() string { return "sweep" }

type worker struct {
	river.WorkerDefaults[sweep]
	schedules map[string]*scheduled
}

// scheduled is a schedule with whether this binary is at it: a second run in the same binary would only
// take a worker from the others.
type scheduled struct {
	Schedule
	log  *slog.Logger
	now  func() time.Time
	busy atomic.Bool
	// What the log was notified of last, and when: only who is at it touches them.
	said   string
	saidAt time.Time
}

// sayAgain is how long the log is not told the same of a job that fails each time.
const sayAgain = time.Minute

// Timeout implements river.Worker.
func (w *worker) Timeout(job *river.Job[sweep]) time.Duration {
	if s, ok := w.schedules[job.Args.Name]; ok {
		return s.within()
	}
	return jobTimeout
}

func (s Schedule) within() time.Duration { return cmp.Or(s.Within, jobTimeout) }

// Work implements river.Worker.
func (w *worker) Work(ctx context.Context, job *river.Job[sweep]) error {
	s, ok := w.schedules[job.Args.Name]
	if !ok { // a newer binary's schedule: leave it to one that knows it
		return river.JobSnooze(time.Second)
	}
	return s.drain(ctx)
}

// drain runs a schedule until nothing more is due, unless that is being done. The queue reports errors nowhere but in
// its own tables, so that the log is notified of them here.
func (s *scheduled) drain(ctx context.Context) error {
	if !s.busy.CompareAndSwap(false, true) {
		return nil
	}
	defer s.busy.Store(false)
	for {
		more, err := s.Step(ctx, s.now)
		if err != nil {
			s.say(ctx, err)
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		if !more || ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// Step calls Run once and tells Ran; a panic is an error, and says where.
func (s Schedule) Step(ctx context.Context, now func() time.Time) (more bool, err error) {
	began := now()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		if s.Ran != nil {
			s.Ran(now().Sub(began), err)
		}
	}()
	return s.Run(ctx)
}

// say tells the log of an error, once a minute while it stays the same. What a stop cut off is none.
func (s *scheduled) say(ctx context.Context, err error) {
	text := err.Error()
	if errors.Is(ctx.Err(), context.Canceled) || text == s.said && s.now().Sub(s.saidAt) < sayAgain {
		return
	}
	s.said, s.saidAt = text, s.now()
	s.log.ErrorContext(ctx, "a job failed", "job", s.Name, "error", text)
}

// Runner is the background work of one binary.
type Runner struct {
	client   *river.Client[pgx.Tx]
	stopping chan struct{} // closed when this binary is about to stop
	bridges  sync.WaitGroup
	cancel   context.CancelFunc // of the bridges' work
}

// Start begins to work and to schedule. Until a leader is sure to have been elected, this binary
// keeps the schedules itself: after a crash of the leading one that takes a while.
func Start(ctx context.Context, pool *pgxpool.Pool, log *slog.Logger, now func() time.Time,
	schedules ...Schedule) (*Runner, error) {
	w := &worker{schedules: make(map[string]*scheduled)}
	var periodic []*river.PeriodicJob
	for _, s := range schedules {
		w.schedules[s.Name] = &scheduled{Schedule: s, log: log, now: now}
		periodic = append(periodic,
			river.NewPeriodicJob(river.PeriodicInterval(s.Every), func() (river.JobArgs, *river.InsertOpts) {
				return sweep{Name: s.Name}, once
			}, nil))
	}
	all := river.NewWorkers()
	river.AddWorker(all, w)
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{
		Schema: migrations.RiverSchema, PollOnly: true, FetchPollInterval: pollEvery, JobTimeout: jobTimeout,
		CompletedJobRetentionPeriod: keepDone, DiscardedJobRetentionPeriod: keepDone, RescueStuckJobsAfter: rescueAfter,
		Queues:  map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: workers}},
		Workers: all, PeriodicJobs: periodic, Logger: slog.New(warnings{log.Handler()}),
	})
	if err != nil {
		return nil, fmt.Errorf("jobs: %w", err)
	}
	if err := client.Start(ctx); err != nil {
		return nil, fmt.Errorf("jobs: %w", err)
	}
	r := &Runner{client: client, stopping: make(chan struct{})}
	ctx, r.cancel = context.WithCancel(ctx)
	for _, s := range schedules {
		if s.Every < election {
			r.bridges.Go(func() { r.bridge(ctx, w.schedules[s.Name]) })
			continue
		}
		if _, err := client.Insert(ctx, sweep{Name: s.Name}, once); err != nil {
			r.cancel()
			return nil, errors.Join(fmt.Errorf("jobs: %w", err), client.StopAndCancel(context.WithoutCancel(ctx)))
		}
	}
	return r, nil
}

// bridge runs a schedule at its pace for as long as no one may be leading. It takes none of the queue's
// workers: the schedules are more than these, and those of binaries that died would wait in front.
func (r *Runner) bridge(ctx context.Context, s *scheduled) {
	over, tick := time.After(election), time.NewTicker(s.Every)
	defer tick.Stop()
	for {
		drainOnce(ctx, s)
		select {
		case <-tick.C:
			continue
		case <-over:
		case <-r.stopping:
		case <-ctx.Done():
		}
		return
	}
}

// drainOnce drains as a job of the queue does, for a bounded time. Of an error the log knows already.
func drainOnce(ctx context.Context, s *scheduled) {
	ctx, cancel := context.WithTimeout(ctx, s.within())
	defer cancel()
	_ = s.drain(ctx)
}

// Stop lets running jobs end until ctx is done, then cancels them. It is called once.
func (r *Runner) Stop(ctx context.Context) error {
	defer r.bridges.Wait()
	defer r.cancel()
	close(r.stopping)
	err := r.client.Stop(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		r.cancel()
		return r.client.StopAndCancel(context.WithoutCancel(ctx))
	}
	bridged := make(chan struct{})
	go func() {
		r.bridges.Wait()
		close(bridged)
	}()
	select {
	case <-bridged:
	case <-ctx.Done():
	}
	return err
}

// warnings passes on what the queue warns of; at lower levels it mostly counts.
type warnings struct{ slog.Handler }

// Enabled implements slog.Handler.
func (warnings) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelWarn }

// Handle implements slog.Handler. What the queue's own stop cut off is nothing to warn of: it is done
// by anyone who leads next.
func (w warnings) Handle(ctx context.Context, r slog.Record) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		r.Level = slog.LevelInfo
	}
	return w.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (w warnings) WithAttrs(a []slog.Attr) slog.Handler { return warnings{w.Handler.WithAttrs(a)} }

// WithGroup implements slog.Handler.
func (w warnings) WithGroup(name string) slog.Handler { return warnings{w.Handler.WithGroup(name)} }
