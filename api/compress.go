package api

import (
	"compress/gzip"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
)

// compressFrom is from how many bytes on an answer is compressed: less is one packet in any case.
const compressFrom = 1024

// compressed compresses the JSON answers of a route for callers who accept gzip. Documents are not compressed: they are
// streamed part by part, or compressed in themselves. Decision 0029 says why the content may be compressed.
func compressed(r route) echo.MiddlewareFunc {
	document := slices.ContainsFunc(r.handler.produces, func(media string) bool { return media != mediaJSON })
	return middleware.GzipWithConfig(middleware.GzipConfig{Level: gzip.BestSpeed, MinLength: compressFrom,
		Skipper: func(c echo.Context) bool { return document || c.Request().Method == http.MethodHead }})
}
