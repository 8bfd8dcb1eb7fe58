package api

import (
	_ "embed"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
	"go.yaml.in/yaml/v3"
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

// retryOverloaded is what a busy service asks its callers to wait.
const retryOverloaded = time.Second

// describe adds the contract itself, the page about errors, and the answers to paths that do not
// exist.
func (a *API) describe(e *echo.Echo) {
	e.GET("/api/openapi.yaml", func(c echo.Context) error {
		a.identifyRequest(c)
		return c.Blob(http.StatusOK, "application/yaml", openapiYAML)
	})
	e.GET("/api/openapi.json", func(c echo.Context) error {
		req := a.identifyRequest(c)
		text, err := openapiJSON()
		if err != nil {
			return a.writeError(c, req, err)
		}
		return c.Blob(http.StatusOK, "application/json", text)
	})
	e.GET("/docs/errors", errorsPage)
	e.RouteNotFound("/api", func(c echo.Context) error { return a.noRoute(c, http.StatusNotFound) })
	e.RouteNotFound("/api/*", func(c echo.Context) error { return a.noRoute(c, http.StatusNotFound) })
}

// ErrorHandler answers in the API's own form what the router refuses and what broke before a
// handler could answer; errors outside the API go to next.
func ErrorHandler(cfg Config, next echo.HTTPErrorHandler) echo.HTTPErrorHandler {
	a := &API{cfg}
	return func(err error, c echo.Context) {
		if c.Response().Committed || !strings.HasPrefix(c.Request().URL.Path, "/api/") {
			next(err, c)
			return
		}
		var refused *echo.HTTPError
		if errors.As(err, &refused) && refused.Code == http.StatusMethodNotAllowed {
			_ = a.noRoute(c, refused.Code) // the client is gone if this cannot be written
			return
		}
		_ = a.writeError(c, a.identifyRequest(c), err)
	}
}

// MethodNotAllowed answers a known path with a method that it does not take; echo has set Allow.
func MethodNotAllowed(cfg Config, c echo.Context) error {
	return (&API{cfg}).noRoute(c, http.StatusMethodNotAllowed)
}
