package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"svcpay/static"
	"svcpay/views"
)

// FragmentOf reports whether htmx asks for a part of a page, and the id of the element that it is for. A page that
// the browser goes back to is always whole.
func FragmentOf(r *http.Request) (id string, ok bool) {
	if r.Header.Get("HX-Request") != "true" || r.Header.Get("HX-History-Restore-Request") == "true" {
		return "", false
	}
	return r.Header.Get("HX-Target"), true
}

// Render answers with a page, or with the fragment of it that htmx asks for: handlers need not know the
// difference. A page about an error is drawn after the time of the request has ended: the request's context does not
// bound it.
func Render(c echo.Context, status int, page templ.Component) error {
	ctx := context.WithoutCancel(c.Request().Context())
	if status >= http.StatusBadRequest && c.Request().Method == http.MethodPost {
		ctx = views.Refused(ctx)
	}
	c.Response().Header().Add("Vary", "HX-Request, HX-Target")
	id, fragment := FragmentOf(c.Request())
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
	b := new(bytes.Buffer)
	if err := draw(b); err != nil {
		return err
	}
	if place := currentPlace(c); place != "" {
		marked := new(bytes.Buffer)
		markForms(marked, b.Bytes(), place)
		b = marked
	}
	c.Response().Header().Add("Vary", "Accept-Encoding")
	if b.Len() < worthPacking || !static.Accepts(c.Request().Header.Values("Accept-Encoding"), "gzip") {
		return sendPage(c, status, b.Bytes())
	}
	packed, err := pack(b.Bytes())
	if err != nil {
		return err
	}
	c.Response().Header().Set("Content-Encoding", "gzip")
	return sendPage(c, status, packed)
}

// sendPage sends a page whose length is known, which takes fewer calls of the kernel than one in chunks.
func sendPage(c echo.Context, status int, page []byte) error {
	c.Response().Header().Set("Content-Length", strconv.Itoa(len(page)))
	return c.HTMLBlob(status, page)
}

// worthPacking is the size, in bytes, from which on a page is compressed.
const worthPacking = 1400

// maxPadding is how much, in bytes, is added at random to a compressed page: the content of a page must not be
// revealed by the lengths of its answers when others choose a part of it.
const maxPadding = 64

var packers = sync.Pool{New: func() any { return gzip.NewWriter(io.Discard) }}

// pack compresses a page.
func pack(page []byte) ([]byte, error) {
	var out bytes.Buffer
	w := packers.Get().(*gzip.Writer)
	defer packers.Put(w)
	w.Reset(&out)
	padding := make([]byte, maxPadding+1)
	_, _ = rand.Read(padding) // never fails
	w.Extra = padding[:int(padding[maxPadding])%maxPadding]
	if _, err := w.Write(page); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// pageOf is the address of the page that the visitor is on who requests it, or a part of it; the home page if they
// sent a form.
func pageOf(r *http.Request) string {
	if _, fragment := FragmentOf(r); fragment {
		u, err := url.Parse(r.Header.Get("HX-Current-URL"))
		if err != nil {
			return Home
		}
		return LocalPath(u.RequestURI())
	}
	if r.Method != http.MethodGet {
		return Home
	}
	return LocalPath(r.URL.RequestURI())
}

// SeeOther redirects the browser after a form, or to the address of an object. htmx would follow the redirect and take
// the other page for a part of this one, so it gets a header that has it load that page.
func SeeOther(c echo.Context, path string) error {
	if _, fragment := FragmentOf(c.Request()); fragment {
		c.Response().Header().Set("HX-Redirect", path)
		return c.NoContent(http.StatusNoContent)
	}
	return c.Redirect(http.StatusSeeOther, path)
}
