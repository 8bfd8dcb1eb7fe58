package browser

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"svcpay/internal/apikey"
	"svcpay/static"
)

// Router is the part of echo that routes are added to: an *echo.Echo or an *echo.Group.
type Router interface {
	Add(method, path string, handler echo.HandlerFunc, middleware ...echo.MiddlewareFunc) *echo.Route
}

// Embeddings says which pages may use a public key to pay a merchant, whose id is as the page gave it; known is false
// for a key that does not exist. An error means that this cannot be found out now.
type Embeddings func(ctx context.Context, publicKey, merchant string) (p apikey.Pages, known bool, err error)

// RegisterFiles adds a route for each file of the browser library in built (directory "svcpay"), for each file of its
// published patches that it no longer has ("released"), and for each of its frames, of which l is the limit. A tree
// without the library, as on a fresh clone before the front end is built, answers 503 on these routes. In production a
// key without origins can be embedded nowhere.
func RegisterFiles(r Router, built fs.FS, embeddings Embeddings, l *Limit, production bool) error {
	files, err := loadFiles(built, "svcpay", "released")
	if err != nil {
		return fmt.Errorf("browser library: %w", err)
	}
	if len(files) == 0 {
		registerUnbuilt(r)
		return nil
	}
	for name, f := range files {
		route, handler := "/"+name, f.serve
		if path.Base(path.Dir(name)) == "frame" {
			shown := frame{f, scriptSources(f.Plain()), embeddings, l, production}
			route, handler = strings.TrimSuffix(route, ".html"), shown.serve
		}
		r.Add(http.MethodGet, route, handler)
		r.Add(http.MethodHead, route, handler)
	}
	return nil
}

// loadFiles reads the files of directories by their names in them. If two have a file, the first one counts.
func loadFiles(built fs.FS, directories ...string) (map[string]*file, error) {
	files := map[string]*file{}
	for _, directory := range directories {
		tree, err := fs.Sub(built, directory)
		if err != nil {
			return nil, err
		}
		names, err := filesOf(tree)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, name := range names {
			if files[name] != nil {
				continue
			}
			if files[name], err = loadFile(tree, name); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}

// registerUnbuilt answers for a library that has not been built.
func registerUnbuilt(r Router) {
	unbuilt := func(c echo.Context) error {
		return c.String(http.StatusServiceUnavailable,
			"The browser library has not been built: run \"make build\", then start again.\n")
	}
	r.Add(http.MethodGet, "/:version/svcpay.js", unbuilt)
	r.Add(http.MethodGet, "/:version/frame/:name", unbuilt)
}

// Versions lists the versions of the browser library in built, as they are in its addresses; none
// before the front end is built.
func Versions(built fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(built, "svcpay")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("browser library: %w", err)
	}
	var versions []string
	for _, e := range entries {
		versions = append(versions, e.Name())
	}
	return versions, nil
}

// filesOf lists the files of a tree, each once however many forms of it there are.
func filesOf(tree fs.FS) ([]string, error) {
	var names []string
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, static.Unpacked(name))
		}
		return err
	})
	slices.Sort(names)
	return slices.Compact(names), err
}

// file is one file of the library.
type file struct {
	*static.File
	cacheControl string
	tag          string // hash of the content
}

func loadFile(tree fs.FS, name string) (*file, error) {
	f, err := static.Load(tree, name)
	if err != nil {
		return nil, err
	}
	hash := sha256.Sum256(f.Plain())
	return &file{f, cacheControlOf(name), hex.EncodeToString(hash[:8])}, nil
}

// cacheControlOf says how long a file may be kept: for good when its address changes with its
// content (a full version number, a hash), five minutes otherwise.
func cacheControlOf(name string) string {
	version, rest, _ := strings.Cut(name, "/")
	if strings.Count(version, ".") == 2 || strings.HasPrefix(rest, "assets/") {
		return "public, max-age=31536000, immutable"
	}
	return "public, max-age=300"
}

// serve answers with the file for any page of any origin.
func (f *file) serve(c echo.Context) error {
	libraryHeaders(c.Response().Header(), f.cacheControl)
	return f.write(c)
}

// write sends the file in the best encoding that the client takes, or 304 if it has it already.
func (f *file) write(c echo.Context) error {
	coding, body := f.Choose(c.Request().Header.Values(echo.HeaderAcceptEncoding))
	tag := strconv.Quote(strings.TrimSuffix(f.tag+"-"+coding, "-"))
	header := c.Response().Header()
	header.Set(echo.HeaderVary, echo.HeaderAcceptEncoding)
	header.Set("ETag", tag)
	if matches(c.Request().Header.Values("If-None-Match"), tag) {
		return c.NoContent(http.StatusNotModified)
	}
	if coding != "" {
		header.Set(echo.HeaderContentEncoding, coding)
	}
	return c.Blob(http.StatusOK, f.MediaType, body)
}

// matches reports whether If-None-Match holds the tag; a weak form of it counts.
func matches(values []string, tag string) bool {
	for _, item := range strings.Split(strings.Join(values, ","), ",") {
		if item = strings.TrimSpace(item); item == "*" || strings.TrimPrefix(item, "W/") == tag {
			return true
		}
	}
	return false
}
