package scale

import (
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"svcpay/internal/testing/pgtest"
	"svcpay/test/rig"
)

// enough is how many charges are made before something is killed, and after it.
const enough = 150

// TestOneOfThreeIsKilled: three servers share one socket, as a supervisor passes it to them. One is killed
// under load: only what was on its way there fails, and is done when it is asked for again.
func TestOneOfThreeIsKilled(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	socket, err := listener.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	if err := listener.Close(); err != nil { // the duplicate stays
		t.Fatal(err)
	}
	p := newPlace(t, pgtest.URL(t))
	var servers []*server
	for range 3 {
		servers = append(servers, p.serve(t, []*os.File{socket}, "LISTEN_FDS=1"))
	}
	p.killOneOf(t, listener.Addr().String(), servers, nil)
}

// killOneOf kills the busiest of the servers behind an address under load. No more may fail than it had
// connections then: while they are counted, neither it nor front, which passes requests on to the servers, moves.
func (p *place) killOneOf(t *testing.T, addr string, servers []*server, front *rig.Process) *server {
	t.Helper()
	begun := time.Now()
	r := p.rush(t, addr)
	r.more(t, enough)
	victim := busiest(servers)
	standStill(t, victim.Process) // with all that is in progress there
	if front != nil {
		standStill(t, front)
	}
	bound := victim.connections()
	victim.kill()
	gone := time.Now()
	if front != nil {
		front.Signal(syscall.SIGCONT)
	}
	r.more(t, enough)
	r.end()
	p.quiet(t)
	r.check(t)
	r.waitedAfterFailures(t)
	p.audit(t, r.told)
	for _, f := range r.failed {
		if f.began.After(gone) {
			t.Errorf("%s failed %s after the server was gone: %s", f.key, f.began.Sub(gone), f.what)
		}
	}
	if len(r.failed) == 0 || len(r.failed) > bound {
		t.Errorf("%d requests failed, from 1 to %d were under way at the server that was killed", len(r.failed), bound)
	}
	t.Logf("%d charges of %d callers in %s; %d requests failed, all on their way when one of %d servers was killed; asked again, the last had its outcome after %s; %d of them had never reached the processor, and were made anew",
		len(r.told), callers, time.Since(begun).Round(time.Millisecond), len(r.failed), len(servers), r.retried(),
		r.anew(t))
	return victim
}
