package abuse

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/test/rig"
)

// raw sends the head of a request of the flooder, and some of its body.
func (p *place) raw(t *testing.T, head, body string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", p.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: %s\r\nX-API-Key: %s\r\nX-App-ID: %d\r\n%s", head, rig.APIHost,
		p.flooder.Secret, p.flooder.Application, body); err != nil {
		t.Fatal(err)
	}
	return conn
}

// statusOf reads the status line alone.
func statusOf(conn net.Conn) (status int) {
	line := make([]byte, len("HTTP/1.1 200"))
	if _, err := io.ReadFull(conn, line); err == nil {
		_, _ = fmt.Sscanf(string(line), "HTTP/1.1 %d", &status) // 0 where it is none
	}
	return status
}

// P23: bodies that never arrive.
func TestHalfSentBodies(t *testing.T) {
	p := newPlace(t)
	var got tally
	for range 130 { // twice as many as the server works on
		conn := p.raw(t, "POST /api/charges", "Content-Type: application/json\r\nContent-Length: 200000\r\n\r\n{")
		go func() { got.add(statusOf(conn)) }()
	}
	p.refused(t, &got)
	others := p.charges(t, 50)
	report(t, "130 bodies of one key that never arrive", &got, others)
}

// P24: files that are downloaded and never read.
func TestSlowReaders(t *testing.T) {
	p := newPlace(t)
	file := "%PDF-1.7" + strings.Repeat("x", 4<<20) + "%%EOF"
	header := p.flooder.Credentials()
	header["Content-Type"] = "application/pdf"
	a, err := rig.Send(p.flooder.Client, p.addr, rig.APIHost, "POST", "/api/files?name=a.pdf", file, header)
	if err != nil || a.Status != http.StatusCreated {
		t.Fatal(err, a)
	}
	var got tally
	for range 130 {
		conn := p.raw(t, "GET /api/files/"+a.Text("id")+"/content", "\r\n")
		go func() { got.add(statusOf(conn)) }() // and nothing more
	}
	p.refused(t, &got)
	others := p.charges(t, 50)
	if got.get(http.StatusOK) == 0 {
		t.Errorf("the flooder has no share: %s", &got)
	}
	report(t, "130 downloads of one key that are never read", &got, others)
}

// refused waits until something was refused.
func (p *place) refused(t *testing.T, got *tally) {
	t.Helper()
	for begun := time.Now(); got.get(http.StatusTooManyRequests) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > patience {
			t.Fatalf("nothing was refused: %s", got)
		}
	}
}

// P25: wrong passwords from many addresses. People sign in all the same, in browsers that are known and in others.
func TestFloodOfWrongPasswords(t *testing.T) {
	p := newPlace(t)
	p.person(t, "sam@example.org")
	p.person(t, "kim@example.org")
	known, status := p.signIn("sam@example.org", password, "192.0.2.7", "")
	if known == "" {
		t.Fatalf("no sign-in: %d", status)
	}
	var n atomic.Int64
	var others string
	var got tally
	stop := make(chan struct{})
	done := make(chan struct{})
	for range 40 {
		go func() {
			defer func() { done <- struct{}{} }()
			for {
				select {
				case <-stop:
					return
				default:
				}
				i := n.Add(1)
				_, status := p.signIn(fmt.Sprintf("someone%d@example.org", i), "not the password of anyone",
					fmt.Sprintf("10.%d.%d.%d", i>>16&255, i>>8&255, i&255), "")
				got.add(status)
			}
		}()
	}
	for begun := time.Now(); got.get(http.StatusUnauthorized) == 0 && time.Since(begun) < patience; {
		time.Sleep(10 * time.Millisecond)
	}
	others = p.charges(t, 50)
	signs := func(what, email, address, browser string) string {
		begun := time.Now()
		for {
			cookies, status := p.signIn(email, password, address, browser)
			if cookies != "" {
				break
			}
			if status != http.StatusServiceUnavailable || time.Since(begun) > patience { // a busy machine hashes slowly
				t.Errorf("%s: %d", what, status)
				break
			}
		}
		return what + " " + time.Since(begun).Round(time.Millisecond).String()
	}
	others += "; " + signs("known browser signed in after", "sam@example.org", "192.0.2.7", known)
	others += "; " + signs("new browser after", "kim@example.org", "192.0.2.8", "")
	close(stop)
	for range 40 {
		<-done
	}
	report(t, "wrong passwords from 40 addresses at once", &got, others)
}
