package web

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"svcpay/internal/fault"
)

// codeQuery is the code of errQuery, whose page offers to open the address without its query.
const codeQuery = "query_invalid"

var (
	errQuery = fault.Invalid(codeQuery,
		"The address contains characters that can't be searched for. Clear the filters and enter them again.")
	errFormText = fault.Invalid("body_invalid",
		"This form contains characters that can't be saved. Reload the page and try again.")
)

// checkAddress refuses an address that no handler could use: text that is not UTF-8, or has control characters, is
// never stored, and the database refuses to compare it. Handlers therefore read queries and path parameters unchecked.
func checkAddress(u *url.URL) error {
	if !utf8.ValidString(u.Path) || strings.ContainsFunc(u.Path, unicode.IsControl) {
		return echo.ErrNotFound
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil || !every(query, searchable) {
		return errQuery
	}
	return nil
}

// every reports whether all names and values pass a check.
func every(values url.Values, passes func(string) bool) bool {
	fails := func(text string) bool { return !passes(text) }
	for name, list := range values {
		if fails(name) || slices.ContainsFunc(list, fails) {
			return false
		}
	}
	return true
}

// searchable reports whether a text can be searched for: a form that is sent as a query may have several lines.
func searchable(text string) bool {
	strange := func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\t\n\r", r) }
	return utf8.ValidString(text) && !strings.ContainsFunc(text, strange)
}

// storable reports whether the database can keep a text.
func storable(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }
