package safehttp_test

import (
	"bufio"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"svcpay/internal/platform/safehttp"
	"svcpay/internal/testing/nametest"
)

// saying answers requests once they were read, and counts the connections over which they come.
func saying(t *testing.T, answer func(conn net.Conn, turn int)) (url string, connections func() int) {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var run sync.WaitGroup
	var mu sync.Mutex
	open, turns, all := map[net.Conn]bool{}, 0, 0
	serve := func(conn net.Conn) {
		defer conn.Close()
		for in := bufio.NewReader(conn); read(in, make(chan string, 1)); {
			mu.Lock()
			turns++
			turn := turns
			mu.Unlock()
			answer(conn, turn)
		}
	}
	run.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			all++
			open[conn] = true
			mu.Unlock()
			run.Go(func() { serve(conn) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		mu.Lock()
		for conn := range open {
			_ = conn.Close()
		}
		mu.Unlock()
		run.Wait()
	})
	return "http://" + l.Addr().String(), func() int { mu.Lock(); defer mu.Unlock(); return all }
}

// Whatever a host answers, a line reports it what a client tells, and keeps the connection only if the answer is over.
func TestALineReadsAnswersAsAClientDoes(t *testing.T) {
	t.Parallel()
	const long = "\r\nContent-Length: 60000\r\n\r\n"
	for said, connections := range map[string]int{ // of two exchanges
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi":                                                      1,
		"HTTP/1.1 204 No Content\r\nX-A: b\r\nX-A: c\r\n\r\n":                                                 1,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n":                           1,
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\n\r\nHTTP/1.1 202 OK\r\nContent-Length: 0\r\n\r\n": 1,
		"HTTP/1.1 307 Temporary\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n":                         1,
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi":                                 2,
		"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi":                                                      2,
		"HTTP/1.1 200 OK" + long + strings.Repeat("x", 60000):                                                 2,
		"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 500 Nobody asked\r\n\r\n":                       2,
		"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n":                                                        2,
		"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 20<<10) + "\r\n\r\n":                                   2,
		"SSH-2.0-OpenSSH_9.9\r\n": 2,
		"\r\n":                    2,
	} {
		t.Run(fmt.Sprintf("%.60q", said), func(t *testing.T) {
			t.Parallel()
			url, seen := saying(t, func(conn net.Conn, _ int) { _, _ = io.WriteString(conn, said) })
			c := safehttp.New(safehttp.Policy{Local: true, Timeout: 2 * time.Second})
			want, failed := post(t, c, url, "x")
			line, before := c.Line(), seen()
			defer line.Close()
			for range 2 {
				got, err := post(t, line, url, "x")
				if safehttp.ReasonOf(err) != safehttp.ReasonOf(failed) || fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%.100v, %v, want %.100v, %v", got, err, want, failed)
				}
				time.Sleep(5 * time.Millisecond) // what comes unasked comes
			}
			if n := seen() - before; n != connections {
				t.Errorf("over %d connections, want %d", n, connections)
			}
		})
	}
}

// A host that changes to another protocol is answered as one that does not take the request, and spoken to no more.
func TestALineSwitchesToNoProtocol(t *testing.T) {
	t.Parallel()
	url, seen := saying(t, func(conn net.Conn, _ int) {
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nx")
	})
	line := safehttp.New(safehttp.Policy{Local: true, Timeout: 2 * time.Second}).Line()
	defer line.Close()
	for n := range 2 {
		if a, err := post(t, line, url, "x"); err != nil || a.Status != http.StatusSwitchingProtocols ||
			len(a.Body) > 0 || seen() != n+1 {
			t.Errorf("%+v, %v over %d connections", a, err, seen())
		}
	}
}

// A long request is written while its answer is waited for: a host may refuse it without having read it.
func TestALineHearsWhoDoesNotListen(t *testing.T) {
	t.Parallel()
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength > 1<<20 {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(conn, "HTTP/1.1 413 Too long\r\nContent-Length: 0\r\n\r\n")
			<-t.Context().Done()
			_ = conn.Close()
			return
		}
		n, _ := io.Copy(io.Discard, r.Body)
		_, _ = fmt.Fprint(w, n)
	}))
	t.Cleanup(at.Close)
	line := safehttp.New(safehttp.Policy{Local: true, Timeout: 5 * time.Second}).Line()
	defer line.Close()
	for _, size := range []int{1, 32 << 10, 1 << 19} {
		if a, err := post(t, line, at.URL, strings.Repeat("x", size)); err != nil ||
			string(a.Body) != fmt.Sprint(size) {
			t.Errorf("of %d bytes came %q, %v", size, a.Body, err)
		}
	}
	if a, err := post(t, line, at.URL, strings.Repeat("x", 64<<20)); err != nil ||
		a.Status != http.StatusRequestEntityTooLarge {
		t.Errorf("%+v, %v", a.Status, err)
	}
}

func TestALineEndsWithWhoeverWantsItsAnswer(t *testing.T) {
	t.Parallel()
	began := make(chan struct{})
	url, _ := saying(t, func(net.Conn, int) { began <- struct{}{} })
	line := safehttp.New(safehttp.Policy{Local: true}).Line()
	defer line.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-began; cancel() }()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := line.Do(r); !errors.Is(err, context.Canceled) || safehttp.ReasonOf(err) != "" {
		t.Errorf("a caller who gave up: %v", err)
	}
}

func TestALineKeepsItsConnectionsUnderTLS(t *testing.T) {
	t.Parallel()
	at := &host{
		Server: httptest.NewUnstartedServer(
			http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "thanks") }))}
	at.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			at.conn.Add(1)
		}
	}
	at.StartTLS()
	t.Cleanup(at.Close)
	roots := x509.NewCertPool()
	roots.AddCert(at.Certificate())
	_, port, _ := net.SplitHostPort(at.Listener.Addr().String())
	p := safehttp.Policy{Local: true, Roots: roots, Resolver: nametest.Resolver(t, netip.MustParseAddr("127.0.0.1"))}
	line := safehttp.New(p).Line()
	for range 5 {
		if a, err := post(t, line, "https://example.com:"+port+"/", "x"); err != nil || string(a.Body) != "thanks" {
			t.Fatalf("%+v, %v", a, err)
		}
	}
	if n := at.conn.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
	line.Close()
	p.Roots = x509.NewCertPool()
	other := safehttp.New(p).Line()
	defer other.Close()
	if _, err := post(t, other, "https://example.com:"+port+"/",
		"x"); safehttp.ReasonOf(err) != safehttp.CertificateInvalid {
		t.Errorf("a certificate of nobody: %v", err)
	}
}
