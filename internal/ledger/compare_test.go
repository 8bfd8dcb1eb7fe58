package ledger_test

import (
	"fmt"
	"testing"
	"time"

	"svcpay/internal/ledger"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

// One application's many entries hold up no other's comparison, and are gone through in the end.
func TestALargeLedgerIsComparedInShares(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	for n := range 6 {
		if err := post(w, posting(w, fmt.Sprint(n))); err != nil {
			t.Fatal(err)
		}
	}
	other := posting(w, "other")
	other.ApplicationID, other.MerchantID = w.Other.AppID, w.Other.Merchants.US
	if err := post(w, other); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(longAgo)
	fold(t, w.Ledger)
	if _, err := pg.Exec(t.Context(), w.Pool, `UPDATE ledger_totals SET balance = balance + 1`, pg.Args{}); err != nil {
		t.Fatal(err)
	}
	found := map[int64]int{}
	s := ledger.New(ledger.Deps{Pool: w.Pool, Check: w.Gate, Clock: w.Clocks, Now: w.Clock.Now, SumBatch: 1, Share: -1})
	for call := 1; len(found) < 2; call++ {
		differences, err := s.CompareDue(t.Context())
		if err != nil || call > 10 {
			t.Fatal(call, err)
		}
		for _, d := range differences {
			if found[d.ApplicationID] == 0 {
				found[d.ApplicationID] = call
			}
		}
	}
	if small, large := found[w.Other.AppID], found[w.App.AppID]; small != 2 || large != 7 {
		t.Errorf("the small one was done by call %d, the large one by call %d", small, large)
	}
	if differences, err := s.CompareDue(t.Context()); err != nil || len(differences) > 0 {
		t.Errorf("compared again within the hour: %v, %v", differences, err)
	}
	w.Clock.Advance(time.Hour + time.Second)
	if differences, err := w.Ledger.CompareDue(t.Context()); err != nil || len(differences) != 4 {
		t.Errorf("an hour later: %v, %v", differences, err)
	}
}
