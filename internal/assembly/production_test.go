package assembly

import (
	"path/filepath"
	"testing"
	"time"

	"svcpay/internal/apikey"
	dafsandbox "svcpay/internal/daf/provider/sandbox"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/vault"
)

// TestProductionHasNothingOfASandbox gives a production deployment everything that a sandbox has.
func TestProductionHasNothingOfASandbox(t *testing.T) {
	t.Parallel()
	keys, err := vault.CreateKeyFile(filepath.Join(t.TempDir(), "keys.json"))
	if err != nil {
		t.Fatal(err)
	}
	p, funds := sandbox.New("sandbox", nil, time.Now, nil), dafsandbox.New(nil, time.Now, nil)
	given := Deps{Vault: vault.New(keys), Processors: processor.Only(p), DAF: funds, Now: time.Now,
		TestCase: SandboxCase, Donor: SandboxDonor,
		Exempt: SandboxExempt, NextEvent: SandboxNext(funds, p),
		Happen: SandboxHappens(p), HappenToGrant: SandboxGrants(funds), Environment: apikey.Production}
	given.Webhooks.Local = true
	s := New(given)
	tokens := s.tokenDeps(given.withoutSandbox())
	if s.Simulate != nil || s.nextEvent != nil || tokens.TestCase != nil || tokens.Exempt != nil ||
		tokens.Wallets.Seal != nil {
		t.Error("production has a part of the sandbox")
	}
	if tokens.Firsts == nil {
		t.Error("production does not watch for card testing")
	}
	given.Environment = apikey.Sandbox
	s = New(given)
	if tokens = s.tokenDeps(given); s.Simulate == nil || tokens.TestCase == nil || tokens.Exempt == nil ||
		tokens.Firsts != nil {
		t.Error("the sandbox lacks a part")
	}
}
