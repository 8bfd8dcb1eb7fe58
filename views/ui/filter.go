package ui

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"svcpay/views/text"
)

// FilterKind is what a filter compares with.
type FilterKind string

// The kinds of filters.
const (
	FilterOne    FilterKind = "one"    // one of its options
	FilterMany   FilterKind = "many"   // any of its options: the parameter stands once for each
	FilterWords  FilterKind = "words"  // a text
	FilterAmount FilterKind = "amount" // Name_min and Name_max, in dollars
	FilterDays   FilterKind = "days"   // Name_from and Name_until, as 2026-01-31
)

// Filter is one way to make a list shorter.
type Filter struct {
	Name    string // of the parameter in the address
	Label   string
	Kind    FilterKind
	Options []Option // of FilterOne and FilterMany
	Hint    string
	Spans   []Span // ready-made ones of FilterDays
	Error   string // what is wrong with its value
}

// Span is a span of days that people often ask for, such as the last 30; its days are as 2026-01-31.
type Span struct{ Label, From, Until string }

// FilterBar is a form whose state is the address of a list.
type FilterBar struct {
	Path    string     // of the list
	Query   url.Values // the address's parameters now
	Search  Filter     // the words above all filters; the zero Filter shows none
	Filters []Filter
	Target  string // the element that the filtered list replaces, where there is a script
	Export  string // the path of this very view as CSV; "" for none
}

// names are the parameters of a filter.
func (f Filter) names() []string {
	switch f.Kind {
	case FilterAmount:
		return []string{f.Name + "_min", f.Name + "_max"}
	case FilterDays:
		return []string{f.Name + "_from", f.Name + "_until"}
	}
	return []string{f.Name}
}

// values are what a query says of a filter, empty ones left out.
func (f Filter) values(query url.Values) (out []string) {
	for _, name := range f.names() {
		out = append(out, query[name]...)
	}
	return slices.DeleteFunc(out, func(v string) bool { return v == "" })
}

// Active reports whether a query filters by it.
func (f Filter) Active(query url.Values) bool { return len(f.values(query)) > 0 }

// wrong is what is wrong with its value: what the list found, or a day that is no date; "" if nothing is.
func (f Filter) wrong(t *text.Catalogue, query url.Values) string {
	if f.Error != "" || f.Kind != FilterDays {
		return f.Error
	}
	for _, v := range f.values(query) {
		if _, err := time.Parse(time.DateOnly, v); err != nil {
			return t.Parts.BadDay
		}
	}
	return ""
}

// labels are the names of the chosen options, in the options' order; then what is no option, as it was given.
func (f Filter) labels(values []string) (out []string) {
	rest := slices.Clone(values)
	for _, o := range f.Options {
		if i := slices.Index(rest, o.Value); i >= 0 {
			out = append(out, o.Label)
			rest = slices.Delete(rest, i, i+1)
		}
	}
	return append(out, rest...)
}

// chosen reports whether a filter of days has exactly the dates of a span.
func (f Filter) chosen(s Span, query url.Values) bool {
	return s.From == query.Get(f.Name+"_from") && s.Until == query.Get(f.Name+"_until")
}

// Says is the value of a filter in words.
func (f Filter) Says(t *text.Catalogue, query url.Values) string {
	switch f.Kind {
	case FilterAmount:
		dollars := func(s string) string { return t.Format.Money(s, "$") }
		return between(t, query.Get(f.Name+"_min"), query.Get(f.Name+"_max"), dollars, t.Parts.OrMore, t.Parts.OrLess)
	case FilterDays:
		for _, s := range f.Spans {
			if f.chosen(s, query) {
				return s.Label
			}
		}
		return between(t, query.Get(f.Name+"_from"), query.Get(f.Name+"_until"), t.Day, t.Parts.Since, t.Parts.Through)
	}
	labels := f.labels(f.values(query))
	if len(labels) > 2 {
		return t.Parts.AndMore(labels[0], len(labels)-1)
	}
	return t.Parts.Or(labels)
}

// between says a span of which either end may be open.
func between(t *text.Catalogue, from, until string, write func(string) string, above,
	below func(string) string) string {
	switch {
	case until == "":
		return above(write(from))
	case from == "":
		return below(write(until))
	case from == until:
		return write(from)
	}
	return t.Format.Span(write(from), write(until))
}

// all are the filters of the bar, the search among them.
func (b FilterBar) all() []Filter {
	if b.Search.Name == "" {
		return b.Filters
	}
	return append([]Filter{b.Search}, b.Filters...)
}

// Active reports whether the list is filtered at all.
func (b FilterBar) Active() bool {
	return slices.ContainsFunc(b.all(), func(f Filter) bool { return f.Active(b.Query) })
}

// Without is the address of the list without one filter, at its first page.
func (b FilterBar) Without(f Filter) string {
	return address(b.Path, without(b.Query, append(f.names(), "after", "before")...))
}

// Cleared is the address of the list without any filter, sorted as it is.
func (b FilterBar) Cleared() string { return address(b.Path, without(b.Query, b.names()...)) }

// With is the address of the list with a ready-made span of days.
func (b FilterBar) With(f Filter, s Span) string {
	query := without(b.Query, append(f.names(), "after", "before")...)
	query.Set(f.Name+"_from", s.From)
	if s.Until != "" {
		query.Set(f.Name+"_until", s.Until)
	}
	return address(b.Path, query)
}

// Kept are the parameters that are no filter's and that stay when the form is sent: how the list is sorted.
func (b FilterBar) Kept() (out []Pair) {
	for name, values := range without(b.Query, b.names()...) {
		for _, v := range values {
			out = append(out, Pair{Key: name, Value: v})
		}
	}
	slices.SortFunc(out, func(x, y Pair) int { return strings.Compare(x.Key, y.Key) })
	return out
}

// names are the parameters of all filters, and those that say which page it is.
func (b FilterBar) names() []string {
	names := []string{"after", "before"}
	for _, f := range b.all() {
		names = append(names, f.names()...)
	}
	return names
}

// Exported is the address of this view as CSV.
func (b FilterBar) Exported() string { return address(b.Export, without(b.Query, "after", "before")) }

// Tidy is the address that a filter form should have led to: without the parameters that say nothing. It
// returns false if the address is tidy already.
func Tidy(path string, query url.Values) (string, bool) {
	for _, values := range query {
		if slices.Contains(values, "") {
			return address(path, without(query)), true
		}
	}
	return "", false
}

// LastDays are the spans that most lists offer, for the day that it is where the viewer is.
func LastDays(t *text.Catalogue, today time.Time) []Span {
	day := func(back int) string { return today.AddDate(0, 0, -back).Format(time.DateOnly) }
	return []Span{
		{t.Parts.Today, day(0), day(0)},
		{t.Parts.LastDays(7), day(6), day(0)},
		{t.Parts.LastDays(30), day(29), day(0)},
		{t.Parts.LastDays(90), day(89), day(0)},
	}
}
