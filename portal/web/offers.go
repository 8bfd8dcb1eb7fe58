package web

import (
	"net/http"
	"net/url"
	"strings"

	"svcpay/views/text"
	"svcpay/views/ui"
)

// OtherTitle is above the mistakes of a form that is about something else than its inputs.
func OtherTitle(t *text.Catalogue) string { return t.Failures.Other }

// fileEnds are the ends of the addresses of files. What is before them is the address of the page that offers the file.
var fileEnds = []string{"/entries.csv", "/deliveries.csv", "/receipt.pdf", ".csv", ".pdf"}

// Offering is the page that offers a file, and false for an address that is a page itself.
func Offering(address string) (page string, file bool) {
	u, err := url.Parse(address)
	if err != nil {
		return Home, false
	}
	for _, end := range fileEnds {
		if u.Path, file = strings.CutSuffix(u.Path, end); file {
			return u.RequestURI(), true
		}
	}
	return address, false
}

// ContinueTo leads to the address that the visitor asked for before they signed in or verified their identity. A file
// replaces no page, and a browser would stay on the question: the visitor gets the page that offers the file, which
// fetches it.
func ContinueTo(c *Request, to string) Done {
	page, file := Offering(to)
	if file {
		t := c.Text().Proof
		return Done{
			To: page, Toast: ui.Toast{Tone: ui.Success, Text: t.FileReady, Href: to, Link: t.FileFetch, Fetch: true}}
	}
	return Done{To: page}
}

// withoutQuery leads from a page whose query cannot be read to the same page without it, or to the page that offers
// the file.
func withoutQuery(c *Request) ui.Button {
	if c.Request().Method != http.MethodGet {
		return ui.Button{}
	}
	page, _ := Offering(LocalPath(c.Request().URL.EscapedPath()))
	return ui.Button{Label: c.Text().Failures.WithoutQuery, Href: page}
}
