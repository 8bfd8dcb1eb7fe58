package main

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"svcpay/api"
	"svcpay/api/browser"
	"svcpay/internal/apikey"
	"svcpay/internal/fault"
	"svcpay/portal"
	"svcpay/static"
)

// handlerTimeout bounds the work of one request.
const handlerTimeout = 30 * time.Second

// failedKeys is how many failed authentications a second the API bears from one address.
const failedKeys = 1

// refusedNotices is how many refused notices a second one address may send, twenty times that at once.
const refusedNotices = 1

// reports is how many reports about violated policies a second one address may send, twenty times that at once.
const reports = 1

// newEcho makes a router with what every surface has.
func (a *app) newEcho() *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.IPExtractor = addressOf(a.config.proxies)
	e.Use(a.requestLog(), a.recovery(), middleware.ContextTimeout(handlerTimeout))
	return e
}

// recovery makes an error of a panic, and reports it in our log alone, which has the filter.
func (a *app) recovery() echo.MiddlewareFunc {
	return middleware.RecoverWithConfig(middleware.RecoverConfig{DisableStackAll: true,
		LogErrorFunc: func(c echo.Context, err error, stack []byte) error {
			a.meter.Panic(surfaceOf(c.Path()))
			a.log.ErrorContext(c.Request().Context(), "a handler panicked", "route", c.Path(), "error", err.Error(),
				"stack", string(stack))
			return err
		}})
}

// requestLog counts requests and writes one line each, but for those that are refused in a flood; nothing in it was
// chosen by the caller but the method, and their own id of the request if that is one.
func (a *app) requestLog() echo.MiddlewareFunc {
	return middleware.RequestLoggerWithConfig(middleware.RequestLoggerConfig{
		LogStatus: true, LogLatency: true, LogMethod: true, LogError: true, HandleError: true,
		LogValuesFunc: func(c echo.Context, v middleware.RequestLoggerValues) error {
			a.count(c, v)
			var withheld slog.Attr // which the log leaves out if it is none
			if spares(v.Status) {
				n, due := a.refusals.due(v.StartTime)
				if !due {
					return nil
				}
				withheld = slog.Int("without_lines", n)
			}
			a.log.InfoContext(c.Request().Context(), "request", "method", v.Method, "route", c.Path(),
				"status", v.Status,
				"took_ms", v.Latency.Milliseconds(), "request_id", c.Response().Header().Get("Request-Id"),
				"client_request_id", c.Response().Header().Get("X-Request-Id"), withheld)
			return nil
		},
	})
}

// count tells the metrics of a request. One that may wait for events says nothing of how quick the service is.
func (a *app) count(c echo.Context, v middleware.RequestLoggerValues) {
	if surface := surfaceOf(c.Path()); c.QueryParam("wait") != "" {
		a.meter.Waited(surface, c.Path(), v.Status)
	} else {
		a.meter.Request(surface, c.Path(), v.Status, v.Latency)
	}
}

// surfaces names, by the first segment of a route, what it belongs to. The last three are paths of the API that
// applications called before it had a prefix.
var surfaces = map[string]string{"api": "api", "portal": "portal", "client": "client", "merchants": "api",
	"dafDonations": "api", "files": "api"}

// surfaceOf names what a route belongs to, for the metrics.
func surfaceOf(route string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(route, "/"), "/")
	return cmp.Or(surfaces[first], "other") // library and frames, health
}

// payHandler serves the pay origin: library, frames, /client.
func (a *app) payHandler() (http.Handler, error) {
	e := a.newEcho()
	e.Use(browser.Steps)
	limit := browser.NewLimit(a.config.perAddress, machineTime)
	if err := browser.RegisterFiles(e, static.FS(), a.embeddings, limit,
		a.config.environment == apikey.Production); err != nil {
		return nil, err
	}
	versions, err := browser.Versions(static.FS())
	if err != nil {
		return nil, err
	}
	c := browser.ClientConfig{Tokens: a.Tokens, Workflows: a.Workflows, Links: a.Links, Versions: versions,
		Wallets: a.wallets.pages, Limit: limit, Log: a.log, Now: machineTime}
	browser.RegisterClient(e, c)
	if err := browser.RegisterModal(e,
		browser.ModalConfig{Workflows: a.Workflows, Static: static.FS(), PayURL: a.config.payURL,
			Production: a.config.environment == apikey.Production, Limit: limit, Log: a.log}); err != nil {
		return nil, err
	}
	if err := browser.RegisterLink(e, browser.LinkConfig{Links: a.Links, Static: static.FS(), PayURL: a.config.payURL,
		Production: a.config.environment == apikey.Production, Limit: limit, Log: a.log}); err != nil {
		return nil, err
	}
	if err := a.sandboxPages(e); err != nil {
		return nil, err
	}
	a.takeReports(e)
	// The library's errors name their page with the code as the fragment, which browsers keep.
	e.GET("/docs/errors", func(c echo.Context) error {
		return c.Redirect(http.StatusFound, a.config.baseURL+"/docs/guides/library")
	})
	e.HTTPErrorHandler = browser.ErrorHandler(c)
	return e, nil
}

// embeddings says which pages may use a public key to pay a merchant, as [browser.Embeddings] does.
func (a *app) embeddings(ctx context.Context, key, merchantID string) (apikey.Pages, bool, error) {
	use, err := a.APIKeys.AuthenticatePublic(ctx, key)
	if f, ok := fault.As(err); ok && f.Kind == fault.KindUnauthenticated {
		return apikey.Pages{}, false, nil
	}
	id, noID := strconv.ParseInt(merchantID, 10, 64)
	if err != nil || !use.MerchantDomains || noID != nil {
		return use.Pages, err == nil, err
	}
	m, err := a.Merchants.Find(ctx, use.Actor.ApplicationID, id)
	if fault.HasCode(err, "resource_missing") {
		return use.Pages, true, nil
	}
	use.Domains = m.Domains
	return use.Pages, err == nil, err
}

// givingHandler serves the origin on which donors visit Chariot; nil if the deployment has none. Chariot's script runs
// there, so nothing else is served, and no cookie is ever set.
func (a *app) givingHandler() (http.Handler, error) {
	if a.parties.chariot == nil || a.config.daf.url == "" {
		return nil, nil
	}
	e := a.newEcho()
	err := browser.RegisterVisits(e, browser.VisitsConfig{Visits: a.parties.chariot, Workflows: a.Workflows,
		Static: static.FS(), PayURL: a.config.payURL, Production: a.config.environment == apikey.Production,
		Limit: browser.NewLimit(a.config.perAddress, machineTime), Log: a.log, Now: machineTime})
	a.takeReports(e)
	e.HTTPErrorHandler = browser.ErrorHandler(browser.ClientConfig{Log: a.log, Now: machineTime})
	return e, err
}

// takeReports takes reports about violated policies of a surface's pages.
func (a *app) takeReports(e *echo.Echo) {
	browser.RegisterReports(e, browser.ReportConfig{Security: a.Security, Limit: browser.NewLimit(reports, machineTime),
		Log: a.log, Now: machineTime})
}

// sandboxPages adds the pages of a sandbox's counterparties: funds, banks, wallets. Production has none.
func (a *app) sandboxPages(e *echo.Echo) error {
	if a.parties.sandbox == nil {
		return nil
	}
	err := browser.RegisterSandboxBanks(e,
		browser.SandboxBanksConfig{Banks: a.parties.sandbox.banks, Static: static.FS()})
	if funds := a.parties.sandbox.funds; funds != nil {
		err = errors.Join(err,
			browser.RegisterSandboxFunds(e, browser.SandboxFundsConfig{Funds: funds, Static: static.FS()}))
	}
	if i := a.wallets.issuer; i != nil && err == nil {
		err = browser.RegisterSandboxWallets(e,
			browser.SandboxWalletsConfig{Issuer: i, Static: static.FS(), Now: machineTime})
	}
	return err
}

// mainHandler serves API and portal.
func (a *app) mainHandler() (http.Handler, error) {
	e := a.newEcho()
	c := api.Config{Services: *a.Services, BaseURL: a.config.baseURL, PayURL: a.config.payURL, Log: a.log,
		Now: machineTime, Limits: a.config.limits, Apart: a.apart,
		Static: static.FS(), Panicked: func() { a.meter.Panic("api") }}
	c.Limits.Failures = failedKeys
	if a.config.environment == apikey.Sandbox {
		c.Gallery = a.gallery
		c.Gallery.PayURL, c.Gallery.DAFURL = a.config.payURL, a.Workflows.PagesOrigin()
	}
	api.Register(e, c)
	pages, err := portal.New(portal.Config{Services: *a.Services, Static: static.FS(), BaseURL: a.config.baseURL,
		PayURL:  a.config.payURL,
		Sandbox: a.config.environment == apikey.Sandbox, PerPerson: a.config.perPerson,
		Apart: a.apart, Log: a.log, Now: machineTime})
	if err != nil {
		return nil, err
	}
	pages.Register(e)
	browser.RegisterHooks(e, browser.HookConfig{Notice: a.Inbound.Notice, GrantNotice: a.Inbound.GrantNotice,
		Noticed: a.meter.Notice, Limit: browser.NewLimit(refusedNotices, machineTime), Log: a.log})
	a.takeReports(e)
	e.GET("/healthz", func(c echo.Context) error { return c.NoContent(http.StatusNoContent) })
	e.GET("/readyz", a.ready)
	e.HTTPErrorHandler = api.ErrorHandler(c, func(err error, ec echo.Context) { pages.Error(ec, err) })
	return e, nil
}

// ready reports whether the database answers and goes by the same time.
func (a *app) ready(c echo.Context) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), time.Second)
	defer cancel()
	if err := checkClock(ctx, a.pool); err != nil {
		a.log.WarnContext(ctx, "not ready", "error", err.Error())
		return c.NoContent(http.StatusServiceUnavailable)
	}
	return c.NoContent(http.StatusNoContent)
}

// newServer sets the bounds of every connection.
func newServer(h http.Handler) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: 35 * time.Second, IdleTimeout: 75 * time.Second, MaxHeaderBytes: 16 << 10}
}
