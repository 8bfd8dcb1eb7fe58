package scale

import (
	"net"
	"os"
	"testing"
	"time"

	"svcpay/internal/pgtest"
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
	p.killOneOf(t, listener.Addr().String(), servers)
}

// killOneOf kills the busiest of the servers behind an address under load. No more may fail than it had connections then.
func (p *place) killOneOf(t *testing.T, addr string, servers []*server) *server {
	t.Helper()
	begun := time.Now()
	r := p.rush(t, addr)
	r.more(t, enough)
	victim := busiest(servers)
	bound := victim.connections()
	victim.kill()
	gone := time.Now()
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
	t.Logf("%d charges of %d callers in %s; %d failed, all on their way when one of %d servers was killed; asked again, the last was done after %s",
		len(r.told), callers, time.Since(begun).Round(time.Millisecond), len(r.failed), len(servers), r.retried())
	return victim
}
