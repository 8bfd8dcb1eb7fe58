package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/event"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/requestlog"
	"svcpay/internal/webhook"
)

// readable makes an object of each kind wherever objects are shown.
func readable(t *testing.T) *readWorld {
	t.Helper()
	r := &readWorld{site: open(t), events: map[string][]event.Event{}, endpoints: map[string]string{},
		exports: map[string]string{}, charges: map[string]ids.Charge{}}
	r.lived(t)
	for kind := range readRows {
		r.endpoints[kind] = r.listener(t, typesOf(kind)...)
	}
	r.endpoints["any"] = r.listener(t, "ping")
	r.happened(t)
	for kind, row := range readRows {
		r.logs(row.path)
		if row.export != "" {
			body := fmt.Sprintf(`{"resource":%q,"format":"csv"}`, row.export)
			r.exports[kind] = r.export(t, body).export(t).ID.String()
		}
	}
	r.write(t)
	r.flush(t)
	return r
}

// lived makes charges with a refund, a dispute and a payout.
func (r *readWorld) lived(t *testing.T) {
	t.Helper()
	paid := r.payout(t, r.App, 5000)
	c := r.post(t, r.body(r.Token(good))).want(t, 201, "").charge(t)
	r.refund(t, c, `,"amount":100`).want(t, 201, "")
	r.charges["charge"], r.charges["refund"] = c.ID, c.ID
	r.charges["dispute"] = r.disputed(t, r.App, false).ChargeID
	r.charges["payout"] = c.ID
	r.execute(t, `
		INSERT INTO payout_entries (application_id, payout_id, entry_id, active, amount)
		SELECT @app, @payout, l.id, false, 100 FROM ledger_entries l WHERE l.application_id = @app
			AND l.charge_id = @charge LIMIT 1`,
		pg.Args{"app": r.App.AppID, "payout": paid.ID, "charge": c.ID})
}

func (r *readWorld) listener(t *testing.T, types ...string) string {
	t.Helper()
	out, err := r.Webhooks.Create(t.Context(), r.Actor(),
		webhook.CreateInput{URL: new("https://example.org/" + types[0]), Events: types}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out.Object.ID.String()
}

// happened makes an event of each type, numbered, and for each a delivery that has ended.
func (r *readWorld) happened(t *testing.T) {
	t.Helper()
	now := r.Clock.Now()
	err := pg.InTx(t.Context(), r.Pool, func(tx *pg.Tx) error {
		for _, of := range event.Types() {
			id := ids.NewEvent(now)
			if err := outbox.EmitTx(tx, instant.Both(now), outbox.Event{ID: id, ApplicationID: r.App.AppID,
				Type: of.Name, ObjectID: id.Bytes(), Position: 1, Object: map[string]string{"object": of.Object},
				Source: outbox.Job, Test: of.Name == "ping"}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	r.number(t)
	all, err := pg.All[struct {
		ID   ids.Event `db:"id"`
		Type string    `db:"type"`
	}](t.Context(), r.Pool, `SELECT id, type FROM events WHERE application_id = @app`, pg.Args{"app": r.App.AppID})
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range all {
		e, err := r.Events.Get(t.Context(), r.Actor(), of.ID.String())
		if err != nil {
			t.Fatal(err)
		}
		r.events[event.Kind(of.Type)] = append(r.events[event.Kind(of.Type)], e)
		r.delivered(t, e)
	}
}

// delivered makes a delivery of an event, whose receiver repeated what it got.
func (r *readWorld) delivered(t *testing.T, e event.Event) {
	t.Helper()
	endpoint, err := ids.ParseEndpoint(r.endpoints["any"])
	if err != nil {
		t.Fatal(err)
	}
	r.execute(t, `WITH made AS (
			INSERT INTO webhook_deliveries (id, application_id, endpoint_id, event_id, event_type, cause, status,
				created_at, finished_at)
			VALUES (@id, @app, @endpoint, @event, @type, 'redelivery', 'succeeded', @now, @now))
		INSERT INTO webhook_attempts (application_id, delivery_id, number, url, status_code, request_headers,
			response_headers, response_body, took_ms, created_at)
		VALUES (@app, @id, 1, 'https://example.org/any', 200, '{"Content-Type":"application/json"}', '{}', 'got it', 1,
			@now)`,
		pg.Args{"id": ids.NewDelivery(r.Clock.Now()), "app": r.App.AppID, "endpoint": endpoint, "event": e.ID,
			"type": e.Type, "now": r.Clock.Now()})
}

// logs adds a request to a path that was refused.
func (r *readWorld) logs(path string) {
	a := r.Actor()
	a.RequestID, a.KeyID, a.KeyName = ids.NewRequest(r.Clock.Now()), ids.NewKey(r.Clock.Now()), "Server"
	r.RequestLogs.Add(requestlog.Entry{Actor: a, Method: http.MethodPost, Path: path, Query: "a=b",
		Body: []byte(`{"amount":100}`), Status: 402, Type: "card_error",
		Answer: []byte(`{"error":{"code":"card_declined"}}`), At: r.Clock.Now()})
}

// The API answers a key that may not read charges as its contract says, and names what it lacks and where.
func TestAKeyIsToldWhichEventsItMayNotRead(t *testing.T) {
	t.Parallel()
	s := open(t)
	id, _ := s.charged(t)
	charged := s.events(t, "object_id="+id).Data[0]
	all := s.newEndpoint(t, `{"url":"https://example.org/all"}`).ID.String()
	none := s.newEndpoint(t, `{"url":"https://example.org/none","events":["refund.*"]}`).ID.String()
	key := s.Issue(apikey.CreateInput{Kind: apikey.Restricted, Rights: []authz.Right{"event:write", "webhook:write",
		"refund:read", "merchant:read", "request_log:read"}})
	as := s.as(key)
	const endpoints = "/api/webhook_endpoints"
	for _, tt := range []struct{ method, path, body, param string }{
		{"GET", "/api/events?type=charge.*", "", ""},
		{"GET", "/api/events/" + charged.ID.String(), "", ""},
		{"POST", "/api/events/" + charged.ID.String() + "/redeliver", `{"endpoint_id":"` + none + `"}`, ""},
		{"POST", endpoints, `{"url":"https://example.org/mine"}`, "events"},
		{"POST", endpoints, `{"url":"https://example.org/mine","events":["refund.*","charge.failed"]}`, "events"},
		{"PUT", endpoints + "/" + none, `{"events":["charge.failed"]}`, "events"},
		{"PUT", endpoints + "/" + all, `{"url":"https://example.org/mine"}`, ""},
		{"POST", endpoints + "/" + none + "/test", `{"type":"charge.failed","data":{"id":"ch_1"}}`, "type"},
		{"POST", endpoints + "/" + all + "/replay", `{"since":"2026-12-01T09:30:00Z"}`, ""},
	} {
		e := s.send(t, call{method: tt.method, path: tt.path, body: tt.body, as: as}).want(t, 403,
			"permission_denied").error()
		if e.RequiredPermission != "charge:read" || e.Param != tt.param ||
			strings.HasPrefix(tt.path, endpoints) && !strings.Contains(e.Message, " charge") {
			t.Errorf("%s %s: %+v", tt.method, tt.path, e)
		}
	}
	page := s.send(t, call{method: "GET", path: "/api/events?limit=100", as: as}).want(t, 200, "")
	if text := string(page.body); strings.Contains(text, `"charge.`) || !strings.Contains(text, `"merchant.created"`) {
		t.Errorf("%s", text)
	}
	s.send(t, call{method: "POST", path: endpoints, body: `{"url":"https://example.org/r","events":["refund.*"]}`,
		as: as}).want(t, 201, "")
	s.send(t, call{method: "PUT", path: endpoints + "/" + none, body: `{"url":"https://example.org/s"}`,
		as: as}).want(t, 200, "")
	s.send(t, call{method: "POST", path: endpoints + "/" + all + "/disable", as: as}).want(t, 200, "")

	// What waits for an endpoint is more than it subscribes to: its URL takes the rights to all of that.
	redelivery := call{method: "POST", path: "/api/events/" + charged.ID.String() + "/redeliver",
		body: `{"endpoint_id":"` + none + `"}`}
	s.send(t, redelivery).want(t, 200, "")
	if e := s.send(t, call{method: "PUT", path: endpoints + "/" + none, body: `{"url":"https://example.org/t"}`,
		as: as}).want(t, 403, "permission_denied").error(); e.Param != "url" {
		t.Errorf("%+v", e)
	}
}
