package event_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/event"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

// emitTx writes an event of an object in a transaction.
func emitTx(w *fixture.World, tx *pg.Tx, applicationID int64, object ids.Charge, position int) error {
	return outbox.EmitTx(tx, instant.Both(w.Clock.Now()),
		outbox.Event{ApplicationID: applicationID, Type: "charge.updated", ObjectID: object.Bytes(),
			Position: int64(position), Object: map[string]any{"id": object, "version": position}, Source: outbox.Job})
}

// counter is an object whose row lock orders its events, as that of a charge does.
type counter struct {
	id  ids.Charge
	app int64
	key int64 // of its lock
}

func (c counter) change(ctx context.Context, w *fixture.World, pause time.Duration, end error) error {
	return pg.InTx(ctx, w.Pool, func(tx *pg.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(@key)`, pg.Args{"key": c.key}); err != nil {
			return err
		}
		n, err := pg.Value[int](ctx, tx, `SELECT count(*)::int FROM events
			WHERE object_id = @id`, pg.Args{"id": c.id.Bytes()})
		if err != nil {
			return err
		}
		if err := emitTx(w, tx, c.app, c.id, n+1); err != nil {
			return err
		}
		if err := tx.Flush(ctx); err != nil {
			return err
		}
		time.Sleep(pause) // others commit in the meantime what got later serials
		return end
	})
}

var errChanged = errors.New("changed my mind")

// TestSequencesHaveNoGaps: changes of several objects of two applications are committed and rolled back
// in any order while several dispatchers number them, of which some are cut off in between.
func TestSequencesHaveNoGaps(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	var objects []counter
	for i := range 8 {
		objects = append(objects, counter{ids.NewCharge(w.Clock.Now()), []int64{w.App.AppID, w.Other.AppID}[i%2],
			int64(i)})
	}
	var told sync.Map // what followed, by event
	var cut atomic.Int64
	second := event.New(event.Deps{Pool: w.Pool, Check: w.Gate})
	second.Then(func(_ context.Context, _ *pg.Tx, _ int64, events []event.Numbered) error {
		if rand.IntN(3) == 0 {
			cut.Add(1)
			return errChanged
		}
		for _, e := range events {
			told.Store(e.ID, e.Sequence)
		}
		return nil
	})
	ctx, stop := context.WithCancel(t.Context())
	var writers, dispatchers sync.WaitGroup
	for range 6 {
		writers.Go(func() {
			for range 40 {
				end := error(nil)
				if rand.IntN(5) == 0 {
					end = errChanged
				}
				pause := time.Duration(rand.IntN(3)) * time.Millisecond
				if err := objects[rand.IntN(len(objects))].change(t.Context(), w, pause, end); !errors.Is(err, end) {
					t.Error(err)
				}
			}
		})
	}
	for range 3 {
		dispatchers.Go(func() {
			for ctx.Err() == nil {
				if _, err := second.Number(t.Context()); err != nil && !errors.Is(err, errChanged) {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	for waiting := true; waiting && t.Context().Err() == nil; {
		waiting = value[int](t, w, `SELECT count(*)::int FROM events WHERE sequence IS NULL`) > 0
	}
	stop()
	dispatchers.Wait()
	if cut.Load() == 0 {
		t.Error("no dispatcher was cut off")
	}
	for what, sql := range map[string]string{
		"gaps": `SELECT count(*)::int
			FROM (SELECT FROM events GROUP BY application_id HAVING max(sequence) <> count(*)
				OR min(sequence) <> 1) off`,
		"objects reordered": `SELECT count(*)::int FROM events a JOIN events b USING (application_id, object_id)
			WHERE a.position < b.position AND a.sequence > b.sequence`,
		"wrong streams": `SELECT count(*)::int FROM event_streams s WHERE last_sequence <> (SELECT count(*)
			FROM events e WHERE e.application_id = s.application_id)`,
	} {
		if n := value[int](t, w, sql); n != 0 {
			t.Errorf("%d %s", n, what)
		}
	}
	type row struct {
		ID       ids.Event
		Sequence int64
	}
	all, err := pg.All[row](t.Context(), w.Pool, `SELECT id, sequence FROM events`, pg.Args{})
	if err != nil || len(all) < 100 {
		t.Fatalf("%d events, %v", len(all), err)
	}
	for _, e := range all {
		if got, ok := told.Load(e.ID); !ok || got != e.Sequence {
			t.Errorf("%d followed as %v", e.Sequence, got)
		}
	}
}

func value[T any](t *testing.T, w *fixture.World, sql string) T {
	t.Helper()
	v, err := pg.Value[T](t.Context(), w.Pool, sql, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAnApplicationThatCannotBeNumberedHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	s := event.New(event.Deps{Pool: w.Pool, Check: w.Gate})
	s.Then(func(_ context.Context, _ *pg.Tx, applicationID int64, _ []event.Numbered) error {
		if applicationID == w.App.AppID {
			return errChanged
		}
		return nil
	})
	if n, err := s.Number(t.Context()); n == 0 || !errors.Is(err, errChanged) {
		t.Errorf("%d, %v", n, err)
	}
	type left struct {
		App int64
		N   int
	}
	rows, err := pg.All[left](t.Context(), w.Pool, `SELECT application_id AS app, count(*)::int AS n FROM events
		WHERE sequence IS NULL GROUP BY 1`, pg.Args{})
	if err != nil || len(rows) != 1 || rows[0].App != w.App.AppID {
		t.Errorf("%v, %v", rows, err)
	}
}

func TestOneDispatcherAtATimeNumbersAnApplication(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	began, goOn := make(chan struct{}), make(chan struct{})
	slow := event.New(event.Deps{Pool: w.Pool, Check: w.Gate})
	slow.Then(func(_ context.Context, _ *pg.Tx, applicationID int64, _ []event.Numbered) error {
		if applicationID == w.App.AppID {
			close(began)
			<-goOn
		}
		return nil
	})
	var run sync.WaitGroup
	run.Go(func() {
		if n, err := slow.Number(t.Context()); n == 0 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	})
	<-began
	if _, err := event.New(event.Deps{Pool: w.Pool, Check: w.Gate}).Number(t.Context()); err != nil {
		t.Error(err)
	}
	if n := value[int](t, w, fmt.Sprintf(`SELECT count(*)::int FROM events WHERE sequence IS NOT NULL
		AND application_id = %d`, w.App.AppID)); n > 0 {
		t.Errorf("%d events were numbered beside the one who was at it", n)
	}
	close(goOn)
	run.Wait()
}

// No one reads an event before it has its number, by its id as little as in a list: it would change.
func TestEventsAreReadWhenTheyHaveTheirNumbers(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	number := func() {
		for more := 1; more > 0; {
			var err error
			if more, err = w.Events.Number(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	number()
	id := ids.NewEvent(w.Clock.Now())
	err := pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
		return outbox.EmitTx(tx, instant.Both(w.Clock.Now()),
			outbox.Event{ID: id, ApplicationID: w.App.AppID, Type: "charge.updated",
				ObjectID: id.Bytes(), Position: 1, Object: map[string]any{}, Source: outbox.Job})
	})
	if err != nil {
		t.Fatal(err)
	}
	if e, err := w.Events.Get(t.Context(), w.Actor(), id.String()); !fault.HasCode(err, "resource_missing") {
		t.Errorf("before: %+v, %v", e, err)
	}
	number()
	if e, err := w.Events.Get(t.Context(), w.Actor(), id.String()); err != nil || e.Number() == 0 {
		t.Errorf("after: %+v, %v", e, err)
	}
}

func TestBatchesGoOnWhereTheLastEnded(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	_, err := pg.Exec(t.Context(), w.Pool, `
		INSERT INTO events (id, application_id, type, object_id, position, object, previous_attributes,
			source, created_at)
		SELECT gen_random_uuid(), @app, 'charge.updated', gen_random_uuid(), 1, '{}', '{}', 'job', now()
			FROM generate_series(1, 1200)`, pg.Args{"app": w.App.AppID})
	if err != nil {
		t.Fatal(err)
	}
	var steps []int
	for n := 1; n > 0; {
		if n, err = w.Events.Number(t.Context()); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, n)
	}
	if len(steps) < 4 || value[int](t, w, `SELECT (max(sequence) - count(*))::int FROM events
		WHERE application_id = (SELECT min(application_id) FROM events)`) != 0 {
		t.Errorf("numbered %v", steps)
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	for filter, want := range map[string]string{
		"ping": "ping", "payout.*": "payout.created payout.paid payout.failed payout.returned",
		"daf_donation.*":       "daf_donation.created daf_donation_updated daf_donation.completed daf_donation.canceled",
		"daf_donation_updated": "daf_donation_updated",
		"webhook_endpoint.*":   "webhook_endpoint.paused webhook_endpoint.recovered",
		"":                     "", "charge": "", "charge.": "", "charge*": "", "*.created": "", "charge.**": "",
		"daf_donation_*": "",
		"ping.*":         "", ".*": "", "**": "", "Charge.*": "",
	} {
		if got := strings.Join(event.Covered([]string{filter}), " "); got != want ||
			event.IsFilter(filter) != (want != "") {
			t.Errorf("%q covers %s", filter, got)
		}
	}
	if got := event.Covered([]string{"*", "ping"}); !slices.Equal(got, event.Names()) {
		t.Errorf("* covers %v", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(event.Names()).Draw(t, "name")
		group, _, dotted := strings.Cut(name, ".")
		if !event.Matches(name, name) || !event.Matches("*", name) || dotted != event.Matches(group+".*", name) {
			t.Fatalf("%s is not covered by itself, * and its group", name)
		}
		other := rapid.SampledFrom(event.Names()).Draw(t, "other")
		if event.Matches(other, name) != (other == name) {
			t.Fatalf("%s covers %s", other, name)
		}
	})
}

// A type that reports a new object has nothing that was before.
func TestTypesAreToldOnceAndAboutSomething(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, k := range event.Types() {
		if seen[k.Name] || k.Object == "" || !strings.HasSuffix(k.Meaning, ".") || k.First() && len(k.Former) > 0 {
			t.Errorf("%+v", k)
		}
		seen[k.Name] = true
		if group, _, ok := strings.Cut(k.Name, "."); ok && group != k.Object &&
			group+" about "+k.Object != "fees about fee_change" {
			t.Errorf("%s is about %s", k.Name, k.Object)
		}
	}
}

func TestListsOfEventsWaitOnlyAsLongAsTheyMay(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	in := event.ListInput{Page: page.Input[int64]{Limit: 1, After: 1 << 40, Ascending: true}, Wait: time.Minute}
	if _, err := w.Events.List(ctx, w.Actor(), in); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a caller who is gone: %v", err)
	}
	var all sync.WaitGroup
	var waited [2]atomic.Int64 // lists of each application
	other := w.Actor()
	other.ApplicationID = w.Other.AppID
	for n := range 150 {
		all.Go(func() {
			in, actor, of := in, w.Actor(), 0
			if n%10 == 9 {
				actor, of = other, 1
			}
			in.Wait = 2 * time.Second
			began := time.Now()
			if p, err := w.Events.List(t.Context(), actor, in); err != nil || len(p.Items) > 0 {
				t.Errorf("%v, %v", p, err)
			}
			if time.Since(began) > time.Second {
				waited[of].Add(1)
			}
		})
	}
	all.Wait()
	if n := waited[0].Load(); n > 60 || n < 20 {
		t.Errorf("%d of 135 waited", n)
	}
	if n := waited[1].Load(); n != 15 {
		t.Errorf("%d of another application's 15 waited", n)
	}
}

// What is asked for in a transaction is known when it has committed: each event once, of its own application alone.
func TestEventsAreFoundWithTheCommit(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	object := ids.NewCharge(w.Clock.Now())
	for position := range 2 {
		if err := pg.InTx(t.Context(), w.Pool,
			func(tx *pg.Tx) error { return emitTx(w, tx, w.App.AppID, object, position+1) }); err != nil {
			t.Fatal(err)
		}
	}
	there, err := pg.All[struct {
		ID ids.Event `db:"id"`
	}](t.Context(), w.Pool, `SELECT id FROM events WHERE object_id = @object
		ORDER BY position`, pg.Args{"object": object.Bytes()})
	if err != nil || len(there) != 2 {
		t.Fatalf("%d events, %v", len(there), err)
	}
	first, second := event.Ref{ApplicationID: w.App.AppID, ID: there[0].ID}, event.Ref{ApplicationID: w.App.AppID,
		ID: there[1].ID}
	others := event.Ref{ApplicationID: w.Other.AppID, ID: there[0].ID}
	var asked event.Asked
	if err := pg.InBatch(t.Context(), w.Pool, func(tx *pg.Tx) error {
		b := tx.Batch()
		asked = w.Events.Ask(b,
			[]event.Ref{first, second, first, others, {ApplicationID: w.App.AppID, ID: ids.NewEvent(w.Clock.Now())}})
		return b.Run(t.Context())
	}); err != nil {
		t.Fatal(err)
	}
	found := asked.Found()
	if len(found) != 2 || found[first].ID != first.ID ||
		string(found[second].Data.Object) != fmt.Sprintf(`{"id":%q,"version":2}`, object) {
		t.Errorf("%v", found)
	}
}
