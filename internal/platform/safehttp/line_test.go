package safehttp_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/platform/safehttp"
	"svcpay/internal/testing/nametest"
)

// host is one that counts its connections.
type host struct {
	url  string
	conn atomic.Int64
	*httptest.Server
}

func counting(t *testing.T, h http.HandlerFunc) *host {
	t.Helper()
	out := &host{Server: httptest.NewUnstartedServer(h)}
	out.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			out.conn.Add(1)
		}
	}
	out.Start()
	t.Cleanup(out.Close)
	_, port, _ := net.SplitHostPort(out.Listener.Addr().String())
	out.url = "http://shop.localhost:" + port
	return out
}

// post sends a text by a client or a line.
func post(t *testing.T, by interface {
	Do(*http.Request) (safehttp.Answer, error)
}, url, text string) (safehttp.Answer, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return by.Do(r)
}

func TestALineKeepsItsConnectionForItselfAlone(t *testing.T) {
	t.Parallel()
	at := counting(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "thanks") })
	c := safehttp.New(safehttp.Policy{Local: true})
	line, other := c.Line(), c.Line()
	expect := func(what string, by interface {
		Do(*http.Request) (safehttp.Answer, error)
	}, exchanges int, connections int64,
	) {
		t.Helper()
		before := at.conn.Load()
		for range exchanges {
			if a, err := post(t, by, at.url, "hello"); err != nil || string(a.Body) != "thanks" {
				t.Errorf("%s: %+v, %v", what, a, err)
			}
		}
		if n := at.conn.Load() - before; n != connections {
			t.Errorf("%s: %d connections for %d exchanges, want %d", what, n, exchanges, connections)
		}
	}
	expect("a line", line, 10, 1)
	expect("another", other, 10, 1)
	expect("no line", c, 3, 3)
	expect("the first again", line, 3, 0)
	line.Close()
	expect("the first after its end", line, 3, 1)
	expect("the other", other, 3, 0)
	c.Keep(safehttp.MostKept)
	expect("beside too many", line, 4, 3) // the first is over the connection that there was
	c.Keep(-safehttp.MostKept)
	expect("beside few", line, 3, 1)
	line.Close()
	other.Close()
	for end := time.Now().Add(5 * time.Second); c.Kept() != 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d connections are counted when none is open", c.Kept())
		}
	}
}

// A connection that is in use when its line is closed, or when it has grown old, is used no more afterwards.
func TestALinesConnectionsEndWithItAfterTheirExchanges(t *testing.T) {
	t.Parallel()
	began, go_ := make(chan struct{}), make(chan struct{})
	at := counting(t, func(http.ResponseWriter, *http.Request) { began <- struct{}{}; <-go_ })
	line := safehttp.New(safehttp.Policy{Local: true}).Line()
	var run sync.WaitGroup
	run.Go(func() {
		if _, err := post(t, line, at.url, "first"); err != nil {
			t.Error(err)
		}
	})
	<-began
	line.Close()
	close(go_)
	run.Wait()
	run.Go(func() { <-began })
	if _, err := post(t, line, at.url, "second"); err != nil || at.conn.Load() != 2 {
		t.Errorf("%d connections, %v", at.conn.Load(), err)
	}
	run.Wait()
	line.Close()
}

// Each address is judged when it is dialed: a connection that is kept leads where it was allowed to, and a new
// one nowhere else.
func TestALineReachesNothingThatIsNotAllowed(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	at := counting(t, func(http.ResponseWriter, *http.Request) { calls.Add(1) })
	var now atomic.Pointer[netip.Addr]
	lead := func(ip string) { to := netip.MustParseAddr(ip); now.Store(&to) }
	line := safehttp.New(safehttp.Policy{
		Local: true, Resolver: nametest.Changing(t, func() netip.Addr { return *now.Load() })}).Line()
	defer line.Close()
	url := strings.Replace(at.url, "shop.localhost", "give.example.org", 1)
	lead("127.0.0.1")
	for range 2 {
		if _, err := post(t, line, url, "x"); err != nil {
			t.Fatal(err)
		}
	}
	lead("10.0.0.1")
	if _, err := post(t, line, url, "x"); err != nil || at.conn.Load() != 1 || calls.Load() != 3 {
		t.Errorf("over the connection that was judged: %v, %d calls over %d", err, calls.Load(), at.conn.Load())
	}
	at.CloseClientConnections()
	for _, inside := range []string{"10.0.0.1", "169.254.169.254", "fd00::1", "64:ff9b::a00:1"} {
		lead(inside)
		line.Close()
		if _, err := post(t, line, url, "x"); safehttp.ReasonOf(err) != safehttp.HostNotFound {
			t.Errorf("%s: %v", inside, err)
		}
	}
	for refused, want := range map[string]safehttp.Reason{"ftp://give.example.org/": safehttp.SchemeNotAllowed,
		"http://10.0.0.1/": safehttp.HostNotAllowed} {
		if _, err := post(t, line, refused, "x"); safehttp.ReasonOf(err) != want {
			t.Errorf("%s: %v", refused, err)
		}
	}
	if calls.Load() != 3 {
		t.Errorf("%d calls", calls.Load())
	}
}

// ending answers the first request of each connection, and ends the connection at the second as it is told. It
// says what came.
func ending(t *testing.T, end func(net.Conn, *bufio.Reader, chan<- string)) (url string, came chan string) {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	came = make(chan string, 20)
	var run sync.WaitGroup
	serve := func(conn net.Conn) {
		defer conn.Close()
		in := bufio.NewReader(conn)
		if !read(in, came) {
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		end(conn, in, came)
	}
	run.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			run.Go(func() { serve(conn) })
		}
	})
	t.Cleanup(func() { _ = l.Close(); run.Wait() })
	return "http://" + l.Addr().String(), came
}

func read(in *bufio.Reader, came chan<- string) bool {
	r, err := http.ReadRequest(in)
	if err != nil {
		return false
	}
	body, err := io.ReadAll(r.Body)
	came <- string(body)
	return err == nil
}

// What a server does to a connection that is kept: an exchange fails only if its answer began, or if it fails on a
// new connection too.
func TestALineSendsAgainWhatAKeptConnectionLost(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		end  func(conn net.Conn, in *bufio.Reader, came chan<- string)
		came []string
		ok   bool
	}{
		"ends when it is idle":        {func(net.Conn, *bufio.Reader, chan<- string) {}, []string{"first", "second"}, true},
		"ends before it answers":      {func(_ net.Conn, in *bufio.Reader, came chan<- string) { read(in, came) }, []string{"first", "second", "second"}, true},
		"ends while it is written to": {func(_ net.Conn, in *bufio.Reader, _ chan<- string) { _, _ = in.ReadByte() }, []string{"first", "second"}, true},
		"ends while it answers": {func(conn net.Conn, in *bufio.Reader, came chan<- string) {
			read(in, came)
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-")
		}, []string{"first", "second"}, false},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			url, came := ending(t, c.end)
			line := safehttp.New(safehttp.Policy{Local: true}).Line()
			defer line.Close()
			if _, err := post(t, line, url, "first"); err != nil {
				t.Fatal(err)
			}
			if what == "ends when it is idle" {
				time.Sleep(20 * time.Millisecond)
			}
			if _, err := post(t, line, url, "second"); (err == nil) != c.ok || err != nil &&
				safehttp.ReasonOf(err) != safehttp.Unreachable {
				t.Errorf("%v", err)
			}
			var all []string
			for len(came) > 0 {
				all = append(all, <-came)
			}
			if strings.Join(all, " ") != strings.Join(c.came, " ") {
				t.Errorf("%q came, want %q", all, c.came)
			}
		})
	}
}

// A connection that is new has no excuse.
func TestALineSendsOnceWhatANewConnectionLost(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	at := counting(t, func(http.ResponseWriter, *http.Request) { calls.Add(1); panic(http.ErrAbortHandler) })
	line := safehttp.New(safehttp.Policy{Local: true}).Line()
	defer line.Close()
	if _, err := post(t, line, at.url, "x"); safehttp.ReasonOf(err) != safehttp.Unreachable || calls.Load() != 1 {
		t.Errorf("%d calls, %v", calls.Load(), err)
	}
}

func TestALineFollowsNoRedirectAndHasBounds(t *testing.T) {
	t.Parallel()
	at := counting(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/elsewhere":
			http.Redirect(w, r, "/", http.StatusTemporaryRedirect)
		case "/never": // once the request is read its end is seen
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		default:
			_, _ = w.Write(make([]byte, 1<<20))
		}
	})
	line := safehttp.New(safehttp.Policy{Local: true, Timeout: 100 * time.Millisecond}).Line()
	defer line.Close()
	if a, err := post(t, line, at.url+"/elsewhere", "x"); err != nil || a.Status != http.StatusTemporaryRedirect {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := post(t, line, at.url+"/never", "x"); safehttp.ReasonOf(err) != safehttp.TimedOut {
		t.Errorf("%v", err)
	}
	if a, err := post(t, line, at.url, "x"); err != nil || len(a.Body) != safehttp.MaxBody || !a.Cut {
		t.Errorf("%d bytes, %v", len(a.Body), err)
	}
}
