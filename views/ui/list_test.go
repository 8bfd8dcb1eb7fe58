package ui

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/views/text"
)

// query is one with parameters of the list below, and with empty ones.
func drawQuery(t *rapid.T) url.Values {
	out := url.Values{}
	for _, name := range []string{"q", "status", "amount_min", "amount_max", "created_from", "created_until", "sort",
		"after", "before"} {
		if values := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b c", "é&=", "10"}), 0, 2).Draw(t,
			name); len(values) > 0 {
			out[name] = values
		}
	}
	return out
}

func barOf(query url.Values) FilterBar {
	return FilterBar{
		Path: "/list", Query: query, Export: "/list.csv", Search: Filter{Name: "q", Label: "Words", Kind: FilterWords},
		Filters: []Filter{
			{Name: "status", Label: "Status", Kind: FilterMany, Options: []Option{{Value: "a", Label: "Able"}, {Value: "b", Label: "Busy"}, {Value: "c", Label: "Calm"}}},
			{Name: "amount", Label: "Amount", Kind: FilterAmount},
			{Name: "created", Label: "Date", Kind: FilterDays, Spans: []Span{{"This week", "2026-03-01", "2026-03-07"}}},
		},
	}
}

// parsed is the path and the query of an address.
func parsed(t *rapid.T, address string) (string, url.Values) {
	u, err := url.Parse(address)
	if err != nil {
		t.Fatalf("%q is no address: %v", address, err)
	}
	return u.Path, u.Query()
}

func TestRemovingAllFiltersOneByOneIsClearing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		query := drawQuery(t)
		bar := barOf(query)
		cleared := bar.Cleared()
		for _, f := range rapid.Permutation(bar.all()).Draw(t, "order") {
			_, rest := parsed(t, bar.Without(f))
			if f.Active(rest) || rest.Has("after") || rest.Has("before") {
				t.Fatalf("%v is still in %v", f.Label, rest)
			}
			for _, other := range bar.all() {
				if other.Name != f.Name && !slices.Equal(other.values(rest), other.values(bar.Query)) {
					t.Fatalf("without %s, %s changed: %v", f.Label, other.Label, rest)
				}
			}
			bar.Query = rest
		}
		if bar.Active() || address(bar.Path, bar.Query) != cleared {
			t.Fatalf("%v is not %s", bar.Query, cleared)
		}
		if _, rest := parsed(t, cleared); !slices.Equal(rest["sort"], without(query)["sort"]) {
			t.Fatalf("clearing sorts by %v", rest["sort"])
		}
	})
}

func TestExportIsTheWholeView(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		bar := barOf(drawQuery(t))
		path, query := parsed(t, bar.Exported())
		if path != "/list.csv" || query.Has("after") || query.Has("before") ||
			query.Encode() != without(bar.Query, "after", "before").Encode() {
			t.Fatalf("%v is exported as %v", bar.Query, query)
		}
		for _, kept := range bar.Kept() {
			if kept.Key != "sort" || kept.Value == "" {
				t.Fatalf("%v stays in the form", kept)
			}
		}
	})
}

func TestTidyAddressesSayNothingEmpty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		query := drawQuery(t)
		to, untidy := Tidy("/list", query)
		if empty := strings.Contains(query.Encode()+"&", "=&"); untidy != empty {
			t.Fatalf("%v is untidy: %v", query, untidy)
		}
		if !untidy {
			return
		}
		_, tidy := parsed(t, to)
		if _, again := Tidy("/list", tidy); again || barOf(tidy).Active() != barOf(query).Active() {
			t.Fatalf("%v became %v", query, tidy)
		}
	})
}

func TestFiltersSayWhatTheySelect(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"status=b":                                         "Busy",
		"status=b&status=a":                                "Able or Busy",
		"status=c&status=b&status=a":                       "Able or 2 more",
		"status=unknown":                                   "unknown",
		"status=&amount_min=10":                            "$10 or more",
		"amount_max=99.50":                                 "$99.50 or less",
		"amount_min=10&amount_max=20":                      "$10 – $20",
		"amount_min=10&amount_max=10":                      "$10",
		"created_from=2026-01-31":                          "since Jan 31, 2026",
		"created_until=2026-01-31":                         "until Jan 31, 2026",
		"created_from=yesterday":                           "since yesterday",
		"created_from=2026-03-01&created_until=":           "since Mar 1, 2026",
		"created_from=2026-03-01&created_until=2026-03-07": "This week",
		"created_from=2026-03-01&created_until=2026-03-09": "Mar 1, 2026 – Mar 9, 2026",
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		bar := barOf(values)
		i := slices.IndexFunc(bar.Filters, func(f Filter) bool { return f.Active(values) })
		if got := bar.Filters[i].Says(text.English, values); got != want {
			t.Errorf("%s reads %q, want %q", query, got, want)
		}
	}
}

func TestReadyMadeSpans(t *testing.T) {
	t.Parallel()
	spans := LastDays(text.English, time.Date(2026, time.March, 2, 23, 0, 0, 0, time.UTC))
	if spans[0] != (Span{"Today", "2026-03-02", "2026-03-02"}) ||
		spans[1] != (Span{"Last 7 days", "2026-02-24", "2026-03-02"}) {
		t.Errorf("spans are %v", spans)
	}
	bar := barOf(url.Values{"created_until": {"2020-01-01"}, "after": {"x"}, "sort": {"amount"}})
	if got := bar.With(bar.Filters[2],
		Span{"Ever since", "2026-01-01", ""}); got != "/list?created_from=2026-01-01&sort=amount" {
		t.Errorf("the span leads to %s", got)
	}
}

func TestSortingTurnsRoundAndStartsAtTheFirstPage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ query, order, href string }{
		{"", "", "/list?sort=-amount"},
		{"after=x&status=a", "", "/list?sort=-amount&status=a"},
		{"sort=-amount", "descending", "/list?sort=amount"},
		{"sort=amount&before=y", "ascending", "/list?sort=-amount"},
	} {
		query, _ := url.ParseQuery(c.query)
		if got := SortBy("/list", query, "amount", "-created"); got != (Sort{Href: c.href, Order: c.order}) {
			t.Errorf("%q: %+v", c.query, got)
		}
	}
	if got := SortBy("/list", url.Values{"sort": {"created"}}, "created",
		"-created"); got != (Sort{Href: "/list", Order: "ascending"}) {
		t.Errorf("the usual order has an address of its own: %+v", got)
	}
	if got := SortBy("/list", nil, "created",
		"-created"); got != (Sort{Href: "/list?sort=created", Order: "descending"}) {
		t.Errorf("a list that says nothing is sorted %+v", got)
	}
}

// A list of n objects, read as package page does, is walked through by its pagers alone.
func TestPagersLeadThroughTheWholeListAndBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n, size := rapid.IntRange(0, 60).Draw(t, "n"), rapid.IntRange(1, 9).Draw(t, "size")
		ids := make([]string, n)
		for i := range ids {
			ids[i] = "id" + string(rune('A'+i/26)) + string(rune('a'+i%26))
		}
		read := func(query url.Values) ([]string, bool) {
			if before := slices.Index(ids, query.Get("before")); before >= 0 {
				start := max(0, before-size)
				return ids[start:before], start > 0
			}
			start := slices.Index(ids, query.Get("after")) + 1
			end := min(n, start+size)
			return ids[start:end], end < n
		}
		pager := func(address string) (rows []string, p Pager) {
			_, query := parsed(t, address)
			rows, more := read(query)
			first, last := "", ""
			if len(rows) > 0 {
				first, last = rows[0], rows[len(rows)-1]
			}
			return rows, Around("/list", query, first, last, more)
		}
		var seen []string
		at := "/list?status=a"
		for steps := 0; ; steps++ {
			rows, p := pager(at)
			seen = append(seen, rows...)
			if _, query := parsed(t, at); query.Get("status") != "a" || steps > n+1 {
				t.Fatalf("%s loses its filter, or the walk has no end", at)
			}
			if p.Next == "" {
				break
			}
			at = p.Next
		}
		if !slices.Equal(seen, ids) {
			t.Fatalf("forward: %v", seen)
		}
		seen, _ = pager(at)
		for steps := 0; ; steps++ {
			_, p := pager(at)
			if p.Previous == "" || steps > n+1 {
				break
			}
			at = p.Previous
			rows, _ := pager(at)
			seen = append(slices.Clone(rows), seen...)
		}
		if !slices.Equal(seen, ids) {
			t.Fatalf("back: %v", seen)
		}
	})
}

func TestPagerOfAPageThatBecameEmpty(t *testing.T) {
	t.Parallel()
	if p := Around("/list", url.Values{"after": {"gone"}, "q": {"x"}}, "", "", false); p.Previous != "/list?q=x" ||
		p.Next != "" {
		t.Errorf("after the end: %+v", p)
	}
	if p := Around("/list", url.Values{"before": {"gone"}}, "", "", false); p.Previous != "" || p.Next != "/list" {
		t.Errorf("before the start: %+v", p)
	}
}
