package portal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"

	"github.com/labstack/echo/v4"

	"svcpay/static"
	"svcpay/views"
)

// files are the built front end in memory, under addresses that change with the content.
type files struct {
	byPath map[string]*static.File // under /static/
	pages  views.Files
}

// loadFiles reads what the build's manifest lists; none when nothing has been built.
func loadFiles(built fs.FS) (files, error) {
	out := files{byPath: map[string]*static.File{}}
	text, err := fs.ReadFile(built, "portal/manifest.json")
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return out, fmt.Errorf("portal: %w", err)
	}
	var manifest map[string]string
	if err := json.Unmarshal(text, &manifest); err != nil {
		return out, fmt.Errorf("portal: manifest.json: %w", err)
	}
	for _, name := range manifest {
		if out.byPath[name], err = static.Load(built, "portal/"+name); err != nil {
			return out, fmt.Errorf("portal: %w", err)
		}
	}
	at := func(name string) string { return "/static/" + manifest[name] }
	out.pages = views.Files{Style: at("portal.css"), Script: at("portal.js"), Icon: at("icon.svg"), Font: at("inter.woff2")}
	return out, nil
}

// serve answers with a file in the best encoding that the client takes.
func (s files) serve(c echo.Context) error {
	f, ok := s.byPath[c.Param("*")]
	if !ok {
		return echo.ErrNotFound
	}
	h := c.Response().Header()
	h.Set(echo.HeaderCacheControl, "public, max-age=31536000, immutable")
	h.Set(echo.HeaderVary, echo.HeaderAcceptEncoding)
	coding, body := f.Choose(c.Request().Header.Values(echo.HeaderAcceptEncoding))
	if coding != "" {
		h.Set(echo.HeaderContentEncoding, coding)
	}
	return c.Blob(http.StatusOK, f.MediaType, body)
}
