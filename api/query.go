package api

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/platform/page"
)

// The cursors of every list.
const (
	startingAfter = "starting_after"
	endingBefore  = "ending_before"
)

// query is the parameters of a query string while they are read and their mistakes collected.
// Reading a parameter is what makes it known; err ends the reading.
type query struct {
	values url.Values
	known  []string // names of ours, which may be told
	taken  []string // names that the caller made up of one of ours and a key
	fs     fault.Fields
}

func queryOf(c echo.Context) (*query, error) {
	values, err := url.ParseQuery(c.Request().URL.RawQuery)
	if err != nil {
		return nil, fault.Invalid("parameter_invalid", "The query string is malformed.")
	}
	return &query{values: values}, nil
}

// noQuery refuses every parameter in the query.
func noQuery(c echo.Context) error {
	q, err := queryOf(c)
	if err != nil {
		return err
	}
	return q.err()
}

// err tells every mistake of the query, unknown parameters too.
func (q *query) err() error {
	for _, name := range slices.Sorted(maps.Keys(q.values)) {
		if !slices.Contains(q.known, name) && !slices.Contains(q.taken, name) && len(q.fs) < maxMistakes {
			unknown(&q.fs, "query", "", name, slices.Values(q.known))
		}
	}
	return q.fs.Err()
}

func (q *query) refuse(name, message string) { q.fs.Add(name, "parameter_invalid", message) }

// value gives a parameter that was sent, once as it must be.
func (q *query) value(name string) (string, bool) {
	q.known = append(q.known, name)
	values := q.values[name]
	if len(values) > 1 {
		q.refuse(name, "Give this parameter once; separate values by commas where several are allowed.")
	}
	if len(values) != 1 {
		return "", false
	}
	return values[0], true
}

// pageOf reads the parameters of every list; parse reads the ids that are its cursors.
func pageOf[ID comparable](q *query, parse func(string) (ID, error)) page.Input[ID] {
	in := page.Input[ID]{Limit: q.limit(), Ascending: q.ascending()}
	in.After, in.Before = cursor(q, startingAfter, parse), cursor(q, endingBefore, parse)
	var none ID
	if in.After != none && in.Before != none {
		q.fs.Add(endingBefore, "parameters_exclusive", "Give starting_after or ending_before, not both.")
	}
	return in
}

func cursor[ID any](q *query, name string, parse func(string) (ID, error)) ID {
	var none ID
	text, ok := q.value(name)
	if !ok {
		return none
	}
	id, err := parse(text)
	if err != nil || any(id) == any(none) { // which would start the list again
		q.fs.Add(name, "cursor_invalid", "Use an id that an earlier page gave.")
	}
	return id
}

func (q *query) limit() int {
	text, ok := q.value("limit")
	if !ok {
		return defaultLimit
	}
	n := positive(text)
	if n < 1 || n > maxLimit {
		q.refuse("limit", "An integer from 1 to 100.")
	}
	return int(n)
}

// positive reads a positive integer in its one plain form; 0 is everything else.
func positive(word string) int64 {
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil || n < 1 || strconv.FormatInt(n, 10) != word {
		return 0
	}
	return n
}

// needed reads an integer from 1 to most, which must be there.
func (q *query) needed(name string, most int64, message string) int64 {
	text, ok := q.value(name)
	n := positive(text)
	switch {
	case !q.values.Has(name):
		check.Required(&q.fs, name, false)
	case ok && (n == 0 || n > most):
		q.refuse(name, message)
	}
	return n
}

func (q *query) ascending() bool {
	order, ok := q.value("order")
	if ok && order != "asc" && order != "desc" {
		q.refuse("order", check.AllowedValues("asc", "desc"))
	}
	return order == "asc"
}

// idIn reads one id; nil when the parameter is absent.
func idIn[ID any](q *query, name string, parse func(string) (ID, error)) *ID {
	text, ok := q.value(name)
	if !ok {
		return nil
	}
	id, err := parse(text)
	if err != nil {
		q.refuse(name, "An id as this API gives them.")
	}
	return &id
}

// words reads a comma-separated list of allowed words; nil when the parameter is absent.
func (q *query) words(name string, allowed []string) []string {
	text, ok := q.value(name)
	if !ok {
		return nil
	}
	words := strings.Split(text, ",")
	if slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(allowed, w) }) {
		q.refuse(name, check.AllowedValues(allowed...))
	}
	return words
}

// text reads a text of 1 to most characters that can be stored; nil when the parameter is absent.
func (q *query) text(name string, most int) *string {
	v, ok := q.value(name)
	if !ok {
		return nil
	}
	if n := utf8.RuneCountInString(v); n < 1 || n > most || !utf8.ValidString(v) ||
		strings.ContainsFunc(v, unicode.IsControl) {
		q.refuse(name, "A text without control characters, as long as the API allows.")
	}
	return &v
}

// integers reads a comma-separated list of positive integers; nil when the parameter is absent.
func (q *query) integers(name string) []int64 {
	text, ok := q.value(name)
	if !ok {
		return nil
	}
	var out []int64
	for word := range strings.SplitSeq(text, ",") {
		n := positive(word)
		if n == 0 {
			q.refuse(name, "Positive integers, separated by commas.")
			return nil
		}
		out = append(out, n)
	}
	return out
}

// times reads a span of time: name[gte] or name[gt], and name[lte] or name[lt]. Times are kept to
// the millisecond, so that "after" and "up to" move by one.
func (q *query) times(name string) page.Times {
	return page.Times{
		From:  either(q, q.time, name, "gte", 0, "gt", time.Millisecond),
		Until: either(q, q.time, name, "lt", 0, "lte", time.Millisecond),
	}
}

func (q *query) time(name string, add time.Duration) *time.Time {
	text, ok := q.value(name)
	if !ok {
		return nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		q.refuse(name, "A time such as 2026-12-01T09:30:00Z.")
		return nil
	}
	if t = t.UTC(); add > 0 {
		t = t.Truncate(add).Add(add)
	}
	return &t
}
