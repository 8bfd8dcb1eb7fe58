package merchant_test

import (
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

func get(t *testing.T, w *fixture.World, id int64) merchant.Merchant {
	t.Helper()
	m, err := w.Merchants.Find(t.Context(), w.App.AppID, id)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func count(t *testing.T, w *fixture.World, from string, args pg.Args) int {
	t.Helper()
	n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM `+from, args)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestMerchantIsSeenByItsApplicationAlone(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	m, err := w.Merchants.Find(t.Context(), w.App.AppID, w.App.Merchants.CA)
	if err != nil || m.Country != "CA" || m.Currency != money.CAD || m.Status != merchant.Active ||
		m.ApplicationID != w.App.AppID {
		t.Errorf("%+v, %v", m, err)
	}
	for name, id := range map[string]int64{"another application's": w.Other.Merchants.CA, "an unknown one": 1 << 40,
		"no id": 0, "a negative one": -1} {
		if m, err := w.Merchants.Find(t.Context(), w.App.AppID, id); !fault.HasCode(err, "resource_missing") {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
		in := merchant.StatusInput{MerchantID: id, Status: merchant.Closed, Reason: "x"}
		if m, err := w.Merchants.SetStatus(t.Context(), w.Admin(), in); !fault.HasCode(err, "resource_missing") {
			t.Errorf("%s is closed: %+v, %v", name, m, err)
		}
	}
}

func TestStatusNeedsThePermission(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	for _, actor := range []authz.Actor{w.Actor(), {Role: authz.RolePublicKey, ApplicationID: w.App.AppID}, {}} {
		_, err := w.Merchants.SetStatus(t.Context(), actor,
			merchant.StatusInput{MerchantID: w.App.Merchants.US, Status: merchant.Closed, Reason: "x"})
		if f, ok := fault.As(err); !ok || f.Code != "permission_denied" ||
			f.Detail["required_permission"] != "merchant:set_status" {
			t.Errorf("%s: %v", actor.Role, err)
		}
	}
	if m := get(t, w, w.App.Merchants.US); m.Status != merchant.Active {
		t.Errorf("%+v", m)
	}
}
