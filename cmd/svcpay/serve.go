package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"svcpay/internal/apikey"
	"svcpay/internal/platform/jobs"
	"svcpay/internal/platform/pg"
	"svcpay/internal/vault"
	"svcpay/migrations"
)

type serveCommand struct{}

// Help implements kong.HelpProvider.
func (serveCommand) Help() string {
	return "On SIGTERM or SIGINT, the service finishes running requests and stops. On SIGHUP, it starts a successor, " +
		"which inherits its sockets, so no request is lost. The service also accepts sockets from systemd. " +
		"DATABASE_URL_FILE and SVCPAY_SMTP_URL_FILE name files with the values of these settings.\n\n" +
		settingsHelp()
}

// Run serves until a signal comes, or a successor.
func (serveCommand) Run(w *world) error {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP) // for good: a second one must not kill what is being replaced
	c, err := configFrom(w.env)
	if err != nil {
		return err
	}
	d, err := inherit(w.env, firstInherited)
	if err != nil {
		return err
	}
	defer d.close()
	keys, err := vault.ReadKeyFile(c.vaultKeyFile)
	if err != nil {
		return err
	}
	log := newLog(w.stderr)
	slog.SetDefault(log)
	if err := awaitSchema(w.ctx, c.databaseURL, log); err != nil {
		return err
	}
	tuneMemory(w.env)
	a, err := newApp(w.ctx, c, keys, log)
	if err != nil {
		return err
	}
	defer a.close()
	if err := c.checkVital(w.ctx, a.pool); err != nil {
		return err
	}
	if err := d.open(c); err != nil {
		return err
	}
	return a.serveAndHandOver(&handover{world: w, doors: &d, log: log, hangups: hangups})
}

const (
	// databasePatience is how long a server that starts waits for a database that does not answer.
	databasePatience = 15 * time.Second
	databasePoll     = 250 * time.Millisecond
)

// awaitSchema checks the schema as soon as the database answers: after a failure of the machine, or when it boots, the
// database may come up after its servers.
func awaitSchema(ctx context.Context, url string, log *slog.Logger) error {
	ctx, cancel := context.WithTimeout(ctx, databasePatience)
	defer cancel()
	for logged := false; ; logged = true {
		err := checkSchema(ctx, url)
		if !pg.IsUnavailable(err) || pg.IsRejected(err) {
			return err
		}
		if !logged {
			log.Warn("the database does not answer, so this server waits for it", "error", err.Error())
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(databasePoll):
		}
	}
}

// serveAndHandOver serves until the world ends or a successor answers.
func (a *app) serveAndHandOver(h *handover) error {
	var waiting sync.WaitGroup
	defer waiting.Wait()
	ctx, leave := context.WithCancel(h.world.ctx)
	defer leave()
	for _, l := range h.doors.admin {
		a.log.Info("telling metrics", "addr", l.Addr().String())
	}
	defer a.serveAdmin(ctx, h.doors.admin)()
	return a.serve(ctx, func() {
		for _, l := range h.doors.service {
			a.log.Info("serving", "addr", l.Addr().String())
		}
		if err := h.doors.tellReady(h.world.env); err != nil {
			a.log.Warn("systemd was not notified that this server is ready", "error", err.Error())
		}
		waiting.Go(func() { h.await(ctx, leave) })
	}, h.doors.service...)
}

// serve runs the jobs, calls ready, and answers on the listeners until ctx ends.
func (a *app) serve(ctx context.Context, ready func(), listeners ...net.Listener) error {
	h, err := a.handler()
	if err != nil {
		return err
	}
	runner, err := jobs.Start(context.WithoutCancel(ctx), a.pool, a.log, machineTime, a.schedules()...)
	if err != nil {
		return err
	}
	sending, stopSending := context.WithCancel(context.WithoutCancel(ctx))
	defer stopSending()
	var worker sync.WaitGroup
	worker.Go(func() { a.Webhooks.NewWorker().Run(sending) })
	context.AfterFunc(ctx, a.Events.Release)
	ready()
	go debug.FreeOSMemory() // what starting took is not needed again
	err = serveUntil(ctx, newServer(h), listeners...)
	stopSending()
	defer worker.Wait() // attempts that are in progress end
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if stopErr := runner.Stop(stop); stopErr != nil {
		a.log.Warn("jobs were cut short", "error", stopErr.Error())
	}
	return err
}

type migrateCommand struct {
	Grant string `placeholder:"ROLE" help:"Afterwards, grant this database role only the rights that servers need. Creates the role if it is missing."`
}

// Help implements kong.HelpProvider.
func (migrateCommand) Help() string {
	return "Reads DATABASE_URL, which must point to the server directly, not to a pooler, with the role that owns the tables. " +
		"With --grant, servers can run with another role, which can't change entries of the audit log or the ledger. Use it with every upgrade. " +
		"With SVCPAY_ENVIRONMENT=production, a database on another machine needs sslmode=verify-full."
}

// Run applies the migrations that are missing.
func (c migrateCommand) Run(w *world) error {
	url := lookup(w.env, "DATABASE_URL")
	if url == "" {
		return errors.New("DATABASE_URL is not set")
	}
	given := config{databaseURL: url, environment: apikey.Environment(lookup(w.env, "SVCPAY_ENVIRONMENT")),
		databaseInsecure: lookup(w.env, insecureDatabaseSetting) == "true"}
	if err := given.checkDatabase(); err != nil {
		return err
	}
	if c.Grant != "" { // a key file that can't be read must not leave new tables without grants
		if _, err := keyedPolicy(w); err != nil {
			return err
		}
	}
	if err := migrations.Up(w.ctx, url); err != nil || c.Grant == "" {
		return err
	}
	rules, err := keyedPolicy(w)
	if err != nil {
		return err
	}
	pool, err := pg.Open(w.ctx, url)
	if err != nil {
		return err
	}
	defer pool.Close()
	o := opened{pool: pool, rules: rules, actor: operator(w.env, 0)}
	if err := o.record(w.ctx, "server_role"); err != nil {
		return err
	}
	return migrations.Grant(w.ctx, url, c.Grant)
}

type vaultKeysCommand struct {
	File string `arg:"" help:"The file to create, with mode 0600. An existing file is only checked."`
}

// Run makes the vault's keysets.
func (v vaultKeysCommand) Run(*world) error {
	_, err := vault.CreateKeyFile(v.File)
	return err
}
