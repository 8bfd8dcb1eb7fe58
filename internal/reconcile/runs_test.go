package reconcile_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// stain leaves some charges, and each kind of difference that can be planted next to the others.
func stain(t *testing.T, w place) (want int) {
	t.Helper()
	for range 4 {
		newScene(t, w)
	}
	for _, p := range plants {
		s := newScene(t, w)
		ref := p.ref(s)
		s.apply(t, p.sql, ref)
		want += len(p.want(ref, s))
	}
	w.Clock.Advance(2 * time.Hour)
	return want
}

// complete checks that everything was read and compared, and every difference found, exactly once.
func complete(t *testing.T, w place, want int) {
	t.Helper()
	for what, from := range map[string]string{
		"unread or misread lines": `sandbox_processor_book b FULL JOIN reconciliation_lines l ON l.number = b.id
			WHERE (b.reference, b.kind, b.account, b.amount, b.currency, b.approved, b.account_at)
				IS DISTINCT FROM (l.reference, l.kind, l.account, l.amount, l.currency, l.approved, l.at)`,
		"miscounted runs": `reconciliation_runs r WHERE stage <> 'done' OR lines <> (SELECT count(*)
			FROM reconciliation_lines)
			OR operations <> (SELECT count(*) FROM processor_operations) OR postings <> (SELECT count(*)
				FROM ledger_entries)`,
		"differences that are not open": `reconciliation_differences WHERE resolved_at IS NOT NULL`,
		"differences found more than once": `(SELECT FROM reconciliation_differences
			GROUP BY reference, kind HAVING count(*) > 1) d`,
	} {
		if n := w.count(t, from, pg.Args{}); n != 0 {
			t.Errorf("%d %s", n, what)
		}
	}
	found, err := pg.Value[int](t.Context(), w.Pool, `SELECT sum(found)::int FROM reconciliation_runs`, pg.Args{})
	if n := w.count(t, `reconciliation_differences`, pg.Args{}); err != nil || n != want || found != want {
		t.Errorf("%d differences, %d counted, %v; want %d", n, found, err, want)
	}
}

func TestSeveralBinariesShareTheDaysRun(t *testing.T) {
	t.Parallel()
	w := open(t)
	want := stain(t, w)
	var all sync.WaitGroup
	for range 4 {
		s := w.another(7)
		all.Go(func() {
			for more := true; more; {
				var err error
				if more, err = s.Run(t.Context()); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	for more := true; more; { // who lost the race to begin may have been alone with it
		var err error
		more, err = w.another(7).Run(t.Context())
		must(t, err)
	}
	complete(t, w, want)
}

// TestKilledAnywhere cuts every other step off at some instant: a step of a new binary goes on from there.
func TestKilledAnywhere(t *testing.T) {
	t.Parallel()
	w := open(t)
	want := stain(t, w)
	kills, over := 0, 0
	// A step whose predecessor was killed while it began the run may find that run not there yet, and not its own to
	// begin either: it has nothing to do. The step after it goes on, so two of them must say that all is done.
	for n := 0; over < 2; n++ {
		ctx, kill := context.WithCancel(t.Context())
		if n%2 == 0 {
			time.AfterFunc(time.Duration(rand.IntN(10_000))*time.Microsecond, kill)
		}
		on, err := w.another(9).Run(ctx)
		kill()
		switch {
		case err == nil && !on:
			over++
		case err == nil:
			over = 0
		case n%2 == 0:
			kills++
		default:
			t.Fatal(err)
		}
	}
	if kills < 3 {
		t.Errorf("%d kills only", kills)
	}
	complete(t, w, want)
}

func TestOneRunADay(t *testing.T) {
	t.Parallel()
	w := open(t)
	runs := func() int { return w.count(t, `reconciliation_runs`, pg.Args{}) }
	drain := func() (steps int) {
		for more := true; more; steps++ {
			var err error
			more, err = w.Reconcile.Run(t.Context())
			must(t, err)
		}
		return steps
	}
	if n := drain(); n < 5 || runs() != 1 {
		t.Errorf("%d steps of %d runs", n, runs())
	}
	if n := drain(); n != 1 || runs() != 1 {
		t.Errorf("the same day again: %d steps, %d runs", n, runs())
	}
	w.Clock.Advance(24 * time.Hour)
	if drain(); runs() != 2 {
		t.Errorf("the next day: %d runs", runs())
	}
	if r, err := w.Reconcile[0].RunNow(t.Context()); err != nil || runs() != 3 || r.ID == 0 {
		t.Errorf("asked for: %d runs, %v", runs(), err)
	}
	w.Clock.Advance(24 * time.Hour)
	if _, err := w.Reconcile.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Reconcile[0].RunNow(t.Context()); err != nil || runs() != 5 ||
		w.count(t, `reconciliation_runs WHERE finished_at IS NULL`, pg.Args{}) != 0 {
		t.Errorf("the day's run is finished, then one is made: %d, %v", runs(), err)
	}
}

// TestSeveralPeopleAskAtOnce: each gets an answer, and nothing is found twice.
func TestSeveralPeopleAskAtOnce(t *testing.T) {
	t.Parallel()
	w := open(t)
	want := stain(t, w)
	var all sync.WaitGroup
	for range 4 {
		s := w.another(20)
		all.Go(func() {
			r, err := s.RunNow(t.Context())
			if err != nil || r.Stage != "done" {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
	all.Wait()
	if n := w.count(t, `reconciliation_differences`, pg.Args{}); n != want {
		t.Errorf("%d differences; want %d", n, want)
	}
}

// TestBookThatCannotBeRead stops the run where it is: what was not read must not be missed.
func TestBookThatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := open(t)
	for range 3 {
		newScene(t, w)
	}
	w.Clock.Advance(2 * time.Hour)
	pages := 0
	w.p.book = func(ctx context.Context, after int64, limit int) ([]processor.BookLine, error) {
		if pages++; pages == 2 {
			return nil, errLost
		}
		return w.p.Processor.Book(ctx, after, limit)
	}
	s := w.another(4)
	failed := 0
	for range 3 {
		if _, err := s.RunNow(t.Context()); err == nil {
			break
		}
		failed++
		w.expect(t, "after a failure")
	}
	if w.expect(t, "in the end"); failed != 1 ||
		w.count(t, `reconciliation_lines`, pg.Args{}) != w.count(t, `sandbox_processor_book`, pg.Args{}) {
		t.Errorf("%d failures", failed)
	}
}

// TestRunStopsAtItsHorizon: a run that is continued late does not compare what has grown old since its
// book was read.
func TestRunStopsAtItsHorizon(t *testing.T) {
	t.Parallel()
	w := open(t)
	newScene(t, w)
	w.Clock.Advance(2 * time.Hour)
	for stage := "book"; stage == "book"; {
		_, err := w.Reconcile.Run(t.Context())
		must(t, err)
		stage, err = pg.Value[string](t.Context(), w.Pool, `SELECT stage FROM reconciliation_runs`, pg.Args{})
		must(t, err)
	}
	newScene(t, w)
	w.Clock.Advance(3 * time.Hour) // killed in the meantime
	for more := true; more; {
		var err error
		more, err = w.Reconcile.Run(t.Context())
		must(t, err)
		w.expect(t, "of what the run cannot know")
	}
	w.now(t)
	w.expect(t, "the next run")
}

// TestEachDifferenceIsLoggedOnce sets the program's log, so that it runs on its own.
func TestEachDifferenceIsLoggedOnce(t *testing.T) {
	w := open(t)
	s := newScene(t, w)
	w.exec(t, ours+`reference = 'x' || @ref`+ofRef, pg.Args{"ref": ofCard(s)})
	var text bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&text, nil)))
	defer slog.SetDefault(before)
	w.now(t)
	w.now(t)
	for _, d := range []string{"kind=unknown_reference reference=" + ofCard(s),
		"kind=missing_in_book reference=x" + ofCard(s)} {
		d += fmt.Sprintf(" application_id=%d merchant_id=%d", w.App.AppID, w.App.Merchants.US)
		if n := strings.Count(text.String(), "level=ERROR"); n != 2 || strings.Count(text.String(), d) != 1 {
			t.Errorf("%s: %s", d, text.String())
		}
	}
}
