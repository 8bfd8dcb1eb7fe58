package charge_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/refund"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/testing/pgtest"
)

const settles = "000123456789"

// debit charges a bank account of the US merchant.
func debit(t *testing.T, w *fixture.World, amount money.Amount, claim *idempotency.Claim) charge.Charge {
	t.Helper()
	return create(t, w, charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount,
		Token: ptr(w.BankToken(w.App.Merchants.US, w.USBank(settles)))}, claim).Object
}

// balances are a merchant's accounts as the ledger has them: what is owed to the merchant is negative.
func balances(t *testing.T, w *fixture.World, merchant int64) map[ledger.Account]money.Amount {
	t.Helper()
	type row struct {
		Account ledger.Account `db:"account"`
		Balance money.Amount   `db:"balance"`
	}
	rows, err := pg.All[row](t.Context(), w.Pool, `SELECT account, balance FROM ledger_balances
		WHERE merchant_id = @id AND balance <> 0`, pg.Args{"id": merchant})
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[ledger.Account]money.Amount)
	for _, r := range rows {
		out[r.Account] = r.Balance
	}
	return out
}

func wantBalances(t *testing.T, w *fixture.World, merchant int64, want map[ledger.Account]money.Amount) {
	t.Helper()
	got := balances(t, w, merchant)
	if len(got) != len(want) {
		t.Errorf("balances %v, want %v", got, want)
		return
	}
	for a, b := range want {
		if got[a] != b {
			t.Errorf("balances %v, want %v", got, want)
			return
		}
	}
}

// until moves the clock to a charge's next step and does it.
func until(t *testing.T, w *fixture.World, c charge.Charge) charge.Charge {
	t.Helper()
	w.Clock.Advance(c.NextStepAt.Sub(w.Clock.Now()))
	step(t, w)
	return get(t, w, c.ID)
}

func TestDebitSettles(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	us := w.App.Merchants.US
	c := debit(t, w, 10_000, claimOf(w, "k"))
	if c.Status != charge.Pending || c.Type != charge.ACH || c.AmountCaptured != 10_000 ||
		c.AmountRefundable != 10_000 || c.FeeTotal != 0 ||
		c.PaymentMethod.Kind != "bank_us" || c.PaymentMethod.BankMethod == nil || c.PaymentMethod.CardMethod != nil ||
		c.StoredCredential != "none" {
		t.Fatalf("%s", jsonOf(t, c))
	}
	wantBalances(t, w, us,
		map[ledger.Account]money.Amount{ledger.ProcessorReceivable: 10_000, ledger.MerchantPending: -10_000})
	c = until(t, w, c)
	// flat 25, 0.8 % of 100.00, platform 5 and 1 %
	if c.Status != charge.Settled || c.FeeTotal != 25+80+5+100 || c.SettledAt == nil || c.Version != 3 {
		t.Errorf("%s", jsonOf(t, c))
	}
	wantBalances(t, w, us,
		map[ledger.Account]money.Amount{ledger.ProcessorReceivable: 10_000, ledger.MerchantAvailable: -9_790,
			ledger.ApplicationFees: -210})
	audit(t, w)
}

func TestDebitComesBackBeforeItSettles(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	c := debit(t, w, 10_000, nil)
	for range 2 { // a repetition changes nothing
		if err := w.Charges.Return(t.Context(), heard(c, "R02")); err != nil {
			t.Fatal(err)
		}
	}
	got := get(t, w, c.ID)
	if got.Status != charge.Failed || *got.ReturnCode != "R02" || got.AmountCaptured != 0 || got.FeeTotal != 400 ||
		got.Failure.Code != "bank_account_unusable" || got.Version != 3 ||
		got.AvailableOn != nil {
		t.Errorf("%s", jsonOf(t, got))
	}
	wantBalances(t, w, w.App.Merchants.US,
		map[ledger.Account]money.Amount{ledger.MerchantAvailable: 400, ledger.ApplicationFees: -400})
	_, err := w.Charges.Create(t.Context(), w.Actor(),
		charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: ptr(money.Amount(5)), Token: ptr(c.Token.String())},
		nil)
	if code(err) != "token_disabled" {
		t.Errorf("an account that is closed can be debited again: %v", err)
	}
	audit(t, w)
}

// refundedAndReturned makes a debit of $100 that settles, of which $40 are refunded, and that comes back.
func refundedAndReturned(t *testing.T, w *fixture.World) {
	t.Helper()
	c := until(t, w, debit(t, w, 10_000, nil))
	back := money.Amount(4_000)
	if _, err := w.Refunds.Create(t.Context(), w.Actor(),
		refund.CreateInput{ChargeID: ptr(c.ID.String()), Amount: &back}, nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Charges.Return(t.Context(), heard(c, "R01")); err != nil {
		t.Fatal(err)
	}
}

// A bank sends back all of a debit, whatever was refunded of it before: the sums say what the books do.
func TestRefundedDebitComesBackWhole(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	refundedAndReturned(t, w)
	wantBalances(t, w, w.App.Merchants.US, map[ledger.Account]money.Amount{ledger.ProcessorReceivable: -4_000,
		ledger.MerchantAvailable: 4_000 + 210 + 500, ledger.ApplicationFees: -710})
	all, err := w.Charges.Totals(t.Context(), w.Actor(), charge.ListInput{})
	if err != nil || len(all) != 1 || all[0].Refunded != 4_000 || all[0].Returned != 10_000 ||
		all[0].Net() != -4_000-710 {
		t.Errorf("%+v, %v", all, err)
	}
	list, err := w.Charges.List(t.Context(), w.Actor(), charge.ListInput{Page: page.Input[ids.Charge]{Limit: 1}})
	if c := list.Items[0]; err != nil || c.AmountReturned != 10_000 || c.Net != 10_000-710 ||
		c.NetAfterReversals != -4_000-710 {
		t.Errorf("%s, %v", jsonOf(t, c), err)
	}
	audit(t, w)
}

func TestDebitComesBackAfterItSettled(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	c := until(t, w, debit(t, w, 10_000, nil))
	for range 2 {
		if err := w.Charges.Return(t.Context(), heard(c, "R01")); err != nil {
			t.Fatal(err)
		}
	}
	got := get(t, w, c.ID)
	if got.Status != charge.Returned || *got.ReturnCode != "R01" || got.AmountCaptured != 10_000 ||
		got.AmountRefundable != 0 || got.FeeTotal != 210+500 || got.Version != 4 {
		t.Errorf("%s", jsonOf(t, got))
	}
	wantBalances(t, w, w.App.Merchants.US,
		map[ledger.Account]money.Amount{ledger.MerchantAvailable: 710, ledger.ApplicationFees: -710})
	again := create(t, w, charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: ptr(money.Amount(5)),
		Token: ptr(c.Token.String())}, nil)
	if again.Object.Status != charge.Pending {
		t.Errorf("insufficient funds may be retried: %s", jsonOf(t, again.Object))
	}
	audit(t, w)
}

// A return that is heard of before the settlement that it followed ends as in order; news of another account's are
// none.
func TestDebitThatSettledAndComesBackInAnyOrder(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	c := debit(t, w, 10_000, nil)
	back := heard(c, "R01")
	back.Settled = true
	forged := back
	forged.Account = processor.MerchantAccount(w.Other.AppID, w.Other.Merchants.US)
	for what, err := range map[string]error{"a return": w.Charges.Return(t.Context(), forged),
		"a settlement": w.Charges.SettleNow(t.Context(), forged)} {
		if code(err) != "resource_missing" {
			t.Errorf("%s of another account: %v", what, err)
		}
	}
	for _, tell := range []func(context.Context, processor.Event) error{w.Charges.Return, w.Charges.SettleNow,
		w.Charges.Return} {
		if err := tell(t.Context(), back); err != nil {
			t.Fatal(err)
		}
	}
	got := get(t, w, c.ID)
	if got.Status != charge.Returned || got.SettledAt == nil || got.AmountCaptured != 10_000 ||
		got.FeeTotal != 210+500 || got.Version != 4 {
		t.Errorf("%s", jsonOf(t, got))
	}
	wantBalances(t, w, w.App.Merchants.US,
		map[ledger.Account]money.Amount{ledger.MerchantAvailable: 710, ledger.ApplicationFees: -710})
	audit(t, w)
}

func TestDebitIsVoidedBeforeItsBatchOnly(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	void := func(c charge.Charge) error {
		_, err := w.Charges.Void(t.Context(), w.Actor(), c.ID.String(), charge.VoidInput{}, nil)
		return err
	}
	early, late := debit(t, w, 100, nil), debit(t, w, 100, nil)
	if err := void(early); err != nil {
		t.Fatal(err)
	}
	if c := get(t, w, early.ID); c.Status != charge.Voided || c.AmountCaptured != 0 || c.AmountAuthorized != 100 ||
		c.AvailableOn != nil {
		t.Errorf("%s", jsonOf(t, c))
	}
	w.Clock.Advance(4 * 24 * time.Hour) // past any batch, whatever the day
	if err := void(late); code(err) != "charge_not_voidable" {
		t.Errorf("after the batch: %v", err)
	}
	wantBalances(t, w, w.App.Merchants.US,
		map[ledger.Account]money.Amount{ledger.ProcessorReceivable: 100, ledger.MerchantPending: -100})
	audit(t, w)
}

func TestBatchGoesAtFiveOnABusinessDay(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]string{
		"2026-11-20T16:59:59-05:00": "2026-11-20T17:00:00-05:00", // a Friday
		"2026-11-20T17:00:00-05:00": "2026-11-23T17:00:00-05:00",
		"2026-11-21T09:00:00-05:00": "2026-11-23T17:00:00-05:00",
		"2026-11-25T18:00:00-05:00": "2026-11-27T17:00:00-05:00", // over Thanksgiving
		"2026-11-26T03:00:00-05:00": "2026-11-27T17:00:00-05:00",
		"2026-11-23T22:30:00Z":      "2026-11-24T17:00:00-05:00", // half past five in New York
	} {
		when, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if got := charge.BatchedAt(when).Format(time.RFC3339); got != want {
			t.Errorf("%s goes at %s, want %s", at, got, want)
		}
	}
}

// A debit's days begin with its batch: the bank may return it for as long whenever it was accepted.
func TestDebitsOfOneBatchSettleOnOneDay(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	us := w.App.Merchants.US
	for _, row := range []struct{ at, want string }{
		{"2040-10-19T16:00:00-04:00", "2040-10-25"}, // a Friday, before the batch
		{"2040-10-19T18:00:00-04:00", "2040-10-26"}, // after it: with those of Monday
		{"2040-10-21T12:00:00-04:00", "2040-10-26"},
		{"2040-10-22T09:00:00-04:00", "2040-10-26"},
		{"2040-10-22T17:00:00-04:00", "2040-10-29"}, // with those of Tuesday
	} {
		at, err := time.Parse(time.RFC3339, row.at)
		if err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(at.Sub(w.Clock.Now()))
		account := w.BankToken(us, w.USBank(settles))
		c := create(t, w, charge.CreateInput{MerchantID: &us, Amount: ptr(money.Amount(100)), Token: &account},
			nil).Object
		if c.AvailableOn == nil || string(*c.AvailableOn) != row.want {
			t.Errorf("accepted %s: available on %v, want %s", row.at, c.AvailableOn, row.want)
		}
	}
}

func TestCanadianDebit(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	ca := w.App.Merchants.CA
	in := charge.CreateInput{MerchantID: &ca, Amount: ptr(money.Amount(5_000)),
		Token: ptr(w.BankToken(ca, w.CABank(settles))), Type: ptr("acss")}
	c := create(t, w, in, nil).Object
	if c.Type != charge.ACSS || c.Currency != money.CAD || c.Status != charge.Pending {
		t.Fatalf("%s", jsonOf(t, c))
	}
	if c = until(t, w, c); c.Status != charge.Settled || c.FeeTotal != 25+40+5+50 {
		t.Errorf("%s", jsonOf(t, c))
	}
	audit(t, w)
}

func TestRulesOfBankCharges(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	us, q := w.App.Merchants.US, w.App.Merchants.USQ
	account := w.BankToken(us, w.USBank(settles))
	do := func(in charge.CreateInput) string {
		in.Amount = ptr(money.Amount(100))
		_, err := w.Charges.Create(t.Context(), w.Actor(), in, nil)
		return code(err)
	}
	for name, c := range map[string]struct {
		in   charge.CreateInput
		want string
	}{
		"as a card":           {charge.CreateInput{MerchantID: &us, Token: &account, Type: ptr("cc")}, "token_type_mismatch"},
		"a card as a bank":    {charge.CreateInput{MerchantID: &us, Token: ptr(w.Token(good)), Type: ptr("ach")}, "token_type_mismatch"},
		"as Canadian":         {charge.CreateInput{MerchantID: &us, Token: &account, Type: ptr("acss")}, "token_type_mismatch"},
		"authorized first":    {charge.CreateInput{MerchantID: &us, Token: &account, Capture: ptr(false)}, "authorization_unsupported"},
		"swiped":              {charge.CreateInput{MerchantID: &us, Token: &account, Origin: ptr("terminal")}, "token_type_mismatch"},
		"not verified":        {charge.CreateInput{MerchantID: &q, Token: ptr(w.BankToken(q, w.USBank(settles)))}, "bank_account_unverified"},
		"the right one, told": {charge.CreateInput{MerchantID: &us, Token: &account, Type: ptr("ach"), Currency: ptr("usd")}, "<nil>"},
	} {
		if got := do(c.in); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestExpiredAndVoidedAuthorizationsKeepTheirFee(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	gone, void := held(t, w, 1000), held(t, w, 1000)
	if _, err := w.Charges.Void(t.Context(), w.Actor(), void.ID.String(), charge.VoidInput{}, nil); err != nil {
		t.Fatal(err)
	}
	if c := until(t, w, gone); c.Status != charge.Expired || c.ExpiredAt == nil || c.FeeTotal != 10 ||
		c.AuthorizationExpiresAt == nil || !c.AuthorizationExpiresAt.Equal(gone.AuthorizationExpiresAt.Time) {
		t.Errorf("%s", jsonOf(t, c))
	}
	wantBalances(t, w, w.App.Merchants.US,
		map[ledger.Account]money.Amount{ledger.MerchantAvailable: 20, ledger.ApplicationFees: -20})
	audit(t, w)
}

func TestCardSettlesOnTheSecondBusinessDay(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	c := create(t, w, input(w, good, 10_000), nil).Object
	step(t, w)
	if got := get(t, w, c.ID); got.Status != charge.Captured {
		t.Errorf("at once: %s", got.Status)
	}
	if got := until(t, w, c); got.Status != charge.Settled || got.AmountRefundable != 10_000 {
		t.Errorf("%s", jsonOf(t, got))
	}
	wantBalances(t, w, w.App.Merchants.US,
		map[ledger.Account]money.Amount{ledger.ProcessorReceivable: 10_000, ledger.MerchantAvailable: -9_865,
			ledger.ApplicationFees: -135})
	early := create(t, w, input(w, good, 100), nil).Object
	for range 2 {
		if err := w.Charges.SettleNow(t.Context(), heard(early, "")); err != nil {
			t.Fatal(err)
		}
	}
	if got := get(t, w, early.ID); got.Status != charge.Settled || got.Version != 3 {
		t.Errorf("%s", jsonOf(t, got))
	}
	audit(t, w)
}

// A charge that cannot be moved on is notified of, and none that is due with it waits for it.
func TestOneThatCannotSettleHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	var all []charge.Charge
	for range 5 {
		all = append(all, create(t, w, input(w, good, 10_000), nil).Object)
	}
	stuck := all[0]
	pgtest.Refuse(t, w.Pool, "charges", stuck.ID)
	w.Clock.Advance(30 * 24 * time.Hour)
	v, err := w.Clocks.Of(t.Context(), w.App.AppID)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := w.Charges.Step(t.Context(), v); n != 4 || err == nil ||
		!strings.Contains(err.Error(), "refused here") {
		t.Errorf("%d, %v", n, err)
	}
	for _, c := range all {
		want := charge.Settled
		if c.ID == stuck.ID {
			want = charge.Captured
		}
		if got := get(t, w, c.ID); got.Status != want {
			t.Errorf("%s: %s, want %s", c.ID, got.Status, want)
		}
	}
	audit(t, w)
}
