package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"svcpay/internal/metrics"
	"svcpay/internal/testing/fixture"
)

// line is a connection to a server of the API whose figures are the real ones, or shorter.
type line struct {
	net.Conn
	w *fixture.World
	// head begins a request: its first line is still missing.
	head string
}

// connect serves a world's API on a socket and connects to it.
func connect(t *testing.T, change func(*http.Server)) line {
	t.Helper()
	w := fixture.New(t)
	a := &app{Services: w.Services, log: slog.New(slog.DiscardHandler), pool: w.Pool,
		meter:  metrics.New(w.Pool, machineTime),
		config: config{baseURL: "http://api.test", payURL: "http://pay.test"}}
	h, err := a.handler()
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(h)
	if change != nil {
		change(s)
	}
	go func() { _ = s.Serve(l) }() // ends with the test
	t.Cleanup(func() { _ = s.Close() })
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return line{
		conn, w, fmt.Sprintf("Host: api.test\r\nX-API-Key: %s\r\nX-App-ID: %d\r\n", w.App.SecretKey, w.App.AppID)}
}

// send writes a part of a request.
func (l line) send(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(l, text); err != nil && !errors.Is(err, net.ErrClosed) &&
		!strings.Contains(err.Error(), "reset") {
		t.Fatal(err)
	}
}

// answer reads an answer and the code of its error; a connection that is closed without one gives 0.
func (l line) answer(t *testing.T) (status int, code string) {
	t.Helper()
	if err := l.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(l), nil)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal("no answer came")
	}
	if err != nil {
		return 0, ""
	}
	defer response.Body.Close()
	var body struct{ Error struct{ Code string } }
	_ = json.NewDecoder(response.Body).Decode(&body) // what is no JSON has no code
	return response.StatusCode, body.Error.Code
}

func TestServerHasTheFiguresOfTheDesign(t *testing.T) {
	t.Parallel()
	s := newServer(nil)
	if s.ReadHeaderTimeout != 5*time.Second || s.ReadTimeout != 10*time.Second || s.WriteTimeout != 35*time.Second ||
		s.IdleTimeout != 75*time.Second ||
		s.MaxHeaderBytes != 16<<10 || handlerTimeout != 30*time.Second {
		t.Errorf("%+v", s)
	}
}

func TestRequestsOverASocket(t *testing.T) {
	t.Parallel()
	const post = "POST /api/charges HTTP/1.1\r\nContent-Type: application/json\r\n"
	for name, tt := range map[string]struct {
		first, rest string
		status      int
		code        string
	}{
		"as it should be":        {"GET /api/charges HTTP/1.1\r\n", "\r\n", 200, ""},
		"address of 4 KiB":       {"GET /api/charges?status=" + strings.Repeat("x", 4096-len("/api/charges?status=")) + " HTTP/1.1\r\n", "\r\n", 400, "parameter_invalid"},
		"address of 8 KiB":       {"GET /api/charges?" + strings.Repeat("x", 8192) + " HTTP/1.1\r\n", "\r\n", 400, "parameter_invalid"},
		"headers of 12 KiB":      {"GET /api/charges HTTP/1.1\r\n", "X-Long: " + strings.Repeat("x", 12<<10) + "\r\n\r\n", 200, ""},
		"headers of 24 KiB":      {"GET /api/charges HTTP/1.1\r\n", "X-Long: " + strings.Repeat("x", 24<<10) + "\r\n\r\n", 431, ""},
		"a thousand headers":     {"GET /api/charges HTTP/1.1\r\n", strings.Repeat("X-Many: xxxxxxxxxxxxxxxxxxxx\r\n", 1000) + "\r\n", 431, ""},
		"body of 256 KiB":        {post, fmt.Sprintf("Content-Length: %d\r\n\r\n{%s}", 256<<10, strings.Repeat(" ", 256<<10-2)), 400, "validation_failed"},
		"body of a byte more":    {post, fmt.Sprintf("Content-Length: %d\r\n\r\n{%s}", 256<<10+1, strings.Repeat(" ", 256<<10-1)), 413, "request_too_large"},
		"compressed":             {post, "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}", 415, "content_type_unsupported"},
		"two hosts":              {"GET /api/charges HTTP/1.1\r\nHost: evil.test\r\n", "\r\n", 400, ""},
		"address of a fragment":  {"GET /api/charges#x HTTP/1.1\r\n", "\r\n", 404, "route_missing"},
		"no such method":         {"BREW /api/charges HTTP/1.1\r\n", "\r\n", 405, "method_not_allowed"},
		"body of another length": {post, "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", 400, "validation_failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := connect(t, nil)
			l.send(t, tt.first+l.head+tt.rest)
			if status, code := l.answer(t); status != tt.status || code != tt.code {
				t.Errorf("answered %d %s, want %d %s", status, code, tt.status, tt.code)
			}
		})
	}
}

// Anyone who is slow is answered if there is someone to answer, and let go.
func TestSlowRequests(t *testing.T) {
	t.Parallel()
	const soon = 150 * time.Millisecond
	for name, tt := range map[string]struct {
		change func(*http.Server)
		part   func(line) string
		status int
		code   string
	}{
		"header": {
			func(s *http.Server) { s.ReadHeaderTimeout = soon },
			func(l line) string { return "GET /api/charges HTTP/1.1\r\nHost: api" }, 0, "",
		},
		"body": {
			func(s *http.Server) { s.ReadTimeout = soon },
			func(l line) string {
				return "POST /api/charges HTTP/1.1\r\n" + l.head +
					"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"amount\""
			}, 400, "json_invalid",
		},
		"file": {
			func(s *http.Server) { s.ReadTimeout = soon },
			func(l line) string {
				return "POST /api/files?name=a.png HTTP/1.1\r\n" + l.head +
					"Content-Type: image/png\r\nContent-Length: 100\r\n\r\nx"
			}, 400, "parameter_invalid",
		},
		"nothing": {func(s *http.Server) { s.IdleTimeout, s.ReadHeaderTimeout, s.ReadTimeout = soon, soon, soon },
			func(line) string { return "" }, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := connect(t, tt.change)
			l.send(t, tt.part(l))
			began := time.Now()
			status, code := l.answer(t)
			if took := time.Since(began); status != tt.status || code != tt.code || took > 20*time.Second {
				t.Errorf("answered %d %s after %s, want %d %s", status, code, took, tt.status, tt.code)
			}
			if n, err := l.Read(make([]byte, 1)); n > 0 || err == nil {
				t.Error("the connection was kept")
			}
		})
	}
}

// A body that is cut off is no request of anybody's.
func TestBodiesThatAreCutOff(t *testing.T) {
	t.Parallel()
	l := connect(t, nil)
	l.send(t, "POST /api/charges HTTP/1.1\r\n"+l.head+"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
	if err := l.Conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if status, code := l.answer(t); status != 400 || code != "json_invalid" {
		t.Errorf("answered %d %s", status, code)
	}
}
