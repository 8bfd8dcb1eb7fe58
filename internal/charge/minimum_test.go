package charge_test

import (
	"testing"

	"svcpay/internal/charge"
	"svcpay/internal/check/patch"
	"svcpay/internal/fault"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

// TestChargesBelowTheMerchantsMinimumAreRefused with the minimum, whatever pays for them, and leave nothing. Parts may
// be smaller.
func TestChargesBelowTheMerchantsMinimumAreRefused(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	usual, low, high := money.UsualMinCharge, money.MinCharge, money.Amount(1000)
	for _, c := range []struct {
		minimum money.Amount
		amount  money.Amount
		refused bool
	}{{usual, usual - 1, true}, {usual, 1, true}, {usual, usual, false}, {low, 1, false}, {high, high - 1, true},
		{high, high, false}} {
		id := w.Merchant(merchant.CreateInput{MinimumCharge: &c.minimum}).ID
		card := w.TokenIn(w.SessionOf(w.App, id), good)
		out, err := w.Merchants.Update(t.Context(), w.Actor(), id,
			merchant.UpdateInput{MinimumCharge: patch.Set(c.minimum)}, nil)
		if err != nil || out.Object.Version != 1 || out.Object.MinimumCharge != c.minimum {
			t.Fatalf("%+v, %v", out.Object, err)
		}
		bank := w.BankToken(id, w.USBank(settles))
		for _, token := range []string{card, bank} {
			got, err := w.Charges.Create(t.Context(), w.Actor(),
				charge.CreateInput{MerchantID: &id, Token: &token, Amount: &c.amount}, nil)
			switch f, _ := fault.As(err); {
			case !c.refused && err != nil, c.refused &&
				(f == nil || f.Code != "amount_too_small" || f.Param != "amount" || f.Detail["minimum"] != c.minimum):
				t.Errorf("%d of at least %d: %+v, %v", c.amount, c.minimum, got.Object, err)
			}
		}
		n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*) FROM charges WHERE merchant_id = @id`,
			pg.Args{"id": id})
		if err != nil || n != map[bool]int{false: 2}[c.refused] {
			t.Errorf("%d charges, %v", n, err)
		}
	}
}

// TestAMinimumChargeIsAtLeastOne in the database too, and the usual one where a server does not know of it.
func TestAMinimumChargeIsAtLeastOne(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	for _, wrong := range []money.Amount{0, -1, money.MaxCharge + 1} {
		_, err := pg.Exec(t.Context(), w.Pool, `UPDATE merchants SET minimum_charge = @amount`,
			pg.Args{"amount": wrong})
		if pg.Violated(err) != "merchants_minimum_charge_check" {
			t.Errorf("%d: %v", wrong, err)
		}
		_, err = w.Merchants.Update(t.Context(), w.Actor(), w.App.Merchants.US,
			merchant.UpdateInput{MinimumCharge: patch.Set(wrong)}, nil)
		if f, _ := fault.As(err); f == nil || f.Param != "minimum_charge" {
			t.Errorf("%d: %v", wrong, err)
		}
	}
	usual, err := pg.Value[money.Amount](t.Context(), w.Pool, `
		SELECT column_default::bigint FROM information_schema.columns WHERE table_name = 'merchants'
			AND column_name = 'minimum_charge'`, pg.Args{})
	if err != nil || usual != money.UsualMinCharge {
		t.Errorf("%d, %v", usual, err)
	}
	name, country := "New", "CA"
	made, err := w.Merchants.Create(t.Context(), w.Actor(),
		merchant.CreateInput{Name: &name, Country: &country, OrganizationID: &w.App.OrganizationID}, nil)
	if err != nil || made.Object.MinimumCharge != money.UsualMinCharge {
		t.Errorf("%+v, %v", made.Object, err)
	}
}
