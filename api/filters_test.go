package api

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/fault"
)

// ask reads a query string, which must be well-formed.
func ask(t testing.TB, text string) *query {
	t.Helper()
	values, err := url.ParseQuery(text)
	if err != nil {
		t.Fatal(err)
	}
	return &query{values: values}
}

// wantMistake demands that a query has one mistake of that code under that name, or none.
func wantMistake(t *testing.T, text string, q *query, param, code string) {
	t.Helper()
	err := q.err()
	f, _ := fault.As(err)
	if code == "" && err != nil || code != "" && (f == nil || f.Code != code || f.Param != param) {
		t.Errorf("%s is told as %v, want %s %s", text, err, param, code)
	}
}

func TestPairsOfAQuery(t *testing.T) {
	t.Parallel()
	const invalid = "parameter_invalid"
	long := strings.Repeat("é", 41)
	for text, want := range map[string]struct {
		pairs       map[string]string
		param, code string
	}{
		"":                                        {},
		"metadata[a]=1":                           {pairs: map[string]string{"a": "1"}},
		"metadata[a]=1&metadata[b%20c]=":          {pairs: map[string]string{"a": "1", "b c": ""}},
		"metadata[" + long[2:] + "]=%09x":         {pairs: map[string]string{long[2:]: "\tx"}},
		"metadata[gte]=5":                         {pairs: map[string]string{"gte": "5"}},
		"metadata[a]=1&metadata[a]=2":             {param: "metadata", code: invalid},
		"metadata[" + long + "]=1":                {param: "metadata", code: invalid},
		"metadata[a]=" + strings.Repeat("x", 501): {param: "metadata", code: invalid},
		"metadata[a]=%00":                         {param: "metadata", code: invalid},
		"metadata[a]=%ff":                         {param: "metadata", code: invalid},
		"metadata[%ff]=1":                         {param: "metadata", code: invalid},
		"metadata=1":                              {param: "metadata", code: invalid},
		"metadata[]=1":                            {param: "metadata", code: invalid},
		"metadata[a][b]=1":                        {code: "parameter_unknown"},
		"metadata[[a]]=1":                         {code: "parameter_unknown"},
		"metadata[a=1":                            {code: "parameter_unknown"},
		"metadat[a]=1":                            {code: "parameter_unknown"},
		"metadat=1":                               {param: "metadat", code: "parameter_unknown"},
	} {
		q := ask(t, text)
		got := q.pairs("metadata")
		if !maps.Equal(got, want.pairs) || (got == nil) != (want.pairs == nil) {
			t.Errorf("%s is read as %v", text, got)
		}
		wantMistake(t, text, q, want.param, want.code)
	}
}

func TestWhatToExpand(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		names       []string
		param, code string
	}{
		"":                                    {},
		"expand[]=merchant":                   {names: []string{"merchant"}},
		"expand[]=token&expand[]=merchant":    {names: []string{"token", "merchant"}},
		"expand[]=merchant&expand[]=merchant": {param: "expand[]", code: "parameter_invalid"},
		"expand[]=" + marker:                  {param: "expand[]", code: "parameter_invalid"},
		"expand[]=":                           {param: "expand[]", code: "parameter_invalid"},
		"expand[]=merchant.domains":           {param: "expand[]", code: "parameter_invalid"},
		"expand=merchant":                     {param: "expand", code: "parameter_unknown"},
	} {
		q := ask(t, text)
		if got := q.expand("merchant", "token"); !slices.Equal(got, want.names) {
			t.Errorf("%s is read as %v", text, got)
		}
		wantMistake(t, text, q, want.param, want.code)
	}
}

func TestFlagsOfAQuery(t *testing.T) {
	t.Parallel()
	if q := ask(t, ""); q.flag("recurring") != nil {
		t.Error("absent, but set")
	}
	for text, want := range map[string]bool{"true": true, "false": false} {
		q := ask(t, "recurring="+text)
		if got := q.flag("recurring"); got == nil || *got != want || q.err() != nil {
			t.Errorf("%s is read as %v, %v", text, got, q.err())
		}
	}
	for _, text := range []string{"", "1", "True", "true&recurring=true", "yes"} {
		q := ask(t, "recurring="+text)
		q.flag("recurring")
		wantMistake(t, text, q, "recurring", "parameter_invalid")
	}
}

func TestSpansOfAmountsThatAreWrong(t *testing.T) {
	t.Parallel()
	const invalid, exclusive = "parameter_invalid", "parameters_exclusive"
	for text, want := range map[string]struct{ param, code string }{
		"amount=":                         {"amount", invalid},
		"amount=-1":                       {"amount", invalid},
		"amount=1.5":                      {"amount", invalid},
		"amount=05":                       {"amount", invalid},
		"amount=%2B5":                     {"amount", invalid},
		"amount=1000000000000":            {"amount", invalid},
		"amount[gte]=x":                   {"amount[gte]", invalid},
		"amount[lt]=99999999999999999999": {"amount[lt]", invalid},
		"amount=1&amount=1":               {"amount", invalid},
		"amount=1&amount[lt]=5":           {"amount", exclusive},
		"amount[gt]=1&amount[gte]=1":      {"amount[gt]", exclusive},
		"amount[lt]=1&amount[lte]=1":      {"amount[lt]", exclusive},
		"amount[eq]=1":                    {"", "parameter_unknown"},
		"amuont=1":                        {"amuont", "parameter_unknown"},
	} {
		q := ask(t, text)
		q.amounts("amount")
		wantMistake(t, text, q, want.param, want.code)
	}
}

// A span holds exactly the amounts that its words say.
func TestSpansOfAmounts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Int64Range(0, 6)
		bound := map[string]func(int64, int64) bool{
			"amount": func(a, n int64) bool { return a == n }, "amount[gte]": func(a, n int64) bool { return a >= n },
			"amount[gt]":  func(a, n int64) bool { return a > n },
			"amount[lte]": func(a, n int64) bool { return a <= n },
			"amount[lt]":  func(a, n int64) bool { return a < n },
		}
		var names []string
		for _, words := range rapid.SampledFrom([][][]string{
			{}, {{"amount"}}, {{"amount[gte]", "amount[gt]"}}, {{"amount[lte]", "amount[lt]"}},
			{{"amount[gte]", "amount[gt]"}, {"amount[lte]", "amount[lt]"}},
		}).Draw(t, "form") {
			names = append(names, rapid.SampledFrom(words).Draw(t, "word"))
		}
		values, holds := url.Values{}, func(int64) bool { return true }
		for _, name := range names {
			n, others := number.Draw(t, name), holds
			values.Set(name, strconv.FormatInt(n, 10))
			holds = func(a int64) bool { return others(a) && bound[name](a, n) }
		}
		q := &query{values: values}
		span := q.amounts("amount")
		if err := q.err(); err != nil {
			t.Fatal(err)
		}
		for a := int64(-1); a < 8; a++ {
			if in := (span.Least == nil || *span.Least <= a) && (span.Most == nil || a <= *span.Most); a >= 0 &&
				in != holds(a) {
				t.Errorf("%v holds %d: %v", values, a, in)
			}
		}
	})
}

// A span of days holds exactly the days that its words say.
func TestSpansOfDays(t *testing.T) {
	t.Parallel()
	first := time.Date(2027, 12, 30, 0, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		day := func(label string) time.Time { return first.AddDate(0, 0, rapid.IntRange(0, 4).Draw(t, label)) }
		low, high := rapid.SampledFrom([]string{"", "gte", "gt"}).Draw(t,
			"low"), rapid.SampledFrom([]string{"", "lte", "lt"}).Draw(t, "high")
		from, until, values := day("from"), day("until"), url.Values{}
		if low != "" {
			values.Set("on["+low+"]", from.Format(time.DateOnly))
		}
		if high != "" {
			values.Set("on["+high+"]", until.Format(time.DateOnly))
		}
		q := &query{values: values}
		span := q.days("on")
		if err := q.err(); err != nil {
			t.Fatal(err)
		}
		for d := first.AddDate(0, 0, -1); d.Before(first.AddDate(0, 0, 6)); d = d.AddDate(0, 0, 1) {
			want := (low == "" || d.After(from) || low == "gte" && d.Equal(from)) &&
				(high == "" || d.Before(until) || high == "lte" && d.Equal(until))
			if in := (span.From == nil || !d.Before(*span.From)) &&
				(span.Until == nil || d.Before(*span.Until)); in != want {
				t.Errorf("%v holds %s: %v", values, d, in)
			}
		}
	})
	for text, want := range map[string]struct{ param, code string }{
		"on[gte]=2027-02-29": {"on[gte]", "parameter_invalid"}, "on[lt]=": {"on[lt]", "parameter_invalid"},
		"on[gt]=2027-1-1":                      {"on[gt]", "parameter_invalid"},
		"on[lte]=2027-01-01T00:00:00Z":         {"on[lte]", "parameter_invalid"},
		"on[gt]=2027-01-01&on[gte]=2027-01-01": {"on[gt]", "parameters_exclusive"},
		"on=2027-01-01":                        {"on", "parameter_unknown"},
	} {
		q := ask(t, text)
		q.days("on")
		wantMistake(t, text, q, want.param, want.code)
	}
}
