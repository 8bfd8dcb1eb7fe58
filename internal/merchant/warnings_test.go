package merchant_test

import (
	"encoding/json"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/testing/fixture"
)

// TestAMerchantWithoutFeeDefaultsIsCreatedWithAWarning in the answer and in merchant.created. One whose fees are known
// has none.
func TestAMerchantWithoutFeeDefaultsIsCreatedWithAWarning(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	warned := func(what string, in merchant.CreateInput, want bool) {
		t.Helper()
		m := w.Merchant(in)
		text, err := pg.Value[[]byte](t.Context(), w.Pool, `SELECT object FROM events WHERE type = 'merchant.created'
			AND object_id = @id`, pg.Args{"id": merchant.ObjectID(m.ID)})
		var emitted merchant.Merchant
		if err != nil || json.Unmarshal(text, &emitted) != nil {
			t.Fatalf("%v: %s", err, text)
		}
		for where, got := range map[string][]merchant.Warning{"answer": m.Warnings, "event": emitted.Warnings} {
			if (len(got) == 1) != want || want && (got[0].Code != merchant.NoFeeDefaults || got[0].Message == "" ||
				got[0].Action == "") {
				t.Errorf("%s: the %s has %+v", what, where, got)
			}
		}
		if again := get(t, w, m.ID); len(again.Warnings) > 0 {
			t.Errorf("%s: read later it has %+v", what, again.Warnings)
		}
	}
	percent, rates := money.Percent(3000), demo.Rates()
	warned("no defaults", merchant.CreateInput{}, true)
	warned("no defaults but daf_percentage", merchant.CreateInput{DAFPercentage: &percent}, true)
	warned("rates of its own", merchant.CreateInput{Rates: &rates}, false)
	admin := w.Person(authz.RoleApplicationAdmin)
	if n, err := w.Fees.WithoutFees(t.Context(), admin); n != 2 || err != nil {
		t.Errorf("%d merchants pay nothing, %v", n, err)
	}
	rates = demo.Rates()
	if _, err := w.Fees.SetDefaults(t.Context(), admin, 0, rates); err != nil {
		t.Fatal(err)
	}
	warned("defaults", merchant.CreateInput{}, false)
	if n, err := w.Fees.WithoutFees(t.Context(), admin); n != 0 || err != nil {
		t.Errorf("%d merchants pay nothing, %v", n, err)
	}
}
