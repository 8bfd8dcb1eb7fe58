package erasure_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/webhook"
)

// listen makes an endpoint that repeats what it was told, and says of whom it is in a header, while a worker sends,
// until it is stopped.
func (w *world) listen(of string) (e webhook.Endpoint, stop func()) {
	w.T.Helper()
	for n := 1; n > 0; { // what happened before is history
		var err error
		n, err = w.Events.Number(w.T.Context())
		w.must(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("X-Donor", of)
		_, _ = io.Copy(rw, r.Body)
	}))
	w.T.Cleanup(s.Close)
	url := strings.Replace(s.URL, "127.0.0.1", "hooks.localhost", 1)
	made, err := w.Webhooks.Create(w.T.Context(), w.Actor(), webhook.CreateInput{URL: &url}, nil)
	w.must(err)
	ctx, cancel := context.WithCancel(context.Background())
	var run sync.WaitGroup
	run.Go(func() { w.Webhooks.NewWorker().Run(ctx) })
	stop = func() { cancel(); run.Wait() }
	w.T.Cleanup(stop)
	return made.Object, stop
}

// arrived waits until a number of deliveries have, and been written down.
func (w *world) arrived(n int) {
	w.T.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		got, err := pg.Value[int](w.T.Context(), w.Pool, `SELECT count(*)::int FROM webhook_attempts
			WHERE status_code = 200`, pg.Args{})
		w.must(err)
		if got >= n {
			return
		}
		if time.Now().After(end) {
			w.T.Fatalf("%d of %d deliveries have arrived", got, n)
		}
	}
}

// erased finds that tables had the payer's words, and have none after an erasure.
func (w *world) erased(tables ...string) {
	w.T.Helper()
	had := strings.Join(w.found(), "\n")
	for _, table := range tables {
		if !strings.Contains(had, table+": ") {
			w.T.Errorf("%s had nothing of the payer:\n%s", table, had)
		}
	}
	if _, err := w.erase(address); err != nil {
		w.T.Fatal(err)
	}
	if left := w.found(); len(left) > 0 {
		w.T.Errorf("still there:\n%s", strings.Join(left, "\n"))
	}
}

// What endpoints answered is forgotten whole, be it in a body or in a header.
func TestNothingIsLeftOfWhatEndpointsAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	to, stop := w.listen(address)
	e := to.ID.String()
	of, err := pg.Value[ids.Event](t.Context(), w.Pool, `SELECT id FROM events WHERE object_id = @charge
		AND position = 1`, pg.Args{"charge": w.charge.ID})
	w.must(err)
	_, err = w.Webhooks.Redeliver(t.Context(), w.Actor(), of.String(), webhook.RedeliverInput{EndpointID: &e}, nil)
	w.must(err)
	w.arrived(1)
	stop() // or the endpoint would answer to the events of the erasure, too
	w.erased("webhook_attempts")
}

// A test may be made of what the payer did, or say who they are somewhere; a test of something else stays.
func TestNothingIsLeftOfThePayerInTests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	to, stop := w.listen("nobody")
	e := to.ID.String()
	try := func(name, object string) {
		in := webhook.TestInput{Type: &name, Data: new(webhook.Sample)}
		w.must(json.Unmarshal([]byte(object), in.Data))
		_, err := w.Webhooks.Test(t.Context(), w.Actor(), e, in, nil)
		w.must(err)
	}
	try("charge.created", fmt.Sprintf(`{"id": %q, "object": "charge", "who": "Odalys"}`, w.charge.ID))
	try("charge.updated", fmt.Sprintf(`{"id": %q, "object": "charge", "description": "Quenneville"}`, w.voided.ID))
	try("daf_donation.created", fmt.Sprintf(`{"id": %q, "user": {"firstName": "Odalys"}}`, w.donation.ID))
	try("merchant.updated", fmt.Sprintf(`{"contact": {"reach": %q}}`, strings.ToUpper(address)))
	try("refund.created", `{"id": "nothing", "note": "a test of something else"}`)
	w.arrived(5)
	stop()
	w.erased("events", "webhook_attempts")
	type row struct {
		Type   string `db:"type"`
		Object string `db:"object"`
	}
	left, err := pg.All[row](t.Context(), w.Pool, `SELECT type, object::text AS object FROM events
		WHERE test AND object::text <> '{}'`, pg.Args{})
	if err != nil || len(left) != 1 || left[0].Type != "refund.created" ||
		!strings.Contains(left[0].Object, "something else") {
		t.Errorf("%+v, %v", left, err)
	}
}
