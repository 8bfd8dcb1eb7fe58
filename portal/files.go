package portal

import (
	"io/fs"

	"github.com/labstack/echo/v4"

	"svcpay/portal/web"
	"svcpay/static"
	"svcpay/views"
)

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
