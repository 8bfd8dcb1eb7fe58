package api

import (
	_ "embed"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/labstack/echo/v4"
	"go.yaml.in/yaml/v3"

	"svcpay/internal/fault"
)

//go:embed openapi.yaml
var openapiYAML []byte

// openapiJSON is the same contract for tools that read no YAML.
var openapiJSON = sync.OnceValues(func() ([]byte, error) {
	var contract any
	if err := yaml.Unmarshal(openapiYAML, &contract); err != nil {
		return nil, err
	}
	return json.Marshal(contract)
})

// describe adds the contract itself and the pages about it, and returns the methods of the
// paths that it took under /api.
func (a *API) describe(e *echo.Echo) map[string][]string {
	reads := []string{http.MethodGet, http.MethodHead}
	e.Match(reads, "/api/openapi.yaml", func(c echo.Context) error {
		a.identifyRequest(c)
		return c.Blob(http.StatusOK, "application/yaml", openapiYAML)
	})
	e.Match(reads, "/api/openapi.json", func(c echo.Context) error {
		req := a.identifyRequest(c)
		text, err := openapiJSON()
		if err != nil {
			return a.writeError(c, req, err)
		}
		return c.Blob(http.StatusOK, "application/json", text)
	})
	a.describeDocs(e)
	return map[string][]string{"/api/openapi.yaml": reads, "/api/openapi.json": reads}
}

// refuseOthers adds the answer to methods that a path does not take, OPTIONS among them, which is notified of
// the others, and to paths that do not exist. The router would let everything below /api win over its own 405.
func (a *API) refuseOthers(e *echo.Echo) {
	e.RouteNotFound("/api", a.refuse)
	e.RouteNotFound("/api/*", a.refuse)
	for path := range a.methods { // those outside /api too
		e.RouteNotFound(path, a.refuse)
	}
}

// refuse answers a method that a path does not take, or a path that does not exist.
func (a *API) refuse(c echo.Context) error {
	allowed := a.takenBy(echo.GetPath(c.Request()))
	if len(allowed) == 0 {
		return a.noRoute(c, http.StatusNotFound)
	}
	c.Response().Header().Set("Allow", strings.Join(append(slices.Clone(allowed), http.MethodOptions), ", "))
	if c.Request().Method == http.MethodOptions {
		a.identifyRequest(c)
		return c.NoContent(http.StatusNoContent)
	}
	return a.noRoute(c, http.StatusMethodNotAllowed)
}

// takenBy lists the methods that a path takes: by its own name, else as an object's.
func (a *API) takenBy(path string) []string {
	if own, ok := a.methods[path]; ok {
		return own
	}
	for pattern, allowed := range a.methods {
		if covers(pattern, path) {
			return allowed
		}
	}
	return nil
}

// covers reports whether a path is one of a pattern's, segment by segment.
func covers(pattern, path string) bool {
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	return slices.EqualFunc(want, got, func(w, g string) bool {
		return w == g ||
			(strings.HasPrefix(w, ":") && g != "")
	})
}

// answers reports whether a request is one of the API: below /api, or by a path's other name.
func (a *API) answers(c echo.Context) bool {
	isAlias := func(r route) bool { return r.alias != "" && covers(r.alias, c.Request().URL.Path) }
	return strings.HasPrefix(c.Request().URL.Path, "/api/") || slices.ContainsFunc(a.routes(), isAlias)
}

// Misdirected answers requests under a host name that is not served: in the API's own form to those of the API.
func Misdirected(cfg Config) echo.HandlerFunc {
	a := newAPI(cfg)
	return func(c echo.Context) error {
		const text = "This host name is not served here."
		if !a.answers(c) {
			return c.String(http.StatusMisdirectedRequest, text+"\n")
		}
		req := a.identifyRequest(c)
		return a.writeFault(c, req, req.id, fault.New(fault.KindInvalid, "host_unknown", text))
	}
}

// ErrorHandler answers in the API's own form what broke before a handler could answer, a panic
// above all; errors outside the API go to next.
func ErrorHandler(cfg Config, next echo.HTTPErrorHandler) echo.HTTPErrorHandler {
	a := newAPI(cfg)
	return func(err error, c echo.Context) {
		if c.Response().Committed || !a.answers(c) {
			next(err, c)
			return
		}
		_ = a.writeError(c, a.identifyRequest(c), err) // the client is gone if this cannot be written
	}
}
