package api

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"svcpay/internal/charge"
	"svcpay/internal/fault"
)

// place is where something is in a list.
var place = regexp.MustCompile(`\[[0-9]+\]$`)

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
		param := place.ReplaceAllString(field.Param, "")
		if codeByName[field.Code].Name == "" || (param != "" && !plainName.MatchString(param)) {
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
		if err := mistakes(raw, &in).Err(); err != nil {
			invalid(t, err)
			return
		}
		if in.MerchantID == nil || in.Token == nil || *in.Amount < 1 || *in.Amount > 99_999_999 ||
			!utf8.ValidString(*in.Token) {
			t.Errorf("accepted as %+v", in)
		}
		c := echo.New().NewContext(httptest.NewRequest(http.MethodPost, "/api/charges", nil), httptest.NewRecorder())
		c.Request().Header.Set("Idempotency-Key", "k")
		claim, err := claimOf(c, new(request), raw, body, reflect.TypeFor[charge.CreateInput]())
		if err != nil || len(claim.Params) > len(raw) {
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
		if in.Page.Limit < 1 || in.Page.Limit > maxLimit || slices.ContainsFunc(in.Statuses, strange) ||
			(!in.Page.After.IsZero() && !in.Page.Before.IsZero()) ||
			slices.ContainsFunc(in.Merchants, func(n int64) bool { return n < 1 }) {
			t.Errorf("accepted as %+v", in)
		}
	})
}

func FuzzIdempotencyKey(f *testing.F) {
	for _, key := range []string{"", "k", "two words", "é", "\x7f", strings.Repeat("k", 255),
		strings.Repeat("k", 256), "\x00"} {
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
	for _, accept := range []string{"", "*/*", "application/json;q=0", "text/html;q=0.9, */*;q=0", ";;", `a/b;c="`,
		"application/*;q=0.000"} {
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

// FuzzEveryBody is FuzzDecodeBody for all inputs: which says what is decoded into.
func FuzzEveryBody(f *testing.F) {
	var inputs []reflect.Type
	for _, r := range resources {
		for _, name := range slices.Sorted(maps.Keys(r.shapes)) {
			if _, ok := r.shapes[name].(validator); ok {
				inputs = append(inputs, reflect.TypeOf(r.shapes[name]))
			}
		}
	}
	for i := range inputs {
		for _, c := range withJSON(f) {
			f.Add(byte(i), []byte(c.body))
		}
		f.Add(byte(i),
			[]byte(`{"billing":{"email":1},"amounts":[null],"evidence":{"":""},"domains":["\u0000"],"metadata":{"a":null},"name":{},"organization":{"x":1}}`))
	}
	f.Fuzz(func(t *testing.T, which byte, body []byte) {
		raw, err := members(body)
		if err != nil {
			invalid(t, err)
			return
		}
		in, ok := reflect.New(inputs[int(which)%len(inputs)]).Interface().(validator)
		if !ok {
			t.Fatal("an input that cannot tell its mistakes")
		}
		invalid(t, mistakes(raw, in).Err())
	})
}

func FuzzFilters(f *testing.F) {
	for _, query := range []string{
		"metadata[a]=b", "metadata[]=1", "metadata[a]=1&metadata[a]=2", "amount=1&amount[gte]=2", "amount[lt]=0",
		"amount[gt]=999999999999", "expand[]=merchant&expand[]=merchant",
		"recurring=TRUE", "created_at[gte]=2026-12-01T00:00:00Z&created_at[gt]=0",
		"created_at[lte]=9999-12-31T23:59:59.999999999Z", "merchant_id=1,,2", "status=a,b", "metadata[%00]=x",
		"month=2026-13",
	} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, text string) {
		values, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		q := &query{values: values}
		metadata, amounts, times := q.pairs("metadata"), q.amounts("amount"), q.times("created_at")
		if n, err := parseInteger(values.Get("merchant_id")); err == nil &&
			strconv.FormatInt(n, 10) != values.Get("merchant_id") {
			t.Errorf("%q is read as %d", values.Get("merchant_id"), n)
		}
		expand, flag, merchants, month := q.expand("merchant", "charge"), q.flag("recurring"),
			q.integers("merchant_id"), monthIn(q, "month")
		err = q.err()
		if invalid(t, err); err != nil {
			return
		}
		for key, value := range metadata {
			if !utf8.ValidString(key+value) || strings.Contains(key+value, "\x00") ||
				utf8.RuneCountInString(key) > 40 || utf8.RuneCountInString(value) > 500 {
				t.Errorf("taken: metadata %q: %q", key, value)
			}
		}
		if amounts.Least != nil && (*amounts.Least < 0 || *amounts.Least > maxAmount+1) || amounts.Most != nil &&
			(*amounts.Most < -1 || *amounts.Most > maxAmount) {
			t.Errorf("taken: %v", amounts)
		}
		if times.From != nil && times.From.Location() != time.UTC || len(expand) > 2 || flag != nil &&
			!values.Has("recurring") || slices.Contains(merchants, 0) || len(month) != len("2026-12") {
			t.Errorf("taken: %v %v %v %v %q", times, expand, flag, merchants, month)
		}
	})
}

func FuzzContentType(f *testing.F) {
	for _, media := range []string{"", "application/json", "application/json; charset=utf-8",
		"Application/JSON;charset=\"UTF-8\"", "application/json; charset=latin1", "application/json,text/plain", ";;",
		"application/json; a=b"} {
		f.Add(media)
	}
	f.Fuzz(func(t *testing.T, media string) {
		r := httptest.NewRequest(http.MethodPost, "/api/charges", nil)
		r.Header["Content-Type"] = []string{media}
		got := mediaOf(r)
		if head, _, _ := strings.Cut(media, ";"); got != "" && got != strings.ToLower(strings.TrimSpace(head)) {
			t.Errorf("%q is taken for %q", media, got)
		}
		if r.Header["Content-Type"] = []string{media, mediaJSON}; got == mediaJSON && mediaOf(r) != "" {
			t.Errorf("%q and another type are taken for %q", media, mediaOf(r))
		}
		if r.Header.Set("Content-Encoding", "gzip"); mediaOf(r) != "" {
			t.Error("a compressed body is taken")
		}
	})
}

func FuzzIfMatch(f *testing.F) {
	for _, value := range []string{"", "*", `"1"`, `W/"1"`, `"01"`, `"9223372036854775808"`, `"1", "2"`, `"`, `""`,
		"\"\xff\""} {
		f.Add(value)
	}
	form := regexp.MustCompile(`\A"[1-9][0-9]{0,18}"\z`)
	f.Fuzz(func(t *testing.T, value string) {
		h := http.Header{"If-Match": {value}}
		version, err := ifMatch(h, true)
		if err == nil && version == nil && value != "*" {
			t.Errorf("%q is taken for any version", value)
		}
		if err != nil && !fault.HasCode(err, "parameter_invalid") {
			t.Errorf("%q is refused with %v", value, err)
		}
		if version != nil && (!form.MatchString(value) || strconv.Quote(strconv.Itoa(*version)) != value) {
			t.Errorf("%q is taken for %d", value, *version)
		}
		if _, err := ifMatch(h, false); err == nil {
			t.Errorf("%q is taken where there is no version", value)
		}
	})
}
