package main

import "testing"

// Without the home directory a fetched PostgreSQL is not found, on machines that have no other.
func TestDevLooksForPostgreSQLAtHome(t *testing.T) {
	t.Parallel()
	s := &dev{stateDir: "/state", world: &world{env: []string{"HOME=/home/ola"}}}
	if o := s.postgres(); o.Home != "/home/ola" || o.Dir != "/state" || o.Database != "svcpay" {
		t.Errorf("%+v", o)
	}
}
