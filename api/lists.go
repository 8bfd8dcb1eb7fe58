package api

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/page"
)

const (
	defaultLimit = 20
	maxLimit     = 100
)

// list is the envelope of every list. Next and Previous are the ids to pass as starting_after and
// ending_before; null where the list ends.
type list struct {
	Object   string  `json:"object"`
	Data     any     `json:"data"`
	HasMore  bool    `json:"has_more"`
	Next     *string `json:"next"`
	Previous *string `json:"previous"`
	URL      string  `json:"url"`
}

func listOf(p page.Of[charge.Charge], in page.Input[ids.Charge]) list {
	l := list{Object: "list", Data: p.Items, HasMore: p.HasMore, URL: "/api/charges"}
	if len(p.Items) == 0 {
		return l
	}
	first, last := p.Items[0].ID.String(), p.Items[len(p.Items)-1].ID.String()
	// HasMore speaks of the direction that was asked for; in the other lies the cursor.
	backwards := in.Backwards()
	if backwards || p.HasMore {
		l.Next = &last
	}
	if (backwards && p.HasMore) || !in.After.IsZero() {
		l.Previous = &first
	}
	return l
}

// query is a list's parameters while their mistakes are collected.
type query struct {
	values url.Values
	fs     fault.Fields
}

// paging are the parameters of every list.
var paging = []string{"limit", "starting_after", "ending_before", "order"}

// queryOf reads the query string and refuses parameters that the list does not have or that are
// given twice.
func queryOf(c echo.Context, filters ...string) (*query, error) {
	values, err := url.ParseQuery(c.Request().URL.RawQuery)
	if err != nil {
		return nil, fault.Invalid("parameter_invalid", "The query string is malformed.")
	}
	q := &query{values: values}
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		switch known := slices.Contains(paging, name) || slices.Contains(filters, name); {
		case !known && plainName.MatchString(name):
			q.fs.Add(name, "parameter_unknown", "This list has no such parameter.")
		case !known:
			q.fs.Add("", "parameter_unknown", "The query has a parameter that does not exist here.")
		case len(values[name]) > 1:
			q.fs.Add(name, "parameter_invalid", "Give this parameter once; separate values by commas.")
		}
	}
	return q, nil
}

func (q *query) charges() (charge.ListInput, error) {
	in := charge.ListInput{Page: page.Input[ids.Charge]{Limit: q.limit(), Ascending: q.ascending()}}
	in.Page.After, in.Page.Before = q.cursor("starting_after"), q.cursor("ending_before")
	if !in.Page.After.IsZero() && !in.Page.Before.IsZero() {
		q.fs.Add("ending_before", "parameters_exclusive", "Give starting_after or ending_before, not both.")
	}
	in.Statuses = q.words("status", charge.Statuses())
	in.Merchants = q.integers("merchant_id")
	in.ExternalID = q.text("external_id", charge.MaxExternalID)
	return in, q.fs.Err()
}

func (q *query) limit() int {
	if !q.values.Has("limit") {
		return defaultLimit
	}
	n := positive(q.values.Get("limit"))
	if n < 1 || n > maxLimit {
		q.fs.Add("limit", "parameter_invalid", "An integer from 1 to 100.")
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

func (q *query) ascending() bool {
	switch order := q.values.Get("order"); {
	case !q.values.Has("order") || order == "desc":
		return false
	case order == "asc":
		return true
	}
	q.fs.Add("order", "parameter_invalid", "Use asc or desc.")
	return false
}

func (q *query) cursor(name string) ids.Charge {
	if !q.values.Has(name) {
		return ids.Charge{}
	}
	id, err := ids.ParseCharge(q.values.Get(name))
	if err != nil {
		q.fs.Add(name, "cursor_invalid", "Use an id that an earlier page gave.")
	}
	return id
}

// words reads a comma-separated list of allowed words; nil when the parameter is absent.
func (q *query) words(name string, allowed []string) []string {
	if !q.values.Has(name) {
		return nil
	}
	words := strings.Split(q.values.Get(name), ",")
	if slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(allowed, w) }) {
		q.fs.Add(name, "parameter_invalid", "Allowed here: "+strings.Join(allowed, ", ")+".")
	}
	return words
}

// text reads a text of 1 to most characters that can be stored; nil when the parameter is absent.
func (q *query) text(name string, most int) *string {
	if !q.values.Has(name) {
		return nil
	}
	v := q.values.Get(name)
	if n := utf8.RuneCountInString(v); n < 1 || n > most || !utf8.ValidString(v) || strings.ContainsFunc(v, unicode.IsControl) {
		q.fs.Add(name, "parameter_invalid", "A text without control characters, as long as the API allows.")
	}
	return &v
}

// integers reads a comma-separated list of positive integers; nil when the parameter is absent.
func (q *query) integers(name string) []int64 {
	if !q.values.Has(name) {
		return nil
	}
	var out []int64
	for word := range strings.SplitSeq(q.values.Get(name), ",") {
		n := positive(word)
		if n == 0 {
			q.fs.Add(name, "parameter_invalid", "Positive integers, separated by commas.")
			return nil
		}
		out = append(out, n)
	}
	return out
}
