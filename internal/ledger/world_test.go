package ledger_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

// withBatches is a world's service that folds and sums so many entries at a time.
func withBatches(w *fixture.World, fold, sum int) *ledger.Service {
	return ledger.New(ledger.Deps{Pool: w.Pool, Check: w.Gate, Clock: w.Clocks, Now: w.Clock.Now, FoldBatch: fold,
		SumBatch: sum})
}

func posting(w *fixture.World, key string) ledger.Posting {
	return ledger.Posting{
		ApplicationID: w.App.AppID, MerchantID: w.App.Merchants.US, BusinessKey: key, Kind: ledger.KindCapture,
		Debit: ledger.ProcessorReceivable, Credit: ledger.MerchantPending, Amount: 100, Currency: money.USD,
		SourceID: ids.NewCharge(w.Clock.Now()).Bytes(),
	}
}

func post(w *fixture.World, postings ...ledger.Posting) error {
	return postAt(w, instant.Both(w.Clock.Now()), postings...)
}

func postAt(w *fixture.World, m instant.Moment, postings ...ledger.Posting) error {
	return pg.InTx(w.T.Context(), w.Pool, func(tx *pg.Tx) error {
		ledger.PostTx(tx, m, postings...)
		return nil
	})
}

var keys atomic.Int64

// anyPosting draws a posting that the rules allow, of the merchant's own currency and some charge.
func anyPosting(rt *rapid.T, w *fixture.World, merchant int64) ledger.Posting {
	rule := rapid.SampledFrom(ledger.Rules()).Draw(rt, "rule")
	return postingOf(rt, w, merchant, rule.Kind, rapid.SampledFrom(rule.Allowed()).Draw(rt, "pair"))
}

func postingOf(rt *rapid.T, w *fixture.World, merchant int64, kind string, pair ledger.Pair) ledger.Posting {
	p := posting(w, fmt.Sprint("any", keys.Add(1)))
	p.Kind, p.Debit, p.Credit, p.MerchantID = kind, pair.Debit, pair.Credit, merchant
	if merchant == w.App.Merchants.CA {
		p.Currency = money.CAD
	}
	p.Amount = money.Amount(rapid.Int64Range(1, int64(money.MaxCharge)).Draw(rt, "amount"))
	p.ChargeID = ids.ChargeFrom(p.SourceID)
	return p
}

// some draws up to most postings of one merchant.
func some(rt *rapid.T, w *fixture.World, merchant int64, most int) (out []ledger.Posting) {
	for range rapid.IntRange(1, most).Draw(rt, "postings") {
		out = append(out, anyPosting(rt, w, merchant))
	}
	return out
}

func count(t rapid.TB, w *fixture.World, from string) int {
	t.Helper()
	n, err := pg.Value[int](w.T.Context(), w.Pool, `SELECT count(*)::int FROM `+from, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func entries(t rapid.TB, w *fixture.World) int { t.Helper(); return count(t, w, "ledger_entries") }

// summed is the merchant's balance by the sum over every entry.
func summed(t rapid.TB, w *fixture.World, merchant int64) (a ledger.Accounts) {
	t.Helper()
	all, err := ledger.Balances(w.T.Context(), w.Pool, w.App.AppID, merchant)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range all {
		switch b.Account {
		case ledger.MerchantPending:
			a.Pending -= b.Balance
		case ledger.MerchantAvailable:
			a.Available -= b.Balance
		case ledger.MerchantReserved:
			a.Reserved -= b.Balance
		case ledger.MerchantInTransit:
			a.InTransit -= b.Balance
		}
	}
	return a
}

// sound fails unless the merchant's balance, from totals and tail, is the sum over every entry.
func sound(t rapid.TB, w *fixture.World, merchant int64) {
	t.Helper()
	got, err := ledger.BalanceOf(w.T.Context(), w.Pool, w.App.AppID, merchant)
	if want := summed(t, w, merchant); err != nil || got.Accounts != want {
		t.Fatalf("the balance is %+v, the entries sum to %+v, %v", got, want, err)
	}
}

// release releases charges in a transaction of its own.
func release(w *fixture.World, charges ...ids.Charge) error {
	return pg.InTx(w.T.Context(), w.Pool, func(tx *pg.Tx) error {
		return ledger.ReleaseTx(w.T.Context(), tx, instant.Both(w.Clock.Now()), w.App.AppID, charges)
	})
}

// fold folds until nothing is left to fold.
func fold(t testing.TB, s *ledger.Service) (n int) {
	t.Helper()
	for {
		got, err := s.Fold(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n += got; got == 0 {
			return n
		}
	}
}

const longAgo = ledger.FoldLag + time.Millisecond
