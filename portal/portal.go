package portal

import (
	"context"
	"crypto/rand"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"svcpay/internal/assembly"
	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/ratelimit"
	"svcpay/portal/web"
	"svcpay/static"
	"svcpay/views"
	"svcpay/views/text"
)

// maxForm bounds the body of a request, in bytes.
const maxForm = 32 << 10

// Config is what the portal needs.
type Config struct {
	assembly.Services
	Static  fs.FS  // the built front end; its directory "portal" may be missing
	BaseURL string // where the API and the portal are, as scheme://host
	PayURL  string // where the library and its frames are, as scheme://host
	Sandbox bool
	// PerPerson is how many requests of one person are answered a second in the long run, ten times that at once; 0 is no limit.
	PerPerson int
	Log       *slog.Logger
	Now       func() time.Time
}

const personBurst, peopleRemembered = 10, 10_000

// Portal answers everything that people open in a browser.
type Portal struct {
	Config
	files    files
	sessions sessionStore
	origins  *http.CrossOriginProtection
	pages    []opening                 // all of its table
	shown    map[string]bool           // the routes of pages that take a session
	people   *ratelimit.Buckets[int64] // nil without a limit
}

// New makes the portal. Without a built front end its pages have no style, and the log says so. An
// error means that the built front end is damaged.
func New(c Config) (*Portal, error) {
	built, err := loadFiles(c.Static)
	if err != nil {
		return nil, err
	}
	if !built.Built() {
		c.Log.Warn("the portal has no style: its front end has not been built")
	}
	if err := c.Identity.AcceptPasskeys(c.BaseURL); err != nil {
		return nil, err
	}
	p := &Portal{Config: c, files: built, sessions: sessionStore{c.Identity}, origins: http.NewCrossOriginProtection()}
	if c.PerPerson > 0 {
		p.people = ratelimit.New[int64](c.PerPerson, personBurst*c.PerPerson, peopleRemembered)
	}
	p.pages, p.shown = openings(p.routes()), map[string]bool{}
	for _, r := range p.routes() {
		p.shown[r.Path] = p.shown[r.Path] || r.Method == http.MethodGet && r.Needs != web.Public
	}
	return p, nil
}

// Register adds the portal's routes. What they fail with goes to e's HTTPErrorHandler, and from
// there, for every path outside the API, to Error.
func (p *Portal) Register(e *echo.Echo) {
	for _, r := range p.routes() {
		e.Add(r.Method, r.Path, p.serve(r))
		if r.Method == http.MethodGet {
			e.Add(http.MethodHead, r.Path, p.serve(r))
		}
	}
}

// bodyOf bounds the body of a request, in bytes: a form's, unless it brings a file.
func bodyOf(r web.Route) int64 {
	if r.Path == evidenceRoute {
		return web.MaxUpload
	}
	return maxForm
}

// request is a request as handlers have it.
func (p *Portal) request(c echo.Context) *web.Request { return &web.Request{Context: c, Portal: p} }

// serve does for a route what all of them need.
func (p *Portal) serve(r web.Route) echo.HandlerFunc {
	return func(ec echo.Context) error {
		c := p.request(ec)
		p.dress(c)
		c.Request().Body = http.MaxBytesReader(c.Response(), c.Request().Body, bodyOf(r))
		if err := p.origins.Check(c.Request()); err != nil {
			return errForeign.Because(err)
		}
		if err := web.CheckAddress(c.Request().URL); err != nil {
			return err
		}
		switch r.Needs {
		case web.Public:
			return r.Handler(c)
		case web.SignedIn:
			return p.admit(c, r.Handler)
		}
		handler := r.Handler
		if r.Needs == authz.ExportCreate { // what leaves the portal by the file takes a proof
			handler = p.fresh(p.noted(handler))
		}
		return p.admit(c, func(c *web.Request) error { return p.permit(c, r.Needs, handler) })
	}
}

// noted is around the handler of a route that gives a file of many records away: the audit log tells who took which,
// by the names of the filters alone, as what is looked for may be a payer's own name.
func (p *Portal) noted(next web.Handler) web.Handler {
	return func(c *web.Request) error {
		defer func() { // also of one that was cut off
			if !c.Response().Committed || c.Response().Status != http.StatusOK {
				return
			}
			ctx := context.WithoutCancel(c.Ctx())
			what := map[string]any{"page": c.Request().URL.Path, "filters": slices.Sorted(maps.Keys(c.QueryParams()))}
			if err := p.Audit.Done(ctx, c.Actor(), authz.ExportCreate, audit.Of("download", "", 0), what); err != nil {
				p.Log.ErrorContext(ctx, "a download could not be written down", "route", c.Path(), "error", err.Error())
			}
		}()
		return next(c)
	}
}

// policy lets a page load what is ours and send its forms to us. No script or style stands in the page; the
// nonce, another for each answer, is for a page that has to have one.
func policy(nonce string) string {
	return "default-src 'none'; script-src 'self' 'nonce-" + nonce + "'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
		"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}

// closed turns off what no page of ours uses.
const closed = "accelerometer=(), autoplay=(), camera=(), display-capture=(), encrypted-media=(), fullscreen=(), " +
	"geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), picture-in-picture=(), " +
	"screen-wake-lock=(), usb=(), xr-spatial-tracking=()"

// dress gives an answer its id and its headers, once, and the request its viewer.
func (p *Portal) dress(c *web.Request) {
	h := c.Response().Header()
	if h.Get("Request-Id") != "" {
		return
	}
	h.Set("Request-Id", ids.NewRequest(p.Now()).String())
	nonce := rand.Text()
	viewer := text.Viewer{Text: text.English, Zone: time.UTC}
	c.SetRequest(c.Request().WithContext(templ.WithNonce(text.With(c.Ctx(), viewer), nonce)))
	h.Set("Content-Security-Policy", policy(nonce))
	h.Set("Permissions-Policy", closed)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	if strings.HasPrefix(p.BaseURL, "https://") {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// files are the built front end in memory, and what pages name of it.
type files struct {
	*static.Bundle
	pages views.Files
}

// loadFiles reads what has been built; the pages have no style without it.
func loadFiles(built fs.FS) (files, error) {
	b, err := static.LoadBundle(built, "portal")
	if err != nil {
		return files{}, err
	}
	at := func(name string) string {
		if !b.Built() {
			return ""
		}
		return "/static/" + b.Path(name)
	}
	return files{b, views.Files{Style: at("portal.css"), Script: at("portal.js"), Icon: at("icon.svg"), Font: at("inter.woff2")}}, nil
}

// serve answers with a file.
func (s files) serve(c *web.Request) error {
	if !s.Serve(c.Response(), c.Request(), c.Param("*")) {
		return echo.ErrNotFound
	}
	return nil
}
