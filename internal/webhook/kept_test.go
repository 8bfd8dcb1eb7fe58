package webhook_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"svcpay/internal/webhook"
)

// connections counts those of a receiver, and the requests of each.
type connections struct {
	*httptest.Server
	all atomic.Int64
}

type requestsKey struct{}

func countConnections(t *testing.T, h func(w http.ResponseWriter, nth int64)) *connections {
	t.Helper()
	c := &connections{}
	c.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		h(w, q.Context().Value(requestsKey{}).(*atomic.Int64).Add(1))
	}))
	c.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		c.all.Add(1)
		return context.WithValue(ctx, requestsKey{}, new(atomic.Int64))
	}
	c.Start()
	t.Cleanup(c.Close)
	return c
}

func (c *connections) listen(w world) webhook.Endpoint {
	url := "http://hooks.localhost:" + c.URL[len("http://127.0.0.1:"):]
	return w.create(webhook.CreateInput{URL: &url})
}

// An endpoint's attempts share connections, and no other endpoint's has a part in them.
func TestAnEndpointsConnectionsAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := countConnections(t, func(http.ResponseWriter, int64) {})
	one, other := c.listen(w), c.listen(w)
	w.work()
	for n := 1; n <= 10; n++ {
		w.emit(1, "charge.created")
		w.awaitDeliveries(one, n, "succeeded")
		w.awaitDeliveries(other, n, "succeeded")
	}
	if n := c.all.Load(); n < 2 || n > 6 { // one each, and few more if it took seconds between two
		t.Errorf("%d connections for 20 attempts", n)
	}
}

// A receiver that ends connections when it likes has no attempt of ours fail: those that are idle, and those that have
// just brought a request.
func TestConnectionsThatEndMakeNoAttemptFail(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var ended atomic.Int64
	c := countConnections(t, func(_ http.ResponseWriter, nth int64) {
		if nth == 3 {
			ended.Add(1)
			panic(http.ErrAbortHandler)
		}
	})
	e := c.listen(w)
	w.work()
	for n := 30; n <= 90; n += 30 {
		w.emit(30, "charge.created")
		w.awaitDeliveries(e, n, "succeeded")
		c.CloseClientConnections()
	}
	for _, d := range w.deliveries(e) {
		if len(d.Attempts) != 1 {
			t.Errorf("%+v", d)
		}
	}
	if ended.Load() == 0 {
		t.Error("no connection ended at a request")
	}
	if e := w.endpoint(e.ID); e.FailingSince != nil {
		t.Error("the endpoint fails")
	}
}
