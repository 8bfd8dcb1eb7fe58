package dispute_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/dispute"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/refund"
)

// debited makes a bank debit that has not settled.
func (w *world) debited(amount money.Amount) charge.Charge {
	w.t.Helper()
	token := w.BankToken(w.App.Merchants.US, w.USBank("000123456789"))
	out, err := w.Charges.Create(context.Background(), w.Actor(),
		charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount, Token: &token}, nil)
	if err != nil || out.Object.Status != charge.Pending {
		w.t.Fatalf("%+v, %v", out, err)
	}
	return out.Object
}

func (w *world) refunded(c ids.Charge, amount money.Amount) (refund.Refund, error) {
	id := c.String()
	out, err := w.Refunds.Create(context.Background(), w.Actor(), refund.CreateInput{ChargeID: &id, Amount: &amount},
		nil)
	return out.Object, err
}

func TestChargebackCancelsRefundsThatWereNotSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.debited(1000)
	r, err := w.refunded(c.ID, 300)
	if err != nil || r.PendingReason == nil {
		t.Fatalf("%+v, %v", r, err)
	}
	refundNow := func() refund.Status {
		out, err := w.Refunds.Get(t.Context(), w.Actor(), r.ID.String())
		if err != nil {
			t.Fatal(err)
		}
		return out.Status
	}
	ev := w.noticed(c, 1000)
	w.heard(opened, retrieval(ev))
	if now := w.chargeNow(c.ID); refundNow() != refund.Pending || now.AmountRefundPending != 300 ||
		now.AmountDisputed != 0 {
		t.Errorf("a retrieval: refund %s, %s", refundNow(), jsonOf(t, now))
	}
	w.audit(t)
	d := w.heard(escalated, ev)
	if now := w.chargeNow(c.ID); refundNow() != refund.Canceled || now.AmountRefundPending != 0 ||
		now.AmountDisputed != 1000 || now.AmountRefundable != 0 {
		t.Errorf("a chargeback: refund %s, %s", refundNow(), jsonOf(t, now))
	}
	if _, err := w.refunded(c.ID, 1); code(err) != "charge_disputed" {
		t.Errorf("a refund of what is disputed: %v", err)
	}
	w.audit(t)
	if d = w.heard(won, ev); d.Status != dispute.Won || w.chargeNow(c.ID).AmountRefundable != 1000 {
		t.Errorf("%s", jsonOf(t, w.chargeNow(c.ID)))
	}
	w.audit(t)
}

// A network may ask for all of a charge of which a part was refunded: the sums say what the books do.
func TestChargebackOfWhatWasRefunded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.charged(1000)
	if _, err := w.refunded(c.ID, 600); err != nil {
		t.Fatal(err)
	}
	ev := w.noticed(c, 1000)
	d := w.heard(opened, ev)
	sums := func() charge.Totals {
		all, err := w.Charges.Totals(t.Context(), w.Actor(), charge.ListInput{})
		if err != nil || len(all) != 1 {
			t.Fatalf("%+v, %v", all, err)
		}
		return all[0]
	}
	if now := sums(); now.Disputed != 1000 || now.Refunded != 600 {
		t.Errorf("%+v", now)
	}
	w.heard(lost, ev)
	b, err := ledger.BalanceOf(t.Context(), w.Pool, w.App.AppID, w.App.Merchants.US)
	if now := sums(); err != nil || now.Net()-d.FeeTotal != b.Total() {
		t.Errorf("net %d, with %d for the dispute; the books have %+v, %v", now.Net(), d.FeeTotal, b, err)
	}
	w.heard(won, ev)
	if now := sums(); now.Disputed != 0 {
		t.Errorf("won: %+v", now)
	}
	w.audit(t)
}

func TestRefundsAndChargebackAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 5 {
		c := w.charged(1000)
		ev := w.noticed(c, 1000)
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				if _, err := w.refunded(c.ID, 300); err != nil && code(err) != "charge_disputed" &&
					code(err) != "refund_exceeds_remaining" {
					t.Error(err)
				}
			})
		}
		wait.Go(func() {
			if err := w.hear(opened, ev); err != nil {
				t.Error(err)
			}
		})
		wait.Wait()
		now := w.chargeNow(c.ID)
		if now.AmountRefunded+now.AmountDisputed != 1000 || now.AmountRefundPending != 0 {
			t.Errorf("%s", jsonOf(t, now))
		}
	}
	w.audit(t)
}

// What a charge returned and what its disputes cost is on the charge whatever happens to the disputes, and adds up to
// its postings.
func TestChargeAddsUpItsDisputes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, life := range map[string]struct {
		happens        func(ev processor.Event)
		returned, cost money.Amount
	}{
		"retrieval":         {func(ev processor.Event) { w.heard(opened, retrieval(ev)) }, 0, 500},
		"open":              {func(ev processor.Event) { w.heard(opened, ev) }, 0, 1500},
		"escalated":         {func(ev processor.Event) { w.heard(opened, retrieval(ev)); w.heard(escalated, ev) }, 0, 2000},
		"won":               {func(ev processor.Event) { w.heard(opened, ev); w.heard(won, ev) }, 0, 1500},
		"lost":              {func(ev processor.Event) { w.heard(lost, ev) }, 700, 1500},
		"lost and then won": {func(ev processor.Event) { w.heard(lost, ev); w.heard(won, ev) }, 0, 1500},
		"accepted": {func(ev processor.Event) {
			if _, err := w.Disputes.Accept(t.Context(), w.Actor(), w.heard(opened, ev).ID.String(), nil); err != nil {
				t.Fatal(err)
			}
		}, 700, 1500},
		"overdue": {func(ev processor.Event) {
			w.heard(opened, ev)
			w.Clock.Advance(8 * 24 * time.Hour)
			w.sweep()
		}, 700, 1500},
	} {
		c := w.charged(1000)
		if _, err := w.refunded(c.ID, 600); err != nil {
			t.Fatal(err)
		}
		life.happens(w.noticed(c, 700))
		if now := w.chargeNow(c.ID); now.AmountReturned != life.returned || now.DisputeFeeTotal != life.cost ||
			now.Net != c.Net || now.FeeTotal != c.FeeTotal ||
			now.NetAfterReversals != c.Net-600-life.returned-life.cost {
			t.Errorf("%s: %s", name, jsonOf(t, now))
		}
	}
	w.audit(t)
}

// bookRefundTx posts what a refund of a charge posts.
func bookRefundTx(tx *pg.Tx, m instant.Moment, c charge.Charge, amount money.Amount) {
	if amount > 0 {
		ledger.PostTx(tx, m,
			ledger.Posting{ApplicationID: c.ApplicationID, MerchantID: c.MerchantID,
				BusinessKey: c.ID.String() + ":refund",
				Kind:        ledger.KindRefund, Debit: ledger.MerchantPending, Credit: ledger.ProcessorReceivable,
				Amount: amount, Currency: c.Currency, SourceID: c.ID.Bytes(), ChargeID: c.ID})
	}
}
