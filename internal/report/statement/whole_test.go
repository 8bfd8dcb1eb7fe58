package statement_test

import (
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/payout"
	"svcpay/internal/platform/page"
	"svcpay/internal/report/statement"
)

// TestFromTheCardToTheBank lets a charge settle, be paid out and arrive, by nothing but the sweeps.
func TestFromTheCardToTheBank(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.BankAccount(w.App, w.us)
	token, amount := w.Token("4242424242424242"), money.Amount(12_500)
	made, err := w.Charges.Create(t.Context(), w.Actor(),
		charge.CreateInput{MerchantID: &w.us, Amount: &amount, Token: &token}, nil)
	if err != nil {
		t.Fatal(err)
	}
	month := made.Object.CreatedAt.In(time.UTC).AddDate(0, 0, -1).Format("2006-01")
	for range 24 * 12 {
		if err := w.Clocks.Advance(t.Context(), w.App.AppID, time.Hour); err != nil {
			t.Fatal(err)
		}
		for _, sweep := range w.Sweeps() {
			for more := true; more; {
				if more, err = w.Clocks.RunAll(t.Context(), sweep); err != nil {
					t.Fatalf("%s: %v", sweep.Name, err)
				}
			}
		}
	}
	c, err := w.Charges.Find(t.Context(), w.App.AppID, made.Object.ID)
	if err != nil || c.Status != charge.Settled {
		t.Fatalf("%+v, %v", c, err)
	}
	list, err := w.Payouts.List(t.Context(), w.Actor(), payout.ListInput{Page: pageOfOne, Merchants: []int64{w.us}})
	if err != nil || len(list.Items) != 1 || list.HasMore {
		t.Fatalf("%+v, %v", list, err)
	}
	p := list.Items[0]
	if c.PayoutID == nil || *c.PayoutID != p.ID || p.Status != payout.Paid || p.Amount != c.Net || p.ChargeCount != 1 ||
		p.EntryCount != 1+len(c.Fees) {
		t.Errorf("%+v of %+v", p, c)
	}
	for id, want := range map[ids.Payout]int{p.ID: 1, ids.NewPayout(w.Clock.Now()): 0} {
		left, err := w.Charges.List(t.Context(), w.Actor(),
			charge.ListInput{Page: page.Input[ids.Charge]{Limit: 2}, Payout: &id})
		if err != nil || len(left.Items) != want || want > 0 && left.Items[0].ID != c.ID {
			t.Errorf("%+v, %v", left, err)
		}
	}
	first, second := w.statement(t, month), w.statement(t, p.PaidAt.Format("2006-01"))
	total := statement.Statement{OpeningBalance: first.OpeningBalance, ClosingBalance: second.ClosingBalance}
	if total.OpeningBalance != 0 || total.ClosingBalance != 0 || second.Closing != (ledger.Accounts{}) ||
		len(second.Payouts) != 1 || second.Payouts[0].ID != p.ID {
		t.Errorf("%+v\n%+v", first, second)
	}
}
