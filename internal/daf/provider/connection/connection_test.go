package connection_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/daf/provider/chariot"
	"svcpay/internal/daf/provider/chariot/described"
	"svcpay/internal/daf/provider/chariot/fake"
	"svcpay/internal/daf/provider/connection"
	"svcpay/internal/fault"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/fixture"
)

type world struct {
	*fixture.World
	*fake.Fake
	*connection.Service
	keys connection.Keyring
}

func newWorld(t *testing.T) *world {
	w := fixture.New(t)
	f := fake.New(w.Clock.Now())
	s := httptest.NewServer(described.Serve(t, f))
	t.Cleanup(s.Close)
	keys := connection.NewKeyring(w.Pool, w.Keys.Secrets)
	p := chariot.New(chariot.Config{Pool: w.Pool, API: s.URL, Now: w.Clock.Now,
		Credentials: keys.Credentials(chariot.Name)})
	return &world{w, f, connection.New(connection.Deps{Pool: w.Pool, Check: w.Gate, Now: w.Clock.Now,
		Box: w.Keys.Secrets, Provider: p}), keys}
}

func TestConnectAndTest(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	by := w.Admin()
	if c, err := w.Get(ctx, by); c != nil || err != nil {
		t.Fatalf("%+v, %v", c, err)
	}
	if _, err := w.Test(ctx, by); !fault.HasCode(err, "resource_missing") {
		t.Error(err)
	}
	for text, code := range map[string]string{"": "parameter_missing", "sk_test_wrong": "daf_provider_rejected",
		"sk_test_\u00e9": "parameter_invalid", strings.Repeat("x", 5000): "parameter_invalid"} {
		if _, err := w.Connect(ctx, by, sensitive.NewCredentials(text)); !hasCode(err, code) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	c, err := w.Connect(ctx, by, sensitive.NewCredentials(" "+w.Key+"\n"))
	if err != nil || len(c.Needs) != 2 || c.Version != 1 || c.Provider != "chariot" {
		t.Fatalf("%+v, %v", c, err)
	}
	c, err = w.Connect(ctx, by, sensitive.NewCredentials(w.Key+"\n"+w.Secret))
	if err != nil || len(c.Needs) != 1 || c.Version != 2 || *c.CredentialsLast4 != "fake" {
		t.Fatalf("%+v, %v", c, err)
	}
	opened, err := w.keys.Credentials("chariot")(ctx)
	if err != nil || opened.Reveal() != w.Key+"\n"+w.Secret {
		t.Errorf("%v", err)
	}
	w.Fail("GET /v1/dafs", fake.Forbidden)
	if c, err = w.Test(ctx, by); err != nil || len(c.Needs) != 2 || c.Needs[0].Code != "dafs" || c.Version != 3 {
		t.Errorf("%+v, %v", c, err)
	}
	w.Busy(true)
	if _, err := w.Test(ctx, by); !fault.HasCode(err, "daf_provider_unreachable") {
		t.Error(err)
	}
	if kept, err := w.Get(ctx, by); err != nil || kept.Version != 3 || len(kept.Needs) != 2 {
		t.Errorf("%+v, %v", kept, err)
	}
}

func hasCode(err error, code string) bool {
	f, ok := fault.As(err)
	return ok && (f.Code == code || len(f.Fields) > 0 && f.Fields[0].Code == code)
}

func TestOnlyTheDeploymentsAdministratorsConnect(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	for _, role := range []authz.Role{authz.RoleApplicationAdmin, authz.RoleOrganizationAdmin, authz.RoleSupportStaff} {
		by := w.Person(role)
		_, get := w.Get(ctx, by)
		_, test := w.Test(ctx, by)
		_, connect := w.Connect(ctx, by, sensitive.NewCredentials(w.Key))
		for _, err := range []error{get, test, connect} {
			if f, ok := fault.As(err); !ok || f.Kind != fault.KindForbidden {
				t.Errorf("%s: %v", role, err)
			}
		}
	}
}

func TestASandboxWithItsOwnProviderConnectsNone(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	s := connection.New(connection.Deps{Pool: w.Pool, Check: w.Gate, Now: w.Clock.Now, Box: w.Keys.Secrets})
	if s.Provider() != "" {
		t.Error(s.Provider())
	}
	_, connect := s.Connect(t.Context(), w.Admin(), sensitive.NewCredentials("sk_test_1"))
	_, test := s.Test(t.Context(), w.Admin())
	for _, err := range []error{connect, test} {
		if !fault.HasCode(err, "daf_provider_not_connectable") {
			t.Error(err)
		}
	}
}
