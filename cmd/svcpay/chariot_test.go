package main

import (
	"bytes"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svcpay/internal/apikey"
	"svcpay/internal/daf/provider/chariot"
	"svcpay/internal/daf/provider/chariot/described"
	"svcpay/internal/daf/provider/chariot/fake"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/vault"
)

// TestChariotIsConnectedByCommand connects a sandbox as an operator does. A live key is refused.
func TestChariotIsConnectedByCommand(t *testing.T) { // the commands set the program's log: on its own
	w := fixture.New(t)
	f := fake.New(machineTime())
	s := httptest.NewServer(described.Serve(t, f))
	t.Cleanup(s.Close)
	dir := t.TempDir()
	keys, credentials := filepath.Join(dir, "keys.json"), filepath.Join(dir, "chariot")
	if _, err := vault.CreateKeyFile(keys); err != nil {
		t.Fatal(err)
	}
	env := []string{"DATABASE_URL=" + w.Pool.Config().ConnString(), "SVCPAY_ENVIRONMENT=sandbox",
		"SVCPAY_VAULT_KEY_FILE=" + keys, "SVCPAY_CHARIOT_API=" + s.URL, "SVCPAY_DAF_PROVIDER=chariot",
		"SVCPAY_DAF_URL=https://giving.example.org", "SVCPAY_BASE_URL=https://api.example.org"}
	said := func(status int, args ...string) string {
		t.Helper()
		var out bytes.Buffer
		if got := run(args, env, &out, &out); got != status || strings.Contains(out.String(), "sk_") {
			t.Errorf("%v ends with %d: %s", args, got, &out)
		}
		return out.String()
	}
	if text := said(1, "daf", "test"); !strings.Contains(text, "svcpay daf connect") {
		t.Error(text)
	}
	connect := func(status int, text string) string {
		t.Helper()
		if err := os.WriteFile(credentials, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return said(status, "daf", "connect", "chariot", "--credentials-file", credentials)
	}
	for _, text := range []string{"", "sk_live_1\nsecret\n", "sk_test_wrong\nsecret\n"} {
		if text := connect(1, text); !strings.Contains(text, "--credentials-file") &&
			!strings.Contains(text, "rejected the API key") {
			t.Error(text)
		}
	}
	if text := connect(0, f.Key); !strings.Contains(text, "incomplete") ||
		!strings.Contains(text, "signing_secret: ") ||
		!strings.Contains(text, "https://api.example.org/hooks/daf/chariot") {
		t.Error(text)
	}
	said(1, "daf", "test")
	if text := connect(0, f.Key+"\n"+f.Secret+"\n"); strings.Contains(text, "incomplete") {
		t.Error(text)
	}
	said(0, "daf", "test")
	f.NoDeposits(true)
	if text := said(0, "daf", "test"); !strings.Contains(text, "deposits (optional): ") ||
		strings.Contains(text, "incomplete") {
		t.Error(text)
	}
	env = append(env[:4:4], "SVCPAY_DAF_PROVIDER=sandbox")
	env[3] = "SVCPAY_BASE_URL=https://api.example.org"
	if text := said(1, "daf", "test"); !strings.Contains(text, "SVCPAY_DAF_PROVIDER") {
		t.Error(text)
	}
}

// TestProductionUsesChariot: until an operator connects it, there are no funds.
func TestProductionUsesChariot(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	f := fake.New(machineTime())
	f.Key = "sk_live_fake"
	s := httptest.NewServer(described.Serve(t, f))
	t.Cleanup(s.Close)
	c := config{environment: apikey.Production, daf: dafSettings{url: "https://giving.example.org", chariotAPI: s.URL}}
	parties := partiesOf(c, w.Keys.Secrets, w.Pool, machineTime, nil)
	if parties.funds.Name() != chariot.Name || parties.funds.PagesOrigin() != c.daf.url {
		t.Errorf("the provider of production is %s at %s", parties.funds.Name(), parties.funds.PagesOrigin())
	}
	if funds, err := parties.funds.Funds(t.Context(), "", 10); len(funds) > 0 || err != nil {
		t.Errorf("%v, %v", funds, err)
	}
	book := c.connection(w.Pool, w.Keys.Secrets, w.Gate)
	if _, err := book.Connect(t.Context(), w.Admin(), sensitive.NewCredentials("sk_test_fake x")); err == nil {
		t.Error("production accepts a test key")
	}
	connected, err := book.Connect(t.Context(), w.Admin(), sensitive.NewCredentials(f.Key+" "+f.Secret))
	if err != nil || len(connected.Needs) > 0 {
		t.Fatalf("%+v, %v", connected, err)
	}
	if funds, err := parties.funds.Funds(t.Context(), "", 10); len(funds) == 0 || err != nil {
		t.Errorf("%v, %v", funds, err)
	}
}

// TestASandboxChoosesItsProvider: without a setting it is the sandbox's own.
func TestASandboxChoosesItsProvider(t *testing.T) {
	t.Parallel()
	own := partiesOf(config{environment: apikey.Sandbox}, nil, nil, machineTime, nil)
	if own.funds != own.sandbox.funds || own.chariot != nil || own.connector() != nil {
		t.Error("a sandbox has another provider than its own")
	}
	chosen := partiesOf(config{environment: apikey.Sandbox, daf: dafSettings{provider: chariot.Name}}, nil, nil,
		machineTime, nil)
	if chosen.funds.Name() != chariot.Name || chosen.sandbox.funds != nil || chosen.connector() == nil {
		t.Errorf("a sandbox on Chariot has %s", chosen.funds.Name())
	}
	for _, tt := range []struct {
		c    config
		want int
	}{
		{config{environment: apikey.Sandbox, daf: dafSettings{chariotAPI: "http://127.0.0.1:1"}}, 1},
		{config{environment: apikey.Sandbox, daf: dafSettings{chariotAPI: "http://127.0.0.1:1", provider: "chariot"}}, 0},
		{config{environment: apikey.Production, daf: dafSettings{chariotAPI: "http://127.0.0.1:1"}}, 1},
		{config{environment: apikey.Production, daf: dafSettings{provider: "sandbox"}}, 1},
		{config{payURL: "https://pay.example.org", daf: dafSettings{url: "https://pay.example.org:444"}}, 1},
		{config{payURL: "https://pay.example.org", daf: dafSettings{url: "https://giving.example.org"}}, 0},
	} {
		if errs := tt.c.checkDAF(); len(errs) != tt.want {
			t.Errorf("%+v: %v", tt.c.daf, errs)
		}
	}
}
