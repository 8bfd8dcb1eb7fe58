package chariot_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"svcpay/internal/daf/provider"
	"svcpay/internal/daf/provider/chariot/fake"
	"svcpay/internal/platform/notice"
	"svcpay/internal/platform/pg"
)

// read reads the feed after a message, and all events of it.
func (w *world) read(t *testing.T, after string) (messages []notice.Message, events []provider.Event) {
	t.Helper()
	messages, err := w.open().Messages(t.Context(), after, 1000)
	ok(t, err)
	for _, m := range messages {
		of, err := w.open().Events(t.Context(), m)
		ok(t, err)
		events = append(events, of...)
	}
	return messages, events
}

// TestEventsOfOthers: grants that are not of our visits are not reported, and have no line.
func TestEventsOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Capture(w.Authorize(fake.Session{ConnectID: w.enrolled(t), Amount: gift}), gift)
	w.Advance(6 * day)
	messages, events := w.read(t, "")
	lines, err := w.open().Book(t.Context(), 0, 10)
	if err != nil || len(messages) != 2 || len(events) > 0 || len(lines) > 0 { // the end of a grant, and its money
		t.Errorf("%+v, %+v, %+v, %v", messages, events, lines, err)
	}
}

// TestGrantNotSubmittedByUs: one with the reference of our visit, of a session that was not reported to us, is in the
// book.
func TestGrantNotSubmittedByUs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	look, err := w.open().Look(t.Context(), w.visit(t))
	ok(t, err)
	w.Capture(w.Authorize(fake.Session{ConnectID: look.ConnectID, Amount: gift, Reference: look.Reference}), gift)
	lines, err := w.open().Book(t.Context(), 0, 10)
	if err != nil || len(lines) != 1 || lines[0].Reference != look.Reference || lines[0].Account != account {
		t.Errorf("%+v, %v", lines, err)
	}
}

// TestLateStatuses: each end of a grant is reported once, whatever comes again; a status that is not known waits.
func TestLateStatuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g, answer := w.granted(t)
	w.SetStatus(answer.TrackingID, "Under_Review")
	w.Advance(2 * time.Minute)
	messages, err := w.open().Messages(t.Context(), "", 10)
	if err != nil || len(messages) != 1 {
		t.Fatalf("%+v, %v", messages, err)
	}
	if events, err := w.open().Events(t.Context(), messages[0]); err == nil ||
		!strings.Contains(err.Error(), "Under_Review") {
		t.Errorf("%+v, %v", events, err)
	}
	if lines, err := w.open().Book(t.Context(), 0, 10); err != nil || len(lines) != 1 || lines[0].State != "" {
		t.Errorf("%+v, %v", lines, err)
	}
	w.SetStatus(answer.TrackingID, "CANCELLED")
	w.SetStatus(answer.TrackingID, "canceled")
	w.Advance(2 * time.Minute)
	for range 2 {
		_, events := w.read(t, "")
		if len(events) != 1 || events[0].Kind != provider.GrantCanceled || events[0].Reference != g.Reference ||
			events[0].Account != account {
			t.Errorf("%+v", events)
		}
	}
	w.SetStatus(answer.TrackingID, "Completed") // corrected
	w.Advance(2 * time.Minute)
	if _, events := w.read(t, messages[0].ID); len(events) != 1 || events[0].Kind != provider.GrantCompleted {
		t.Errorf("%+v", events)
	}
}

// TestLostEvents: the walk finds what no event reported, and the feed reports it.
func TestLostEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g, answer := w.granted(t)
	w.Silent(true)
	w.Advance(6 * day)
	if messages, events := w.read(t, ""); len(messages) > 0 {
		t.Errorf("%+v, %+v", messages, events)
	}
	lines, err := w.open().Book(t.Context(), 0, 10)
	if err != nil || len(lines) != 1 || lines[0].State != provider.GrantCompleted {
		t.Fatalf("%+v, %v", lines, err)
	}
	w.Advance(2 * time.Hour)
	messages, events := w.read(t, "")
	if len(events) != 1 || events[0].Reference != g.Reference || events[0].TrackingID != answer.TrackingID ||
		events[0].Kind != provider.GrantCompleted {
		t.Fatalf("%+v", events)
	}
	if messages, events := w.read(t, messages[0].ID); len(messages) > 0 {
		t.Errorf("%+v, %+v", messages, events)
	}
}

// TestManyEvents: lists of several pages are read in either order, and continued when a page fails.
func TestManyEvents(t *testing.T) {
	t.Parallel()
	for _, latestFirst := range []bool{false, true} {
		w := newWorld(t)
		w.LatestFirst(latestFirst)
		_, answer := w.granted(t)
		p := w.open()
		var after string
		for part := range 3 {
			for range 130 {
				w.SetStatus(answer.TrackingID, "Initiated")
				w.Advance(time.Second)
			}
			w.Advance(2 * time.Minute)
			if part == 1 {
				w.Fail("GET /v1/events", 0, fake.Broken)
			}
			seen := 0
			for failures := 0; ; {
				messages, err := p.Messages(t.Context(), after, 70)
				if err != nil {
					if failures++; failures > 1 {
						t.Fatal(err)
					}
					continue
				}
				if len(messages) == 0 {
					break
				}
				for _, m := range messages {
					if m.ID <= after {
						t.Fatalf("%s after %s", m.ID, after)
					}
					after = m.ID
				}
				seen += len(messages)
			}
			if seen != 130 {
				t.Errorf("part %d, latest first %v: %d messages", part, latestFirst, seen)
			}
			w.Advance(time.Minute)
		}
	}
}

// TestNotices: a notice of any other category is accepted and not kept.
func TestNotices(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	notices := func(body string) ([]notice.Message, error) {
		header := http.Header{
			"Chariot-Webhook-Signature": {
				fake.Sign("another", w.Now(), []byte(body)) + "," + fake.Sign(w.Secret, w.Now(), []byte(body)),
			},
		}
		return w.open().Notice(t.Context(), header, []byte(body))
	}
	const grant = `"id":"e1","created_at":"2027-05-06T07:08:09Z","associated_object_id":"g1","associated_object_type":"grant"`
	if m, err := notices(`{"category":"grant.updated",` + grant + `}`); err != nil || len(m) != 1 ||
		m[0].Kind != "grant.updated" {
		t.Errorf("%+v, %v", m, err)
	}
	if m, err := notices(`{"category":"deposit.created",` + grant + `}`); err != nil || len(m) > 0 {
		t.Errorf("%+v, %v", m, err)
	}
	for _, text := range []string{`{`, `{}`, `[]`, `{"category":"grant.updated","id":"e1"}`} {
		if m, err := notices(text); !errors.Is(err, notice.ErrUnreadable) {
			t.Errorf("%s: %+v, %v", text, m, err)
		}
	}
	w.credentials = "sk_live_other " + w.Secret
	if m, err := notices(`{}`); !errors.Is(err, notice.ErrNoSender) {
		t.Errorf("%+v, %v", m, err)
	}
}

// TestWalk: it reads all pages and connects, continues after an error, and a book is never shown in part.
func TestWalk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g, _ := w.granted(t)
	for range 230 {
		w.Capture(w.Authorize(fake.Session{ConnectID: w.enrolled(t), Amount: gift}), gift)
	}
	last, _ := w.granted(t)
	w.Fail("GET /v1/grants", 0, fake.Broken)
	if lines, err := w.open().Book(t.Context(), 0, 10); err == nil {
		t.Fatalf("%+v", lines)
	}
	w.Requests()
	lines, err := w.open().Book(t.Context(), 0, 10)
	if err != nil || len(lines) != 2 || lines[0].Reference != g.Reference || lines[1].Reference != last.Reference {
		t.Fatalf("%+v, %v", lines, err)
	}
	if n := len(w.Requests()); n != 2 { // the first page was kept
		t.Errorf("%d requests", n)
	}
	if _, err := w.open().Book(t.Context(), 0, 10); err != nil || len(w.Requests()) > 0 {
		t.Errorf("walked again, %v", err)
	}
	if _, err := pg.Exec(t.Context(), w.pool, `UPDATE chariot_connects SET walked_at = NULL, walk_token = 'forgotten'`,
		pg.Args{}); err != nil {
		t.Fatal(err)
	}
	if lines, err := w.open().Book(t.Context(), 0, 10); err == nil {
		t.Errorf("%+v", lines)
	}
	if lines, err := w.open().Book(t.Context(), 0, 10); err != nil || len(lines) != 2 {
		t.Errorf("%+v, %v", lines, err)
	}
}
