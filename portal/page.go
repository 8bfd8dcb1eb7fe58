package portal

import (
	"bytes"
	"context"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"svcpay/views"
	"svcpay/views/text"
)

// page starts a page of that title for whoever asks: its frame, with the pages that they may open.
func (p *Portal) page(c echo.Context, title string) views.Page {
	r := c.Request()
	page := views.Page{Title: title, Theme: themeOf(r), Return: home, Sandbox: p.Sandbox, Files: p.files.pages,
		Shortcuts: shortcutsPath, QuietKeys: quietKeys(r)}
	if r.Method == http.MethodGet || r.URL.Path == loginPath {
		page.Return = localPath(r.URL.RequestURI())
	}
	if person, known, err := p.person(c); err == nil && known { // a page about an error may have to do without
		page.Person, page.Email, page.Nav = person.Name, person.Email, p.navigation(c)
	}
	if _, fragment := asksFragment(r); !fragment {
		page.Toasts = told(c)
	}
	return page
}

// asksFragment tells whether htmx wants a part of a page, and the id of the element that it is for. A page
// that the browser goes back to is always whole.
func asksFragment(r *http.Request) (id string, ok bool) {
	if r.Header.Get("HX-Request") != "true" || r.Header.Get("HX-History-Restore-Request") == "true" {
		return "", false
	}
	return r.Header.Get("HX-Target"), true
}

// render answers with a page, or with the fragment of it that htmx asks for: handlers know nothing of the
// difference. A page about an error is drawn after the time of the request has ended, and drawing takes none
// to speak of: the request's context does not bound it.
func render(c echo.Context, status int, page templ.Component) error {
	ctx := context.WithoutCancel(c.Request().Context())
	c.Response().Header().Add("Vary", "HX-Request, HX-Target")
	id, fragment := asksFragment(c.Request())
	if !fragment {
		return write(c, status, func(b *bytes.Buffer) error { return page.Render(ctx, b) })
	}
	return write(c, status, func(b *bytes.Buffer) error {
		if err := templ.RenderFragments(ctx, b, page, id); err != nil {
			return err
		}
		if b.Len() == 0 {
			return errPart
		}
		return nil
	})
}

// write answers with what draw writes, all of it or, when that fails, nothing.
func write(c echo.Context, status int, draw func(*bytes.Buffer) error) error {
	var b bytes.Buffer
	if err := draw(&b); err != nil {
		return err
	}
	return c.HTMLBlob(status, b.Bytes())
}

// seeOther sends the browser on after a form, or from an address that is another's. htmx would follow by
// itself and take the other page for a part of this one: it is told to go there.
func seeOther(c echo.Context, path string) error {
	if _, fragment := asksFragment(c.Request()); fragment {
		c.Response().Header().Set("HX-Redirect", path)
		return c.NoContent(http.StatusNoContent)
	}
	return c.Redirect(http.StatusSeeOther, path)
}

// say is what the portal says, in the language of whoever asks.
func say(c echo.Context) *text.Catalogue { return text.Of(c.Request().Context()) }
