package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"svcpay/internal/jobs"
	"svcpay/internal/vault"
	"svcpay/migrations"
)

type serveCommand struct{}

// Help implements kong.HelpProvider.
func (serveCommand) Help() string { return settingsHelp() }

// Run serves until a signal comes.
func (serveCommand) Run(w *world) error {
	c, err := configFrom(w.env)
	if err != nil {
		return err
	}
	keys, err := vault.ReadKeyFile(c.vaultKeyFile)
	if err != nil {
		return err
	}
	log := newLog(w.stderr)
	slog.SetDefault(log)
	if err := checkSchema(w.ctx, c.databaseURL); err != nil {
		return err
	}
	a, err := newApp(w.ctx, c, keys, log)
	if err != nil {
		return err
	}
	defer a.close()
	if c.adminAddr != "" {
		admin, err := listenLoopback(c.adminAddr)
		if err != nil {
			return fmt.Errorf("SVCPAY_ADMIN_ADDR: %w", err)
		}
		log.Info("telling metrics", "addr", admin[0].Addr().String())
		defer a.serveAdmin(admin)()
	}
	l, err := net.Listen("tcp", c.addr)
	if err != nil {
		return err
	}
	log.Info("serving", "addr", l.Addr().String())
	return a.serve(w.ctx, l)
}

// serve runs the jobs and answers on the listeners until ctx ends.
func (a *app) serve(ctx context.Context, listeners ...net.Listener) error {
	h, err := a.handler()
	if err != nil {
		return err
	}
	runner, err := jobs.Start(context.WithoutCancel(ctx), a.pool, a.log, a.schedules()...)
	if err != nil {
		return err
	}
	err = serveUntil(ctx, newServer(h), listeners...)
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if stopErr := runner.Stop(stop); stopErr != nil {
		a.log.Warn("jobs were cut short", "error", stopErr.Error())
	}
	return err
}

type migrateCommand struct{}

// Help implements kong.HelpProvider.
func (migrateCommand) Help() string {
	return "Reads DATABASE_URL, which must lead to the server directly, not through a pooler."
}

// Run applies the migrations that are missing.
func (migrateCommand) Run(w *world) error {
	url := lookup(w.env, "DATABASE_URL")
	if url == "" {
		return errors.New("DATABASE_URL is not set")
	}
	return migrations.Up(w.ctx, url)
}

type vaultKeysCommand struct {
	File string `arg:"" help:"File to make, with mode 0600. An existing one is only checked."`
}

// Run makes the vault's keysets.
func (v vaultKeysCommand) Run(*world) error {
	_, err := vault.CreateKeyFile(v.File)
	return err
}
