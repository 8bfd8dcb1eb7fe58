package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/spreadsheet"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

const (
	// RowsPerPage is how many objects a page of a list has.
	RowsPerPage = 50
	// RowsPerSheet is how many objects a list as CSV has at most.
	RowsPerSheet = 10_000
)

// Cursors reads which page of a list an address asks for, the newest objects first. Anything that is not an id asks
// for the first page.
func Cursors[ID comparable](query url.Values, read func(string) (ID, error)) page.Input[ID] {
	in := page.Input[ID]{Limit: RowsPerPage}
	if id, err := read(query.Get("after")); err == nil {
		in.After = id
	} else if id, err := read(query.Get("before")); err == nil {
		in.Before = id
	}
	return in
}

// Days is what a filter of days selects: from the first day's beginning to the last one's end, where the viewer is.
func Days(c echo.Context, query url.Values, name string) (out page.Times) {
	zone := text.To(c.Request().Context()).Zone
	if day, err := time.ParseInLocation(time.DateOnly, query.Get(name+"_from"), zone); err == nil {
		out.From = &day
	}
	if day, err := time.ParseInLocation(time.DateOnly, query.Get(name+"_until"), zone); err == nil {
		day = day.AddDate(0, 0, 1)
		out.Until = &day
	}
	return out
}

// Amounts is what a filter of amounts selects.
func Amounts(query url.Values, name string) (out page.Amounts) {
	bound := func(text string) *int64 {
		amount, err := money.ParseDecimal(text)
		if err != nil {
			return nil
		}
		return new(int64(amount))
	}
	return page.Amounts{Least: bound(query.Get(name + "_min")), Most: bound(query.Get(name + "_max"))}
}

// PagerOf links to the previous and next page of a list; said describes this one.
func PagerOf[T any](path string, query url.Values, of page.Of[T], id func(T) string, said string) ui.Pager {
	first, last := "", ""
	if n := len(of.Items); n > 0 {
		first, last = id(of.Items[0]), id(of.Items[n-1])
	}
	out := ui.Around(path, query, first, last, of.HasMore)
	out.Said, out.Target = said, ui.ResultsID
	return out
}

// ErrLong is for a list that a sheet has no room for: a file that ends early would be taken for the whole.
var ErrLong = errors.New("portal: the list has more rows than a file")

// EveryPage reads a list page by page; ErrLong if it has more rows than a sheet.
func EveryPage[T any, ID comparable](in page.Input[ID], read func(page.Input[ID]) (page.Of[T], error), id func(T) ID,
	each func(T) error) error {
	in = page.Input[ID]{Limit: 200, Ascending: in.Ascending}
	for n := 0; n < RowsPerSheet; n += in.Limit {
		p, err := read(in)
		if err != nil {
			return err
		}
		for _, item := range p.Items {
			if err := each(item); err != nil {
				return err
			}
			in.After = id(item)
		}
		if !p.HasMore {
			return nil
		}
	}
	return ErrLong
}

// Sheet answers with a list as comma-separated values: head, and what each writes. Nothing is sent before all is
// there, so that what fails is an error like any other and no file. A list that is too long leads back to the list,
// with its filters.
func Sheet(c echo.Context, name string, head []string, each func(write func(cells ...string) error) error) error {
	var all bytes.Buffer
	all.WriteString(spreadsheet.BOM)
	w := csv.NewWriter(&all)
	write := func(cells ...string) error {
		for i, cell := range cells {
			cells[i] = spreadsheet.Cell(cell)
		}
		return w.Write(cells)
	}
	if err := w.Write(head); err != nil {
		return err
	}
	switch err := each(write); {
	case errors.Is(err, ErrLong):
		SetToast(c, ui.Toast{Tone: ui.Warning,
			Text: text.Of(c.Request().Context()).Parts.TooLong(text.Of(c.Request().Context()).Number(RowsPerSheet))})
		return c.Redirect(http.StatusSeeOther, WithQuery(ListOfSheet(c.Request().URL.Path), c.QueryParams()))
	case err != nil:
		return err
	}
	w.Flush()
	c.Response().Header().Set("Content-Disposition", `attachment; filename="`+name+`.csv"`)
	return c.Blob(http.StatusOK, "text/csv; charset=utf-8", all.Bytes())
}

// ListOfSheet is the page of the list that a path has as CSV. Deliveries are listed on the page of their endpoint.
func ListOfSheet(sheet string) string {
	return strings.TrimSuffix(strings.TrimSuffix(sheet, ".csv"), "/deliveries")
}

// List is a list of objects: pages of it, which can be filtered, and all of it as a file.
type List[T any, ID comparable] struct {
	Path string
	Read func(string) (ID, error) // reads the cursor of an address
	Key  func(T) ID               // the cursor of an object
	// the id of the object that is searched for by its id, see [ByID]; nil where none is
	Opens func(words string) string
	Find  func(*Request, page.Input[ID]) (page.Of[T], error)
	Draw  func(*Request, page.Of[T]) (views.List, error) // the page, without its pager
	Shown func(t *text.Catalogue, n int) string          // how many objects are on the page; nil where Draw says it

	// Of the file: its name without an end, its first line, and the line of an object. Without a Line there is no file.
	File string
	Head []string
	Line func(*Request, T) []string
}

// ByID is how a list finds an object by an id that read reads.
func ByID[ID fmt.Stringer](read func(string) (ID, error)) func(string) string {
	return func(words string) string {
		id, err := read(words)
		if err != nil {
			return ""
		}
		return id.String()
	}
}

// Find makes the Find of a list: input reads what the address selects, and list finds it.
func Find[In, T any, ID comparable](input func(*Request, page.Input[ID]) In,
	list func(context.Context, authz.Actor, In) (page.Of[T], error),
) func(*Request, page.Input[ID]) (page.Of[T], error) {
	return func(r *Request, at page.Input[ID]) (page.Of[T], error) { return list(r.Ctx(), r.Actor(), input(r, at)) }
}

// Show answers with the page of the list that the address asks for.
func (l List[T, ID]) Show(r *Request) error {
	query := r.QueryParams()
	if to, untidy := ui.Tidy(l.Path, query); untidy {
		return SeeOther(r, to)
	}
	if l.Opens != nil {
		if id := l.Opens(strings.TrimSpace(query.Get("q"))); id != "" {
			return SeeOther(r, l.Path+"/"+id)
		}
	}
	found, err := l.Find(r, Cursors(query, l.Read))
	if err != nil {
		return err
	}
	view, err := l.Draw(r, found)
	if err != nil {
		return err
	}
	view.Bar.Path, view.Bar.Query, view.Bar.Target = l.Path, query, ui.ResultsID
	if l.Line != nil && view.Bar.Export == "" && r.May(authz.ExportCreate) {
		view.Bar.Export = l.Path + ".csv"
	}
	said := view.Pager.Said
	if l.Shown != nil {
		said = l.Shown(r.Text(), len(found.Items))
	}
	view.Pager = PagerOf(l.Path, query, found, func(one T) string { return fmt.Sprint(l.Key(one)) }, said)
	return Render(r, http.StatusOK, views.ListPage(r.Page(cmp.Or(view.Title, view.Head.Title)), view))
}

// Send answers with the whole list that the address selects.
func (l List[T, ID]) Send(r *Request) error {
	return Sheet(r, l.File, l.Head, func(write func(...string) error) error {
		find := func(at page.Input[ID]) (page.Of[T], error) { return l.Find(r, at) }
		return EveryPage(Cursors(r.QueryParams(), l.Read), find, l.Key,
			func(one T) error { return write(l.Line(r, one)...) })
	})
}
