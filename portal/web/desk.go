package web

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/labstack/echo/v4"

	"svcpay/internal/identity"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/bulkhead"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/ratelimit"
	"svcpay/internal/platform/security"
	"svcpay/views"
)

// Config is what a Desk needs.
type Config struct {
	Identity  *identity.Service
	Merchants *merchant.Service
	Audit     *audit.Log
	Security  *security.Log
	Clocks    *clock.Clock
	Files     views.Files // what pages load
	BaseURL   string      // where the API and the portal are, as scheme://host
	Sandbox   bool
	// requests of one person, and of an address without a session, that are answered a second in the long run, ten
	// times that at once; 0 is no limit
	PerPerson int
	Apart     *pgxpool.Pool // for pages that cost the more, the more data there is; nil for those of all
	Log       *slog.Logger
	Now       func() time.Time
}

const (
	// Burst is how many times the requests of a second a person may send at once.
	Burst            = 10
	peopleRemembered = 10_000
	// growingEach is how many pages whose class grows are made for one person at once. Some more wait for up to
	// growingWait.
	growingEach = 2
	growingWait = 2 * time.Second
)

// Desk is what all rooms of the portal share: it knows the visitor, where they act and what they may do there, asks for
// a proof of identity, begins pages, and answers what fails.
type Desk struct {
	BaseURL string
	Sandbox bool
	Now     func() time.Time

	identity  *identity.Service
	merchants *merchant.Service
	audit     *audit.Log
	security  *security.Log
	clocks    *clock.Clock
	files     views.Files
	log       *slog.Logger
	sessions  sessionStore
	origins   *http.CrossOriginProtection
	people    *ratelimit.Buckets[int64] // nil without a limit
	strangers *ratelimit.Addresses      // of who has no session; nil without a limit
	apart     *pgxpool.Pool
	growing   *bulkhead.Places[int64] // of people, for pages whose class grows or streams
	pages     []opening               // all of the table of routes
	shown     map[string]bool         // the routes of pages that take a session
}

// NewDesk makes a desk that has no routes yet.
func NewDesk(c Config) *Desk {
	d := &Desk{BaseURL: c.BaseURL, Sandbox: c.Sandbox, Now: c.Now, identity: c.Identity, merchants: c.Merchants,
		audit: c.Audit, security: c.Security, clocks: c.Clocks, files: c.Files, log: c.Log, sessions: sessionStore{c.Identity},
		origins: http.NewCrossOriginProtection(), apart: c.Apart,
		growing: bulkhead.Each[int64](growingEach, growingWait)}
	if c.PerPerson > 0 {
		d.people = ratelimit.New[int64](c.PerPerson, Burst*c.PerPerson, peopleRemembered)
		d.strangers = ratelimit.NewAddresses(c.PerPerson, Burst*c.PerPerson)
	}
	return d
}

// Register has the desk answer a table of routes, the whole of it. What they fail with goes to e's HTTPErrorHandler,
// and from there, for every path outside the API, to Error.
func (d *Desk) Register(e *echo.Echo, table []Route) {
	d.pages, d.shown = openings(table), map[string]bool{}
	for _, r := range table {
		d.shown[r.Path] = d.shown[r.Path] || r.Method == http.MethodGet && r.Needs != Public
		e.Add(r.Method, r.Path, d.serve(r))
		if r.Method == http.MethodGet {
			e.Add(http.MethodHead, r.Path, d.serve(r))
		}
	}
}
