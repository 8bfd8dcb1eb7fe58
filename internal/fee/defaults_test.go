package fee_test

import (
	"reflect"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
)

// createdNow is a merchant created as merchants are, with a copy of the defaults.
func (w *world) createdNow(t *testing.T) fee.Merchant {
	t.Helper()
	var r fee.Rates
	must(t, pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) (err error) {
		r, _, err = fee.DefaultsTx(t.Context(), tx, w.App.AppID)
		return err
	}))
	return w.copyMerchant(t, r)
}

func TestDefaultsAreCopiedNotLinked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	charged := func(m fee.Merchant) fee.Rates { return w.terms(t, m, w.Clock.Now()).Merchant.Rates }
	before := w.createdNow(t)
	if got := charged(before); !reflect.DeepEqual(got, fee.Rates{DAFPercentage: 2000}) ||
		!reflect.DeepEqual(got, fee.Fallback()) {
		t.Errorf("an application without defaults gives %+v", got)
	}
	w.Clock.Advance(time.Hour)
	zero := money.Amount(0)
	own := fee.Rates{CaptureFee: 33, PlatformFlatFee: &zero, DAFPercentage: 1500}
	d, err := w.fees.SetDefaults(t.Context(), w.admin(), 0, own)
	if err != nil || d.Version != 1 || !d.UpdatedAt.Equal(w.Clock.Now()) || !reflect.DeepEqual(d.Rates, own) {
		t.Fatalf("%+v, %v", d, err)
	}
	between := w.createdNow(t)
	if _, err := w.fees.SetDefaults(t.Context(), w.admin(), 1, fee.Rates{CaptureFee: 44}); err != nil {
		t.Fatal(err)
	}
	after := w.createdNow(t)
	w.Clock.Advance(time.Hour)
	if got := charged(before); !reflect.DeepEqual(got, fee.Fallback()) {
		t.Errorf("a merchant of before pays %+v", got)
	}
	if got := charged(between); !reflect.DeepEqual(got, own) {
		t.Errorf("a merchant of between pays %+v", got)
	}
	if got := charged(after); got.CaptureFee != 44 {
		t.Errorf("a new merchant pays %+v", got)
	}
	other := w.ActorOf(w.Other)
	if d, err := w.fees.Defaults(t.Context(), other); err != nil || d.Version != 0 ||
		!reflect.DeepEqual(d.Rates, fee.Fallback()) || d.UpdatedAt != nil {
		t.Errorf("another application's defaults: %+v, %v", d, err)
	}
}

func TestDefaultsAreNotOverwrittenUnseen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const editors = 8
	errs := make([]error, editors)
	w.together(t, editors, func(i int) {
		_, errs[i] = w.fees.SetDefaults(t.Context(), w.admin(), 0, fee.Rates{CaptureFee: money.Amount(i)})
	})
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
			continue
		}
		if f := refused(t, "a later editor", err, "object_changed"); f.Kind != fault.KindChanged ||
			f.Detail["base"] != 0 || f.Detail["latest"] != 1 {
			t.Errorf("%+v", f)
		}
	}
	d, err := w.fees.Defaults(t.Context(), w.Actor())
	if err != nil || won != 1 || d.Version != 1 || d.Object != "fee_defaults" {
		t.Errorf("%d won; %+v, %v", won, d, err)
	}
	if again, err := w.fees.SetDefaults(t.Context(), w.admin(), 1, d.Rates); err != nil || again.Version != 1 {
		t.Errorf("the same again: %+v, %v", again, err)
	}
	_, err = w.fees.SetDefaults(t.Context(), w.admin(), 1, fee.Rates{CaptureFee: -1})
	refused(t, "a negative fee", err, "parameter_invalid")
}

func TestDefaultsAreForThoseWhoMay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.fees.Defaults(t.Context(), w.person(staff))
	refused(t, "staff reads", err, "permission_denied")
	for _, role := range []authz.Role{authz.RoleSecretKey, authz.RolePublicKey, staff} {
		_, err = w.fees.SetDefaults(t.Context(), w.person(role), 0, fee.Rates{})
		refused(t, string(role)+" writes", err, "permission_denied")
	}
}
