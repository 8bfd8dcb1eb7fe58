package listen_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"pgregory.net/rapid"

	"svcpay/internal/devtools/listen"
)

var errLine = errors.New("connection refused")

// receiver is the program that events are brought to.
type receiver struct {
	t      *testing.T
	secret string
	// says says what happens to the nth post: a status, or 0 for no answer.
	says func(n int, id string) int
	slow time.Duration

	mu    sync.Mutex
	posts int
	came  []string // what it took, once for each time
	at    []time.Time
}

// RoundTrip implements http.RoundTripper.
func (r *receiver) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	if r.slow > 0 {
		select {
		case <-time.After(r.slow):
		case <-req.Context().Done():
			return nil, req.Context().Err()
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	hook, err := standardwebhooks.NewWebhook(r.secret)
	if err == nil {
		err = hook.VerifyIgnoringTimestamp(body, req.Header)
	}
	if err != nil || req.Method != http.MethodPost || req.Header.Get("Content-Type") != "application/json" {
		r.t.Errorf("%s %v with %v: %v", req.Method, req.URL, req.Header, err)
	}
	seconds, err := strconv.ParseInt(req.Header.Get("webhook-timestamp"), 10, 64)
	if err != nil || seconds != time.Now().Add(-r.slow).Unix() {
		r.t.Errorf("signed at %d, it is %d: %v", seconds, time.Now().Unix(), err)
	}
	r.posts++
	r.at = append(r.at, time.Now())
	status := 204
	if r.says != nil {
		status = r.says(r.posts, req.Header.Get("webhook-id"))
	}
	if status == 0 {
		return nil, errLine
	}
	if status < 300 {
		r.came = append(r.came, req.Header.Get("webhook-id"))
	}
	return &http.Response{StatusCode: status, Status: fmt.Sprintf("%d %s", status, http.StatusText(status)),
		Body: io.NopCloser(strings.NewReader("ok")), Request: req}, nil
}

func (r *receiver) took() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.came)
}

// book is an application's log.
type book struct {
	mu     sync.Mutex
	events []listen.Event
	more   chan struct{}
	fails  func() error
	page   int
}

func newBook() *book { return &book{more: make(chan struct{}, 1), page: 3} }

// happens adds events of types.
func (b *book) happens(types ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, name := range types {
		n := int64(len(b.events) + 1)
		b.events = append(b.events, listen.Event{Sequence: n, ID: fmt.Sprint("evt_", n), Type: name, Object: "ch_1",
			Body: fmt.Appendf(nil, `{"sequence":%d}`, n)})
	}
	select {
	case b.more <- struct{}{}:
	default:
	}
}

func (b *book) read(ctx context.Context, after int64) ([]listen.Event, error) {
	for {
		b.mu.Lock()
		if b.fails != nil {
			if err := b.fails(); err != nil {
				b.mu.Unlock()
				return nil, err
			}
		}
		out := slices.Clone(b.events[after:min(len(b.events), int(after)+b.page)])
		b.mu.Unlock()
		if len(out) > 0 {
			return out, nil
		}
		select {
		case <-b.more:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(20 * time.Second):
			return nil, nil
		}
	}
}

var target = listen.Target{BaseURL: "http://localhost:8080", ApplicationID: 1,
	ForwardTo: "http://localhost:3000/webhooks"}

// run forwards for a while, from wherever the place in dir is.
type run struct {
	dir      string
	book     *book
	receiver *receiver
	wanted   []string
	refusals int
	from     *int64
	out, err bytes.Buffer
}

func (r *run) start(t *testing.T) (stop func() error) {
	t.Helper()
	place, err := listen.Open(r.dir, target)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := listen.Secret(r.dir, target)
	if err != nil {
		t.Fatal(err)
	}
	r.receiver.t, r.receiver.secret = t, secret.Text()
	f := &listen.Relay{Place: place, Secret: secret, Sender: listen.NewSender(time.Now, r.receiver), Read: r.book.read,
		Wanted: r.wanted, Refusals: r.refusals,
		Final: func(err error) bool { return errors.Is(err, errFinal) }, Out: &r.out, Err: &r.err}
	if err := f.Begin(int64(len(r.book.events)), r.from); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	end := make(chan error, 1)
	go func() { end <- f.Follow(ctx) }()
	return func() error {
		cancel()
		err := <-end
		return errors.Join(err, place.Close())
	}
}

// forWhile forwards for a time.
func (r *run) forWhile(t *testing.T, d time.Duration) {
	t.Helper()
	stop := r.start(t)
	time.Sleep(d)
	if err := stop(); err != nil {
		t.Error(err)
	}
}

var errFinal = errors.New("the key is revoked")

func TestNothingIsMissedWhileItIsStopped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &run{dir: t.TempDir(), book: newBook(), receiver: &receiver{}}
		r.book.happens("charge.created", "charge.captured") // before anybody listened
		stop := r.start(t)
		r.book.happens("charge.created", "refund.created")
		synctest.Wait()
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		for range 5 {
			r.book.happens("charge.updated")
		}
		r.forWhile(t, time.Minute)
		r.forWhile(t, time.Minute)
		if got := r.receiver.took(); !slices.Equal(got,
			[]string{"evt_3", "evt_4", "evt_5", "evt_6", "evt_7", "evt_8", "evt_9"}) {
			t.Errorf("%v", got)
		}
		if !strings.HasPrefix(r.out.String(), "#3  charge.created  evt_3  ch_1  204 No Content  0 ms\n") ||
			strings.Count(r.out.String(), "\n") != 7 || r.err.Len() > 0 {
			t.Errorf("%s%s", &r.out, &r.err)
		}
	})
}

func TestAReceiverThatIsDownIsWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &run{dir: t.TempDir(), book: newBook(), receiver: &receiver{}}
		r.receiver.says = func(n int, _ string) int { return []int{0, 0, 503, 503, 503, 302, 204}[min(n, 7)-1] }
		stop := r.start(t)
		began := time.Now()
		r.book.happens("charge.created", "charge.captured")
		time.Sleep(5 * time.Minute)
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		if got := r.receiver.took(); !slices.Equal(got, []string{"evt_1", "evt_2"}) {
			t.Errorf("%v", got)
		}
		var rests []time.Duration
		for _, at := range r.receiver.at {
			rests = append(rests, at.Sub(began))
		}
		s := time.Second
		if want := []time.Duration{0, s, 3 * s, 7 * s, 15 * s, 25 * s, 35 * s, 35 * s}; !slices.Equal(rests, want) {
			t.Errorf("%v", rests)
		}
		want := "#1  charge.created  evt_1  ch_1  connection refused  0 ms, waits until it is taken\n" +
			"#1  charge.created  evt_1  ch_1  503 Service Unavailable  0 ms, waits until it is taken\n" +
			"#1  charge.created  evt_1  ch_1  302 Found  0 ms, waits until it is taken\n" +
			"#1  charge.created  evt_1  ch_1  204 No Content  0 ms\n#2  charge.captured  evt_2  ch_1  204 No Content  0 ms\n"
		if r.out.String() != want {
			t.Errorf("%s", &r.out)
		}
	})
}

func TestWhatIsRefusedOftenIsPassedOverIfThatIsAllowed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &run{dir: t.TempDir(), book: newBook(), receiver: &receiver{}, refusals: 2}
		r.receiver.says = func(n int, id string) int {
			switch {
			case n == 1:
				return 0 // nothing that was refused
			case id == "evt_1":
				return 500
			}
			return 200
		}
		stop := r.start(t)
		r.book.happens("charge.created", "charge.captured")
		time.Sleep(time.Minute)
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		if got := r.receiver.took(); !slices.Equal(got, []string{"evt_2"}) || r.receiver.posts != 4 ||
			!strings.Contains(r.out.String(), "500 Internal Server Error  0 ms, passed over\n") {
			t.Errorf("%v after %d posts\n%s", got, r.receiver.posts, &r.out)
		}
	})
}

func TestOnlyWhatIsWantedIsForwarded(t *testing.T) {
	t.Parallel()
	types := []string{"charge.created", "refund.created", "daf_donation_updated", "charge.captured", "payout.paid",
		"daf_donation.created", "refund.failed"}
	for filters, want := range map[string][]string{
		"":         {"evt_1", "evt_2", "evt_3", "evt_4", "evt_5", "evt_6", "evt_7"},
		"*":        {"evt_1", "evt_2", "evt_3", "evt_4", "evt_5", "evt_6", "evt_7"},
		"charge.*": {"evt_1", "evt_4"}, "charge.captured refund.*": {"evt_2", "evt_4", "evt_7"}, "daf_donation.*": {
			"evt_3", "evt_6"}, "dispute.*": nil,
	} {
		synctest.Test(t, func(t *testing.T) {
			r := &run{dir: t.TempDir(), book: newBook(), receiver: &receiver{}, wanted: strings.Fields(filters)}
			stop := r.start(t)
			r.book.happens(types...)
			time.Sleep(time.Minute)
			if err := stop(); err != nil {
				t.Fatal(err)
			}
			r.wanted = nil // what was passed over does not come now
			r.forWhile(t, time.Minute)
			if got := r.receiver.took(); !slices.Equal(got, want) {
				t.Errorf("%s: %v", filters, got)
			}
		})
	}
}

func TestTheLogIsAskedAgainUntilItAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &run{dir: t.TempDir(), book: newBook(), receiver: &receiver{}}
		r.book.happens("charge.created")
		n := 0
		r.book.fails = func() error {
			if n++; n < 4 {
				return errLine
			}
			return nil
		}
		zero := int64(0)
		r.from = &zero
		r.forWhile(t, time.Minute)
		if got := r.receiver.took(); !slices.Equal(got, []string{"evt_1"}) ||
			strings.Count(r.err.String(), "connection refused") != 1 {
			t.Errorf("%v\n%s", got, &r.err)
		}
		r.book.fails = func() error { return errFinal }
		stop := r.start(t)
		time.Sleep(time.Minute)
		if err := stop(); !errors.Is(err, errFinal) {
			t.Errorf("%v", err)
		}
	})
}

// TestWhatHasBegunMayEnd: an event in progress at the end is no longer sent after the next start if its receiver
// answers soon, and is sent again if not.
func TestWhatHasBegunMayEnd(t *testing.T) {
	t.Parallel()
	for slow, want := range map[time.Duration]int{2 * time.Second: 1, 10 * time.Second: 0} {
		synctest.Test(t, func(t *testing.T) {
			r := &run{dir: t.TempDir(), book: newBook(), receiver: &receiver{slow: slow}}
			stop := r.start(t)
			r.book.happens("charge.created")
			time.Sleep(time.Second)
			ended := time.Now()
			if err := stop(); err != nil || time.Since(ended) > 4*time.Second {
				t.Errorf("%v after %v", err, time.Since(ended))
			}
			first := len(r.receiver.took())
			r.forWhile(t, time.Minute)
			if got := r.receiver.took(); len(got) != 1 || first != want {
				t.Errorf("%v: %d were taken at the end, then %v", slow, first, got)
			}
		})
	}
}

// TestAnyRunsAddUpToTheLog: however receiver and log fail and whenever it is stopped, everything arrives in its order,
// and nothing twice: it is not killed.
func TestAnyRunsAddUpToTheLog(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(p *rapid.T) {
		statuses := rapid.SliceOfN(rapid.SampledFrom([]int{0, 200, 204, 302, 400, 410, 500, 503}), 1, 20).Draw(p,
			"statuses")
		types := rapid.SliceOfN(rapid.SampledFrom([]string{"charge.created", "refund.created"}), 0, 4)
		batches := rapid.SliceOfN(types, 1, 5).Draw(p, "batches")
		dir := t.TempDir()
		var whiles []time.Duration
		for range batches {
			whiles = append(whiles, time.Duration(rapid.IntRange(0, 30).Draw(p, "while"))*time.Second)
		}
		synctest.Test(t, func(t *testing.T) {
			r := &run{dir: dir, book: newBook(), receiver: &receiver{}, wanted: []string{"charge.*"}}
			r.receiver.says = func(n int, _ string) int {
				if n > len(statuses) {
					return 200
				}
				return statuses[n-1]
			}
			r.forWhile(t, 0)
			var want []string
			for i, batch := range batches {
				for _, name := range batch {
					if n := len(r.book.events) + 1; name == "charge.created" {
						want = append(want, fmt.Sprint("evt_", n))
					}
					r.book.happens(name)
				}
				r.forWhile(t, whiles[i])
			}
			r.forWhile(t, time.Hour)
			if got := r.receiver.took(); !slices.Equal(got, want) {
				t.Errorf("%v came, want %v", got, want)
			}
		})
	})
}
