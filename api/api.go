// Package api is the partner API over HTTP: it decodes requests, authenticates callers, calls use-cases, maps errors
// and encodes responses. Its contract is openapi.yaml.
package api

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/labstack/echo/v4"

	"svcpay/internal/assembly"
	"svcpay/internal/fault"
	"svcpay/internal/platform/pg"
)

// Config is what the API serves.
type Config struct {
	assembly.Services
	// BaseURL is where the API is reached from outside, without a trailing slash.
	BaseURL string
	// PayURL is the origin that serves the browser library, without a trailing slash.
	PayURL string
	Log    *slog.Logger
	Now    func() time.Time
	Limits Limits
	// Apart are connections for what costs the more, the more data a tenant has; nil for those of all.
	Apart *pgxpool.Pool
	// Panicked counts a panic of a handler.
	Panicked func()
	// Static is the built front end; its directory "docs" may be missing.
	Static fs.FS
	// Gallery shows the browser library's fields; a sandbox has one.
	Gallery Gallery
}

// API holds the handlers.
type API struct {
	Config
	limiter limiter
	// methods are those that each path takes.
	methods map[string][]string
}

func newAPI(c Config) *API { return &API{Config: c, limiter: newLimiter(c.Limits)} }

// Register adds the API to e: its routes, and its answers to everything under /api that is none.
func Register(e *echo.Echo, c Config) {
	a := newAPI(c)
	a.methods = a.describe(e)
	for _, r := range a.routes() {
		if r.handler.sandbox && a.Simulate == nil {
			continue
		}
		for _, path := range r.paths() {
			for _, method := range r.methods() {
				e.Add(method, path, a.surround(r), compressed(r))
				a.methods[path] = append(a.methods[path], method)
			}
		}
	}
	a.refuseOthers(e)
}

// surround puts around a handler what every route has.
func (a *API) surround(r route) echo.HandlerFunc {
	return func(c echo.Context) error {
		path := echo.GetPath(c.Request())
		if !covers(c.Path(), path) { // the router lets the last segment hold several, or none
			return a.noRoute(c, http.StatusNotFound)
		}
		if _, named := a.methods[path]; named && path != c.Path() { // such as …/quote, which is no object
			return a.refuse(c)
		}
		req := a.identifyRequest(c)
		defer func() { req.leave() }() // of a response that takes as long as the caller likes
		reply, err := a.guarded(c, r, req)
		if err == nil {
			err = a.writeReply(c, req, reply)
		} else {
			err = a.writeError(c, req, err)
		}
		a.record(c, req, reply)
		a.noteRefusal(c, req)
		if errors.Is(err, http.ErrAbortHandler) {
			panic(http.ErrAbortHandler)
		}
		return err
	}
}

// guarded makes an error of a panic, so that the request is answered and recorded under its id. What a
// handler panics with goes to our log alone.
func (a *API) guarded(c echo.Context, r route, req *request) (out reply, err error) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case http.ErrAbortHandler: // how a handler breaks a connection off
			panic(p)
		default:
			a.Panicked()
			err = fault.Internal(fmt.Errorf("a handler panicked: %v\n%s", p, debug.Stack()))
		}
	}()
	return a.serve(c, r, req)
}

// serve answers a request on places that it has while the service works on it: not while its body arrives, nor while
// the response is sent, unless it is of the class that streams.
func (a *API) serve(c echo.Context, r route, req *request) (reply, error) {
	if err := a.admit(c, req, r.handler); err != nil {
		return reply{}, err
	}
	body, err := a.receive(c, req, r)
	if err != nil {
		return reply{}, err
	}
	if body != nil {
		c.Request().Body = body
	}
	leave, err := a.limiter.work(c.Request().Context(), req, r.class)
	if err != nil {
		return reply{}, err
	}
	defer leave()
	if r.class != constant {
		c.SetRequest(c.Request().WithContext(pg.Apart(c.Request().Context(), a.Apart)))
	}
	if !r.handler.queries {
		if err := noQuery(c); err != nil {
			return reply{}, err
		}
	}
	if req.ifVersion, err = ifMatch(c.Request().Header, r.handler.versioned); err != nil {
		return reply{}, err
	}
	out, err := r.handler.run(c, req)
	if err == nil && out.parts != nil && r.class != streams {
		err = a.limiter.stream(c.Request().Context(), req)
	}
	return out, err
}
