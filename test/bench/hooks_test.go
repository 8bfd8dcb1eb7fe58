package main

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// sendTo posts a message on a connection, signed, and tells the status of the answer; 0 for none.
func sendTo(t *testing.T, w *wire, id, signedBody, body string) int {
	t.Helper()
	hook, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now()
	signature, err := hook.Sign(id, at, []byte(signedBody))
	if err != nil {
		t.Fatal(err)
	}
	status, _, err := w.do(request("POST", "/", "x", "webhook-id: "+id+"\r\nwebhook-timestamp: "+unix(at)+
		"\r\nwebhook-signature: "+signature+"\r\n", body))
	if err != nil {
		return 0
	}
	return status
}

func TestReceiverCountsWhatCame(t *testing.T) {
	t.Parallel()
	r, err := newReceiver(0, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	r.secret = secret
	w, err := dial(r.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"evt_1", "evt_2", "evt_1"} { // one comes twice
		if status := sendTo(t, w, id, "hello", "hello"); status != http.StatusOK {
			t.Fatalf("%s: %d", id, status)
		}
	}
	if err := r.took(2); err != nil || r.body() != "hello" {
		t.Errorf("%v, %q", err, r.body())
	}
	if err := r.took(3); err == nil || !strings.Contains(err.Error(), "2 messages came of 3") {
		t.Errorf("one is missing: %v", err)
	}
	if sendTo(t, w, "evt_3", "hello", "hullo"); r.took(3) == nil {
		t.Error("a signature of something else is good")
	}
	if r.forget(); r.took(0) != nil || r.took(1) == nil {
		t.Error("what came is not forgotten")
	}
}

// A message is kept as it came, however it came, and the next begins where it ends.
func TestReceiverReadsAMessage(t *testing.T) {
	t.Parallel()
	const one, two = "POST / HTTP/1.1\r\nwebhook-ID: evt_1\r\nContent-Length: 5\r\n\r\nhello",
		"POST / HTTP/1.1\r\nWebhook-Id:evt_2\r\n\r\n"
	in := bufio.NewReader(iotest.OneByteReader(strings.NewReader(one + two)))
	for _, want := range []string{one, two} {
		message, id, err := receive(in, []byte("before"))
		if err != nil || string(message) != "before"+want || !strings.Contains(want, id) || id == "" {
			t.Errorf("%q of %q, %v", message, id, err)
		}
	}
	for _, wrong := range []string{one[:len(one)-1], "POST / HTTP/1.1\r\n",
		"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"} {
		if message, _, err := receive(bufio.NewReader(strings.NewReader(wrong)), nil); err == nil {
			t.Errorf("%q is read of %q", message, wrong)
		}
	}
}

func TestAllMessagesAreWaitedFor(t *testing.T) {
	t.Parallel()
	first, second := &receiver{seen: map[string]int{}}, &receiver{seen: map[string]int{}}
	all := make(chan error, 1)
	go func() { all <- arrived(t.Context(), 2, []*receiver{first, second}) }()
	for _, id := range []string{"evt_1", "evt_1", "evt_2"} { // one comes twice
		first.note(id, nil)
	}
	second.note("evt_1", nil)
	select {
	case err := <-all:
		t.Fatalf("one is missing: %v", err)
	case <-time.After(3 * looking):
	}
	if second.note("evt_2", nil); <-all != nil {
		t.Error("all have come")
	}
	ctx, cancel := context.WithCancel(t.Context())
	if cancel(); arrived(ctx, 3, []*receiver{first}) == nil {
		t.Error("nobody waits any more")
	}
}

func TestDeadReceiverHoldsUntilItIsForgotten(t *testing.T) {
	t.Parallel()
	r, err := newReceiver(0, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	w, err := dial(r.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	answered := make(chan int)
	go func() { answered <- sendTo(t, w, "evt_1", "hello", "hello") }()
	for r.body() == "" {
		time.Sleep(time.Millisecond)
	}
	select {
	case status := <-answered:
		t.Fatalf("it answers %d", status)
	case <-time.After(20 * time.Millisecond):
	}
	if r.forget(); <-answered != 0 {
		t.Error("it answered")
	}
	if r.close(); sendsTo(r.listener.Addr().String()) {
		t.Error("it listens when it is closed")
	}
}

func sendsTo(addr string) bool {
	conn, err := net.Dial("tcp", addr)
	if err == nil {
		_ = conn.Close()
	}
	return err == nil
}

func TestGoalsOfWebhooks(t *testing.T) {
	t.Parallel()
	r := round{hooksRiver: {Rate: 1000}, hooksInstant: {Rate: 3000}, hooksQuick: {Rate: 4000}, hooksSlow: {Rate: 3000},
		hooksLive: {Rate: 2000}, hooksDead: {Rate: 1000}}
	for i, want := range []float64{3, 0.75, 0.5} {
		if got := hookGoals()[i].ratio(r); got != want {
			t.Errorf("%s: %v, want %v", hookGoals()[i].what, got, want)
		}
	}
	r[hooksQuick] = figure{Rate: 40_000} // of 256 that are in progress, each takes 20 ms
	if got := hookGoals()[1].ratio(r); got != 3000.0/12_800 {
		t.Errorf("by the limits: %v", got)
	}
	if n := enough(outcome{took: 500 * time.Millisecond, latencies: make([]time.Duration, 1000)}, 4*time.Second,
		20); n != 400 {
		t.Errorf("%d messages each, want 400", n)
	}
	if n := enough(outcome{took: time.Hour, latencies: make([]time.Duration, 1)}, time.Second, 20); n != 1 {
		t.Errorf("%d messages each of a slow service", n)
	}
	for only, want := range map[string]bool{"": true, "^charges": false, "River": true, "dead": true} {
		if o := (options{only: regexp.MustCompile(only)}); hooked(o) != want {
			t.Errorf("%q: %v", only, !want)
		}
	}
	if hooked(options{only: regexp.MustCompile(""), wide: true}) {
		t.Error("a short run has them")
	}
	if got := urls(nil); got != "" {
		t.Errorf("no addresses are %q", got)
	}
}
