package payout_test

import (
	"context"
	"testing"
	"time"

	"svcpay/internal/check/patch"
	"svcpay/internal/ledger"
	"svcpay/internal/merchant"
	"svcpay/internal/payout"
	"svcpay/internal/processor"
)

// If the processor's balance is too low, a new payout is created on the next business day, regardless of the schedule,
// and payouts are not paused.
func TestPayoutWaitsForTheBalance(t *testing.T) {
	t.Parallel()
	w := open(t)
	if _, err := w.Merchants.Update(t.Context(), w.Admin(), w.us,
		merchant.UpdateInput{PayoutSchedule: patch.Set("monthly"), PayoutDayOfMonth: patch.Set(1)}, nil); err != nil {
		t.Fatal(err)
	}
	w.earn(t, 400)
	w.p.plays(func(context.Context, processor.Payout) (processor.Answer, error) {
		return processor.Answer{DeclineCode: processor.BalanceTooLow, RawCode: "balance_insufficient"}, nil
	})
	for n := range 2 {
		w.next(t)
		p := w.last(t, n+1)
		if p.Status != payout.Failed || p.Failure.Code != "balance_too_low" ||
			w.merchant(t).PayoutsPausedReason != nil || w.owed(t, ledger.MerchantAvailable) != 400 {
			t.Errorf("%+v", p)
		}
		w.audit(t)
	}
	made := w.payouts(t)
	if waited := made[1].CreatedAt.Sub(made[0].CreatedAt.Time); waited > 4*24*time.Hour {
		t.Errorf("the next payout is %s later", waited)
	}
	w.p.plays(nil)
	w.next(t)
	if p := w.last(t, 3); p.Status != payout.Processing || p.Amount != 400 {
		t.Errorf("%+v", p)
	}
	w.audit(t)
}

// If the processor has a different bank account, the payout fails and payouts are paused.
func TestPayoutToAnotherBankAccount(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.earn(t, 400)
	w.p.plays(func(context.Context, processor.Payout) (processor.Answer, error) {
		return processor.Answer{DeclineCode: processor.BankMismatch}, nil
	})
	w.next(t)
	if p := w.last(t, 1); p.Status != payout.Failed || p.Failure.Code != "bank_account_mismatch" ||
		w.merchant(t).PayoutsPausedReason == nil {
		t.Errorf("%+v", p)
	}
	w.audit(t)
}
