package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/requestlog"
)

var requestLogResource = resource{
	shapes: map[string]any{
		"RequestLog": requestlog.Log{}, "RequestLogList": list{}, "IdempotencyKeyRecord": keyRecord{},
		"IdempotencyKeyRecord.refusal": keyError{},
	},
	enums: map[string][]string{"LoggedMethod": loggedMethods, "IdempotencyKeyState": keyStateWords()},
	theirs: map[string]func(*testing.T, *site) string{
		"/api/request_logs/:id": func(t *testing.T, s *site) string {
			body := fmt.Sprintf(`{"merchant_id":%d,"test_case":"approved"}`, s.Other.Merchants.US)
			a := s.send(t, call{method: http.MethodPost, path: "/api/sandbox/tokens", body: body, as: &s.Other}).want(t,
				201, "")
			s.flush(t)
			return a.header.Get("Request-Id")
		},
		"/api/idempotency_keys/:key": func(t *testing.T, s *site) string {
			token := s.TokenIn(s.SessionOf(s.Other, s.Other.Merchants.US), good)
			c := call{method: http.MethodPost, path: "/api/charges", as: &s.Other}.header1("Idempotency-Key",
				"of-"+token)
			c.body = s.body(token, "merchant_id", fmt.Sprint(s.Other.Merchants.US))
			s.send(t, c).want(t, 201, "")
			return "of-" + token
		},
	},
}

func keyStateWords() (out []string) {
	for _, word := range keyStates {
		out = append(out, word)
	}
	return out
}

// flush writes what the request log has taken so far.
func (s *site) flush(t testing.TB) {
	t.Helper()
	if err := s.RequestLogs.Flush(t.Context()); err != nil || s.RequestLogs.Dropped() > 0 {
		t.Fatalf("request logs: %v, %d dropped", err, s.RequestLogs.Dropped())
	}
}

// logged reads what the log says of an answer's request.
func (s *site) logged(t testing.TB, a answer) requestlog.Log {
	t.Helper()
	s.flush(t)
	var out requestlog.Log
	if err := json.Unmarshal(s.get(t, "/api/request_logs/"+a.header.Get("Request-Id")).want(t, 200, "").body,
		&out); err != nil {
		t.Fatal(err)
	}
	return out
}

func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

func TestRequestsAreLogged(t *testing.T) {
	t.Parallel()
	s := open(t)
	token := s.Token(good)
	body := s.body(token)
	c := call{method: "POST", path: "/api/charges", body: body, header: map[string]string{
		"Idempotency-Key": "gift-1", "X-Request-Id": "checkout-1", "User-Agent": "shop/2.1",
	}}
	made := s.send(t, c).want(t, 201, "")
	l := s.logged(t, made)
	if l.Method != "POST" || l.Path != "/api/charges" || l.Query != "" || l.Status != 201 || l.ErrorCode != nil ||
		l.ErrorType != nil || l.ResponseBody != nil ||
		len(l.ErrorParams) != 0 || value(l.IdempotencyKey) != "gift-1" || value(l.ClientRequestID) != "checkout-1" ||
		l.IdempotentReplayed ||
		value(l.ObjectID) != made.charge(t).ID.String() || value(l.MerchantID) != s.App.Merchants.US ||
		l.IP != "127.0.0.1" || l.UserAgent != "shop/2.1" ||
		l.APIVersion != Version || l.KeyID.IsZero() || l.KeyName == "" || !l.CreatedAt.Equal(s.Clock.Now()) ||
		l.Livemode {
		t.Errorf("%+v", l)
	}
	var kept, sent any
	if json.Unmarshal([]byte(value(l.RequestBody)), &kept) != nil || json.Unmarshal([]byte(body), &sent) != nil ||
		fmt.Sprint(kept) != fmt.Sprint(sent) || l.RequestBytes != len(body) {
		t.Errorf("of %s is kept %v, %d bytes", body, value(l.RequestBody), l.RequestBytes)
	}
	again := s.send(t, c).want(t, 201, "")
	if l := s.logged(t, again); !l.IdempotentReplayed || l.Status != 201 ||
		value(l.ObjectID) != made.charge(t).ID.String() {
		t.Errorf("of a repetition: %+v", l)
	}
	read := s.get(t, "/api/charges/"+made.charge(t).ID.String())
	if l := s.logged(t, read); l.Method != "GET" || value(l.ObjectID) != made.charge(t).ID.String() ||
		value(l.MerchantID) != s.App.Merchants.US || l.RequestBody != nil || l.RequestBytes != 0 {
		t.Errorf("of a read: %+v", l)
	}
}

func TestRefusalsAreLogged(t *testing.T) {
	t.Parallel()
	s := open(t)
	declined := s.post(t, s.body(s.Token("4000000000009995"))).want(t, 402, "card_declined")
	l := s.logged(t, declined)
	if l.Status != 402 || value(l.ErrorCode) != "card_declined" || value(l.ErrorType) != "card_error" ||
		value(l.ObjectID) != declined.error().ChargeID ||
		value(l.MerchantID) != s.App.Merchants.US ||
		!bytes.Equal([]byte(compact(t, value(l.ResponseBody))), []byte(compact(t, string(declined.body)))) {
		t.Errorf("of a decline: %+v\n%s", l, value(l.ResponseBody))
	}
	wrong := s.post(t, `{"amount":1.5,"curency":"usd"}`).want(t, 400, "validation_failed")
	if l := s.logged(t, wrong); !slices.Equal(l.ErrorParams, []string{"merchant_id", "amount", "token", "curency"}) ||
		value(l.ErrorCode) != "validation_failed" || l.ObjectID != nil {
		t.Errorf("of mistakes: %+v", l)
	}
	missing := s.get(t, "/api/charges/ch_01jq8z6k4t8m2x9v5c7b1n3d0f?x=1").want(t, 400, "parameter_unknown")
	if l := s.logged(t, missing); l.Path != "/api/charges/ch_01jq8z6k4t8m2x9v5c7b1n3d0f" || l.Query != "x=1" ||
		value(l.ObjectID) != "ch_01jq8z6k4t8m2x9v5c7b1n3d0f" {
		t.Errorf("of an unknown parameter: %+v", l)
	}
	broken := s.post(t, "{").want(t, 400, "json_invalid")
	if l := s.logged(t, broken); l.RequestBody != nil || l.RequestBytes != 1 {
		t.Errorf("of what is no JSON: %+v", l)
	}
	s.Gate.Shut()
	denied := s.get(t, "/api/charges").want(t, 403, "permission_denied")
	s.flush(t)
	id, err := ids.ParseRequest(denied.header.Get("Request-Id"))
	if err != nil {
		t.Fatal(err)
	}
	if code, err := pg.Value[string](t.Context(), s.Pool, `SELECT error_code FROM request_logs
		WHERE id = @id`, pg.Args{"id": id}); err != nil || code != "permission_denied" {
		t.Errorf("of a denial: %s, %v", code, err)
	}
}

func compact(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, []byte(text)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// What must not be kept is not, wherever it was sent.
func TestLogKeepsNoSecret(t *testing.T) {
	t.Parallel()
	s := open(t)
	const number = "4242424242424242"
	spaced := "4242 4242 4242 4242"
	for _, c := range []call{
		{method: "POST", path: "/api/charges", body: `{"card":{"number":"` + number + `","cvc":"cv987c"},"description":"` + spaced + `"}`},
		{method: "POST", path: "/api/charges", body: `{"` + number + `":` + number + `,"` + s.App.SecretKey + `":1}`},
		{method: "POST", path: "/api/charges", body: "cvc=cv987c&number=" + number, media: "application/x-www-form-urlencoded"},
		{method: "GET", path: "/api/charges?external_id=" + number + "&cvc=cv987c&" + url.QueryEscape(spaced) + "=1"},
		{method: "GET", path: "/api/charges/" + number},
		{method: "GET", path: "/api/merchants/" + number + "/fees"},
		{method: "POST", path: "/api/charges", body: `{"merchant_id":` + number + `,"x` + number + `":1}`},
		{method: "GET", path: "/api/idempotency_keys/" + s.App.SecretKey},
		{method: "GET", path: "/api/charges", header: map[string]string{"X-Request-Id": number, "User-Agent": "curl " + spaced + " " + s.App.SecretKey}},
		{method: "POST", path: "/api/charges", body: s.body(s.Token(good)), header: map[string]string{"Idempotency-Key": number}},
	} {
		l := s.logged(t, s.send(t, c))
		text, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{number, spaced, "cv987c", s.App.SecretKey, "sk_sandbox"} {
			if strings.Contains(string(text), secret) {
				t.Errorf("%s %s: %s is kept in %s", c.method, c.path, secret, text)
			}
		}
	}
}

func TestLoggedRequestsAreFound(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.send(t, call{method: "POST", path: "/api/charges", body: s.body(s.Token(good)),
		header: map[string]string{"Idempotency-Key": "k1", "X-Request-Id": "own-1"}}).want(t, 201, "")
	s.Clock.Advance(time.Second)
	wrong := s.get(t, "/api/charges?limit=0").want(t, 400, "parameter_invalid")
	s.send(t, call{method: "GET", path: "/api/charges", as: &s.Other}).want(t, 200, "")
	s.flush(t)
	first, second := made.header.Get("Request-Id"), wrong.header.Get("Request-Id")
	at := s.Clock.Now().Format(time.RFC3339Nano)
	key := s.logged(t, made).KeyID.String()
	for query, want := range map[string][]string{
		"status=201": {first}, "status=400,404": {second}, "method=POST": {first}, "method=PUT,DELETE": nil,
		"path=/api/charges&limit=5": {second, first},
		"path=/api/charge":          nil, "error_code=parameter_invalid": {second}, "error_code=none": nil,
		"key_id=" + key + "&method=POST":        {first},
		"key_id=key_01jq8z6k4t8m2x9v5c7b1n3d0f": nil, "idempotency_key=k1": {first}, "client_request_id=own-1": {
			first}, "client_request_id=own": nil,
		"object_id=" + made.charge(t).ID.String(): {first}, fmt.Sprintf("merchant_id=%d", s.App.Merchants.US): {
			first}, "merchant_id=999999": nil,
		"path=/api/charges&order=asc": {first, second}, "path=/api/charges&created_at[gte]=" + at: {second},
		"created_at[lt]=" + at + "&path=/api/charges":        {first},
		"path=/api/charges&limit=1&starting_after=" + second: {first}, "path=/api/charges&ending_before=" +
			first: {second},
	} {
		var page struct{ Data []requestlog.Log }
		if err := json.Unmarshal(s.get(t, "/api/request_logs?"+query).want(t, 200, "").body, &page); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range page.Data {
			got = append(got, l.ID.String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
	for _, query := range []string{"status=x", "status=2xx", "method=get", "key_id=1", "path=", "error_code=",
		"idempotency_key=", "client_request_id=%00", "object_id=" + strings.Repeat("x", 256)} {
		s.get(t, "/api/request_logs?"+query).want(t, 400, "parameter_invalid")
	}
}

func TestStrangersAreNotLogged(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.send(t, call{method: "GET", path: "/api/charges", header: map[string]string{"X-API-Key": "-"}}).want(t, 401,
		"api_key_missing")
	s.get(t, "/api/none").want(t, 404, "route_missing")
	s.flush(t)
	if page := s.get(t, "/api/request_logs").want(t, 200, ""); !strings.Contains(string(page.body), `"data":[]`) {
		t.Errorf("%s", page.body)
	}
}
