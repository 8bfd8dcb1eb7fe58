package portal

import (
	"bytes"
	"encoding/csv"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"svcpay/internal/money"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/spreadsheet"
	"svcpay/views/text"
	"svcpay/views/ui"
)

const (
	// rowsPerPage is how many objects a page of a list has.
	rowsPerPage = 50
	// rowsPerSheet is how many objects a list as CSV has at most.
	rowsPerSheet = 10_000
)

// cursors reads which page of a list an address asks for, the newest objects first. What is no id is the list's
// beginning.
func cursors[ID comparable](query url.Values, parse func(string) (ID, error)) page.Input[ID] {
	in := page.Input[ID]{Limit: rowsPerPage}
	if id, err := parse(query.Get("after")); err == nil {
		in.After = id
	} else if id, err := parse(query.Get("before")); err == nil {
		in.Before = id
	}
	return in
}

// days is what a filter of days selects: from the first day's beginning to the last one's end, where the viewer is.
func days(c echo.Context, query url.Values, name string) (out page.Times) {
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

// amounts is what a filter of amounts selects.
func amounts(query url.Values, name string) (out page.Amounts) {
	bound := func(text string) *int64 {
		amount, err := money.ParseDecimal(text)
		if err != nil {
			return nil
		}
		n := int64(amount)
		return &n
	}
	return page.Amounts{Least: bound(query.Get(name + "_min")), Most: bound(query.Get(name + "_max"))}
}

// pagerOf leads to the pages beside one of a list; said tells what is on this one.
func pagerOf[T any](path string, query url.Values, of page.Of[T], id func(T) string, said string) ui.Pager {
	first, last := "", ""
	if n := len(of.Items); n > 0 {
		first, last = id(of.Items[0]), id(of.Items[n-1])
	}
	out := ui.Around(path, query, first, last, of.HasMore)
	out.Said, out.Target = said, ui.ResultsID
	return out
}

// errLong is for a list that a sheet has no room for: a file that ends early would be taken for the whole.
var errLong = errors.New("portal: the list has more rows than a file")

// everyPage reads a list page by page; errLong if it has more rows than a sheet.
func everyPage[T any, ID comparable](in page.Input[ID], read func(page.Input[ID]) (page.Of[T], error), id func(T) ID, each func(T) error) error {
	in = page.Input[ID]{Limit: 200, Ascending: in.Ascending}
	for n := 0; n < rowsPerSheet; n += in.Limit {
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
	return errLong
}

// sheet answers with a list as comma-separated values: head, and what each writes. Nothing is sent before all is
// there, so that what fails is an error like any other and no file. A list that is too long leads back to the list, with its filters.
func sheet(c echo.Context, name string, head []string, each func(write func(cells ...string) error) error) error {
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
	case errors.Is(err, errLong):
		tell(c, ui.Toast{Tone: ui.Warning, Text: say(c).Parts.TooLong(say(c).Number(rowsPerSheet))})
		return c.Redirect(http.StatusSeeOther, withQuery(listOfSheet(c.Request().URL.Path), c.QueryParams()))
	case err != nil:
		return err
	}
	w.Flush()
	c.Response().Header().Set("Content-Disposition", `attachment; filename="`+name+`.csv"`)
	return c.Blob(http.StatusOK, "text/csv; charset=utf-8", all.Bytes())
}

// listOfSheet is the page of the list that a path has as CSV. Deliveries are listed on the page of their endpoint.
func listOfSheet(sheet string) string {
	return strings.TrimSuffix(strings.TrimSuffix(sheet, ".csv"), "/deliveries")
}
