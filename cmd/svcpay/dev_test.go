package main

import (
	"strings"
	"testing"

	"svcpay/internal/apikey"
	"svcpay/internal/testing/fixture"
)

// Without the home directory a fetched PostgreSQL is not found, on machines that have no other.
func TestDevLooksForPostgreSQLAtHome(t *testing.T) {
	t.Parallel()
	s := &dev{stateDir: "/state", world: &world{env: []string{"HOME=/home/ola"}}}
	if o := s.postgres(); o.Home != "/home/ola" || o.Dir != "/state" || o.Database != "svcpay" {
		t.Errorf("%+v", o)
	}
}

// A database of production that DATABASE_URL leads to is refused before its schema is touched; one of a sandbox, or
// without anything, is taken.
func TestDevLeavesProductionAlone(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	s := &dev{world: &world{ctx: t.Context()},
		config: config{environment: apikey.Sandbox, databaseURL: w.Pool.Config().ConnString()}}
	if err := s.checkForeign(); err != nil {
		t.Errorf("a sandbox: %v", err)
	}
	if _, err := w.Pool.Exec(t.Context(), `UPDATE api_keys
		SET public_value = replace(public_value, 'pk_sandbox_', 'pk_production_')`); err != nil {
		t.Fatal(err)
	}
	if _, err := s.database(); err == nil || !strings.Contains(err.Error(), "keys of production") {
		t.Errorf("production: %v", err)
	}
	if _, err := w.Pool.Exec(t.Context(), `DROP SCHEMA public CASCADE; CREATE SCHEMA public`); err != nil {
		t.Fatal(err)
	}
	if err := s.checkForeign(); err != nil {
		t.Errorf("an empty database: %v", err)
	}
}
