package portal

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/devtools/signature"
	"svcpay/internal/ids"
	"svcpay/internal/requestlog"
	"svcpay/portal/web"
)

func TestRequestsAreReadByThoseWhoMay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie, staff := w.as(authz.RoleApplicationAdmin), w.as(authz.RoleSupportStaff)
	w.send(web.LogsPath, nil, "Cookie", cookie).says(t, "No requests yet")
	key := w.Issue(apikey.CreateInput{Kind: apikey.Secret, Name: "Server"})
	made := w.Actor()
	made.KeyID, made.KeyName, made.RequestID = key.ID, "Server", ids.NewRequest(w.Clock.Now())
	w.RequestLogs.Add(requestlog.Entry{Actor: made, Method: "POST", Path: "/api/charges", Query: "expand[]=merchant",
		Body: []byte(`{"amount":1200,"note":"<script>"}`), BodyBytes: 32, Status: 402,
		Type: "card_error", Answer: []byte(`{"error":{"code":"card_declined"}}`), IdempotencyKey: "order-7",
		ObjectID: ids.NewCharge(w.Clock.Now()).String(), IP: "192.0.2.44",
		UserAgent: "shop/1", APIVersion: "2026-12-01", At: w.Clock.Now(), Took: 120 * time.Millisecond})
	if err := w.RequestLogs.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	at := web.LogsPath + "/" + made.RequestID.String()
	for query, found := range map[string]bool{"?outcome=refused": true, "?outcome=good": false, "?method=POST": true,
		"?method=GET": false, "?q=order-7": true, "?q=order-8": false,
		"?key=" + key.ID.String(): true, "?at_from=2020-01-01&at_until=2020-01-02": false} {
		if a := w.send(web.LogsPath+query, nil, "Cookie", cookie); strings.Contains(a.body, at) != found {
			t.Errorf("%s finds it: %v", query, !found)
		}
	}
	w.send(web.LogsPath+"?q="+made.RequestID.String(), nil, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
	w.send(at, nil, "Cookie", cookie).says(t, "card_declined", "expand[]=merchant", "192.0.2.44", "shop/1", "120 ms",
		"/idempotency?key=order-7", "1200")
	w.send(web.LogsPath+".csv", nil, "Cookie", cookie).says(t, "order-7")
	hidden := w.send(at, nil, "Cookie", staff)
	hidden.says(t, "Payloads and IP addresses are hidden", "402", "/api/charges")
	for _, word := range []string{"card_declined\"", "expand[]", "192.0.2.44", "shop/1", "1200"} {
		if strings.Contains(hidden.body, word) {
			t.Errorf("support staff sees %s", word)
		}
	}
	w.send(at, nil, "Cookie", w.in(authz.RoleApplicationAdmin, w.Other)).wants(t, http.StatusNotFound, "")

	w.send(web.IdempotencyPath, nil, "Cookie", cookie).says(t, "Paste a key")
	w.send(web.IdempotencyPath+"?key=nobody", nil, "Cookie", cookie).says(t, "Key not found", `value="nobody"`)
	form := w.drawn(web.APIKeysPath+"/new?kind=public", cookie, url.Values{"kind": {"public"}, "name": {"Pages"}})
	w.send(web.APIKeysPath+"/new", form, "Cookie", cookie).wants(t, http.StatusOK, "")
	w.send(web.IdempotencyPath+"?key=portal-"+form.Get("once"), nil, "Cookie", cookie).says(t, "Done",
		"POST /portal/developers/keys/new")
	w.send(web.IdempotencyPath+"?key=portal-"+form.Get("once"), nil, "Cookie",
		w.in(authz.RoleApplicationAdmin, w.Other)).says(t, "Key not found")
}

func TestTheDebuggerTellsWhatBrokeASignature(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie := w.as(authz.RoleApplicationAdmin)
	secret := signature.NewSecret()
	body, err := json.Marshal(map[string]any{"id": "evt_1", "object": "event", "type": "ping", "livemode": false,
		"application_id": w.App.AppID})
	if err != nil {
		t.Fatal(err)
	}
	headers, err := secret.Sign("evt_1", w.Clock.Now(), body)
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for name := range headers {
		lines.WriteString(strings.ToLower(name) + ": " + headers.Get(name) + "\r\n")
	}
	check := func(headers, body, secret string) answer {
		return w.send(web.DebugPath, url.Values{"headers": {headers}, "body": {body}, "secret": {secret}},
			"Cookie", cookie)
	}
	right := check(lines.String(), string(body), secret.Text())
	right.says(t, "Signature valid")
	if strings.Contains(right.body, secret.Text()) {
		t.Error("the secret is shown again")
	}
	check(lines.String(), string(body), signature.NewSecret().Text()).says(t, "Signature invalid",
		"Signed with a different secret")
	check(lines.String(), strings.Replace(string(body), `,`, `, `, 1), secret.Text()).says(t,
		"The body was re-serialized")
	check("webhook-id: evt_1", string(body), secret.Text()).says(t, "A header is missing")
	check("", "", "").wants(t, http.StatusUnprocessableEntity, "")
	w.pass(6 * time.Minute)
	check(lines.String(), string(body), secret.Text()).says(t, "The timestamp is too old")
	w.send(web.DebugPath+"?endpoint=whe_1&delivery=dlv_1", nil, "Cookie", cookie).wants(t, http.StatusNotFound, "")
}
