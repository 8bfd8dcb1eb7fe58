package ledger_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"svcpay/internal/fixture"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/pg"
)

func posting(w *fixture.World, key string) ledger.Posting {
	return ledger.Posting{
		ApplicationID: w.App.AppID, MerchantID: w.App.Merchants.US, BusinessKey: key, Kind: "capture",
		Debit: ledger.ProcessorReceivable, Credit: ledger.MerchantPending, Amount: 100, Currency: money.USD, SourceID: ids.NewCharge(w.Clock.Now()).Bytes(),
	}
}

func post(w *fixture.World, postings ...ledger.Posting) error {
	return pg.InTx(w.T.Context(), w.Pool, func(tx *pg.Tx) error {
		ledger.PostTx(tx, instant.Both(w.Clock.Now()), postings...)
		return nil
	})
}

func entries(t *testing.T, w *fixture.World) int {
	t.Helper()
	n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM ledger_entries`, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestNothingPostedIsEverChanged(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	if err := post(w, posting(w, "a")); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		`UPDATE ledger_entries SET amount = 1`, `UPDATE ledger_entries SET kind = kind`, `DELETE FROM ledger_entries`,
		`TRUNCATE ledger_entries`, `TRUNCATE merchants CASCADE`, `INSERT INTO ledger_entries SELECT * FROM ledger_entries
			ON CONFLICT (application_id, business_key) DO UPDATE SET amount = 7`,
	} {
		if _, err := pg.Exec(t.Context(), w.Pool, sql, pg.Args{}); err == nil || !strings.Contains(err.Error(), "immutable") {
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
}

func TestBalancesAreSumsAndSumToZero(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	accounts := []ledger.Account{ledger.ProcessorReceivable, ledger.MerchantPending, ledger.ApplicationFees}
	merchants := []int64{w.App.Merchants.US, w.App.Merchants.CA}
	want := map[string]money.Amount{}
	rapid.Check(t, func(rt *rapid.T) {
		var batch []ledger.Posting
		for i := range rapid.IntRange(1, 5).Draw(rt, "postings") {
			pair := rapid.Permutation(accounts).Draw(rt, "accounts")
			p := posting(w, fmt.Sprint(len(want), ids.NewEntry(w.Clock.Now()), i))
			p.Debit, p.Credit = pair[0], pair[1]
			p.MerchantID = rapid.SampledFrom(merchants).Draw(rt, "merchant")
			p.Currency = rapid.SampledFrom(money.Currencies()).Draw(rt, "currency")
			p.Amount = money.Amount(rapid.Int64Range(1, int64(money.MaxCharge)).Draw(rt, "amount"))
			want[fmt.Sprint(p.MerchantID, p.Debit, p.Currency)] += p.Amount
			want[fmt.Sprint(p.MerchantID, p.Credit, p.Currency)] -= p.Amount
			batch = append(batch, p)
		}
		if err := post(w, batch...); err != nil {
			rt.Fatal(err)
		}
		for _, m := range merchants {
			balances, err := ledger.Balances(w.T.Context(), w.Pool, w.App.AppID, m)
			sums := map[money.Currency]money.Amount{}
			for _, b := range balances {
				sums[b.Currency] += b.Balance
				if key := fmt.Sprint(m, b.Account, b.Currency); want[key] != b.Balance {
					rt.Fatalf("%s is %d, want %d", key, b.Balance, want[key])
				}
			}
			if err != nil || sums[money.USD] != 0 || sums[money.CAD] != 0 {
				rt.Fatalf("merchant %d sums to %v, %v", m, sums, err)
			}
		}
	})
	if theirs, err := ledger.Balances(t.Context(), w.Pool, w.Other.AppID, w.App.Merchants.US); err != nil || len(theirs) != 0 {
		t.Errorf("another application sees %v, %v", theirs, err)
	}
}
