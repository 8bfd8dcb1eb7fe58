package assembly_test

import (
	"path/filepath"
	"testing"
	"time"

	"svcpay/internal/assembly"
	dafsandbox "svcpay/internal/daf/provider/sandbox"
	"svcpay/internal/identity"
	"svcpay/internal/platform/clock"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/sandbox/kit"
	"svcpay/internal/testing/pgtest"
	"svcpay/internal/vault"
	"svcpay/policy"
)

func TestProductionHasNothingOfASandbox(t *testing.T) {
	t.Parallel()
	for env, has := range map[identity.Environment]bool{identity.Sandbox: true, identity.Production: false} {
		keys, err := vault.CreateKeyFile(filepath.Join(t.TempDir(), "keys.json"))
		if err != nil {
			t.Fatal(err)
		}
		rules, err := policy.New()
		if err != nil {
			t.Fatal(err)
		}
		pool := pgtest.New(t)
		clocks := clock.New(pool, time.Now)
		p := sandbox.New(pool, time.Now, kit.AccountClock(clocks.Moment))
		funds := dafsandbox.New(pool, time.Now, kit.AccountClock(clocks.Moment))
		s := assembly.New(assembly.Deps{Pool: pool, Vault: vault.New(keys), Clock: clocks, Processor: p, DAF: funds, Check: rules, Environment: env,
			Machine: time.Now, TestCase: assembly.SandboxCase, Exempt: assembly.SandboxExempt, NextEvent: assembly.SandboxNext(p, funds), Happen: assembly.SandboxHappens(p), HappenToGrant: assembly.SandboxGrants(funds)})
		if (s.Simulate != nil) != has || (s.Tokens.TestCase != nil) != has || (s.Tokens.Exempt != nil) != has || (s.Tokens.Recent != nil) == has {
			t.Errorf("%s: simulations %v, test cases %v", env, s.Simulate != nil, s.Tokens.TestCase != nil)
		}
	}
}
