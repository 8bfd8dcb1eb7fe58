package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/assembly"
	"svcpay/internal/clock"
	"svcpay/internal/counterparty"
	dafsandbox "svcpay/internal/daf/provider/sandbox"
	"svcpay/internal/instant"
	"svcpay/internal/metrics"
	"svcpay/internal/pg"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/safehttp"
	"svcpay/internal/vault"
	"svcpay/policy"
)

// app is a wired service.
type app struct {
	*assembly.Services
	config config
	log    *slog.Logger
	pool   *pgxpool.Pool
	meter  *metrics.Meter
	funds  *dafsandbox.Provider // the sandbox's
	// stopLogs ends the writing of request logs, and writes what waits.
	stopLogs func()
}

// machineTime is the one source of time: milliseconds, as records keep it.
func machineTime() time.Time { return instant.Of(time.Now()).Time }

// newApp connects to the database, whose clock must agree with this machine's, and wires the services.
func newApp(ctx context.Context, c config, keys *vault.Keys, log *slog.Logger) (*app, error) {
	check, err := policy.New()
	if err != nil {
		return nil, err
	}
	pool, err := pg.Open(ctx, c.databaseURL)
	if err != nil {
		return nil, err
	}
	clocks := clock.New(pool, machineTime)
	network := sandbox.New(pool, machineTime, counterparty.AccountClock(clocks.Moment))
	funds := dafsandbox.New(pool, machineTime, counterparty.AccountClock(clocks.Moment))
	meter := metrics.New(pool, machineTime)
	a := &app{config: c, log: log, pool: pool, meter: meter, funds: funds, Services: assembly.New(assembly.Deps{Pool: pool, Vault: vault.New(keys), Secrets: keys.Secrets, Clock: clocks,
		Webhooks:  safehttp.Policy{Local: c.webhookLocal},
		Processor: meter.Processor(network), DAF: funds, Check: check, Environment: c.environment, Machine: machineTime,
		TestCase: assembly.SandboxCase, NextEvent: assembly.SandboxNext(network, funds), Happen: assembly.SandboxHappens(network), HappenToGrant: assembly.SandboxGrants(funds), LocalPort: c.domainPort})}
	if err := checkClock(ctx, pool); err != nil {
		pool.Close()
		return nil, err
	}
	meter.RequestLogs(a.RequestLogs.Dropped)
	a.stopLogs = a.RequestLogs.Start(log)
	return a, nil
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
	hosts := map[string]http.Handler{hostOf(a.config.payURL): pay, hostOf(a.config.baseURL): main}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		surface, ok := hosts[r.Host]
		switch {
		case ok:
		case r.URL.Path == "/healthz" || r.URL.Path == "/readyz": // asked by address
			surface = main
		default:
			http.Error(w, "This host name is not served here.", http.StatusMisdirectedRequest)
			return
		}
		surface.ServeHTTP(w, r)
	}), nil
}

func hostOf(origin string) string {
	u, err := url.Parse(origin)
	if err != nil {
		panic(fmt.Sprintf("an origin that was checked before: %v", err))
	}
	return u.Host
}

// maxClockDrift is how far this machine's clock may be from the database's. A binary with another
// time could take a call that is under way for one that was lost long ago.
const maxClockDrift = 2 * time.Second

// checkClock compares this machine's clock with the database's.
func checkClock(ctx context.Context, pool *pgxpool.Pool) error {
	before := machineTime()
	theirs, err := pg.Value[time.Time](ctx, pool, `SELECT clock_timestamp()`, pg.Args{})
	if err != nil {
		return err
	}
	if theirs.Before(before.Add(-maxClockDrift)) || theirs.After(machineTime().Add(maxClockDrift)) {
		return fmt.Errorf("this machine's clock and the database's differ by %v: set them right", theirs.Sub(before).Round(time.Second))
	}
	return nil
}

func (a *app) close() {
	a.stopLogs()
	a.pool.Close()
}
