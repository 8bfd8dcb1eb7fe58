package assembly_test

import (
	"testing"

	"svcpay/internal/apikey"
	"svcpay/internal/assembly"
	"svcpay/internal/authz"
	"svcpay/internal/fee"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/vault"
	"svcpay/policy"
)

// TestADeploymentsFeeDefaultsAreThoseOfNewApplications however they are made, and of no application that is there.
func TestADeploymentsFeeDefaultsAreThoseOfNewApplications(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	check, err := policy.New()
	if err != nil {
		t.Fatal(err)
	}
	rates := demo.Rates()
	deployment := assembly.New(assembly.Deps{Pool: w.Pool, Check: check, Clock: w.Clocks, Environment: apikey.Sandbox,
		Vault: vault.New(w.Keys), Now: w.Clock.Now, Processors: processor.Only(w.Processor), DAF: w.Funds,
		FeeDefaults: &rates})
	defaults := func(id int64) fee.Defaults {
		t.Helper()
		d, err := deployment.Fees.Defaults(t.Context(), authz.Actor{Role: authz.RoleSystemAdmin, ApplicationID: id})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	added, err := deployment.APIKeys.AddApplication(t.Context(), authz.Actor{Role: authz.RoleSystemAdmin},
		"Added in the portal", nil)
	if err != nil {
		t.Fatal(err)
	}
	made, err := deployment.APIKeys.CreateApplication(t.Context(), "Made by a command")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []int64{added.Object.ID, made} {
		if d := defaults(id); d.Version != 1 || !d.Rates.Equal(rates) || d.UpdatedAt == nil {
			t.Errorf("%d begins with %+v", id, d)
		}
	}
	if d := defaults(w.App.AppID); d.Version != 0 {
		t.Errorf("an application of before has %+v", d)
	}
	own := fee.Rates{CaptureFee: 1}
	admin := authz.Actor{Role: authz.RoleSystemAdmin, ApplicationID: made}
	if _, err := deployment.Fees.SetDefaults(t.Context(), admin, 1, own); err != nil {
		t.Fatal(err)
	}
	if err := pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
		fee.BeginTx(tx, made, rates, w.Clock.Now())
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if d := defaults(made); d.Version != 2 || !d.Rates.Equal(own) {
		t.Errorf("defaults of its own became %+v", d)
	}
}

func TestFeeDefaultsAreReadFromText(t *testing.T) {
	t.Parallel()
	r, err := fee.ParseRates(`{"authorization_fee": 10, "platform_percentage": 1.5}`)
	percent := money.Percent(1500)
	if want := (fee.Rates{AuthorizationFee: 10, PlatformPercentage: &percent, DAFPercentage: 2000}); err != nil ||
		!r.Equal(want) {
		t.Errorf("%+v, %v", r, err)
	}
	for _, wrong := range []string{``, `[]`, `{"capture": 1}`, `{"capture_fee": "1"}`, `{"capture_fee": -1}`,
		`{"daf_percentage": 101}`, `{} {}`, `{"capture_fee": 1.5}`} {
		if r, err := fee.ParseRates(wrong); err == nil {
			t.Errorf("%s is read as %+v", wrong, r)
		}
	}
}
