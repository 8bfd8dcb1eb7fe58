package ledger_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

// line is a posting as it is in the database.
type line struct {
	BusinessKey string         `db:"business_key"`
	Kind        string         `db:"kind"`
	Debit       ledger.Account `db:"debit"`
	Credit      ledger.Account `db:"credit"`
	Amount      money.Amount   `db:"amount"`
	Currency    money.Currency `db:"currency"`
	SourceID    [16]byte       `db:"source_id"`
	ChargeID    ids.Charge     `db:"charge_id"`
	MerchantID  int64          `db:"merchant_id"`
}

func lines(t rapid.TB, w *fixture.World) []line {
	t.Helper()
	all, err := pg.All[line](w.T.Context(), w.Pool, `
		SELECT business_key, kind, debit, credit, amount, currency, source_id, charge_id, merchant_id
		FROM ledger_entries WHERE application_id = @application_id`, pg.Args{"application_id": w.App.AppID})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// pots are what a charge has in some accounts, credits minus debits.
func pots(all []line, id ids.Charge) map[ledger.Account]money.Amount {
	out := map[ledger.Account]money.Amount{}
	for _, l := range all {
		if l.ChargeID == id {
			out[l.Credit] += l.Amount
			out[l.Debit] -= l.Amount
		}
	}
	return out
}

// chargePostings draws postings that concern a charge, releases left out.
func chargePostings(rt *rapid.T, w *fixture.World, id ids.Charge, least int) (out []ledger.Posting) {
	for range rapid.IntRange(least, 5).Draw(rt, "postings") {
		rule := rapid.SampledFrom(ledger.Rules()).Draw(rt, "rule")
		p := postingOf(rt, w, w.App.Merchants.US, rule.Kind, rapid.SampledFrom(rule.Pairs).Draw(rt, "pair"))
		p.ChargeID = id
		out = append(out, p)
	}
	return out
}

func TestReleaseTakesEverythingThatIsPending(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	rapid.Check(t, func(rt *rapid.T) {
		ctx := w.T.Context()
		charges := []ids.Charge{ids.NewCharge(w.Clock.Now()), ids.NewCharge(w.Clock.Now()),
			ids.NewCharge(w.Clock.Now())}
		for _, id := range charges {
			if err := post(w, chargePostings(rt, w, id, 0)...); err != nil {
				rt.Fatal(err)
			}
		}
		owed := summed(rt, w, w.App.Merchants.US).Total()
		aside := pots(lines(rt, w), charges[2])
		for range rapid.IntRange(1, 3).Draw(rt, "times") {
			more := chargePostings(rt, w, charges[0], 1) // queued before, and released all the same
			before := entries(rt, w)
			for _, p := range more {
				for _, a := range ledger.MerchantAccounts() {
					if p.Credit == a {
						owed += p.Amount
					}
					if p.Debit == a {
						owed -= p.Amount
					}
				}
			}
			err := pg.InTx(ctx, w.Pool, func(tx *pg.Tx) error {
				ledger.PostTx(tx, instant.Both(w.Clock.Now()), more...)
				return ledger.ReleaseTx(ctx, tx, instant.Both(w.Clock.Now()), w.App.AppID, charges[:2])
			})
			if err != nil || entries(rt, w) < before+len(more) {
				rt.Fatal(err)
			}
		}
		all := lines(rt, w)
		for _, id := range charges[:2] {
			if p := pots(all, id); p[ledger.MerchantPending] != 0 {
				rt.Fatalf("a released charge has %v", p)
			}
		}
		if got := pots(all, charges[2]); len(got) != len(aside) ||
			got[ledger.MerchantPending] != aside[ledger.MerchantPending] {
			rt.Fatalf("another charge had %v and has %v", aside, got)
		}
		if got := summed(rt, w, w.App.Merchants.US).Total(); got != owed {
			rt.Fatalf("the merchant was owed %d and is owed %d", owed, got)
		}
		if err := release(w, charges[:2]...); err != nil || entries(rt, w) != len(all) {
			rt.Fatalf("a repetition adds to %d entries: %v", len(all), err)
		}
	})
	all := lines(t, w)
	byKey := map[string]line{}
	for _, l := range all {
		byKey[l.BusinessKey] = l
	}
	releases := 0
	for _, l := range all {
		sides := []ledger.Account{l.Debit, l.Credit}
		key, named := strings.CutSuffix(l.BusinessKey, ":release")
		if is := slices.Contains(sides, ledger.MerchantPending) &&
			slices.Contains(sides, ledger.MerchantAvailable); is != named {
			t.Errorf("%+v is a release: %v", l, is)
		}
		if !named {
			continue
		}
		releases++
		original := byKey[key]
		original.BusinessKey, original.Debit, original.Credit = l.BusinessKey, l.Debit, l.Credit
		if original != l {
			t.Errorf("%+v is released by %+v", byKey[key], l)
		}
	}
	if releases == 0 {
		t.Error("nothing was released")
	}
}

func TestReleaseOfASettledCharge(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	id := ids.NewCharge(w.Clock.Now())
	of := func(key, kind string, debit, credit ledger.Account, amount money.Amount) ledger.Posting {
		p := posting(w, key)
		p.Kind, p.Debit, p.Credit, p.Amount, p.ChargeID = kind, debit, credit, amount, id
		return p
	}
	if err := post(w, of("c", ledger.KindCapture, ledger.ProcessorReceivable, ledger.MerchantPending, 10_000),
		of("f", "capture_fee", ledger.MerchantPending, ledger.ApplicationFees, 20),
		of("s", "service_capture_fee", ledger.ApplicationFees, ledger.ServiceFees, 5),
		of("r", ledger.KindRefund, ledger.MerchantPending, ledger.ProcessorReceivable, 4_000)); err != nil {
		t.Fatal(err)
	}
	if got := summed(t, w, w.App.Merchants.US); got != (ledger.Accounts{Pending: 5_980}) {
		t.Errorf("before: %+v", got)
	}
	if err := release(w, id); err != nil {
		t.Fatal(err)
	}
	if got := summed(t, w, w.App.Merchants.US); got != (ledger.Accounts{Available: 5_980}) {
		t.Errorf("after: %+v", got)
	}
	if n := entries(t, w); n != 7 { // the service's line was never pending
		t.Errorf("%d entries", n)
	}
	if err := release(w); err != nil || entries(t, w) != 7 {
		t.Errorf("no charges: %v", err)
	}
}

func TestReleaseKeepsToItsApplication(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	id := ids.NewCharge(w.Clock.Now())
	p := posting(w, "a")
	p.ApplicationID, p.MerchantID, p.ChargeID = w.Other.AppID, w.Other.Merchants.US, id
	if err := post(w, p); err != nil {
		t.Fatal(err)
	}
	if err := release(w, id); err != nil || entries(t, w) != 1 {
		t.Errorf("another application's charge is released: %v", err)
	}
}

// TestReleasesAtOnce has two settlements without a lock meet: the business keys let one through.
func TestReleasesAtOnce(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	p := posting(w, "a")
	p.ChargeID = ids.ChargeFrom(p.SourceID)
	if err := post(w, p); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() { errs[i] = release(w, p.ChargeID) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil && pg.Violated(err) == "" {
			t.Error(err)
		}
	}
	if n := entries(t, w); n != 2 {
		t.Errorf("%d entries", n)
	}
}

func TestReleaseOfABrokenTransaction(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	bad := posting(w, "a")
	bad.Amount = 0
	boom := errors.New("not reached")
	err := pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
		ledger.PostTx(tx, instant.Both(w.Clock.Now()), bad)
		if err := ledger.ReleaseTx(t.Context(), tx, instant.Both(w.Clock.Now()), w.App.AppID, nil); err != nil {
			return err
		}
		return boom
	})
	if err == nil || errors.Is(err, boom) {
		t.Errorf("what was queued before fails at the flush: %v", err)
	}
}
