package ledger_test

import (
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/testing/fixture"
)

// What can be paid out is what is available, in the merchant's currency: nothing that is pending, nothing of others,
// and the same whether entries were folded into totals or not.
func TestWhatOfBalancesCanBePaidOut(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	m := w.App.Merchants
	released, waits, theirs := posting(w, "released"), posting(w, "waits"), posting(w, "theirs")
	released.Amount, waits.Amount = 700, 50
	released.ChargeID, waits.ChargeID = ids.ChargeFrom(released.SourceID), ids.ChargeFrom(waits.SourceID)
	theirs.ApplicationID, theirs.MerchantID, theirs.Amount = w.Other.AppID, w.Other.Merchants.US, 9_000
	theirs.ChargeID = ids.ChargeFrom(theirs.SourceID)
	if err := post(w, released, waits, theirs); err != nil {
		t.Fatal(err)
	}
	if err := release(w, released.ChargeID); err != nil {
		t.Fatal(err)
	}
	for _, folded := range []bool{false, true} {
		if folded {
			fold(t, w.Ledger)
		}
		got, err := w.Ledger.Upcoming(t.Context(), w.Actor(), money.USD, "UTC")
		if err != nil || got == nil || got.Amount != 700 || got.Day == "" {
			t.Errorf("folded %v: %+v, %v", folded, got, err)
		}
	}
	narrow := w.Person(authz.RoleOrganizationStaff)
	narrow.Merchants = []int64{m.CA}
	if got, err := w.Ledger.Upcoming(t.Context(), narrow, money.USD, "UTC"); err != nil || got != nil {
		t.Errorf("who sees one merchant gets %+v, %v", got, err)
	}
	if got, err := w.Ledger.Upcoming(t.Context(), w.Actor(), money.CAD, "UTC"); err != nil || got != nil {
		t.Errorf("of nothing: %+v, %v", got, err)
	}
	payer := authz.Actor{Role: authz.RolePublicKey, ApplicationID: w.App.AppID}
	if _, err := w.Ledger.Upcoming(t.Context(), payer, money.USD, "UTC"); !fault.HasCode(err, "permission_denied") {
		t.Errorf("a payer's browser gets %v", err)
	}
}
