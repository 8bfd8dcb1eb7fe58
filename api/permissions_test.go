package api

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"svcpay/internal/assembly"
	"svcpay/internal/authz"
	"svcpay/internal/testing/fixture"
	"svcpay/policy"
)

func TestPolicyKnowsEveryRoutesPermission(t *testing.T) {
	t.Parallel()
	rules, err := policy.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range new(API).routes() {
		if r.handler.public {
			continue
		}
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

func TestPanicIsAnInternalError(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	panics := 0
	broken := serve(t, w, Config{Services: assembly.Services{Identity: w.Identity, RequestLogs: w.RequestLogs},
		BaseURL: "https://api.example",
		Log:     slog.New(slog.DiscardHandler), Now: w.Clock.Now, Panicked: func() { panics++ }}, time.Minute)
	a := broken.get(t, "/api/charges").want(t, 500, "internal_error")
	if panics != 1 {
		t.Errorf("%d panics were counted", panics)
	}
	if _, err := fmt.Sscanf(a.header.Get("Request-Id"), "req_%s", new(string)); err != nil {
		t.Errorf("the request's id is %q", a.header.Get("Request-Id"))
	}
}
