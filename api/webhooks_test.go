package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/safehttp"
	"svcpay/internal/webhook"
)

var webhookResource = resource{
	shapes: map[string]any{
		"WebhookEndpoint": webhook.Endpoint{}, "WebhookEndpointList": list{},
		"CreateWebhookEndpoint": webhook.CreateInput{},
		"UpdateWebhookEndpoint": webhook.UpdateInput{}, "RotateWebhookSecret": webhook.RotateInput{},
		"TestWebhookEndpoint":   webhook.TestInput{},
		"ReplayWebhookEndpoint": webhook.ReplayInput{}, "DeletedWebhookEndpoint": webhook.Deleted{},
		"WebhookDelivery":     webhook.Delivery{},
		"WebhookDeliveryList": list{}, "WebhookAttempt": webhook.Attempt{}, "WebhookReplay": webhook.Replay{},
		"WebhookReplayList": list{}, "NoParameters": nothing{},
	},
	enums: map[string][]string{
		"WebhookEndpointStatus": webhook.Statuses(), "WebhookDeliveryStatus": webhook.DeliveryStatuses(),
		"RotateWebhookSecret.overlap": webhook.Overlaps(),
		"ReplayWebhookEndpoint.which": webhook.Whiches(), "WebhookError": reasons(),
	},
	theirs: map[string]func(*testing.T, *site) string{
		"/api/webhook_endpoints/:id": func(t *testing.T, s *site) string { return s.theirEndpoint(t).String() },
		"/api/webhook_replays/:id": func(t *testing.T, s *site) string {
			out, err := s.Webhooks.StartReplay(t.Context(), s.ActorOf(s.Other), s.theirEndpoint(t).String(),
				webhook.ReplayInput{Since: new(time.Now())}, nil)
			if err != nil {
				t.Fatal(err)
			}
			return out.Object.ID.String()
		},
	},
}

func reasons() (out []string) {
	for _, r := range safehttp.Reasons() {
		out = append(out, string(r))
	}
	return out
}

func (s *site) theirEndpoint(t *testing.T) ids.Endpoint {
	t.Helper()
	url := "https://example.org/theirs"
	out, err := s.Webhooks.Create(t.Context(), s.ActorOf(s.Other), webhook.CreateInput{URL: &url}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out.Object.ID
}

func (a answer) endpoint(t testing.TB) (out webhook.Endpoint) {
	t.Helper()
	if err := json.Unmarshal(a.body, &out); err != nil || a.status >= 300 {
		t.Fatalf("no endpoint but %d %s", a.status, a.body)
	}
	return out
}

func (s *site) newEndpoint(t testing.TB, body string) webhook.Endpoint {
	t.Helper()
	return s.on(t, http.MethodPost, endpointsPath, body, "").want(t, 201, "").endpoint(t)
}

type deliveryPage struct{ Data []webhook.Delivery }

func (s *site) deliveriesOf(t testing.TB, e webhook.Endpoint, query string) (out deliveryPage) {
	t.Helper()
	if err := json.Unmarshal(s.get(t, endpointsPath+"/"+e.ID.String()+"/deliveries?"+query).want(t, 200, "").body,
		&out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEndpointsAreMadeWithASecretThatIsShownOnce(t *testing.T) {
	t.Parallel()
	s := open(t)
	body := `{"url":"https://example.org/hooks","events":["charge.*","ping"],"description":"Books","metadata":{"team":"finance"}}`
	first := s.once(t, http.MethodPost, endpointsPath, body, `{"url":"https://example.org/other"}`, 201)
	e := first.endpoint(t)
	if !strings.HasPrefix(e.Secret, "whsec_") || e.Status != webhook.Enabled || e.Version != 1 ||
		first.header.Get("ETag") != `"1"` ||
		first.header.Get("Location") != endpointsPath+"/"+e.ID.String() || e.URL != "https://example.org/hooks" ||
		*e.Description != "Books" {
		t.Errorf("%s", first.body)
	}
	read := s.get(t, endpointsPath+"/"+e.ID.String()).want(t, 200, "")
	listed := s.get(t, endpointsPath+"?status=enabled").want(t, 200, "")
	secret := strings.TrimPrefix(e.Secret, "whsec_")
	for name, text := range map[string]string{"reading": string(read.body), "listing": string(listed.body),
		"database": s.dump(t)} {
		if strings.Contains(text, secret) || name != "database" && !strings.Contains(text, e.ID.String()) {
			t.Errorf("%s: %s", name, text)
		}
	}
	if everything := s.newEndpoint(t, `{"url":"https://example.org/"}`); fmt.Sprint(everything.Events) != "[*]" ||
		everything.Metadata == nil {
		t.Errorf("%+v", everything)
	}
	if got := s.get(t, endpointsPath+"?status=disabled,paused").want(t, 200, ""); strings.Contains(string(got.body),
		e.ID.String()) {
		t.Errorf("%s", got.body)
	}
}

// dump is everything that tables hold of endpoints and of keys.
func (s *site) dump(t testing.TB) string {
	t.Helper()
	text, err := pg.Value[string](t.Context(), s.Pool, `
		SELECT (SELECT string_agg(e::text || encode(secret, 'escape'), E'\n') FROM webhook_endpoints e)
			|| (SELECT string_agg(k::text || encode(coalesce(result, ''), 'escape'), E'\n')
				FROM idempotency_keys k)`, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestEndpointsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := open(t)
	for body, param := range map[string]string{
		`{}`: "url", `{"url":null}`: "url", `{"url":"x"}`: "url", `{"url":"ftp://example.org/"}`: "url",
		`{"url":"https://10.0.0.1/"}`:            "url",
		`{"url":"https://user:pw@example.org/"}`: "url", `{"url":"https://example.org/#x"}`: "url",
		`{"url":"https://example.org/4242424242424242"}`:                     "url",
		`{"url":"https://example.org/` + strings.Repeat("x", 2048) + `"}`:    "url",
		`{"url":"https://example.org/","events":[]}`:                         "events",
		`{"url":"https://example.org/","events":["charge.new"]}`:             "events",
		`{"url":"https://example.org/","events":["charge*"]}`:                "events",
		`{"url":"https://example.org/","events":"*"}`:                        "events",
		`{"url":"https://example.org/","description":"4242 4242 4242 4242"}`: "description",
		`{"url":"https://example.org/","metadata":{"":"x"}}`:                 "metadata",
	} {
		if e := s.on(t, http.MethodPost, endpointsPath, body, "").error(); e.Param != param &&
			(len(e.Errors) != 1 || e.Errors[0].Param != param) {
			t.Errorf("%s: %+v", body, e)
		}
	}
	for i := range 50 {
		s.newEndpoint(t, fmt.Sprintf(`{"url":"https://example.org/%d"}`, i))
	}
	s.on(t, http.MethodPost, endpointsPath, `{"url":"https://example.org/"}`, "").want(t, 422,
		"webhook_endpoints_exhausted")
	s.get(t, endpointsPath+"?status="+marker).want(t, 400, "parameter_invalid")
}

func TestEndpointsAreChangedAndDeleted(t *testing.T) {
	t.Parallel()
	s := open(t)
	e := s.newEndpoint(t, `{"url":"https://example.org/1","description":"Books","metadata":{"a":"b"}}`)
	path := endpointsPath + "/" + e.ID.String()
	changed := s.once(t, http.MethodPut, path,
		`{"url":"https://example.org/2","events":["refund.*"],"description":null,"metadata":{}}`, `{}`, 200).endpoint(t)
	if changed.Version != 2 || changed.URL != "https://example.org/2" || changed.Description != nil ||
		len(changed.Metadata) != 0 || changed.Events[0] != "refund.*" || changed.Secret != "" {
		t.Errorf("%+v", changed)
	}
	if same := s.on(t, http.MethodPut, path, `{"events":["refund.*"],"url":null}`, "").want(t, 200,
		"").endpoint(t); same.Version != 2 {
		t.Errorf("%+v", same)
	}
	s.on(t, http.MethodPut, path, `{"url":"https://127.0.0.1.example.org:99999/"}`, "").want(t, 400,
		"parameter_invalid")
	old := func(method, body string) call {
		return call{method: method, path: path, body: body}.header1("If-Match", `"1"`)
	}
	s.send(t, old(http.MethodPut, `{"events":["*"]}`)).want(t, 412, "object_changed")
	s.send(t, old(http.MethodDelete, "")).want(t, 412, "object_changed")
	s.send(t, call{method: http.MethodPut, path: path, body: `{"events":["*"]}`}.header1("If-Match", `"2"`)).want(t,
		200, "")
	gone := s.on(t, http.MethodDelete, path, "", "gone").want(t, 200, "")
	if again := s.on(t, http.MethodDelete, path, "", "gone").want(t, 200, ""); !again.replayed() ||
		string(again.body) != string(gone.body) {
		t.Errorf("%s, then %s", gone.body, again.body)
	}
	s.get(t, path).want(t, 404, "resource_missing")
	s.on(t, http.MethodDelete, path, "", "").want(t, 404, "resource_missing")
}

func TestEndpointsAreDisabledAndEnabled(t *testing.T) {
	t.Parallel()
	s := open(t)
	e := s.newEndpoint(t, `{"url":"https://example.org/"}`)
	path := endpointsPath + "/" + e.ID.String()
	s.charged(t)
	if n := len(s.deliveriesOf(t, e, "status=pending&type=charge.*").Data); n != 2 {
		t.Errorf("%d deliveries", n)
	}
	for _, key := range []string{"1", "2"} {
		if off := s.on(t, http.MethodPost, path+"/disable", "", key).want(t, 200,
			"").endpoint(t); off.Status != webhook.Disabled || off.Version != 2 {
			t.Errorf("%+v", off)
		}
	}
	if n := len(s.deliveriesOf(t, e, "status=canceled&type=charge.created").Data); n != 1 {
		t.Errorf("%d deliveries were canceled", n)
	}
	s.on(t, http.MethodPost, path+"/test", "", "").want(t, 409, "webhook_endpoint_not_enabled")
	s.on(t, http.MethodPost, path+"/replay", `{"since":"2026-01-01T00:00:00Z"}`, "").want(t, 409,
		"webhook_endpoint_not_enabled")
	for _, key := range []string{"3", "4"} {
		if on := s.on(t, http.MethodPost, path+"/enable", "", key).want(t, 200,
			"").endpoint(t); on.Status != webhook.Enabled || on.Version != 3 {
			t.Errorf("%+v", on)
		}
	}
	s.get(t, path+"/deliveries?status="+marker).want(t, 400, "parameter_invalid")
	s.get(t, path+"/deliveries?type="+marker).want(t, 400, "parameter_invalid")
	s.get(t, path+"/deliveries?event_id="+marker).want(t, 400, "parameter_invalid")
}

func TestSecretsAreRotated(t *testing.T) {
	t.Parallel()
	s := open(t)
	e := s.newEndpoint(t, `{"url":"https://example.org/"}`)
	path := endpointsPath + "/" + e.ID.String() + "/rotate_secret"
	first := s.once(t, http.MethodPost, path, `{}`, `{"overlap":"7d"}`, 200).endpoint(t)
	if first.Secret == e.Secret || first.Secret == "" || first.Version != 2 ||
		!first.PreviousUntil.Equal(s.Clock.Now().Add(24*time.Hour)) {
		t.Errorf("%+v", first)
	}
	for overlap, d := range map[string]time.Duration{"1h": time.Hour, "24h": 24 * time.Hour, "7d": 7 * 24 * time.Hour} {
		if got := s.on(t, http.MethodPost, path, fmt.Sprintf(`{"overlap":%q}`, overlap), "").want(t, 200,
			"").endpoint(t); !got.PreviousUntil.Equal(s.Clock.Now().Add(d)) {
			t.Errorf("%s: %+v", overlap, got)
		}
	}
	if now := s.on(t, http.MethodPost, path, `{"overlap":"now"}`, "").want(t, 200,
		"").endpoint(t); now.PreviousUntil != nil {
		t.Errorf("%+v", now)
	}
	s.on(t, http.MethodPost, path, `{"overlap":"8d"}`, "").want(t, 400, "parameter_invalid")
}

func TestTestEventsAreMadeUp(t *testing.T) {
	t.Parallel()
	s := open(t)
	e := s.newEndpoint(t, `{"url":"https://example.org/","events":["payout.*"]}`)
	path := endpointsPath + "/" + e.ID.String() + "/test"
	// that a ping is the default does not make it another request
	s.once(t, http.MethodPost, path, `{}`, `{"type":"ping","data":{}}`, 200)
	s.Clock.Advance(time.Second)
	s.on(t, http.MethodPost, path,
		`{"type":"charge.failed","data":{"id":"ch_1","amount":5,"nothing":null,"deep":{"list":[1,"\u00e4"]}}}`,
		"").want(t, 200, "")
	sent := s.deliveriesOf(t, e, "").Data
	if len(sent) != 2 || sent[0].EventSequence != nil || sent[0].Cause != webhook.ByTest ||
		sent[0].Status != "pending" {
		t.Fatalf("%+v", sent)
	}
	told := string(s.get(t, "/api/events/"+sent[0].EventID.String()).want(t, 200, "").body)
	if !strings.Contains(told, `"type":"charge.failed"`) || !strings.Contains(told, `"sequence":null`) ||
		!strings.Contains(told, `"ä"`) || !strings.Contains(told, `"nothing":null`) {
		t.Errorf("%s", told)
	}
	if about := s.get(t, "/api/events/"+sent[1].EventID.String()).want(t, 200,
		""); !strings.Contains(string(about.body), e.ID.String()) || strings.Contains(string(about.body), "whsec") {
		t.Errorf("%s", about.body)
	}
	s.number(t)
	if p := s.events(t, "type=ping,charge.failed"); len(p.Data) > 0 {
		t.Errorf("%+v", p)
	}
	s.on(t, http.MethodPost, path, `{"type":"charge.failed"}`, "").want(t, 400, "parameter_missing")
	s.on(t, http.MethodPost, path, `{"type":"charge.new"}`, "").want(t, 400, "validation_failed")
	for _, body := range []string{
		`{"data":[]}`, `{"data":"x"}`, `{"data":{"n":"4242424242424242"}}`, `{"data":{"n":"\u0034242424242424242"}}`,
		`{"data":{"n":4242424242424242}}`, `{"data":{"n":"\u0000"}}`, `{"data":{"n":1e999999}}`,
	} {
		s.on(t, http.MethodPost, path, body, "").want(t, 400, "parameter_invalid")
	}
}

// The key of an action without parameters is bound to the object in the path.
func TestKeysOfActionsOnWebhooks(t *testing.T) {
	t.Parallel()
	s := open(t)
	since := s.Clock.Now().Add(-time.Hour)
	made := func(i int) (endpoint, replay string) {
		e := s.newEndpoint(t, fmt.Sprintf(`{"url":"https://example.org/%d"}`, i))
		out, err := s.Webhooks.StartReplay(t.Context(), s.Actor(), e.ID.String(),
			webhook.ReplayInput{Since: &since}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return endpointsPath + "/" + e.ID.String(), "/api/webhook_replays/" + out.Object.ID.String()
	}
	one, oneReplay := made(1)
	other, otherReplay := made(2)
	for _, c := range []struct{ method, path, other string }{
		{http.MethodPost, oneReplay + "/cancel", otherReplay + "/cancel"},
		{http.MethodPost, one + "/disable", other + "/disable"},
		{http.MethodPost, one + "/enable", other + "/enable"}, {http.MethodDelete, one, other},
	} {
		first := s.on(t, c.method, c.path, "", "k").want(t, 200, "")
		if again := s.on(t, c.method, c.path, "", "k").want(t, 200, ""); !again.replayed() ||
			string(again.body) != string(first.body) {
			t.Errorf("%s, then %s", first.body, again.body)
		}
		s.on(t, c.method, c.other, "", "k").want(t, 422, "idempotency_key_reused")
		s.execute(t, `UPDATE idempotency_keys SET state = 'claimed', result = NULL WHERE key = 'k'`, pg.Args{})
		s.on(t, c.method, c.path, "", "k").want(t, 409, "idempotency_key_in_use")
		s.execute(t, `DELETE FROM idempotency_keys WHERE key = 'k'`, pg.Args{})
	}
}
