package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/api"
	"svcpay/internal/assembly"
	"svcpay/internal/authz"
	"svcpay/internal/instant"
	"svcpay/internal/metrics"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/mail"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/safehttp"
	"svcpay/internal/platform/security"
	"svcpay/internal/processor"
	"svcpay/internal/vault"
	"svcpay/policy"
)

// app is a wired service.
type app struct {
	*assembly.Services
	config  config
	log     *slog.Logger
	pool    *pgxpool.Pool
	apart   *pgxpool.Pool // for what costs the more, the more data a tenant has
	keys    *vault.Keys
	check   authz.Checker
	meter   *metrics.Meter
	sender  mail.Sender
	wallets payersWallets
	parties counterparties
	gallery api.Gallery // whose samples the documentation shows
	// refusals are those of all surfaces that too many requests brought about.
	refusals sparing
	// stops end what runs in the background: the writing of request logs and of security events, which write what
	// waits, and the reading of root keys.
	stops []func()
}

// machineTime is the one source of time: milliseconds, as records keep it.
func machineTime() time.Time { return instant.Of(time.Now()).Time }

// newApp connects to the database and wires the services.
func newApp(ctx context.Context, c config, keys *vault.Keys, log *slog.Logger) (*app, error) {
	check, err := policy.New()
	if err != nil {
		return nil, err
	}
	sender, err := c.mails.sender()
	if err != nil {
		return nil, err
	}
	wallets, err := c.wallets()
	if err != nil {
		return nil, err
	}
	pool, err := pg.Open(ctx, c.databaseURL)
	if err != nil {
		return nil, err
	}
	apart, err := pg.OpenApart(ctx, c.databaseURL)
	if err != nil {
		pool.Close()
		return nil, err
	}
	a := &app{config: c, log: log, pool: pool, apart: apart, keys: keys, sender: sender, wallets: wallets,
		meter: metrics.New(pool, machineTime), check: check}
	a.Services, a.parties = a.wire(machineTime, a.meter.Call)
	a.meter.RequestLogs(a.RequestLogs.Dropped)
	a.meter.Processors(a.parties.processors)
	a.meter.Reconciles(a.reconciled()...)
	a.meter.Hears(a.Inbound.Feeds()...)
	a.Webhooks.Attempted = a.meter.Attempt
	a.stops = []func(){a.RequestLogs.Start(log), a.Security.Start(log), a.watchRootKeys(ctx)}
	return a, nil
}

// reconciled are the names of the counterparties whose books are compared.
func (a *app) reconciled() []string {
	names := []string{a.ReconcileGrants.Name()}
	for _, s := range a.Reconcile {
		names = append(names, s.Name())
	}
	return names
}

// wire puts the services together for a machine's time; observe is called after every call to a processor.
func (a *app) wire(machine func() time.Time, observe processor.Observer) (*assembly.Services, counterparties) {
	clocks := clock.New(a.pool, machine)
	parties := partiesOf(a.config, a.keys.Secrets, a.pool, machine, clocks)
	parties.processors.Observe(observe)
	parties.processors.Watch(machine)
	kept := vault.New(a.keys)
	d := assembly.Deps{Wallets: a.wallets.open, Pool: a.pool, Vault: kept, Secrets: a.keys.Secrets, Clock: clocks,
		Webhooks: safehttp.Policy{Local: a.config.webhookLocal}, Mail: a.sender, BaseURL: a.config.baseURL,
		Processors: parties.processors, DAF: parties.funds, DAFConnector: parties.connector(), Banks: parties.banks,
		Check:       a.check,
		Environment: a.config.environment, Now: machine,
		LocalPort: a.config.domainPort, FeeDefaults: a.config.feeDefaults}
	parties.fill(&d)
	s := assembly.New(d)
	s.Security.Observed = a.meter.Security
	kept.Unreadable = func(ctx context.Context) {
		a.meter.Unreadable()
		s.Security.Add(ctx, security.Event{Kind: security.Vault, Outcome: "unreadable"})
	}
	return s, parties
}

// handler answers each host name with its surface, and no other host name at all.
func (a *app) handler() (http.Handler, error) {
	pay, err := a.payHandler()
	if err != nil {
		return nil, err
	}
	main, err := a.mainHandler()
	if err != nil {
		return nil, err
	}
	giving, err := a.givingHandler()
	if err != nil {
		return nil, err
	}
	strange := a.newEcho()
	strange.Any("/*",
		api.Misdirected(api.Config{Services: *a.Services, BaseURL: a.config.baseURL, Log: a.log, Now: machineTime}))
	hosts := map[string]http.Handler{hostOf(a.config.payURL): pay, hostOf(a.config.baseURL): main}
	if giving != nil {
		hosts[hostOf(a.config.daf.url)] = giving
	}
	return a.onlyHTTPS(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		surface, ok := hosts[r.Host]
		switch {
		case ok:
		case r.URL.Path == "/healthz" || r.URL.Path == "/readyz": // asked by address
			surface = main
		default:
			surface = strange
		}
		surface.ServeHTTP(w, r)
	})), nil
}

// onlyHTTPS adds to every response of a deployment that is reached by https, as production always is, that browsers use
// nothing else for a year.
func (a *app) onlyHTTPS(next http.Handler) http.Handler {
	if !strings.HasPrefix(a.config.baseURL, "https://") {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Strict-Transport-Security", "max-age=31536000")
		next.ServeHTTP(w, r)
	})
}

func hostOf(origin string) string {
	u, err := url.Parse(origin)
	if err != nil {
		panic(fmt.Sprintf("an origin that was checked before: %v", err))
	}
	return u.Host
}

func (a *app) close() {
	for _, stop := range a.stops {
		stop()
	}
	a.wallets.close()
	a.apart.Close()
	a.pool.Close()
}
