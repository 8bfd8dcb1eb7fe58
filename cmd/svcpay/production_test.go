package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
	"svcpay/internal/wallet/sandbox"
)

// appOf is a server of an environment on a world's database.
func appOf(t *testing.T, w *fixture.World, e apikey.Environment) *app {
	t.Helper()
	c := config{databaseURL: w.Pool.Config().ConnString(), environment: e, baseURL: "https://api.example.org",
		payURL: "https://pay.example.org", domainPort: 80}
	if e == apikey.Sandbox {
		c.walletsFile = filepath.Join(t.TempDir(), "wallets.pem")
	}
	a, err := newApp(t.Context(), c, w.Keys, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.close)
	return a
}

// sandboxRoutes are the routes of both hosts that belong to a sandbox.
func sandboxRoutes(t *testing.T, a *app) (found []string) {
	t.Helper()
	for _, make := range []func() (http.Handler, error){a.payHandler, a.mainHandler} {
		h, err := make()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range h.(*echo.Echo).Routes() {
			if strings.Contains(r.Path, "sandbox") || strings.Contains(r.Path, "_inbox") {
				found = append(found, r.Method+" "+r.Path)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func TestProductionHasNothingOfASandbox(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	live, play := appOf(t, w, apikey.Production), appOf(t, w, apikey.Sandbox)
	if found := sandboxRoutes(t, live); len(found) > 0 {
		t.Errorf("production has %v", found)
	}
	all := strings.Join(sandboxRoutes(t, play), "\n")
	for _, want := range []string{"GET /sandbox/daf", "GET /sandbox/bank", "GET /sandbox/wallet-a",
		"GET /sandbox/wallet-b", "POST /api/sandbox/clock"} {
		if !strings.Contains(all, want) { // or the test above looks for something else
			t.Errorf("a sandbox has no %s:\n%s", want, all)
		}
	}
	for _, s := range live.schedules() {
		if strings.Contains(s.Name, "sandbox") || strings.HasPrefix(s.Name, "notify_of_") {
			t.Errorf("production runs %s", s.Name)
		}
	}
	if n, m := len(live.schedules()), len(play.schedules()); m != n+3 {
		t.Errorf("production runs %d, a sandbox %d", n, m)
	}
	if live.Simulate != nil || live.wallets.issuer != nil || live.parties.sandbox != nil {
		t.Error("production has something of a sandbox")
	}
}

func TestASandboxHasTheProcessorsOfItsSettings(t *testing.T) {
	t.Parallel()
	parties := partiesOf(config{environment: apikey.Sandbox, sandboxProcessors: []string{"second", "third"}}, nil, nil,
		machineTime, nil)
	if names := parties.processors.Names(); !slices.Equal(names, []string{"sandbox", "second", "stripe", "third"}) {
		t.Errorf("the processors are %v", names)
	}
	if a, ok := parties.processors.Unconnected(1, 2); !ok || a.Adapter != "sandbox" {
		t.Errorf("a merchant without a connected account is at %+v, %v", a, ok)
	}
	if n := len(parties.sandbox.processors); n != 3 {
		t.Errorf("events happen at %d processors", n)
	}
	live := partiesOf(config{environment: apikey.Production, sandboxProcessors: []string{"second"}}, nil, nil,
		machineTime, nil).processors
	if names := live.Names(); !slices.Equal(names, []string{"stripe"}) {
		t.Errorf("production has %v", names)
	}
	if a, ok := live.Unconnected(1, 2); ok {
		t.Errorf("a merchant without a connected account is at %+v", a)
	}
}

// Without a processor a payment is refused at once, and nothing stays open.
func TestProductionWithoutAProcessorRefusesPayments(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	a := appOf(t, w, apikey.Production)
	key, err := a.APIKeys.Create(t.Context(), w.Admin(),
		apikey.CreateInput{Kind: apikey.Public, Name: "Pages", AllowedOrigins: []string{fixture.PageOrigin}})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(key.Text, "pk_production_") {
		t.Errorf("%s", key.Text)
	}
	merchant, amount := w.App.Merchants.US, money.Amount(2500)
	s, err := a.Tokens.OpenSession(t.Context(),
		token.SessionInput{PublicKey: key.Text, MerchantID: merchant, PageOrigin: fixture.PageOrigin})
	if err != nil || !s.Livemode {
		t.Fatal(s, err)
	}
	made, err := a.Tokens.CreateCard(t.Context(), s.ID, ids.NewRequest(machineTime()).String(),
		w.Card("4242424242424242"))
	if err != nil {
		t.Fatal(err)
	}
	text := made.Token.String()
	actor := authz.Actor{Role: authz.RoleSecretKey, ApplicationID: w.App.AppID,
		RequestID: ids.NewRequest(machineTime())}
	_, err = a.Charges.Create(t.Context(), actor,
		charge.CreateInput{MerchantID: &merchant, Token: &text, Amount: &amount}, nil)
	if f, ok := fault.As(err); !ok || f.Code != "processing_not_configured" {
		t.Errorf("%v", err)
	}
	if n, err := a.Operations.Resolve(t.Context()); n != 0 || err != nil {
		t.Errorf("%d calls are open, %v", n, err)
	}
}

// providersFiles are what wallet B's provider and its merchant have, of an issuer, as files of the settings.
func providersFiles(t *testing.T, i *sandbox.Issuer) (keyFile, rootKeys string) {
	t.Helper()
	dir := t.TempDir()
	keyFile, rootKeys = filepath.Join(dir, "b.pem"), filepath.Join(dir, "keys.json")
	for rest := i.Save(); ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return keyFile, rootKeys
		}
		var err error
		switch block.Type {
		case "WALLET B ENCRYPTION KEY":
			err = os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: block.Bytes}), 0o600)
		case "WALLET B ROOT KEY":
			parsed, _ := x509.ParsePKCS8PrivateKey(block.Bytes)
			public, _ := x509.MarshalPKIXPublicKey(&parsed.(*ecdsa.PrivateKey).PublicKey)
			err = os.WriteFile(rootKeys,
				fmt.Appendf(nil, `{"keys":[{"keyValue":%q,"protocolVersion":"ECv2"}]}`,
					base64.StdEncoding.EncodeToString(public)), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A payment that wallet B's provider signs opens with nothing but the settings.
func TestWalletBIsConfigurationOnly(t *testing.T) {
	t.Parallel()
	i, err := sandbox.Create(machineTime())
	if err != nil {
		t.Fatal(err)
	}
	keyFile, rootKeys := providersFiles(t, i)
	c := config{walletB: walletBSettings{merchantID: "BCR2DN6T", gatewayID: sandbox.GatewayID, keyFile: keyFile,
		script: "https://pay.example.com/pay.js", rootKeys: rootKeys, environment: "PRODUCTION"}}
	w, err := c.wallets()
	if err != nil {
		t.Fatal(err)
	}
	card := sandbox.Card{Number: sensitive.NewPAN("378282246310005"), ExpMonth: 8, ExpYear: machineTime().Year() + 3}
	payload, err := i.SealB(card, sandbox.Sale{Amount: 5000, Currency: money.USD, Bound: "7"}, machineTime())
	if err != nil {
		t.Fatal(err)
	}
	if p, err := w.open.B.Open(payload, "7", machineTime()); err != nil || p.Number.Reveal() != "378282246310005" {
		t.Errorf("%v", err)
	}
	if b := w.pages.B; b == nil || b.Environment != "PRODUCTION" || b.MerchantID != "BCR2DN6T" ||
		b.Gateway != sandbox.GatewayID || w.pages.A != nil || w.issuer != nil {
		t.Errorf("%+v", w.pages)
	}
	c.walletB.rootKeys = "https://keys.example.com/keys.json"
	if w, err = c.wallets(); err != nil { // the address is asked later
		t.Fatal(err)
	}
	if _, err := w.open.B.Open(payload, "7", machineTime()); !fault.HasCode(err, "wallet_signature_invalid") {
		t.Errorf("before the root keys were read: %v", err)
	}
}

func TestWrongFilesOfWalletsAreNamedByTheirSetting(t *testing.T) {
	t.Parallel()
	i, err := sandbox.Create(machineTime())
	if err != nil {
		t.Fatal(err)
	}
	keyFile, rootKeys := providersFiles(t, i)
	bundle := filepath.Join(t.TempDir(), "wallets.pem")
	if err := os.WriteFile(bundle, bytes.Clone(i.Save()), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]config{
		"SVCPAY_WALLET_A_IDENTITY_FILE: open":  {walletA: walletASettings{merchantID: "m", identityFile: "/none"}},
		"SVCPAY_WALLET_A_IDENTITY_FILE: the f": {walletA: walletASettings{merchantID: "m", identityFile: bundle}},
		"SVCPAY_WALLET_B_KEY_FILE: this is":    {walletB: walletBSettings{merchantID: "m", keyFile: bundle, rootKeys: rootKeys}},
		"SVCPAY_WALLET_B_ROOT_KEYS: not a":     {walletB: walletBSettings{merchantID: "m", keyFile: keyFile, rootKeys: bundle}},
	} {
		_, err := c.wallets()
		want = strings.Replace(want, "open", "stat", 1)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
	if hosts := oneOf([]string{"a.example.org", "b.example.org"}); !hosts.MatchString("b.example.org") ||
		hosts.MatchString("bxexample.org") || hosts.MatchString("a.example.org.evil.example") {
		t.Error("hosts that are not in the list match")
	}
}

// A server reports when the books of its own counterparties were last compared, and of no others.
func TestServerReportsTheReconciliationOfItsCounterparties(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	a := appOf(t, w, apikey.Sandbox)
	for _, s := range a.Reconcile {
		if _, err := s.RunNow(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.ReconcileGrants.RunNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := pg.Exec(t.Context(), w.Pool, `
		INSERT INTO reconciliation_runs (processor, day, requested, stage, horizon, started_at, finished_at)
		SELECT 'removed', day, requested, stage, horizon, started_at, finished_at
			FROM reconciliation_runs LIMIT 1`, pg.Args{}); err != nil {
		t.Fatal(err)
	}
	answer := httptest.NewRecorder()
	a.meter.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	var of []string
	for _, m := range regexp.MustCompile(
		`svcpay_reconciliation_finished_seconds\{processor="([^"]+)"`).FindAllStringSubmatch(answer.Body.String(), -1) {
		of = append(of, m[1])
	}
	if want := []string{"daf:sandbox", "sandbox", "stripe"}; !slices.Equal(of, want) {
		t.Errorf("reported are %v, want %v", of, want)
	}
}
