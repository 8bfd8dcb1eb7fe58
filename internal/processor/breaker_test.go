package processor_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"svcpay/internal/processor"
	"svcpay/internal/processor/memory"
)

// moody is an adapter whose look-ups return a chosen error.
type moody struct {
	processor.Processor
	err error
}

func (m *moody) Lookup(context.Context, processor.Account, string) (processor.Answer, error) {
	return processor.Answer{}, m.err
}

// watched is a registry with a moody adapter, and the machine's time.
type watched struct {
	*processor.Registry
	adapter *moody
	now     time.Time
}

func watch() *watched {
	w := &watched{adapter: &moody{Processor: memory.New("moody", 0)}, now: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)}
	w.Registry = processor.NewRegistry(w.adapter, w.adapter, memory.New("other", 0))
	w.Watch(func() time.Time { return w.now })
	return w
}

// calls makes calls that end so.
func (w *watched) calls(n int, err error) {
	for range n {
		w.adapter.err = err
		_, _ = w.Lookup(context.Background(), processor.Account{Adapter: "moody"}, "r")
	}
}

var errRefused = fmt.Errorf("dial: %w", processor.ErrUnreachable)

func TestFiveCallsInARowWithoutAConnectionMeanDown(t *testing.T) {
	t.Parallel()
	w, lost := watch(), errors.New("timed out after it was sent")
	for what, end := range map[string]error{"an answer": nil, "not found": processor.ErrNotFound,
		"a time-out after it was sent": lost} {
		w.calls(4, errRefused)
		w.calls(1, end)
		if w.calls(4, errRefused); w.Down("moody") || w.Holds("moody") {
			t.Errorf("down although %s came in between", what)
		}
		w.calls(1, nil)
	}
	w.calls(9, fmt.Errorf("%w: %w", processor.ErrUnreachable, context.Canceled))
	if w.calls(4, errRefused); w.Down("moody") {
		t.Error("down after four calls and some that we gave up")
	}
	if w.calls(1, errRefused); !w.Down("moody") || !w.Holds("moody") {
		t.Error("not down after five calls")
	}
	if w.Down("other") || w.Holds("other") || w.Down("none") || w.Holds("none") {
		t.Error("another adapter is down, too")
	}
	if r := processor.Only(memory.New("moody", 0)); r.Down("moody") || r.Holds("moody") {
		t.Error("down although no one watches")
	}
}

func TestAnAdapterThatIsDownGetsOnePaymentAfterEachPause(t *testing.T) {
	t.Parallel()
	w := watch()
	w.calls(5, errRefused)
	for range 3 {
		if w.now = w.now.Add(14 * time.Second); !w.Holds("moody") {
			t.Error("a payment is let through before the pause is over")
		}
		if w.now = w.now.Add(time.Second); w.Holds("moody") {
			t.Error("no payment is let through after the pause")
		}
		if !w.Holds("moody") || !w.Down("moody") {
			t.Error("two payments are let through after a pause")
		}
		w.calls(1, errRefused)
		w.calls(1, errors.New("timed out after it was sent"))
	}
	for what, end := range map[string]error{"an answer": nil, "not found": processor.ErrNotFound} {
		if w.calls(1, end); w.Down("moody") || w.Holds("moody") {
			t.Errorf("still down after %s", what)
		}
		w.calls(5, errRefused)
	}
}

// A process that makes no calls any more does not report for ever what it found out once.
func TestAnAdapterIsReportedDownWhileCallsFail(t *testing.T) {
	t.Parallel()
	w := watch()
	w.calls(5, errRefused)
	if w.now = w.now.Add(5*time.Minute - time.Second); !w.Down("moody") {
		t.Error("not down although the last call failed minutes ago")
	}
	if w.now = w.now.Add(time.Second); w.Down("moody") {
		t.Error("down although nothing was tried for five minutes")
	}
	if w.calls(1, errRefused); !w.Down("moody") {
		t.Error("not down although a call failed again")
	}
}

// TestOnlyCallsWithoutAConnectionAreUnreachable sends requests over networks that fail at different points.
func TestOnlyCallsWithoutAConnectionAreUnreachable(t *testing.T) {
	t.Parallel()
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch _, _ = io.Copy(io.Discard, r.Body); r.URL.Path {
		case "/slow":
			<-r.Context().Done()
		case "/drop":
			panic(http.ErrAbortHandler)
		case "/broken":
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	plain, encrypted := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	encrypted.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	closed, silent := listen(t), listen(t) // silent accepts connections, and never shakes hands
	_ = closed.Close()
	t.Cleanup(func() { plain.Close(); encrypted.Close() })
	for what, c := range map[string]struct {
		url         string
		unreachable bool
	}{
		"answered":                 {plain.URL, false},
		"a 500":                    {plain.URL + "/broken", false},
		"no answer in time":        {plain.URL + "/slow", false},
		"dropped after it arrived": {plain.URL + "/drop", false},
		"connection refused":       {"http://" + closed.Addr().String(), true},
		"no such host":             {"http://nothing.invalid", true},
		"unknown certificate":      {encrypted.URL, true},
		"no TLS handshake":         {"https://" + silent.Addr().String(), true},
	} {
		client := &http.Client{Timeout: 500 * time.Millisecond, Transport: &http.Transport{}}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.url, strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := processor.Send(client, r)
		if err == nil {
			_ = resp.Body.Close()
		}
		if got := errors.Is(err, processor.ErrUnreachable); got != c.unreachable {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func listen(t *testing.T) net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}
