package main

import (
	"cmp"
	"context"

	"svcpay/internal/devtools/doctor"
	"svcpay/internal/platform/localpg"
	"svcpay/internal/platform/pg"
	"svcpay/migrations"
)

// postgres says where the local PostgreSQL keeps its data, and where it was put if it was fetched.
func (s *dev) postgres() localpg.Options {
	return localpg.Options{Dir: s.stateDir, Home: lookup(s.world.env, "HOME"), Database: "svcpay",
		Progress: func(step string) { s.say("  %s", step) }}
}

// database starts the local PostgreSQL, unless DATABASE_URL names one that is no production's, and migrates it. In the
// local one the service has a role of its own, as in production; in another, the role of DATABASE_URL.
func (s *dev) database() (stop func(), err error) {
	stop = func() {}
	local := s.config.databaseURL == ""
	if local {
		s.say("Starting PostgreSQL in %s", s.stateDir)
		server, err := localpg.Start(s.world.ctx, s.postgres())
		if err != nil {
			return nil, cmp.Or(s.world.ctx.Err(), err) // interrupted: what initdb said then is of no use
		}
		s.config.databaseURL = server.URL()
		stop = func() {
			if err := server.Stop(context.Background()); err != nil {
				s.say("PostgreSQL did not stop cleanly: %v", err)
			}
		}
	} else if err := s.checkForeign(); err != nil {
		return nil, err
	}
	s.say("Bringing the database up to date")
	owner := s.config.databaseURL
	err = migrations.Up(s.world.ctx, owner)
	if err == nil && local {
		s.config.databaseURL = localpg.As(migrations.ServerRole, owner)
		err = migrations.Grant(s.world.ctx, owner, migrations.ServerRole)
	}
	if err != nil {
		stop()
		return nil, err
	}
	return stop, nil
}

// checkForeign refuses a database of production before anything in it is changed.
func (s *dev) checkForeign() error {
	pool, err := pg.Open(s.world.ctx, s.config.databaseURL)
	if err != nil {
		return err
	}
	defer pool.Close()
	return doctor.Environment(s.world.ctx, s.config.patient(pool)).Err()
}
