package api

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/fixture"
	"svcpay/internal/identity"
	"svcpay/internal/pg"
	"svcpay/internal/vault"
	"svcpay/policy"
)

func TestPolicyKnowsEveryRoutesPermission(t *testing.T) {
	t.Parallel()
	rules, err := policy.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range new(API).routes() {
		if err := rules.Check(authz.Actor{Role: authz.RoleSecretKey}, r.permission); r.permission == "" || err != nil {
			t.Errorf("%s %s asks for %q: %v", r.method, r.path, r.permission, err)
		}
		for _, role := range []authz.Role{authz.RolePublicKey, "nobody", ""} {
			if err := rules.Check(authz.Actor{Role: role}, r.permission); err == nil {
				t.Errorf("%s %s is open to %q", r.method, r.path, role)
			}
		}
	}
}

// nobody is a policy without a rule.
type nobody struct{}

func (nobody) Check(_ authz.Actor, p authz.Permission) error { return authz.Denied(p) }

func TestEveryRouteAsksForItsPermission(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	s := serve(t, w, charge.New(charge.Deps{
		Pool: w.Pool, Vault: vault.New(w.Keys), Processor: w.Processor, Operations: w.Operations, Check: nobody{},
		Environment: identity.Sandbox, Clock: w.Clocks,
	}), time.Minute)
	before := s.rows(t)
	for i, r := range new(API).routes() {
		e := s.send(t, everyRoute()[i]).want(t, 403, "permission_denied").error()
		if e.RequiredPermission != string(r.permission) {
			t.Errorf("%s %s asks for %q, its route says %q", r.method, r.path, e.RequiredPermission, r.permission)
		}
	}
	if after := s.rows(t); after != before {
		t.Errorf("%d rows were written", after-before)
	}
}

func TestBrokenDatabaseIsToldWithoutDetail(t *testing.T) {
	t.Parallel()
	s := open(t)
	body := s.body(s.Token(good))
	s.execute(t, `ALTER TABLE charges RENAME TO elsewhere`, pg.Args{})
	for _, c := range everyRoute() {
		if c.method == "POST" {
			c.body = body
		}
		if e := s.send(t, c).want(t, 500, "internal_error").error(); e.Message != "Something went wrong on our side. It has been recorded." {
			t.Errorf("told as %q", e.Message)
		}
	}
}

func TestBusyDatabaseIsToldToComeBack(t *testing.T) {
	t.Parallel()
	s := open(t)
	body := s.body(s.Token(good))
	s.get(t, "/api/charges").want(t, 200, "") // the key is known from here on
	busy := serve(t, s.World, s.Charges, 50*time.Millisecond)
	var held []*pgxpool.Conn
	for range s.Pool.Config().MaxConns {
		c, err := s.Pool.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, c)
	}
	for _, c := range everyRoute() {
		if c.method == "POST" {
			c.body = body
		}
		if a := busy.send(t, c).want(t, 503, "overloaded"); a.header.Get("Retry-After") != "1" || !a.error().Retryable {
			t.Errorf("%s: %v %s", c.name(), a.header, a.body)
		}
	}
	for _, c := range held {
		c.Release()
	}
	s.get(t, "/api/charges").want(t, 200, "")
}

func TestPanicIsAnInternalError(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	broken := serve(t, w, nil, time.Minute)
	a := broken.get(t, "/api/charges").want(t, 500, "internal_error")
	if _, err := fmt.Sscanf(a.header.Get("Request-Id"), "req_%s", new(string)); err != nil {
		t.Errorf("the request's id is %q", a.header.Get("Request-Id"))
	}
}
