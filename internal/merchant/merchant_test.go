package merchant_test

import (
	"testing"

	"svcpay/internal/demo"
	"svcpay/internal/fault"
	"svcpay/internal/fixture"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/pg"
)

func TestMerchantIsSeenByItsApplicationAlone(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	m, err := w.Merchants.Get(t.Context(), w.App.AppID, w.App.Merchants.CA)
	if err != nil || m.Country != "CA" || m.Currency != money.CAD || m.Status != merchant.Active || m.ApplicationID != w.App.AppID {
		t.Errorf("%+v, %v", m, err)
	}
	for name, id := range map[string]int64{"another application's": w.Other.Merchants.CA, "an unknown one": 1 << 40, "no id": 0, "a negative one": -1} {
		if m, err := w.Merchants.Get(t.Context(), w.App.AppID, id); !fault.HasCode(err, "resource_missing") {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
}

func TestMerchantOfAnotherApplicationsOrganizationIsRefused(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	mine, err := w.Merchants.Get(t.Context(), w.App.AppID, w.App.Merchants.US)
	if err != nil {
		t.Fatal(err)
	}
	mine.ApplicationID = w.Other.AppID
	if id, err := w.Merchants.Create(t.Context(), mine, demo.Rates()); pg.Violated(err) == "" {
		t.Errorf("made %d, %v", id, err)
	}
}

func TestOnlyActiveMerchantsProcess(t *testing.T) {
	t.Parallel()
	can := merchant.Merchant{Status: merchant.Active}.CanProcess()
	if !can["cc"] || can["ach"] || len(can) != 6 || (merchant.Merchant{Status: "suspended"}).CanProcess()["cc"] {
		t.Errorf("%v", can)
	}
}
