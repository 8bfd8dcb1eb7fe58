package portal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"svcpay/views"
)

// files are the built front end in memory, under addresses that change with the content.
type files struct {
	byPath map[string]file // under /static/
	pages  views.Files
}

// file is one file in each of its encodings; "" is the file as it is.
type file struct {
	mediaType string
	bodies    map[string][]byte
}

// encodings are content codings, the better first, and the suffix of a file in each.
var encodings = []struct{ name, suffix string }{{"br", ".br"}, {"gzip", ".gz"}}

var mediaTypes = map[string]string{
	".css":   "text/css; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".svg":   "image/svg+xml",
	".woff2": "font/woff2",
}

// loadFiles reads what the build's manifest lists; none when nothing has been built.
func loadFiles(built fs.FS) (files, error) {
	out := files{byPath: map[string]file{}}
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
		if out.byPath[name], err = loadFile(built, "portal/"+name); err != nil {
			return out, fmt.Errorf("portal: %w", err)
		}
	}
	at := func(name string) string { return "/static/" + manifest[name] }
	out.pages = views.Files{Style: at("portal.css"), Script: at("portal.js"), Icon: at("icon.svg"), Font: at("inter.woff2")}
	return out, nil
}

func loadFile(built fs.FS, name string) (file, error) {
	f := file{mediaType: mediaTypes[path.Ext(name)], bodies: map[string][]byte{}}
	if f.mediaType == "" {
		return f, fmt.Errorf("%s: no media type is known for it", name)
	}
	plain, err := fs.ReadFile(built, name)
	if err != nil {
		return f, err
	}
	f.bodies[""] = plain
	for _, e := range encodings {
		if body, err := fs.ReadFile(built, name+e.suffix); err == nil {
			f.bodies[e.name] = body
		}
	}
	return f, nil
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
	accepted := strings.Join(c.Request().Header.Values(echo.HeaderAcceptEncoding), ",")
	for _, e := range encodings {
		if body, made := f.bodies[e.name]; made && accepts(accepted, e.name) {
			h.Set(echo.HeaderContentEncoding, e.name)
			return c.Blob(http.StatusOK, f.mediaType, body)
		}
	}
	return c.Blob(http.StatusOK, f.mediaType, f.bodies[""])
}

// accepts tells whether Accept-Encoding names the coding with a weight above zero.
func accepts(header, coding string) bool {
	for item := range strings.SplitSeq(header, ",") {
		name, parameter, _ := strings.Cut(item, ";")
		if strings.TrimSpace(name) != coding {
			continue
		}
		_, weight, weighted := strings.Cut(parameter, "=")
		q, err := strconv.ParseFloat(strings.TrimSpace(weight), 64)
		return !weighted || err == nil && q > 0
	}
	return false
}
