package portal

import (
	"io/fs"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/labstack/echo/v4"

	"svcpay/internal/assembly"
	"svcpay/portal/web"
	"svcpay/static"
	"svcpay/views"
)

// Config is what the portal needs.
type Config struct {
	assembly.Services
	Static  fs.FS  // the built front end; its directory "portal" may be missing
	BaseURL string // where the API and the portal are, as scheme://host
	PayURL  string // where the library and its frames are, as scheme://host
	Sandbox bool
	// PerPerson is how many requests of one person, and of an address without a session, are answered a second in the
	// long run, ten times that at once; 0 is no limit.
	PerPerson int
	// Apart are connections for pages that cost the more, the more data there is; nil for those of all.
	Apart *pgxpool.Pool
	Log   *slog.Logger
	Now   func() time.Time
}

// Portal answers everything that people open in a browser.
type Portal struct {
	Config
	files files
	desk  *web.Desk
	rooms
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
	desk := web.NewDesk(web.Config{Identity: c.Identity, Merchants: c.Merchants, Audit: c.Audit, Security: c.Security, Clocks: c.Clocks,
		Files: built.pages, BaseURL: c.BaseURL, Sandbox: c.Sandbox, PerPerson: c.PerPerson,
		Apart: c.Apart, Log: c.Log, Now: c.Now})
	return &Portal{Config: c, files: built, desk: desk, rooms: roomsOf(desk, c)}, nil
}

// Register adds the portal's routes. What they fail with goes to e's HTTPErrorHandler, and from
// there, for every path outside the API, to Error.
func (p *Portal) Register(e *echo.Echo) { p.desk.Register(e, p.routes()) }

// Error answers with a page about what failed.
func (p *Portal) Error(c echo.Context, err error) { p.desk.Error(c, err) }

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
	return files{
		b, views.Files{Style: at("portal.css"), Script: at("portal.js"), Icon: at("icon.svg"),
			Font: at("inter.woff2")}}, nil
}

// serve answers with a file.
func (s files) serve(c *web.Request) error {
	if !s.Serve(c.Response(), c.Request(), c.Param("*")) {
		return echo.ErrNotFound
	}
	return nil
}
