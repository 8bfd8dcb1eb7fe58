// Package views renders the portal's pages from plain values.
package views

import (
	"context"
	"strings"
	"unicode/utf8"

	"svcpay/views/text"
	"svcpay/views/ui"
)

// Page is what every page needs next to its own content.
type Page struct {
	Title   string
	Theme   string // light, dark or system
	Return  string // the address of this page, to come back to
	Sandbox bool
	Person  string // who is signed in, "" for no one
	Email   string // of the person
	Session string // in how many seconds their session ends, if nothing is asked for and at the latest; "" for none
	Stay    string // where a sign of life goes
	SignIn  string // the address to sign in at
	Files   Files

	Nav       []ui.NavSection // pages that the person may open; none makes a page without navigation
	Switcher  ui.Switcher     // where the person acts; the zero Switcher is not shown
	Place     string          // the same, as parts of this page are asked for
	Search    string          // the address of the search, "" if there is none here
	Shortcuts string          // the address of the sheet about the keyboard
	Settings  string          // the address of the person's own settings
	QuietKeys bool            // keys that are letters alone do nothing
	Banners   []ui.Banner     // what concerns every page for now
	Toasts    []ui.Toast      // the outcome of what was asked for last

	ViewAs  string // the address of the form to look through another role, "" for who may not
	Viewing string // through whose role this is looked at, "" for as oneself
	EndView string // where that ends

	searching bool // the page is the search's own
	unmarked  bool // its title is not that of a refused form, even if it answers one
}

type refusedKey struct{}

// Refused marks a context in which the answer to a form that was refused is drawn.
func Refused(ctx context.Context) context.Context {
	return context.WithValue(ctx, refusedKey{}, true)
}

// title is what the browser's tab says: of a form that is shown again because of its mistakes, that it is one.
func (p Page) title(ctx context.Context) string {
	if ctx.Value(refusedKey{}) == nil || p.unmarked {
		return p.Title
	}
	return text.Of(ctx).Failures.TitleError(p.Title)
}

// Files are the addresses of what pages load; empty when the front end has not been built.
type Files struct{ Style, Script, Icon, Font string }

// keys tells the script which shortcuts there are.
func (p Page) keys() string {
	if p.QuietKeys {
		return "quiet"
	}
	return "all"
}

// initials are the first letters of a name's first and last word.
func initials(name string) string {
	words := strings.Fields(name)
	if len(words) == 0 {
		return ""
	}
	first, _ := utf8.DecodeRuneInString(words[0])
	out := string(first)
	if len(words) > 1 {
		last, _ := utf8.DecodeRuneInString(words[len(words)-1])
		out += string(last)
	}
	return strings.ToUpper(out)
}
