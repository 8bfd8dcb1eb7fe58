package api

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"svcpay/internal/charge"
	"svcpay/internal/fault"
)

// invalid demands that an error, if there is one, is a malformed request's and tells every mistake
// by a known code under a plain name.
func invalid(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	f, ok := fault.As(err)
	if !ok || dressOf(f).Status != http.StatusBadRequest || codeByName[f.Code].Name == "" {
		t.Fatalf("the error is %v", err)
	}
	for _, field := range f.Fields {
		if codeByName[field.Code].Name == "" || (field.Param != "" && !plainName.MatchString(field.Param)) {
			t.Errorf("a mistake is told as %+v", field)
		}
	}
}

func FuzzDecodeBody(f *testing.F) {
	for _, body := range []string{
		"", "{}", "[]", `{"amount":1,"merchant_id":1,"token":"tok_"}`, `{"amount":1e9,"metadata":{"a":null}}`,
		`{"amount":1,"amount":2}`, "{\"\xff\":1}", nested(20), `{"metadata":{"\u0000":"x"},"capture":1,"x y":2}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		raw, err := members(body)
		if err != nil {
			invalid(t, err)
			return
		}
		var in charge.CreateInput
		if err := decode(raw, &in); err != nil {
			invalid(t, err)
			return
		}
		if in.MerchantID == nil || in.Token == nil || *in.Amount < 1 || *in.Amount > 99_999_999 || !utf8.ValidString(*in.Token) {
			t.Errorf("accepted as %+v", in)
		}
		c := echo.New().NewContext(httptest.NewRequest(http.MethodPost, "/api/charges", nil), httptest.NewRecorder())
		c.Request().Header.Set("Idempotency-Key", "k")
		claim, err := claimOf(c, new(request), raw, body)
		if err != nil || len(claim.Params) != len(raw) {
			t.Errorf("no claim: %v", err)
		}
	})
}

func FuzzQuery(f *testing.F) {
	for _, query := range []string{
		"", "limit=5", "limit=0&order=x", "status=captured,failed", "merchant_id=1,2",
		"a;b", "%zz", "=", "starting_after=ch_", "limit=1&limit=2",
	} {
		f.Add(query)
	}
	e := echo.New()
	f.Fuzz(func(t *testing.T, query string) {
		r := httptest.NewRequest(http.MethodGet, "/api/charges", nil)
		r.URL.RawQuery = query
		q, err := queryOf(e.NewContext(r, httptest.NewRecorder()))
		if err != nil {
			invalid(t, err)
			return
		}
		in := chargeList(q)
		err = q.err()
		if invalid(t, err); err != nil {
			return
		}
		strange := func(w string) bool { return !slices.Contains(charge.Statuses(), w) }
		if in.Page.Limit < 1 || in.Page.Limit > maxLimit || slices.ContainsFunc(in.Statuses, strange) || (!in.Page.After.IsZero() && !in.Page.Before.IsZero()) ||
			slices.ContainsFunc(in.Merchants, func(n int64) bool { return n < 1 }) {
			t.Errorf("accepted as %+v", in)
		}
	})
}

func FuzzIdempotencyKey(f *testing.F) {
	for _, key := range []string{"", "k", "two words", "é", "\x7f", strings.Repeat("k", 255), strings.Repeat("k", 256), "\x00"} {
		f.Add(key)
	}
	form := regexp.MustCompile(`\A[!-~]{1,255}\z`)
	f.Fuzz(func(t *testing.T, key string) {
		if validKey(key) != form.MatchString(key) {
			t.Errorf("%q is taken for %v", key, validKey(key))
		}
	})
}

func FuzzAcceptHeader(f *testing.F) {
	for _, accept := range []string{"", "*/*", "application/json;q=0", "text/html;q=0.9, */*;q=0", ";;", `a/b;c="`, "application/*;q=0.000"} {
		f.Add(accept)
	}
	f.Fuzz(func(t *testing.T, accept string) {
		acceptsJSON := func(accept ...string) bool { return preferred(accept, producesJSON) != "" }
		taken := acceptsJSON(accept)
		if strings.Contains(strings.ToLower(accept), "json") {
			return
		}
		if !acceptsJSON(accept, "application/json") || acceptsJSON(accept, "application/json;q=0") {
			t.Error("what is said of JSON itself does not decide")
		}
		if taken && strings.TrimSpace(accept) != "" && !strings.Contains(accept, "*") {
			t.Error("nothing covers JSON, but it is taken to be accepted")
		}
	})
}
