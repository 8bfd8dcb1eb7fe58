package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/charge"
	"svcpay/internal/clock"
	"svcpay/internal/idempotency"
	"svcpay/internal/identity"
	"svcpay/internal/instant"
	"svcpay/internal/jobs"
	"svcpay/internal/ledger"
	"svcpay/internal/merchant"
	"svcpay/internal/operation"
	"svcpay/internal/pg"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/refund"
	"svcpay/internal/token"
	"svcpay/internal/upload"
	"svcpay/internal/vault"
	"svcpay/policy"
)

// app is a wired service.
type app struct {
	config     config
	log        *slog.Logger
	pool       *pgxpool.Pool
	clock      *clock.Clock
	operations *operation.Resolver
	identity   *identity.Service
	merchants  *merchant.Service
	tokens     *token.Service
	charges    *charge.Service
	ledger     *ledger.Service
	refunds    *refund.Service
	uploads    *upload.Service
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
	a := &app{config: c, log: log, pool: pool, clock: clock.New(pool, machineTime)}
	safe, network := vault.New(keys), sandbox.New(pool, machineTime, sandbox.AccountClock(a.clock.Moment))
	a.operations = operation.NewResolver(pool, network, machineTime)
	a.identity = identity.New(pool, c.environment, machineTime)
	a.merchants = merchant.New(pool, machineTime)
	a.tokens = token.New(token.Deps{Pool: pool, Keys: a.identity, Merchants: a.merchants, Vault: safe,
		Processor: network, Check: check, Environment: c.environment, Clock: a.clock, Now: machineTime})
	a.charges = charge.New(charge.Deps{Pool: pool, Vault: safe, Processor: network, Operations: a.operations, Check: check,
		Environment: c.environment, Clock: a.clock})
	a.ledger = ledger.New(ledger.Deps{Pool: pool, Check: check, Livemode: c.environment == identity.Production, Now: machineTime})
	a.refunds = refund.New(refund.Deps{Pool: pool, Charges: a.charges, Processor: network, Operations: a.operations, Check: check,
		Environment: c.environment, Clock: a.clock})
	a.uploads = upload.New(upload.Deps{Pool: pool, Check: check, Livemode: c.environment == identity.Production, Clock: a.clock})
	if err := a.checkClock(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	return a, nil
}

// schedules is the background work.
func (a *app) schedules() []jobs.Schedule {
	purge := func(name string, run func(context.Context) (int64, error)) jobs.Schedule {
		return jobs.Schedule{Name: name, Every: time.Minute, Run: func(ctx context.Context) (bool, error) {
			n, err := run(ctx)
			return n > 0, err
		}}
	}
	return []jobs.Schedule{
		{Name: "resolve_operations", Every: time.Second, Run: func(ctx context.Context) (bool, error) {
			n, err := a.operations.Resolve(ctx)
			return n > 0, err
		}},
		{Name: "fold_ledger", Every: time.Minute, Run: func(ctx context.Context) (bool, error) {
			n, err := a.ledger.Fold(ctx)
			return n > 0, err
		}},
		{Name: "compare_ledger", Every: time.Hour, Run: func(ctx context.Context) (bool, error) {
			_, err := a.ledger.Compare(ctx)
			return false, err
		}},
		{Name: "release_refunds", Every: time.Second, Run: func(ctx context.Context) (bool, error) {
			return a.clock.RunAll(ctx, clock.Sweep{Name: "release_refunds", Run: a.refunds.ReleaseWaiting, Next: a.refunds.NextReleaseWaiting})
		}},
		purge("purge_cvcs", func(ctx context.Context) (int64, error) { return vault.PurgeCVCs(ctx, a.pool, machineTime()) }),
		purge("purge_client_sessions", a.tokens.PurgeSessions),
		purge("purge_portal_sessions", a.identity.PurgeSessions),
		purge("purge_idempotency_keys", func(ctx context.Context) (int64, error) {
			return idempotency.Purge(ctx, a.pool, machineTime())
		}),
	}
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
func (a *app) checkClock(ctx context.Context) error {
	before := machineTime()
	theirs, err := pg.Value[time.Time](ctx, a.pool, `SELECT clock_timestamp()`, pg.Args{})
	if err != nil {
		return err
	}
	if theirs.Before(before.Add(-maxClockDrift)) || theirs.After(machineTime().Add(maxClockDrift)) {
		return fmt.Errorf("this machine's clock and the database's differ by %v: set them right", theirs.Sub(before).Round(time.Second))
	}
	return nil
}

func (a *app) close() { a.pool.Close() }
