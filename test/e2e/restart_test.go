package e2e

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
)

// The rolling restarts under load.
const (
	keepers      = 16
	readsAWrite  = 11 // reads for each charge that is made
	moreDialsMax = keepers
)

// rush is what the callers did to a server that was restarted in the meantime.
type rush struct {
	calls, failed atomic.Int64
	over          atomic.Bool
	mu            sync.Mutex
	charges       []string // acknowledged
	failures      []string
	dials         int
}

// TestRollingRestarts: callers that keep their connections and repeat nothing notice nothing of servers
// that replace each other, and each charge that was acknowledged is there once. It runs alone: it keeps a
// small machine busy, and wants that no server has to put anything off.
func TestRollingRestarts(t *testing.T) {
	p := newPlace(t)
	l := p.lineage(t, nil, []string{program, "serve"})
	token := l.token(t, approvedCard)
	var r rush
	var callers sync.WaitGroup
	begun := time.Now()
	for i := range keepers {
		callers.Go(func() { r.call(l.keeper(), i, token) })
	}
	defer callers.Wait()
	defer r.over.Store(true)
	for i := range restarts {
		eventually(t, 2*patience, "calls between two restarts",
			func() bool { return r.calls.Load() >= int64((i+1)*enoughCalls/(restarts+1)) })
		l.restart(t)
	}
	l.awaitEnd(t, l.pids[:restarts]...)
	eventually(t, 2*patience, "enough calls", func() bool { return r.calls.Load() >= enoughCalls })
	r.over.Store(true)
	callers.Wait()
	t.Logf("%d calls, %d charges, %d failed, %d connections, %d servers in %s", r.calls.Load(), len(r.charges),
		r.failed.Load(), r.dials, len(l.pids), time.Since(begun).Round(time.Millisecond))
	if r.failed.Load() != 0 {
		t.Errorf("%d calls failed:\n%s", r.failed.Load(), strings.Join(r.failures, "\n"))
	}
	if r.dials < keepers || r.dials > keepers*(restarts+1)+moreDialsMax {
		t.Errorf("%d connections: callers keep theirs for as long as a server lives", r.dials)
	}
	r.acknowledgedOnce(t, p)
	l.isQuiet(t)
}

// call makes calls until the rush is over: a charge without an idempotency key, then reads of it.
func (r *rush) call(k *keeper, caller int, token string) {
	for n := 0; !r.over.Load(); n++ {
		body := k.order(token, 100+n%900)
		body["external_id"] = fmt.Sprintf("caller-%d-%d", caller, n)
		made := r.one(k, http.StatusCreated, "POST", "/api/charges", body)
		if id := made.text("id"); id != "" {
			r.mu.Lock()
			r.charges = append(r.charges, id)
			r.mu.Unlock()
		}
		for range readsAWrite {
			r.one(k, http.StatusOK, "GET", "/api/charges/"+made.text("id"), nil)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dials += k.Dials
	_ = k.Close() // nothing is on its way
}

// one makes one call, once, and counts it.
func (r *rush) one(k *keeper, want int, method, path string, body any) answer {
	a, err := k.api(method, path, body)
	r.calls.Add(1)
	if err == nil && a.status == want {
		return a
	}
	if r.failed.Add(1) <= 10 {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.failures = append(r.failures, fmt.Sprintf("%s %s: %v, %s", method, path, err, a))
	}
	return a
}

// chargedOnce are the charges that are captured and that the processor has once, as such. It looks at
// thousands at once.
const chargedOnce = `
	SELECT c.id FROM charges c JOIN (SELECT reference, count(*) AS lines, sum(amount) AS amount
		FROM sandbox_processor_book
		WHERE (answer->>'approved')::boolean GROUP BY reference) b ON b.reference = c.processor_reference
	WHERE c.status = 'captured' AND b.lines = 1 AND b.amount = c.amount`

// acknowledgedOnce compares what callers were told with what there is, charge by charge.
func (r *rush) acknowledgedOnce(t *testing.T, p *place) {
	t.Helper()
	var once []string
	found, err := pg.All[struct {
		ID ids.Charge `db:"id"`
	}](t.Context(), p.pool, chargedOnce, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		once = append(once, f.ID.String())
	}
	slices.Sort(r.charges)
	slices.Sort(once)
	if !slices.Equal(r.charges, once) || len(once) == 0 {
		t.Errorf("%d charges were acknowledged, %d were made once", len(r.charges), len(once))
	}
	for what, sql := range map[string]string{
		"charges":             `SELECT count(*)::int FROM charges`,
		"orders":              `SELECT count(DISTINCT external_id)::int FROM charges`,
		"lines at processors": `SELECT count(*)::int FROM sandbox_processor_book`,
	} {
		if n := value[int](t, p, sql, pg.Args{}); n != len(once) {
			t.Errorf("%d %s for %d charges that were made once", n, what, len(once))
		}
	}
}

// starved matches a job that a busy machine kept from its database for too long. It runs again.
var starved = regexp.MustCompile(`"msg":"a job failed".*deadline exceeded`)

// isQuiet checks that no one had to complain, and that metrics stayed where they were.
func (l *lineage) isQuiet(t *testing.T) {
	t.Helper()
	for line := range strings.Lines(l.text()) {
		if !strings.Contains(line, `"level":"INFO"`) && !starved.MatchString(line) {
			t.Errorf("the log has %s", line)
		}
	}
	if a, err := (&site{addr: l.metrics}).send(l.metrics, "GET", "/metrics", nil, nil); err != nil ||
		a.status != http.StatusOK {
		t.Errorf("metrics after all restarts: %v, %s", err, a)
	}
	if n := strings.Count(l.text(), `"msg":"telling metrics","addr":"`+l.metrics+`"`); n != len(l.pids) {
		t.Errorf("%d of %d servers told metrics at %s", n, len(l.pids), l.metrics)
	}
}

// TestSuccessorThatFails: the server goes on, and may be asked again.
func TestSuccessorThatFails(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	l := p.lineage(t, nil, []string{program, "serve"})
	kept := l.keeper()
	ask := func() {
		t.Helper()
		if a, err := kept.api("GET", "/api/charges", nil); err != nil || a.status != http.StatusOK {
			t.Errorf("%v, %s", err, a)
		}
	}
	ask()
	if err := os.Rename(p.keyFile, p.keyFile+".away"); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		l.signal(syscall.SIGHUP)
		l.says(t, `"msg":"there is no successor: this server goes on","error":"it did not become ready \(exit status 1\)"`, i+1)
		ask()
	}
	if kept.Dials != 1 {
		t.Errorf("%d connections although no server left", kept.Dials)
	}
	if err := os.Rename(p.keyFile+".away", p.keyFile); err != nil {
		t.Fatal(err)
	}
	l.restart(t)
	ask()
	l.signal(syscall.SIGTERM)
	l.awaitEnd(t, l.pids[1])
	if err := kept.Close(); err != nil {
		t.Error(err)
	}
}

// TestSocketActivation: a server takes its sockets from systemd, tells it when it is ready, and which
// process is its successor.
func TestSocketActivation(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	var files []*os.File
	var addrs []string
	for range 2 {
		socket, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		f, err := socket.(*net.TCPListener).File()
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files, addrs = append(files, f), append(addrs, socket.Addr().String())
		if err := socket.Close(); err != nil { // the duplicate stays
			t.Fatal(err)
		}
	}
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: t.TempDir() + "/notify", Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer manager.Close()
	hears := func(want string) {
		t.Helper()
		b := make([]byte, 1000)
		if err := manager.SetReadDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		if n, err := manager.Read(b); err != nil || string(b[:n]) != want {
			t.Errorf("systemd hears %q, %v; want %q", b[:n], err, want)
		}
	}
	l := p.lineage(t, files, []string{"/bin/sh", "-c", `LISTEN_PID=$$ exec "$0" serve`, program}, "LISTEN_FDS=2",
		"LISTEN_FDNAMES=svcpay.socket:admin", "NOTIFY_SOCKET="+manager.LocalAddr().String(), "SVCPAY_ADDR=192.0.2.1:1")
	if l.addr != addrs[0] || l.metrics != addrs[1] {
		t.Errorf("it serves on %s and %s instead of %v", l.addr, l.metrics, addrs)
	}
	hears("READY=1")
	l.restart(t)
	hears(fmt.Sprintf("MAINPID=%d\nREADY=1", l.pids[1]))
	l.awaitEnd(t, l.pids[0])
	if a, err := l.api("GET", "/api/charges", nil, nil); err != nil || a.status != http.StatusOK {
		t.Errorf("%v, %s", err, a)
	}
	l.isQuiet(t)
}
