package ledger_test

import (
	"slices"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/fixture"
	"svcpay/internal/ids"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
)

// What can be paid out is what is available, in the merchant's currency: nothing that is pending, nothing of others, and
// the same whether entries were folded into totals or not.
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
	want := []ledger.Available{{MerchantID: m.US, Currency: money.USD, Amount: 700}, {MerchantID: m.CA, Currency: money.CAD}}
	slices.SortFunc(want, func(a, b ledger.Available) int { return int(a.MerchantID - b.MerchantID) })
	asked := []int64{m.CA, m.US, w.Other.Merchants.US, 999_999}
	for _, folded := range []bool{false, true} {
		if folded {
			fold(t, w.Ledger)
		}
		got, err := w.Ledger.AvailableOf(t.Context(), w.Actor(), asked)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("folded %v: %+v, %v", folded, got, err)
		}
	}
	narrow := w.Person(authz.RoleOrganizationStaff)
	narrow.Merchants = []int64{m.CA}
	if got, err := w.Ledger.AvailableOf(t.Context(), narrow, asked); err != nil || len(got) != 1 || got[0].MerchantID != m.CA {
		t.Errorf("who sees one merchant gets %+v, %v", got, err)
	}
	if got, err := w.Ledger.AvailableOf(t.Context(), w.Actor(), nil); err != nil || len(got) != 0 {
		t.Errorf("of none: %+v, %v", got, err)
	}
	payer := authz.Actor{Role: authz.RolePublicKey, ApplicationID: w.App.AppID}
	if _, err := w.Ledger.AvailableOf(t.Context(), payer, asked); !fault.HasCode(err, "permission_denied") {
		t.Errorf("a payer's browser gets %v", err)
	}
}
