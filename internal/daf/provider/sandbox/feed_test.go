package sandbox_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"svcpay/internal/daf/provider"
	"svcpay/internal/daf/provider/sandbox"
	"svcpay/internal/ids"
	"svcpay/internal/platform/notice"
	"svcpay/internal/processor"
	"svcpay/internal/processor/conformance"
)

// granted makes a grant of 125.00 by a donor with one account and returns its reference.
func (w *world) granted(t *testing.T, username string) string {
	t.Helper()
	id := w.visit(t, harbor)
	w.through(t, id, username, 125_00)
	reference := ids.NewOperation(w.now()).String()
	if answer, err := w.open().Grant(t.Context(),
		provider.Grant{Reference: reference, VisitID: id, Amount: 125_00}); err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	return reference
}

func (w *world) feed(t *testing.T) []provider.Event {
	t.Helper()
	events, err := conformance.Events(t.Context(), w.open(), "", 100)
	ok(t, err)
	return events
}

func TestGrantsEndByTheClockOfTheirAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	completed, canceled := w.granted(t, "single@fund.example"), w.granted(t, "canceled@fund.example")
	// Thursday; two and five business days on is Monday and Thursday, nine in New York.
	monday, thursday := time.Date(2027, 5, 10, 13, 0, 0, 0, time.UTC), time.Date(2027, 5, 13, 13, 0, 0, 0, time.UTC)
	next := func(after time.Time) time.Time {
		due, err := w.open().NextDue(t.Context(), processor.AccountPrefix(1), after)
		ok(t, err)
		if due == nil {
			return time.Time{}
		}
		return *due
	}
	if a, b, c := next(start), next(monday), next(thursday); !a.Equal(monday) || !b.Equal(thursday) || !c.IsZero() {
		t.Errorf("%v, %v, %v", a, b, c)
	}
	if due, err := w.open().NextDue(t.Context(), processor.AccountPrefix(2), start); err != nil || due != nil {
		t.Errorf("another's: %v, %v", due, err)
	}
	w.skip(other, 30*day)
	if events := w.feed(t); len(events) > 0 {
		t.Errorf("by another's clock: %+v", events)
	}
	w.skip(account, 5*day)
	if events := w.feed(t); len(events) != 1 || events[0].Kind != provider.GrantCanceled ||
		events[0].Reference != canceled || !events[0].At.Equal(monday) {
		t.Errorf("%+v", events)
	}
	w.skip(account, 3*day)
	if events := w.feed(t); len(events) != 2 || events[1].Kind != provider.GrantCompleted ||
		events[1].Reference != completed || !events[1].At.Equal(thursday) {
		t.Errorf("%+v", events)
	}
}

func TestALostAnswerIsFoundLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.visit(t, harbor)
	w.through(t, id, "timeout@fund.example", 125_00)
	g := provider.Grant{Reference: "lost", VisitID: id, Amount: 125_00}
	if _, err := w.open().Grant(t.Context(), g); err == nil {
		t.Error("it was answered")
	}
	if answer, err := w.open().Lookup(t.Context(), g.Reference); err == nil {
		t.Errorf("at once: %+v", answer)
	}
	w.pass(3 * time.Second)
	found, err := w.open().Lookup(t.Context(), g.Reference)
	if again, err2 := w.open().Grant(t.Context(), g); err != nil || err2 != nil || !found.Approved || again != found {
		t.Errorf("%+v, %v; again %+v, %v", found, err, again, err2)
	}
}

func TestWhatIsSimulatedHappensNowAndOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	completed, canceled := w.granted(t, "single@fund.example"), w.granted(t, "single@fund.example")
	do := func(reference, account string, kind provider.EventKind) string {
		return code(w.open().Simulate(t.Context(),
			sandbox.Simulation{Account: account, Reference: reference, Kind: kind}))
	}
	if c := do(completed, other, provider.GrantCompleted); c != "resource_missing" {
		t.Errorf("another's: %s", c)
	}
	if c := do("unheard", account, provider.GrantCompleted); c != "resource_missing" {
		t.Error(c)
	}
	for reference, kind := range map[string]provider.EventKind{completed: provider.GrantCompleted,
		canceled: provider.GrantCanceled} {
		if c := do(reference, account, kind); c != "<nil>" {
			t.Error(c)
		}
	}
	if events := w.feed(t); len(events) != 2 || !events[0].At.Equal(start) {
		t.Errorf("%+v", events)
	}
	for _, kind := range []provider.EventKind{provider.GrantCompleted, provider.GrantCanceled} {
		if c := do(completed, account, kind); c != "simulation_not_possible" {
			t.Error(c)
		}
	}
	w.pass(30 * day)
	if events := w.feed(t); len(events) != 2 {
		t.Errorf("told again: %+v", events)
	}
}

// receiver takes notices as our hook does, after some refusals.
type receiver struct {
	*httptest.Server
	mu      sync.Mutex
	refuses int
	took    []notice.Message
	tried   int
}

func newReceiver(t *testing.T, w *world, refuses int) *receiver {
	r := &receiver{refuses: refuses}
	r.Server = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		var body json.RawMessage
		if err := json.NewDecoder(in.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		messages, err := w.open().Notice(in.Context(), in.Header, body)
		if err != nil {
			t.Error(err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.tried++; r.tried <= r.refuses {
			out.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		r.took = append(r.took, messages...)
		out.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(r.Close)
	return r
}

func TestNoticesAreSentUntilTaken(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ refuses, tried, took int }{{0, 1, 1}, {3, 4, 1}, {9, 5, 0}} {
		w := newWorld(t)
		r := newReceiver(t, w, tt.refuses)
		reference := w.granted(t, "single@fund.example")
		w.pass(14 * day)
		for range 12 { // the feed has it in any case
			_, err := w.open().Notify(t.Context(), r.URL)
			if tt.refuses == 0 {
				ok(t, err)
			}
			w.pass(time.Minute)
		}
		if r.tried != tt.tried || len(r.took) != tt.took {
			t.Errorf("%d refused: tried %d times, took %+v", tt.refuses, r.tried, r.took)
		}
		if feed := w.feed(t); len(feed) != 1 || feed[0].Reference != reference || tt.took == 1 &&
			r.took[0].ID != feed[0].ID {
			t.Errorf("told %+v, the feed has %+v", r.took, feed)
		}
	}
}

func TestASignedNoticeOfSomethingElseIsNoEvent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, e := range []provider.Event{{ID: "1", Kind: "grant_lost"}, {Kind: provider.GrantCompleted}} {
		header, body, err := w.open().SignedNotice(t.Context(), e)
		ok(t, err)
		if got, err := w.open().Notice(t.Context(), header, body); !errors.Is(err, notice.ErrUnreadable) {
			t.Errorf("%+v, %v", got, err)
		}
	}
}
