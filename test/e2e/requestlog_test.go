package e2e

import (
	"encoding/json"
	"fmt"
	"syscall"
	"testing"
	"time"

	"svcpay/internal/platform/pg"
)

// TestRequestLogAndLimits: the program limits a key as it is told to, and its log has every request within
// a second, and all of them when it has stopped.
func TestRequestLogAndLimits(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.serve(t, program, "SVCPAY_RATE_LIMIT_READS=1", "SVCPAY_RATE_LIMIT_WRITES=1000")
	read := func(path, own string) answer {
		t.Helper()
		a, err := s.api("GET", path, nil, map[string]string{"X-Request-Id": own})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	limited := 0
	for i := range 5 {
		if a := read("/api/charges", fmt.Sprint("read-", i)); a.status == 429 && a.header.Get("Retry-After") == "1" {
			limited++
		} else if a.status != 200 || a.header.Get("RateLimit-Policy") != `"reads";q=2;w=2` {
			t.Errorf("read %d is answered %s %v", i, a, a.header)
		}
	}
	if limited < 2 {
		t.Errorf("%d of 5 reads at once were limited", limited)
	}
	time.Sleep(1500 * time.Millisecond) // for a token, and for the log
	var page struct {
		Data []struct {
			Status          int    `json:"status"`
			ClientRequestID string `json:"client_request_id"`
		}
	}
	if a := read("/api/request_logs?path=/api/charges", "log"); json.Unmarshal(a.body, &page) != nil ||
		len(page.Data) != 5 {
		t.Errorf("the log says %s", a)
	}
	const writes = 40
	for i := range writes {
		if a, err := s.api("POST", "/api/charges", "{}",
			map[string]string{"X-Request-Id": fmt.Sprint("write-", i)}); err != nil || a.status != 400 {
			t.Fatalf("%v, %s", err, a)
		}
	}
	s.signal(syscall.SIGTERM)
	if code, said := s.exits(t); code != 0 {
		t.Errorf("exit status %d:\n%s", code, said)
	}
	n, err := pg.Value[int64](t.Context(), p.pool, `SELECT count(*) FROM request_logs
		WHERE client_request_id LIKE 'write-%' AND status = 400`, pg.Args{})
	if err != nil || n != writes {
		t.Errorf("%d of %d writes are in the log, %v", n, writes, err)
	}
}
