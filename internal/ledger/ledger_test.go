package ledger_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

func TestNothingPostedIsEverChanged(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	if err := post(w, posting(w, "a")); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		`UPDATE ledger_entries SET amount = 1`, `UPDATE ledger_entries SET kind = kind`, `DELETE FROM ledger_entries`,
		`TRUNCATE ledger_entries CASCADE`, `INSERT INTO ledger_entries SELECT * FROM ledger_entries
			ON CONFLICT (application_id, business_key) DO UPDATE SET amount = 7`,
	} {
		if _, err := pg.Exec(t.Context(), w.Pool, sql, pg.Args{}); err == nil ||
			!strings.Contains(err.Error(), "immutable") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if n := entries(t, w); n != 1 {
		t.Errorf("%d entries", n)
	}
}

func TestUnsoundPostingsFailTheTransaction(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	if err := post(w, posting(w, "a")); err != nil {
		t.Fatal(err)
	}
	cases := map[string]func(*ledger.Posting){
		"a posted business key": func(p *ledger.Posting) { p.BusinessKey = "a" },
		"nothing":               func(p *ledger.Posting) { p.Amount = 0 },
		"less than nothing":     func(p *ledger.Posting) { p.Amount = -1 },
		"to itself":             func(p *ledger.Posting) { p.Debit = p.Credit },
		"an unknown account":    func(p *ledger.Posting) { p.Debit = "pocket" },
		"an unknown kind":       func(p *ledger.Posting) { p.Kind = "gift" },
		"a donation's fee":      func(p *ledger.Posting) { p.Kind = "daf_percentage" },
		"the wrong way round":   func(p *ledger.Posting) { p.Debit, p.Credit = p.Credit, p.Debit },
		"another kind's pair":   func(p *ledger.Posting) { p.Kind = ledger.KindPayout },
		"another's merchant":    func(p *ledger.Posting) { p.MerchantID = w.Other.Merchants.US },
		"no source":             func(p *ledger.Posting) { p.SourceID = [16]byte{} },
		"another currency":      func(p *ledger.Posting) { p.Currency = "eur" },
	}
	for name, spoil := range cases {
		p := posting(w, "b")
		spoil(&p)
		if err := post(w, posting(w, "good beside it"), p); err == nil {
			t.Errorf("%s is posted", name)
		}
	}
	if n := entries(t, w); n != 1 {
		t.Errorf("%d entries: a refused transaction left some", n)
	}
	theirs := posting(w, "a") // a key is the application's own
	theirs.ApplicationID, theirs.MerchantID = w.Other.AppID, w.Other.Merchants.US
	if err := post(w, theirs); err != nil {
		t.Errorf("another application's key: %v", err)
	}
	if err := post(w); err != nil || entries(t, w) != 2 {
		t.Errorf("nothing to post: %v", err)
	}
}

func TestBalancesAreSumsAndSumToZero(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	merchants := []int64{w.App.Merchants.US, w.App.Merchants.CA}
	want := map[string]money.Amount{}
	rapid.Check(t, func(rt *rapid.T) {
		merchant := rapid.SampledFrom(merchants).Draw(rt, "merchant")
		batch := some(rt, w, merchant, 5)
		for _, p := range batch {
			want[fmt.Sprint(p.MerchantID, p.Debit, p.Currency)] += p.Amount
			want[fmt.Sprint(p.MerchantID, p.Credit, p.Currency)] -= p.Amount
		}
		if err := post(w, batch...); err != nil {
			rt.Fatal(err)
		}
		balances, err := ledger.Balances(w.T.Context(), w.Pool, w.App.AppID, merchant)
		var sum money.Amount
		for _, b := range balances {
			sum += b.Balance
			if key := fmt.Sprint(merchant, b.Account, b.Currency); want[key] != b.Balance {
				rt.Fatalf("%s is %d, want %d", key, b.Balance, want[key])
			}
		}
		if err != nil || sum != 0 {
			rt.Fatalf("merchant %d sums to %v, %v", merchant, sum, err)
		}
		sound(rt, w, merchant)
	})
	if theirs, err := ledger.Balances(t.Context(), w.Pool, w.Other.AppID, w.App.Merchants.US); err != nil ||
		len(theirs) != 0 {
		t.Errorf("another application sees %v, %v", theirs, err)
	}
}
