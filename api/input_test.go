package api

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"svcpay/internal/fault"
)

// quoted is a JSON text of n characters that carries the marker if it is long enough.
func quoted(n int) string {
	return `"` + (marker + strings.Repeat("x", 1000))[:n] + `"`
}

func pairsOf(n int) string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf(`"k%d":"v"`, i))
	}
	return "{" + strings.Join(out, ",") + "}"
}

func nested(depth int) string {
	return strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth)
}

func TestBodiesMayBeThisDeep(t *testing.T) {
	t.Parallel()
	s := open(t)
	deep := strings.TrimSuffix(s.body(s.Token(good)), "}") + `,"metadata":` + nested(15) + "}"
	s.post(t, deep).want(t, 400, "parameter_invalid")
}

func TestParametersThatAreWrong(t *testing.T) {
	t.Parallel()
	s := open(t)
	token := s.Token(good)
	const (
		invalid, missing = "parameter_invalid", "parameter_missing"
		fraction, small  = "amount_not_integer", "amount_too_small"
		large, currency  = "amount_too_large", "currency_unsupported"
	)
	// What a schema cannot say: how a whole number is spelled, and how long a free name is.
	beyond := []string{"125.0", "1e3", "1E3", `{"":"` + marker + `"}`, `{` + quoted(41) + `:"v"}`, `{"k\u0000":"v"}`}
	before := s.rows(t)
	for _, tt := range []struct{ param, text, code string }{
		{"amount", "-", missing},
		{"amount", "null", missing},
		{"amount", "12.5", fraction},
		{"amount", "125.0", fraction},
		{"amount", "1e3", fraction},
		{"amount", "1E3", fraction},
		{"amount", `"12500"`, fraction},
		{"amount", "true", fraction},
		{"amount", "[1]", fraction},
		{"amount", "{}", fraction},
		{"amount", "1e400", fraction},
		{"amount", `"` + marker + `"`, fraction},
		{"amount", "0", small},
		{"amount", "-0", small},
		{"amount", "-1", small},
		{"amount", "-99999999999999999999", small},
		{"amount", "100000000", large},
		{"amount", "9223372036854775807", large},
		{"amount", "9223372036854775808", large},
		{"amount", strings.Repeat("9", 400), large},
		{"merchant_id", "-", missing},
		{"merchant_id", "null", missing},
		{"merchant_id", `"1042"`, invalid},
		{"merchant_id", "1.5", invalid},
		{"merchant_id", "0", invalid},
		{"merchant_id", "-7", invalid},
		{"merchant_id", strings.Repeat("9", 30), invalid},
		{"merchant_id", `{"` + marker + `":1}`, invalid},
		{"token", "-", missing},
		{"token", "null", missing},
		{"token", `""`, invalid},
		{"token", "5", invalid},
		{"token", `["` + marker + `"]`, invalid},
		{"type", `"wire"`, invalid},
		{"type", `"CC"`, invalid},
		{"type", quoted(12), invalid},
		{"type", "1", invalid},
		{"type", `""`, invalid},
		{"currency", `"USD"`, currency},
		{"currency", `"eur"`, currency},
		{"currency", quoted(15), currency},
		{"currency", `""`, currency},
		{"currency", "840", invalid},
		{"funding_currency", `"CAD"`, currency},
		{"funding_currency", "false", invalid},
		{"origin", `"kiosk"`, invalid},
		{"origin", quoted(30), invalid},
		{"origin", "{}", invalid},
		{"recurring", `"true"`, invalid},
		{"recurring", "1", invalid},
		{"capture", "0", invalid},
		{"capture", quoted(10), invalid},
		{"description", quoted(256), invalid},
		{"description", "7", invalid},
		{"description", `"` + marker + `\u0000"`, invalid},
		{"description", `"a\nb"`, invalid},
		{"description", `"\u0085"`, invalid},
		{"external_id", `""`, invalid},
		{"external_id", quoted(65), invalid},
		{"external_id", `"\u0000"`, invalid},
		{"external_id", "[]", invalid},
		{"statement_suffix", `""`, invalid},
		{"statement_suffix", quoted(13), invalid},
		{"statement_suffix", `"A\u0000"`, invalid},
		{"metadata", "[]", invalid},
		{"metadata", quoted(10), invalid},
		{"metadata", "1", invalid},
		{"metadata", `{"a":1}`, invalid},
		{"metadata", `{"a":null}`, invalid},
		{"metadata", `{"a":{"b":"c"}}`, invalid},
		{"metadata", pairsOf(51), invalid},
		{"metadata", `{"":"` + marker + `"}`, invalid},
		{"metadata", `{` + quoted(41) + `:"v"}`, invalid},
		{"metadata", `{"k":` + quoted(501) + `}`, invalid},
		{"metadata", `{"k":"\u0000"}`, invalid},
		{"metadata", `{"k\u0000":"v"}`, invalid},
	} {
		t.Run(tt.param+" "+tt.text[:min(len(tt.text), 24)], func(t *testing.T) {
			a := s.post(t, s.body(token, tt.param, tt.text)).want(t, 400, tt.code)
			if a.lawful != slices.Contains(beyond, tt.text) {
				t.Errorf("allowed by the contract's schema: %v", a.lawful)
			}
			e := a.error()
			if e.Param != tt.param || len(e.Errors) != 1 || e.Errors[0].Param != tt.param || e.Errors[0].Message == "" {
				t.Errorf("the mistake is told as %+v", e)
			}
		})
	}
	if after := s.rows(t); after != before {
		t.Errorf("%d rows were written", after-before)
	}
}

func TestUnknownParametersGetTheNearestName(t *testing.T) {
	t.Parallel()
	s := open(t)
	token := s.Token(good)
	for name, tt := range map[string]struct{ told, near string }{
		"amuont": {"amuont", "amount"}, "merchantId": {"merchantId", "merchant_id"},
		"meta_data": {"meta_data", "metadata"},
		"Amount":    {"Amount", "amount"}, "idempotency_key": {"idempotency_key", ""}, "id": {"id", ""},
		"<b>" + marker: {"", ""}, strings.Repeat("x", 41): {"", ""}, "": {"", ""}, "a b": {
			"", ""}, "amount\\u0000": {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			body := strings.TrimSuffix(s.body(token), "}") + `,"` + name + `":"` + marker + `"}`
			e := s.post(t, body).want(t, 400, "parameter_unknown").error()
			hint := strings.Contains(e.Message, "Did you mean "+tt.near+"?")
			if e.Param != tt.told || (tt.near != "") != hint ||
				(tt.near == "" && strings.Contains(e.Message, "Did you mean")) {
				t.Errorf("the mistake is told as %q: %s", e.Param, e.Message)
			}
		})
	}
}

func TestAnAnswerToMistakesIsBounded(t *testing.T) {
	t.Parallel()
	s := open(t)
	e := s.post(t, pairsOf(10_000)).want(t, 400, "validation_failed").error()
	if n := len(e.Errors); n < 100 || n > 110 {
		t.Errorf("%d mistakes are told", n)
	}
}

func TestFiveMistakesAreToldAtOnceInOrder(t *testing.T) {
	t.Parallel()
	s := open(t)
	before := s.rows(t)
	body := `{"zzz":1,"capture":"` + marker + `","curency":"usd","amount":12.5,"merchant_id":"` + marker + `"}`
	e := s.post(t, body).want(t, 400, "validation_failed").error()
	want := []fault.Field{
		{Param: "merchant_id", Code: "parameter_invalid"},
		{Param: "amount", Code: "amount_not_integer"},
		{Param: "token", Code: "parameter_missing"},
		{Param: "capture", Code: "parameter_invalid"},
		{Param: "curency", Code: "parameter_unknown"},
		{Param: "zzz", Code: "parameter_unknown"},
	}
	for i := range e.Errors {
		if e.Errors[i].Message == "" {
			t.Errorf("%s has no message", e.Errors[i].Param)
		}
		e.Errors[i].Message = ""
	}
	if fmt.Sprint(e.Errors) != fmt.Sprint(want) || e.Param != "merchant_id" {
		t.Errorf("told as %v, want %v", e.Errors, want)
	}
	if after := s.rows(t); after != before {
		t.Errorf("%d rows were written", after-before)
	}
}

func TestLongestAllowedValues(t *testing.T) {
	t.Parallel()
	s := open(t)
	long := func(n int) string { return `"` + strings.Repeat("é", n) + `"` } // two bytes each
	c := s.post(t, s.body(s.Token(good), "amount", "99999999", "description", long(255), "external_id", long(64),
		"statement_suffix", long(12), "metadata", pairsOf(50), "type", `"cc"`, "currency", `"usd"`,
		"funding_currency", `"usd"`,
		"origin", `"moto"`, "recurring", "true", "capture", "true")).want(t, 201, "").charge(t)
	if c.Amount != 99_999_999 || len(c.Metadata) != 50 || len([]rune(*c.Description)) != 255 || c.Origin != "moto" {
		t.Errorf("the charge is %+v", c)
	}
	pair := `{` + long(40) + `:` + long(500) + `,"tab":"\t<&>\u2028"}`
	c = s.post(t, s.body(s.Token(good), "amount", "1", "metadata", pair, "description", "null", "recurring", "null",
		"type", "null",
		"currency", "null", "funding_currency", "null", "origin", "null", "capture", "null", "external_id", "null",
		"statement_suffix", "null")).
		want(t, 201, "").charge(t)
	if c.Amount != 1 || c.Metadata["tab"] != "\t<&>\u2028" || c.Description != nil || !c.Capture {
		t.Errorf("the charge is %+v", c)
	}
	s.get(t, "/api/charges/"+c.ID.String()).want(t, 200, "")
}

func TestHeadersThatAreRight(t *testing.T) {
	t.Parallel()
	s := open(t)
	id := s.post(t, s.body(s.Token(good))).charge(t).ID.String()
	for _, accept := range []string{
		"-", "", "*/*", "application/json", "Application/JSON; charset=utf-8", "application/*;q=0.1",
		"text/html, application/json;q=0.9", "text/html\napplication/json", "garbage;;, */*",
		"*/*;q=0, application/json",
	} {
		s.send(t, call{method: "GET", path: "/api/charges/" + id, header: map[string]string{"Accept": accept}}).want(t,
			200, "")
	}
	for _, media := range []string{"application/json", "application/json; charset=UTF-8",
		"Application/JSON;charset=\"utf-8\""} {
		s.send(t, call{method: "POST", path: "/api/charges", body: "{",
			header: map[string]string{"Content-Type": media}}).want(t, 400, "json_invalid")
	}
	s.send(t, call{method: "GET", path: "/api/charges", header: map[string]string{
		"X-API-Version": Version, "X-Request-Id": marker, "Cookie": "a=b", "Origin": "", "If-None-Match": "*",
		"Range": "bytes=0-1", "Idempotency-Key": "ignored on reads\nx",
	}}).want(t, 200, "")
	s.postKey(t, strings.Repeat("~", 255), s.body(s.Token(good))).want(t, 201, "")
}

func TestSizesThatAreTooLarge(t *testing.T) {
	t.Parallel()
	s := open(t)
	fill := func(n int) string { return "{" + strings.Repeat(" ", n-2) + "}" }
	s.post(t, fill(maxBody)).want(t, 400, "validation_failed")
	s.post(t, fill(maxBody+1)).want(t, 413, "request_too_large")
	s.post(t, strings.Repeat("["+marker, 3*maxBody/10)).want(t, 413, "request_too_large")
}
