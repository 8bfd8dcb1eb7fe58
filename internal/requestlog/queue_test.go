package requestlog_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/requestlog"
	"svcpay/internal/testing/fixture"
)

// entry is a request of the first application.
func entry(w *fixture.World) requestlog.Entry {
	actor := w.Actor()
	actor.KeyID, actor.KeyName = ids.NewKey(w.Clock.Now()), "server"
	return requestlog.Entry{Actor: actor, Method: "POST", Path: "/api/charges", Status: 201, IP: "192.0.2.1",
		APIVersion: "2026-12-01", At: w.Clock.Now()}
}

func flush(t *testing.T, s *requestlog.Service) {
	t.Helper()
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func count(t *testing.T, w *fixture.World) int64 {
	t.Helper()
	n, err := pg.Value[int64](t.Context(), w.Pool, `SELECT count(*) FROM request_logs`, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// only is the one entry that there is.
func only(t *testing.T, w *fixture.World) requestlog.Log {
	t.Helper()
	p, err := w.RequestLogs.List(t.Context(), w.Actor(), requestlog.ListInput{Page: page.Input[ids.Request]{Limit: 2}})
	if err != nil || len(p.Items) != 1 {
		t.Fatalf("%d entries, %v", len(p.Items), err)
	}
	return p.Items[0]
}

func TestEntriesOfManyRequestsAreAllWritten(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	stop := w.RequestLogs.Start(slog.New(slog.DiscardHandler))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				w.RequestLogs.Add(entry(w))
			}
		})
	}
	wg.Wait()
	deadline := time.Now().Add(time.Minute)
	for count(t, w) < 1600 && time.Now().Before(deadline) { // on its own
		time.Sleep(10 * time.Millisecond)
	}
	w.RequestLogs.Add(entry(w))
	stop() // writes the rest
	if n := count(t, w); n != 1601 || w.RequestLogs.Dropped() != 0 {
		t.Errorf("%d are written, %d dropped", n, w.RequestLogs.Dropped())
	}
	w.RequestLogs.Add(entry(w))
	if flush(t, w.RequestLogs); count(t, w) != 1602 {
		t.Error("stopped, it takes no entries")
	}
}

func TestAFullQueueDropsAndCounts(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	for range 4096 + 10 {
		w.RequestLogs.Add(entry(w))
	}
	if n := w.RequestLogs.Dropped(); n != 10 {
		t.Errorf("%d of 10 were dropped", n)
	}
	if flush(t, w.RequestLogs); count(t, w) != 4096 {
		t.Errorf("%d are written", count(t, w))
	}
	e := entry(w)
	e.Body = bytes.Repeat([]byte(" "), 64<<10)
	for range 257 { // 16 MiB and one
		e.Actor.RequestID = ids.NewRequest(w.Clock.Now())
		w.RequestLogs.Add(e)
	}
	if n := w.RequestLogs.Dropped(); n != 11 {
		t.Errorf("%d bodies too many were dropped", n-10)
	}
	if flush(t, w.RequestLogs); count(t, w) != 4096+256 {
		t.Errorf("%d are written", count(t, w))
	}
	w.RequestLogs.Add(e) // there is room again
	if w.RequestLogs.Dropped() != 11 {
		t.Error("an empty queue drops")
	}
}

func TestEntriesWaitForTheDatabase(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	var log bytes.Buffer
	e := entry(w)
	w.RequestLogs.Add(e)
	conn, err := w.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	lock := func(sql string) {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	lock(`BEGIN`)
	lock(`LOCK TABLE request_logs`)
	stop := w.RequestLogs.Start(slog.New(slog.NewTextHandler(&log, nil)))
	stop() // waits for the lock as long as a statement may, then tells
	if !strings.Contains(log.String(), "request logs were not written") || w.RequestLogs.Dropped() != 0 {
		t.Errorf("%d dropped, told as %s", w.RequestLogs.Dropped(), &log)
	}
	lock(`ROLLBACK`)
	if flush(t, w.RequestLogs); only(t, w).ID != e.Actor.RequestID {
		t.Error("the entry was lost")
	}
	w.RequestLogs.Add(e) // a batch whose commit was not answered comes again
	if flush(t, w.RequestLogs); count(t, w) != 1 {
		t.Error("the entry was written twice")
	}
}

func TestAnEntryThatCannotBeWrittenHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	bad := entry(w)
	bad.Status = 7
	foreign := entry(w)
	foreign.Actor.ApplicationID = 999_999
	for _, e := range []requestlog.Entry{entry(w), bad, entry(w), foreign, entry(w)} {
		w.RequestLogs.Add(e)
	}
	if err := w.RequestLogs.Flush(t.Context()); err == nil {
		t.Error("nothing was told")
	}
	if n := count(t, w); n != 3 || w.RequestLogs.Dropped() != 2 {
		t.Errorf("%d are written, %d dropped", n, w.RequestLogs.Dropped())
	}
}

func TestEntriesOfAnotherApplicationAreMissing(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	e := entry(w)
	e.IdempotencyKey = "k"
	w.RequestLogs.Add(e)
	flush(t, w.RequestLogs)
	theirs := w.ActorOf(w.Other)
	if _, err := w.RequestLogs.Get(t.Context(), theirs, e.Actor.RequestID.String()); code(err) != "resource_missing" {
		t.Errorf("read with %v", err)
	}
	if p, err := w.RequestLogs.List(t.Context(), theirs,
		requestlog.ListInput{Page: page.Input[ids.Request]{Limit: 9}}); err != nil || len(p.Items) != 0 {
		t.Errorf("listed as %v, %v", p, err)
	}
	if l, err := w.RequestLogs.Get(t.Context(), w.Actor(), e.Actor.RequestID.String()); err != nil ||
		l.Object != "request_log" || l.KeyName != "server" {
		t.Errorf("%+v, %v", l, err)
	}
	browser := w.Actor()
	browser.Role = authz.RolePublicKey
	for what, err := range map[string]error{
		"get":  second(w.RequestLogs.Get(t.Context(), browser, e.Actor.RequestID.String())),
		"list": second(w.RequestLogs.List(t.Context(), browser, requestlog.ListInput{})),
		"key":  second(w.RequestLogs.Key(t.Context(), browser, "k")),
	} {
		if code(err) != "permission_denied" {
			t.Errorf("%s with %v", what, err)
		}
	}
}

// A key that is limited to some merchants sees what was asked about these.
func TestEntriesOfOtherMerchantsAreMissing(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	limited := w.Actor()
	limited.Role, limited.Restriction = authz.RoleRestrictedKey, &authz.Restriction{Rights: authz.Rights(),
		Merchants: []int64{7}}
	for merchantID, seen := range map[int64]bool{0: false, 7: true, 8: false} {
		e := entry(w)
		e.MerchantID = merchantID
		w.RequestLogs.Add(e)
		flush(t, w.RequestLogs)
		if err := second(w.RequestLogs.Get(t.Context(), limited, e.Actor.RequestID.String())); (err == nil) != seen ||
			!seen && code(err) != "resource_missing" {
			t.Errorf("of merchant %d: %v", merchantID, err)
		}
	}
	if p, err := w.RequestLogs.List(t.Context(), limited,
		requestlog.ListInput{Page: page.Input[ids.Request]{Limit: 9}}); err != nil || len(p.Items) != 1 ||
		*p.Items[0].MerchantID != 7 {
		t.Errorf("listed as %v, %v", p, err)
	}
	if err := second(w.RequestLogs.Key(t.Context(), limited, "k")); code(err) != "permission_denied" {
		t.Errorf("a key with %v", err)
	}
}

func TestEntriesAreKeptThirtyDays(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	old := entry(w)
	w.RequestLogs.Add(old)
	w.Clock.Advance(time.Millisecond)
	w.RequestLogs.Add(entry(w))
	flush(t, w.RequestLogs)
	for _, tt := range []struct {
		after time.Duration
		want  int64
	}{{-time.Millisecond, 0}, {0, 1}, {0, 0}, {time.Millisecond, 1}} {
		if n, err := requestlog.Purge(t.Context(), w.Pool, old.At.Add(requestlog.Life+tt.after)); err != nil ||
			n != tt.want {
			t.Errorf("after %s: %d, %v", tt.after, n, err)
		}
	}
	if n := count(t, w); n != 0 {
		t.Errorf("%d are left", n)
	}
}

func TestTextsAreBoundedAndClean(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	e := entry(w)
	long := strings.Repeat("é", 10_000)
	e.Path, e.Query, e.UserAgent, e.IP = "/api/\x00\xff\n"+long, "q="+long, "a\tb\x7f"+long, long
	e.Actor.KeyName, e.ClientRequestID, e.IdempotencyKey, e.ObjectID = long, "\xff"+long, long, long
	e.Body = fmt.Appendf(nil, `{"a":%q,"merchant_id":7}`, long)
	e.Answer = []byte(`{"error":{"message":"` + strings.Repeat("x", 9000) + `"}}`)
	w.RequestLogs.Add(e)
	flush(t, w.RequestLogs)
	l := only(t, w)
	for name, text := range map[string]string{
		"path": l.Path, "query": l.Query, "user agent": l.UserAgent, "key": l.KeyName, "own id": *l.ClientRequestID,
		"body": *l.RequestBody, "answer": *l.ResponseBody,
	} {
		if len(text) > 8<<10+3 || !strings.HasSuffix(text, "…") || strings.ContainsAny(text, "\x00\n\t\x7f") {
			t.Errorf("%s has %d bytes: %.40q", name, len(text), text)
		}
	}
	if !strings.HasPrefix(l.Path, "/api/ \uFFFD é") || !strings.HasPrefix(l.UserAgent, "a b é") || *l.MerchantID != 7 {
		t.Errorf("%.20q, %.20q, %d", l.Path, l.UserAgent, *l.MerchantID)
	}
}

func TestWhatABodyTells(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	for body, want := range map[string]struct {
		merchant int64
		kept     bool
	}{
		`{"merchant_id":1042}`: {1042, true}, `{"merchant_id":"1042"}`: {0, true}, `{"merchant_id":-5}`: {0, true},
		`{"merchant_id":4242424242424242}`: {0, true}, `{}`: {0, true}, `[1]`: {0, true},
		`{"merchant_id":1042`: {0, false}, "": {0, false}, `{"a":"` + strings.Repeat("x", 64<<10) + `"}`: {0, false},
	} {
		e := entry(w)
		e.Body, e.BodyBytes = []byte(body), len(body)
		w.RequestLogs.Add(e)
		flush(t, w.RequestLogs)
		l, err := w.RequestLogs.Get(t.Context(), w.Actor(), e.Actor.RequestID.String())
		if err != nil || (l.RequestBody != nil) != want.kept || (l.MerchantID != nil) != (want.merchant != 0) ||
			l.RequestBytes != len(body) || l.MerchantID != nil && *l.MerchantID != want.merchant {
			t.Errorf("%.40s: %+v", body, l)
		}
	}
}
