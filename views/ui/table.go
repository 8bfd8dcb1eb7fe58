package ui

import (
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"
)

// Place says where a cell goes when the table is too narrow for columns and each row becomes a card.
type Place string

// The places. A cell without one is below them with its column's title next to it.
const (
	PlaceRest   Place = ""
	PlaceLead   Place = "lead"   // top left: what the row is; it is the link
	PlaceAmount Place = "amount" // top right
	PlaceState  Place = "state"  // bottom left
	PlaceTime   Place = "time"   // bottom right
	PlaceGone   Place = "gone"   // not shown in a card
)

// Column is a column of a table.
type Column struct {
	Title  string
	Silent bool  // the title is not seen, only heard
	Right  bool  // amounts and counts stand to the right
	Whole  bool  // its lines are never broken: a card and its last four digits
	Broad  bool  // sentences: it gets half of the room
	Named  bool  // a time that says little without its title: a card has both
	Place  Place // in a card
	Sort   Sort  // the zero Sort cannot be sorted by
}

// Sort is how a column can be, or is, sorted by.
type Sort struct {
	Href  string // what the title leads to: the list sorted by the column, or the other way round if it is already
	Order string // as aria-sort has it: "ascending", "descending" or ""
}

// SortBy returns how a column sorts a list. The list at path says in its parameter sort which column it is
// sorted by, with a minus in front for descending; a list that says nothing is sorted by usual. Sorting
// goes back to the first page.
func SortBy(path string, query url.Values, column, usual string) Sort {
	now := query.Get("sort")
	if now == "" {
		now = usual
	}
	s, next := Sort{}, "-"+column // the largest and the latest first: that is what people look for
	switch now {
	case column:
		s.Order = "ascending"
	case "-" + column:
		s.Order, next = "descending", column
	}
	to := without(query, "sort", "after", "before")
	if next != usual {
		to.Set("sort", next)
	}
	s.Href = address(path, to)
	return s
}

// Row is one object of a table.
type Row struct {
	Cells []templ.Component // as many as there are columns
	Href  string            // where the row leads; "" for nowhere
	ID    string            // what a selection sends of it
	Label string            // what the row is, for those who choose it without seeing it: "the charge of $20.00"
	Off   bool              // cannot be selected
}

// Table is a list of objects. Where there is no room for columns, each row becomes a card.
type Table struct {
	Caption string // what it is a list of; heard, not seen
	Columns []Column
	Rows    []Row
	Foot    []templ.Component // sums below the columns, nil where there is none; or nothing at all
	Bulk    Bulk
	Wide    bool   // scrolls sideways in its frame instead of becoming cards: for many columns of figures
	Target  string // the element that a sorted list replaces, where there is a script
}

// Bulk is what can be done with several rows at once: a form with a button for each act, whose fields "id" are
// the selected rows. The zero Bulk offers nothing.
type Bulk struct {
	Action  string
	Buttons []Button
}

// kind says how much room the table needs to be one: the fewer columns, the less.
func (t Table) kind() string {
	switch {
	case len(t.Columns) <= 4 && t.sums():
		return "sums"
	case len(t.Columns) <= 4:
		return "few"
	case len(t.Columns) <= 6:
		return "many"
	}
	return "most"
}

// sums reports whether all columns but the lead hold amounts or counts, which are short.
func (t Table) sums() bool {
	return len(t.Columns) > 1 && !slices.ContainsFunc(t.Columns, func(c Column) bool {
		return c.Place != PlaceLead && (!c.Right || c.Silent || c.Place == PlaceTime)
	})
}

// cells are the attributes of the cells of each column, the same in every row.
func (t Table) cells() []templ.OrderedAttributes {
	out := make([]templ.OrderedAttributes, len(t.Columns))
	for i, c := range t.Columns {
		out[i] = templ.OrderedAttributes{{Key: "data-place", Value: string(c.Place)},
			{Key: "data-right", Value: c.Right}, {Key: "data-whole", Value: c.Whole},
			{Key: "data-label", Value: c.label()}, {Key: "data-named", Value: c.Named}}
	}
	return out
}

// label is what a card says before a cell: nothing before a button, which says it.
func (c Column) label() string {
	if c.Silent {
		return ""
	}
	return c.Title
}

// lead is the index of the column whose cell is the row's link.
func (t Table) lead() int {
	return max(0, slices.IndexFunc(t.Columns, func(c Column) bool { return c.Place == PlaceLead }))
}

// without copies a query except for some parameters and those that say nothing.
func without(query url.Values, names ...string) url.Values {
	out := url.Values{}
	for name, values := range query {
		for _, v := range values {
			if v != "" {
				out.Add(name, v)
			}
		}
	}
	for _, name := range names {
		out.Del(name)
	}
	return out
}

// address is a path with a query.
func address(path string, query url.Values) string {
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// join are classes or ids in one attribute.
func join(words ...string) string { return strings.TrimSpace(strings.Join(words, " ")) }
