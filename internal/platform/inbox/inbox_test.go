package inbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/platform/inbox"
	"svcpay/internal/platform/notice"
	"svcpay/internal/testing/pgtest"
)

// line is a counterparty with a feed, its box, and who handles its messages.
type line struct {
	*inbox.Box
	pool  *pgxpool.Pool
	mu    sync.Mutex
	now   time.Time
	all   []notice.Message
	down  bool
	mute  bool
	waits map[string]int // how often a message cannot be handled yet
	took  []string
}

func newLine(t *testing.T, n int) *line {
	l := &line{now: time.Date(2027, 5, 6, 7, 8, 9, 0, time.UTC), waits: map[string]int{}, pool: pgtest.New(t)}
	for i := range n {
		l.all = append(l.all, of(fmt.Sprintf("%03d", i+1)))
	}
	l.Box = inbox.NewBox(l.pool, l.clock, "line", "line")
	return l
}

// of is the message of that id.
func of(id string) notice.Message {
	return notice.Message{ID: id, Kind: "happened", Account: "account", Body: json.RawMessage(`{"id": "` + id + `"}`)}
}

func (l *line) clock() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

func (l *line) pass(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = l.now.Add(d)
}

func (l *line) read(ctx context.Context, after string, limit int) ([]notice.Message, error) {
	if l.mute {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down {
		return nil, errors.New("the feed is down")
	}
	from := slices.IndexFunc(l.all, func(m notice.Message) bool { return m.ID > after })
	if from < 0 {
		return nil, nil
	}
	return l.all[from:min(len(l.all), from+limit)], nil
}

func (l *line) take(_ context.Context, m notice.Message) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var body struct{ ID string }
	if err := json.Unmarshal(m.Body, &body); err != nil || body.ID != m.ID || m.Kind != "happened" || m.Account == "" {
		return fmt.Errorf("%+v is not what was reported, %v", m, err)
	}
	if l.waits[m.ID] > 0 {
		l.waits[m.ID]--
		return errors.New("not understood yet")
	}
	l.took = append(l.took, m.ID)
	return nil
}

// once pulls and handles once.
func (l *line) once(ctx context.Context) (int, error) {
	pulled, pullErr := l.Pull(ctx, l.read)
	handled, err := l.Handle(ctx, l.take)
	return pulled + handled, errors.Join(pullErr, err)
}

// run goes on until there is nothing to do.
func (l *line) run(t *testing.T) {
	t.Helper()
	for {
		n, err := l.once(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return
		}
	}
}

func (l *line) want(t *testing.T, what string, ids ...string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Equal(l.took, ids) {
		t.Errorf("%s: handled %v, want %v", what, l.took, ids)
	}
}

// all lets everyone do everything.
type all struct{}

func (all) Check(authz.Actor, authz.Permission) error { return nil }

func (l *line) service() *inbox.Service { return inbox.New(l.pool, all{}, l.clock) }

func (l *line) state(t *testing.T) inbox.State {
	t.Helper()
	states, err := l.service().States(t.Context(), authz.Actor{})
	if err != nil || len(states) != 1 {
		t.Fatalf("%+v, %v", states, err)
	}
	return states[0]
}

func TestSilentFeedDelaysNothing(t *testing.T) {
	t.Parallel()
	l := newLine(t, 0)
	if err := l.Receive(t.Context(), []notice.Message{of("001")}); err != nil {
		t.Fatal(err)
	}
	l.mute, l.Patience = true, 50*time.Millisecond
	if n, err := l.once(t.Context()); n != 1 || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%d, %v", n, err)
	}
	l.want(t, "while the feed is silent", "001")
	if s := l.state(t); s.FailedAt == nil || !strings.Contains(s.Failure, "deadline") || s.ReadAt != nil ||
		s.NoticedAt == nil {
		t.Errorf("%+v", s)
	}
}

func TestNoticesAndFeedReportEachMessageOnce(t *testing.T) {
	t.Parallel()
	l := newLine(t, 3)
	for _, id := range []string{"003", "002", "003"} { // in any order, and again
		if err := l.Receive(t.Context(), []notice.Message{of(id)}); err != nil {
			t.Fatal(err)
		}
	}
	l.down = true
	if _, err := l.once(t.Context()); err == nil {
		t.Error("a feed that is down is no error")
	}
	l.want(t, "while the feed is down", "003", "002")
	if s := l.state(t); s.Failure != "the feed is down" {
		t.Errorf("%+v", s)
	}
	l.down = false
	l.run(t)
	l.want(t, "with the feed", "003", "002", "001")
	if s := l.state(t); s.Failure != "" || s.ReadAt == nil || !s.ReadAt.Equal(l.clock()) {
		t.Errorf("%+v", s)
	}
	if err := l.Receive(t.Context(), []notice.Message{of("001")}); err != nil { // repeated
		t.Fatal(err)
	}
	l.run(t)
	l.want(t, "repeated", "003", "002", "001")
}

// Accounts of one counterparty may number alike.
func TestMessagesAreToldApartByAccount(t *testing.T) {
	t.Parallel()
	l := newLine(t, 0)
	other := of("001")
	other.Account = "another"
	if err := l.Receive(t.Context(), []notice.Message{of("001"), other, other}); err != nil {
		t.Fatal(err)
	}
	l.run(t)
	l.want(t, "of two accounts", "001", "001")
}

func TestMessagesThatCannotBeHandledYetAreRetried(t *testing.T) {
	t.Parallel()
	l := newLine(t, 3)
	l.waits["002"] = 2
	unheard := of("004")
	unheard.Kind = "unheard"
	l.all = append(l.all, unheard)
	l.run(t)
	l.want(t, "at first", "001", "003")
	if s := l.state(t); s.Waiting != 2 || s.Retried != 2 || s.Oldest == nil {
		t.Errorf("%+v", s)
	}
	for range 3 {
		l.pass(time.Minute)
		l.run(t)
	}
	l.want(t, "later", "001", "003", "002")
	failed, err := l.service().Failed(t.Context(), authz.Actor{}, 10)
	if err != nil || len(failed) != 1 || failed[0].ID != "004" || failed[0].Source != "feed" ||
		failed[0].Attempts < 3 ||
		!strings.Contains(failed[0].Failure, "not what was reported") {
		t.Errorf("%+v, %v", failed, err)
	}
}

func TestReadersAtOnceStoreEachMessageOnce(t *testing.T) {
	t.Parallel()
	l := newLine(t, 250) // more than a page
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { l.run(t) })
	}
	wg.Wait()
	l.run(t)
	seen := slices.Compact(slices.Sorted(slices.Values(l.took)))
	if len(seen) != 250 || len(l.took) != 250 {
		t.Errorf("%d of 250, %d times", len(seen), len(l.took))
	}
}

func TestTwoFeedsMayNumberAlike(t *testing.T) {
	t.Parallel()
	a := newLine(t, 2)
	b := &line{now: a.now, all: a.all, pool: a.pool, waits: map[string]int{}}
	b.Box = inbox.NewBox(a.pool, b.clock, "other", "other")
	a.run(t)
	b.run(t)
	a.want(t, "one", "001", "002")
	b.want(t, "the other", "001", "002")
}

func TestReplayHandlesAgainWhatArrivedSince(t *testing.T) {
	t.Parallel()
	l := newLine(t, 2)
	l.run(t)
	l.pass(time.Hour)
	since := l.clock()
	l.all = append(l.all, of("003"))
	l.run(t)
	for feed, want := range map[string]int64{"other": 0, "line": 1} {
		if n, err := l.service().Replay(t.Context(), feed, since); err != nil || n != want {
			t.Errorf("%s: %d messages, %v; want %d", feed, n, err, want)
		}
	}
	l.run(t)
	l.want(t, "replayed", "001", "002", "003", "003")
	if n, err := l.service().Replay(t.Context(), "", time.Time{}); err != nil || n != 3 {
		t.Errorf("%d messages of all feeds, %v", n, err)
	}
}

func TestHandledMessagesAreDeletedAfterTheRetention(t *testing.T) {
	t.Parallel()
	l := newLine(t, 2)
	l.waits["002"] = 1
	if _, err := l.once(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.pass(inbox.Retention - time.Second)
	if n, err := l.service().Purge(t.Context()); err != nil || n != 0 {
		t.Errorf("%d were deleted early, %v", n, err)
	}
	l.pass(time.Second)
	if n, err := l.service().Purge(t.Context()); err != nil || n != 1 {
		t.Errorf("%d were deleted, %v; the one that waits stays", n, err)
	}
	l.run(t)
	l.want(t, "at last", "001", "002")
}

func TestMessagesClosedByHandAreNotReplayed(t *testing.T) {
	t.Parallel()
	l := newLine(t, 2)
	l.waits["002"] = 1
	if _, err := l.once(t.Context()); err != nil {
		t.Fatal(err)
	}
	// as the runbook has it
	if _, err := l.pool.Exec(t.Context(), `UPDATE inbound_events SET handled_at = now()
		WHERE handled_at IS NULL`); err != nil {
		t.Fatal(err)
	}
	if n, err := l.service().Replay(t.Context(), "", time.Time{}); err != nil || n != 1 {
		t.Errorf("%d messages, %v", n, err)
	}
	l.run(t)
	l.want(t, "replayed", "001", "001")
}

// JSON has characters that PostgreSQL stores in no jsonb.
func TestEveryJSONTextIsStored(t *testing.T) {
	t.Parallel()
	l := newLine(t, 0)
	for i, text := range []string{`"a\u0000b"`, `"\ud800"`,
		`{"x\u0000": ["\udc00\ud800", {"y": "\\u0000"}], "n": 12345678901234567890.5}`} {
		m := notice.Message{ID: fmt.Sprint(i), Kind: "odd", Account: "account", Body: json.RawMessage(text)}
		if err := l.Receive(t.Context(), []notice.Message{m}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	var bodies []string
	if _, err := l.Handle(t.Context(), func(_ context.Context, m notice.Message) error {
		bodies = append(bodies, string(m.Body))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	want := []string{"\"a\uFFFDb\"", "\"\uFFFD\"", `{"n": 12345678901234567890.5, "x` + "\uFFFD" + `": ["` +
		"\uFFFD\uFFFD" + `", {"y": "\\u0000"}]}`}
	if !slices.Equal(bodies, want) {
		t.Errorf("%q, want %q", bodies, want)
	}
}

// Refused notices come from anyone: at most one in half a minute reaches the database.
func TestRefusedNoticesAreRecordedNowAndThen(t *testing.T) {
	t.Parallel()
	l := newLine(t, 0)
	start := l.clock()
	refused := func(want time.Time) {
		t.Helper()
		if err := l.Refuse(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s := l.state(t); s.RefusedAt == nil || !s.RefusedAt.Equal(want) {
			t.Errorf("%+v, want %s", s, want)
		}
	}
	refused(start)
	l.pass(29 * time.Second)
	refused(start)
	l.pass(time.Second)
	refused(start.Add(30 * time.Second))
}
