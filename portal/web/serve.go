package web

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/bulkhead"
	"svcpay/internal/platform/csp"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/security"
	"svcpay/views/text"
)

// MaxForm bounds the body of a request, in bytes.
const MaxForm = 32 << 10

// maxEntries bounds a form with many entries of a list, in bytes.
const maxEntries = 256 << 10

// bodyOf bounds the body of a request, in bytes: a form's, unless it brings a file.
func bodyOf(r Route) int64 {
	switch r.Path {
	case EvidencePath:
		return MaxUpload
	case EntriesNewPath:
		return maxEntries
	}
	return MaxForm
}

// request is a request as handlers have it.
func (d *Desk) request(c echo.Context) *Request { return &Request{Context: c, desk: d} }

// serve does for a route what all of them need.
func (d *Desk) serve(r Route) echo.HandlerFunc {
	return func(ec echo.Context) error {
		c := d.request(ec)
		d.dress(c)
		c.Request().Body = http.MaxBytesReader(c.Response(), c.Request().Body, bodyOf(r))
		if err := d.origins.Check(c.Request()); err != nil {
			return errForeign.Because(err)
		}
		if err := checkAddress(c.Request().URL); err != nil {
			return err
		}
		switch r.Needs {
		case Public:
			if err := d.limitStranger(c); err != nil {
				return err
			}
			return r.Handler(c)
		case SignedIn:
			return d.admit(c, d.bounded(r))
		}
		handler := d.bounded(r)
		if r.Needs == authz.ExportCreate { // what leaves the portal by the file takes a proof
			handler = d.Fresh(d.noted(handler))
		}
		return d.admit(c, func(c *Request) error { return d.permit(c, r.Needs, handler) })
	}
}

// bounded is the handler of a route, within the places and the connections of its class.
func (d *Desk) bounded(r Route) Handler {
	if r.Class == bulkhead.Constant || r.Class == bulkhead.Hashes {
		return r.Handler
	}
	return func(c *Request) error {
		person, _, err := d.Person(c)
		if err != nil {
			return err
		}
		leave, err := d.growing.Take(c.Ctx(), person.ID)
		if errors.Is(err, bulkhead.OfHolder) {
			return fault.New(fault.KindLimited, "rate_limited",
				"Too many of your lists and reports are in progress at once. Try again in a moment.").After(time.Second)
		}
		if err != nil {
			return err
		}
		defer leave()
		c.SetRequest(c.Request().WithContext(pg.Apart(c.Ctx(), d.apart)))
		return r.Handler(c)
	}
}

// noted is around the handler of a route that gives a file of many records away: the audit log has who took which,
// by the names of the filters alone, as what is looked for may be a payer's own name.
func (d *Desk) noted(next Handler) Handler {
	return func(c *Request) error {
		defer func() { // also of one that was cut off
			if !c.Response().Committed || c.Response().Status != http.StatusOK {
				return
			}
			ctx := context.WithoutCancel(c.Ctx())
			what := map[string]any{"page": c.Request().URL.Path, "filters": slices.Sorted(maps.Keys(c.QueryParams()))}
			if err := d.audit.Done(ctx, c.Actor(), authz.ExportCreate, audit.Of("download", "", 0), what); err != nil {
				d.log.ErrorContext(ctx, "a download could not be written down", "route", c.Path(), "error", err.Error())
			}
		}()
		return next(c)
	}
}

// policy lets a page load what is ours and send its forms to us. No script or style is inline; the
// nonce, another for each answer, is for a page that has to have one. Browsers report what it blocks.
func policy(nonce string) string {
	return "default-src 'none'; script-src 'self' 'nonce-" + nonce +
		"'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
		"connect-src 'self'; form-action 'self'; base-uri 'none'; " + csp.Reports + "frame-ancestors 'none'"
}

// closed turns off what no page of ours uses.
const closed = "accelerometer=(), autoplay=(), camera=(), display-capture=(), encrypted-media=(), fullscreen=(), " +
	"geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), picture-in-picture=(), " +
	"screen-wake-lock=(), usb=(), xr-spatial-tracking=()"

// dress gives an answer its id and its headers, once, and the request its viewer.
func (d *Desk) dress(c *Request) {
	h := c.Response().Header()
	if h.Get("Request-Id") != "" {
		return
	}
	h.Set("Request-Id", ids.NewRequest(d.Now()).String())
	nonce := rand.Text()
	viewer := text.Viewer{Text: text.English, Zone: time.UTC}
	from := Origin(c)
	ctx := security.From(c.Ctx(), security.Origin{Address: from.Address, RequestID: from.RequestID})
	c.SetRequest(c.Request().WithContext(templ.WithNonce(text.With(ctx, viewer), nonce)))
	h.Set("Content-Security-Policy", policy(nonce))
	csp.SetEndpoint(h)
	h.Set("Permissions-Policy", closed)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
}
