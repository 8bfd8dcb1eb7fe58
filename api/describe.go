package api

import (
	_ "embed"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

//go:embed openapi.yaml
var openapiYAML []byte

// retryOverloaded is what a busy service asks its callers to wait.
const retryOverloaded = time.Second

// describe adds the contract itself, and the answers to paths and methods that do not exist.
func (a *API) describe(e *echo.Echo) {
	e.GET("/api/openapi.yaml", func(c echo.Context) error {
		return c.Blob(http.StatusOK, "application/yaml", openapiYAML)
	})
	e.RouteNotFound("/api", func(c echo.Context) error { return a.noRoute(c, http.StatusNotFound) })
	e.RouteNotFound("/api/*", func(c echo.Context) error { return a.noRoute(c, http.StatusNotFound) })
}

// MethodNotAllowed answers a known path with a method that it does not take; echo has set Allow.
func MethodNotAllowed(cfg Config, c echo.Context) error {
	return (&API{cfg}).noRoute(c, http.StatusMethodNotAllowed)
}
