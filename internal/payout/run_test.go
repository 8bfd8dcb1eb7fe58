package payout_test

import (
	"encoding/json"
	"sync"
	"testing"
	"time"

	"svcpay/internal/ledger"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/payout"
	"svcpay/internal/platform/calendar"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

func TestRunPaysWhatIsAvailable(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.earn(t, 10_000)
	w.earn(t, 500)
	w.lose(t, 2_500)
	started := w.Clock.Now()
	if n := w.run(t); n != 0 {
		t.Errorf("%d merchants were looked at before their time", n)
	}
	w.next(t)
	p := w.last(t, 1)
	m := w.merchant(t)
	zone, _ := calendar.Zone(m.TimeZone)
	arrival := calendar.US.AddBusinessDays(w.Clock.Now().In(zone), 1).Format(time.DateOnly)
	if p.Status != payout.Processing || p.Amount != 8_000 || p.Currency != money.USD || p.EntryCount != 3 ||
		p.ChargeCount != 2 || p.RefundCount != 1 ||
		p.Version != 1 || p.Object != "payout" || p.Destination.Last4 != "6789" ||
		p.StatementDescriptor != m.StatementDescriptor ||
		string(p.ArrivalOn) != arrival || !p.PeriodFrom.Equal(started) || !p.PeriodTo.Equal(started) ||
		!p.CreatedAt.Equal(w.Clock.Now()) || p.Failure != nil {
		t.Errorf("%+v", p)
	}
	if len(w.p.calls) != 1 || w.p.calls[0].Amount != 8_000 || w.p.calls[0].Reference != p.ID.String() ||
		w.p.calls[0].Account.External != processor.MerchantAccount(w.App.AppID, w.us) ||
		w.p.calls[0].Bank.Number.Reveal() != "000123456789" || w.p.calls[0].Bank.Scheme != processor.ACH ||
		w.p.calls[0].Descriptor != m.StatementDescriptor {
		t.Errorf("%+v", w.p.calls)
	}
	if !m.NextPayoutAt.After(w.Clock.Now()) || w.owed(t, ledger.MerchantAvailable) != 0 ||
		w.owed(t, ledger.MerchantInTransit) != 8_000 {
		t.Errorf("next %v, available %d", m.NextPayoutAt, w.owed(t, ledger.MerchantAvailable))
	}
	if n := w.count(t, `processor_operations WHERE subject_id = @id AND kind = 'payout' AND state = 'approved'
		AND charge_id IS NULL`, pg.Args{"id": p.ID}); n != 1 {
		t.Errorf("%d operations", n)
	}
	told, err := pg.Value[string](t.Context(), w.Pool, `SELECT object::text FROM events WHERE type = 'payout.created'
		AND object_id = @id AND source = 'job'`, pg.Args{"id": p.ID})
	var inEvent payout.Payout
	if err != nil || json.Unmarshal([]byte(told), &inEvent) != nil || inEvent.ID != p.ID ||
		inEvent.Amount != p.Amount || inEvent.Destination != p.Destination || inEvent.Contents != p.Contents {
		t.Errorf("told %s, %v", told, err)
	}
	w.audit(t)
	w.next(t)
	w.last(t, 1) // nothing new to pay
	if err := w.Payouts.Paid(t.Context(), tell(p, processor.PayoutPaid, "")); err != nil {
		t.Fatal(err)
	}
	if p = w.last(t, 1); p.Status != payout.Paid || p.Version != 2 || !p.PaidAt.Equal(w.Clock.Now()) ||
		w.owed(t, ledger.MerchantInTransit) != 0 {
		t.Errorf("%+v", p)
	}
	w.audit(t)
}

func TestNothingOrLessIsCarriedForward(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.next(t)
	w.lose(t, 700)
	w.next(t)
	w.earn(t, 700)
	w.next(t)
	if n := len(w.payouts(t)); n != 0 || len(w.p.calls) != 0 {
		t.Errorf("%d payouts of nothing", n)
	}
	w.earn(t, 1)
	w.next(t)
	if p := w.last(t, 1); p.Amount != 1 || p.EntryCount != 3 {
		t.Errorf("%+v", p)
	}
	w.audit(t)
}

func TestWhoIsNotPaidKeepsTheMoneyAndTheSchedule(t *testing.T) {
	t.Parallel()
	w := open(t)
	setStatus := func(s merchant.Status) {
		t.Helper()
		if _, err := w.Merchants.SetStatus(t.Context(), w.Admin(),
			merchant.StatusInput{MerchantID: w.us, Status: s, Reason: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	quiet := func(why string) {
		t.Helper()
		before := w.merchant(t).NextPayoutAt
		w.next(t)
		if after := w.merchant(t).NextPayoutAt; len(w.p.calls) != 0 || !after.After(before.Time) ||
			!after.After(w.Clock.Now()) {
			t.Errorf("%s: %d payouts, next run %v", why, len(w.p.calls), after)
		}
		w.audit(t)
	}
	w.earn(t, 900)
	setStatus(merchant.Suspended)
	quiet("suspended")
	setStatus(merchant.Active)
	if _, err := w.Payouts.ReplaceBankAccount(t.Context(), w.Admin(),
		payout.BankInput{MerchantID: w.us, Account: account("US")}); err != nil {
		t.Fatal(err)
	}
	quiet("unverified")
	if _, err := pg.Exec(t.Context(), w.Pool, `UPDATE merchant_bank_accounts
		SET held_until = @at`, pg.Args{"at": w.Clock.Now().Add(200 * time.Hour)}); err != nil {
		t.Fatal(err)
	}
	w.bankVerified(t)
	quiet("held")
	w.Clock.Advance(200 * time.Hour)
	setStatus(merchant.Closed)
	w.next(t)
	if p := w.last(t, 1); p.Amount != 900 { // a closed merchant's rest is paid out
		t.Errorf("%+v", p)
	}
	w.earn(t, 5)
	if err := w.Payouts.Failed(t.Context(), tell(w.last(t, 1), processor.PayoutFailed, "R02")); err != nil {
		t.Fatal(err)
	}
	w.p.calls = nil
	quiet("paused")
	if n := len(w.payouts(t)); n != 1 {
		t.Errorf("%d payouts", n)
	}
}

// bankVerified verifies the account that is there.
func (w place) bankVerified(t *testing.T) {
	t.Helper()
	if _, err := w.Payouts.VerifyBankAccount(t.Context(), w.Admin(),
		payout.VerifyInput{MerchantID: w.us, Amounts: payout.SandboxDeposits}); err != nil {
		t.Fatal(err)
	}
}

func TestMerchantWithoutAccountIsNotPaid(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.us = w.App.Merchants.USQ
	if _, err := pg.Exec(t.Context(), w.Pool, `DELETE FROM merchant_bank_accounts WHERE merchant_id = @m`,
		pg.Args{"m": w.us}); err != nil {
		t.Fatal(err)
	}
	w.earn(t, 100)
	w.next(t)
	if n := len(w.payouts(t)); n != 0 {
		t.Errorf("%d payouts to nowhere", n)
	}
	w.BankAccount(w.App, w.us)
	w.next(t)
	w.last(t, 1)
	w.audit(t)
}

// TestAMonthOfRuns: a merchant who sells every day is paid on each business day, and on no other,
// what has come since.
func TestAMonthOfRuns(t *testing.T) {
	t.Parallel()
	w := open(t)
	zone, _ := calendar.Zone(w.merchant(t).TimeZone)
	for end := w.Clock.Now().AddDate(0, 0, 70); w.Clock.Now().Before(end); { // some holiday is in it
		w.earn(t, 100)
		w.next(t)
	}
	var first, last time.Time
	paid := map[string]bool{}
	for _, p := range w.payouts(t) {
		at := p.CreatedAt.In(zone)
		if first.IsZero() {
			first = at
		}
		last = at
		paid[at.Format(time.DateOnly)] = true
		if p.Amount != 100 || at.Format("15:04:05") != "06:00:00" || !calendar.US.IsBusinessDay(at) {
			t.Errorf("%d at %v", p.Amount, at)
		}
	}
	for day := first; !day.After(last); day = day.AddDate(0, 0, 1) {
		if calendar.US.IsBusinessDay(day) != paid[day.Format(time.DateOnly)] {
			t.Errorf("%s: paid %v", day.Format(time.DateOnly), paid[day.Format(time.DateOnly)])
		}
	}
	if len(paid) < 40 {
		t.Errorf("%d payouts", len(paid))
	}
	w.audit(t)
}

// TestManyRunnersPayOnce: binaries that run at once make one payout a merchant.
func TestManyRunnersPayOnce(t *testing.T) {
	t.Parallel()
	w := open(t)
	const merchants = 12
	for range merchants {
		w.us = w.Merchant(merchant.CreateInput{}).ID
		w.BankAccount(w.App, w.us)
		w.earn(t, 100)
		w.earn(t, 23)
	}
	w.Clock.Advance(w.merchant(t).NextPayoutAt.Sub(w.Clock.Now()))
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() { w.run(t) })
	}
	all.Wait()
	if n := w.count(t, `payouts WHERE amount = 123`, pg.Args{}); n != merchants || len(w.p.calls) != merchants {
		t.Errorf("%d payouts, %d submissions; want %d", n, len(w.p.calls), merchants)
	}
	w.audit(t)
}

// TestPostingsDuringARun: what is committed while payouts are made is in this one or in the next,
// never in both, never in none.
func TestPostingsDuringARun(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.earn(t, 10)
	stop := make(chan struct{})
	var posters sync.WaitGroup
	for range 3 {
		posters.Go(func() {
			for range 500 { // a slow machine would have more than its last look can add up
				select {
				case <-stop:
					return
				default:
					w.earn(t, 7)
				}
			}
		})
	}
	next := func() { // by the application's clock: ids are made by the machine's, which does not jump
		t.Helper()
		m, err := w.Clocks.Moment(t.Context(), w.App.AppID)
		if err == nil {
			err = w.Clocks.Advance(t.Context(), w.App.AppID, w.merchant(t).NextPayoutAt.Sub(m.At))
		}
		if err != nil {
			t.Fatal(err)
		}
		w.run(t)
	}
	for range 5 {
		next()
	}
	close(stop)
	posters.Wait()
	next()
	if left := w.owed(t, ledger.MerchantAvailable); left != 0 || len(w.payouts(t)) < 2 {
		t.Errorf("%d left, %d payouts", left, len(w.payouts(t)))
	}
	w.audit(t)
}

func TestRunsGoByTheApplicationsClock(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.earn(t, 100)
	if err := w.Clocks.Advance(t.Context(), w.App.AppID, 24*8*time.Hour); err != nil {
		t.Fatal(err)
	}
	if n := w.run(t); n != 3 {
		t.Errorf("%d merchants were looked at: the application's three", n)
	}
	p := w.last(t, 1)
	if m := w.merchant(t); !p.CreatedAt.After(w.Clock.Now().Add(24*7*time.Hour)) ||
		!m.NextPayoutAt.After(p.CreatedAt.Time) {
		t.Errorf("made at %v, next %v", p.CreatedAt, m.NextPayoutAt)
	}
	next, err := w.Payouts.NextRun(t.Context(), w.App.AppID, p.CreatedAt.Time)
	if err != nil || next == nil || !next.After(p.CreatedAt.Time) {
		t.Errorf("%v, %v", next, err)
	}
	if next, err = w.Payouts.NextRun(t.Context(), w.App.AppID, p.CreatedAt.AddDate(1, 0, 0)); err != nil ||
		next != nil {
		t.Errorf("in a year %v, %v", next, err)
	}
	if next, err = w.Payouts.NextRun(t.Context(), 1<<40, time.Time{}); err != nil || next != nil {
		t.Errorf("of no application %v, %v", next, err)
	}
	w.audit(t)
}
