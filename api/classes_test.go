package api

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/platform/bulkhead"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sandbox/demo"
)

// boundedLists are lists that a limit or a single object bounds.
var boundedLists = []string{"/api/charges/:id/timeline", "/api/dafDonations/:id/timeline",
	"/api/merchants/:id/fees/history", "/api/webhook_endpoints"}

// Every route declares what its requests cost. A list or a search grows, and a file streams.
func TestEveryRouteHasAClass(t *testing.T) {
	t.Parallel()
	for _, r := range new(API).routes() {
		name := r.method + " " + r.path
		switch {
		case !slices.Contains(bulkhead.Classes(), r.class):
			t.Errorf("%s has the class %q: add one of %v to its line", name, r.class, bulkhead.Classes())
		case r.handler.takes > maxBody && r.class != streams:
			t.Errorf("%s receives a file, and its class is %q", name, r.class)
		case r.handler.isList && r.class == constant && !slices.Contains(boundedLists, r.path):
			t.Errorf("%s is a list, and its class is %q", name, r.class)
		case !slices.Equal(r.handler.produces, producesJSON) && !r.handler.public && r.class == constant:
			t.Errorf("%s sends a document, and its class is %q", name, r.class)
		}
	}
}

// halfSent begins a charge whose body never arrives whole.
func (s *site) halfSent(t *testing.T, as demo.Application) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := fmt.Fprintf(conn, "POST /api/charges HTTP/1.1\r\nHost: api\r\nContent-Type: application/json\r\n"+
		"X-API-Key: %s\r\nX-App-ID: %d\r\nContent-Length: 5000\r\n\r\n{", as.SecretKey, as.AppID); err != nil {
		t.Fatal(err)
	}
	return conn
}

// Bodies that don't arrive take no place of requests at work, and too many of them are refused to their application
// alone.
func TestHalfSentBodiesHurtTheirApplicationAlone(t *testing.T) {
	t.Parallel()
	s := limitedTo(t, Limits{AtWork: 6})
	body := s.body(s.Token(good))
	first := make(chan string, 4)
	for range cap(first) { // one more than the application's share of six places
		conn := s.halfSent(t, s.Other)
		go func() {
			line := make([]byte, len("HTTP/1.1 429"))
			_, _ = io.ReadFull(conn, line) // what there is of it is compared
			first <- string(line)
		}()
	}
	if line := <-first; line != "HTTP/1.1 429" {
		t.Errorf("the first answer is %q", line)
	}
	for range 5 {
		s.post(t, body).want(t, 201, "")
	}
	for range 5 { // nor are their own requests without a body refused
		balance := fmt.Sprint("/api/balance?merchant_id=", s.Other.Merchants.US)
		s.send(t, call{method: "GET", path: balance, as: &s.Other}).want(t, 200, "")
	}
}

// A large body that arrives steadily has more time than the server gives a small one.
func TestALargeBodyHasMoreTime(t *testing.T) {
	t.Parallel()
	const read = 3 * time.Second
	s := setWire(t, read)
	file := strings.Repeat("x", 6*bytesPerSecond) // six seconds more
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := fmt.Fprintf(conn, "POST /api/files?name=a HTTP/1.1\r\nHost: api\r\nContent-Type: application/pdf\r\n"+
		"X-API-Key: %s\r\nX-App-ID: %d\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", s.App.SecretKey,
		s.App.AppID, len("%PDF-1.7"+file+"%%EOF"), "%PDF-1.7"+file); err != nil {
		t.Fatal(err)
	}
	time.Sleep(read + time.Second)
	if _, err := io.WriteString(conn, "%%EOF"); err != nil {
		t.Fatal(err)
	}
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	got, err := io.ReadAll(conn)
	if !strings.HasPrefix(string(got), "HTTP/1.1 201") {
		t.Errorf("%q, %v", got, err)
	}
}

// However many lists an application asks for, few are read at once, the rest is refused, and charges go on.
func TestListsOfOneApplicationAreBounded(t *testing.T) {
	t.Parallel()
	s := limitedTo(t, Limits{AtWork: 64})
	body := s.body(s.Token(good))
	conn, err := s.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	for _, statement := range []string{`BEGIN`, `LOCK TABLE payouts`} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	refused := make(chan answer, 20)
	for range cap(refused) {
		go func() { refused <- s.get(t, "/api/payouts") }()
	}
	for n := range cap(refused) - growingEach { // the first two wait for the lock
		if a := <-refused; a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") != "1" {
			t.Errorf("list %d: %d %s", n, a.status, a.body)
		}
	}
	for range 5 {
		s.post(t, body).want(t, 201, "")
	}
	s.send(t, call{method: "GET", path: "/api/merchants", as: &s.Other}).want(t, 200, "")
	if _, err := conn.Exec(t.Context(), `ROLLBACK`); err != nil {
		t.Fatal(err)
	}
	for range growingEach {
		<-refused // which may have waited too long for the lock by now
	}
	s.get(t, "/api/payouts").want(t, 200, "")
}

// The statements of a route that grows run on the connections that are apart.
func TestListsUseConnectionsOfTheirOwn(t *testing.T) {
	t.Parallel()
	w := limitedTo(t, Limits{})
	apart, err := pg.OpenApart(t.Context(), w.Pool.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(apart.Close)
	c := configOf(w.World)
	c.Apart = apart
	s := serve(t, w.World, c, time.Minute)
	s.get(t, "/api/charges").want(t, 200, "")
	if n := apart.Stat().AcquireCount(); n == 0 {
		t.Error("a list used no connection that is apart")
	}
	before := apart.Stat().AcquireCount()
	s.post(t, s.body(s.Token(good))).want(t, 201, "")
	if n := apart.Stat().AcquireCount(); n != before {
		t.Errorf("a charge used %d connections that are apart", n-before)
	}
}
