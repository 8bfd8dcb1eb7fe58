package webhook_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/webhook"
)

// message is one request that a receiver got.
type message struct {
	ID, Type  string
	Sequence  int64
	Signature string
	Header    http.Header
	Body      []byte
	At        time.Time
}

// receiver is an application's own server.
type receiver struct {
	t   testing.TB
	url string
	mu  sync.Mutex
	got []message
}

// answer says a status and nothing more.
func answer(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
}

// hang says nothing until the caller gives up.
func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// receive runs a receiver that notes what it gets and answers as h does.
func receive(t testing.TB, h http.HandlerFunc) *receiver {
	t.Helper()
	r := &receiver{t: t}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			t.Error(err)
		}
		m := message{ID: q.Header.Get("webhook-id"), Signature: q.Header.Get("webhook-signature"), Header: q.Header,
			Body: body, At: time.Now()}
		var e struct {
			Type     string
			Sequence int64
		}
		if err := json.Unmarshal(body, &e); err != nil {
			t.Errorf("%s: %v", body, err)
		}
		m.Type, m.Sequence = e.Type, e.Sequence
		r.mu.Lock()
		r.got = append(r.got, m)
		r.mu.Unlock()
		h(w, q)
	}))
	t.Cleanup(s.Close)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	r.url = "http://hooks.localhost:" + port + "/take"
	return r
}

func (r *receiver) messages() []message {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

// await waits for a number of messages and gives all that came.
func (r *receiver) await(n int) []message {
	r.t.Helper()
	eventually(r.t, func() bool { return len(r.messages()) >= n }, "%d messages", n)
	return r.messages()
}

func eventually(t testing.TB, ok func() bool, format string, args ...any) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("in 20 seconds there were not "+format, args...)
		}
	}
}

// world is a fixture with webhooks.
type world struct {
	*fixture.World
	t *testing.T
}

// newWorld makes one whose past events have their numbers: wanted by no one, they are history.
func newWorld(t *testing.T) world {
	w := world{fixture.New(t), t}
	w.number()
	return w
}

// number gives every event its number.
func (w world) number() {
	w.t.Helper()
	for more := true; more; {
		n, err := w.Events.Number(w.t.Context())
		if err != nil {
			w.t.Fatal(err)
		}
		more = n > 0
	}
}

// work runs a worker until the test ends, or until stop is called.
func (w world) work() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var run sync.WaitGroup
	run.Go(func() { w.Webhooks.NewWorker().Run(ctx) })
	stop = sync.OnceFunc(func() { cancel(); run.Wait() })
	w.t.Cleanup(stop)
	return stop
}

// listen makes an endpoint of the first application.
func (w world) listen(r *receiver, events ...string) webhook.Endpoint {
	w.t.Helper()
	return w.create(webhook.CreateInput{URL: &r.url, Events: events})
}

func (w world) create(in webhook.CreateInput) webhook.Endpoint {
	w.t.Helper()
	out, err := w.Webhooks.Create(w.t.Context(), w.Actor(), in, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return out.Object
}

// emit writes events of one object of the first application, each in a transaction of its own.
func (w world) emit(n int, name string) []ids.Event {
	w.t.Helper()
	var out []ids.Event
	object := ids.NewCharge(w.Clock.Now())
	for i := range n {
		id := ids.NewEvent(w.Clock.Now())
		err := pg.InTx(w.t.Context(), w.Pool, func(tx *pg.Tx) error {
			return outbox.EmitTx(tx, instant.Both(w.Clock.Now()),
				outbox.Event{ID: id, ApplicationID: w.App.AppID, MerchantID: w.App.Merchants.US,
					Type: name, ObjectID: object.Bytes(), Position: int64(i + 1),
					Object: map[string]any{"id": object, "version": i + 1}, Source: outbox.API})
		})
		if err != nil {
			w.t.Fatal(err)
		}
		out = append(out, id)
	}
	return out
}

func (w world) endpoint(id ids.Endpoint) webhook.Endpoint {
	w.t.Helper()
	e, err := w.Webhooks.Get(w.t.Context(), w.Actor(), id.String())
	if err != nil {
		w.t.Fatal(err)
	}
	return e
}

// deliveries lists an endpoint's, oldest first.
func (w world) deliveries(e webhook.Endpoint, statuses ...string) []webhook.Delivery {
	w.t.Helper()
	p, err := w.Webhooks.Deliveries(w.t.Context(), w.Actor(), e.ID.String(),
		webhook.DeliveryInput{Page: page.Input[ids.Delivery]{Limit: 100, Ascending: true}, Statuses: statuses})
	if err != nil {
		w.t.Fatal(err)
	}
	return p.Items
}

// awaitDeliveries waits until an endpoint has a number of deliveries in a status, and gives them.
func (w world) awaitDeliveries(e webhook.Endpoint, n int, status string) []webhook.Delivery {
	w.t.Helper()
	eventually(w.t, func() bool { return len(w.deliveries(e, status)) >= n }, "%d deliveries %s", n, status)
	return w.deliveries(e, status)
}

// attempted waits until each of an endpoint's deliveries has been attempted so often, and written down.
func (w world) attempted(e webhook.Endpoint, times int) []webhook.Delivery {
	w.t.Helper()
	var all []webhook.Delivery
	eventually(w.t, func() bool {
		all = w.deliveries(e)
		return len(all) > 0 &&
			!slices.ContainsFunc(all, func(d webhook.Delivery) bool { return len(d.Attempts) < times })
	}, "%d attempts of each delivery", times)
	return all
}

// types lists the types of the application's events, by their sequences.
func (w world) types() (out []string) {
	w.t.Helper()
	type row struct{ Type string }
	rows, err := pg.All[row](w.t.Context(), w.Pool, `SELECT type FROM events WHERE application_id = @app AND NOT test
		ORDER BY serial`, pg.Args{"app": w.App.AppID})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, r := range rows {
		out = append(out, r.Type)
	}
	return out
}

// verify has the published verifier look at a message.
func verify(secret string, m message) error {
	hook, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return err
	}
	return hook.Verify(m.Body, m.Header)
}

func ptr[T any](v T) *T { return &v }

// claim is a request with an idempotency key.
func (w world) claim(key string) *idempotency.Claim {
	return &idempotency.Claim{ApplicationID: w.App.AppID, Key: key, Method: "POST", Path: "/api/x",
		Params: map[string]string{}, RequestID: ids.NewRequest(w.Clock.Now())}
}

// exec changes the database behind the services' backs.
func (w world) exec(sql string, args map[string]any) {
	w.t.Helper()
	if _, err := pg.Exec(w.t.Context(), w.Pool, sql, pg.Args(args)); err != nil {
		w.t.Fatal(err)
	}
}
