package stripe_test

import (
	"slices"
	"testing"
	"time"

	"svcpay/internal/money"
	"svcpay/internal/processor"
	"svcpay/internal/processor/stripe/fake"
)

// withoutFees are the lines that calls caused.
func withoutFees(lines []processor.BookLine) []processor.BookLine {
	return slices.DeleteFunc(lines, processor.BookLine.IsFee)
}

// The book has each of Stripe's fees once, with the ID of its balance transaction, whatever the size of a page: of
// payments, failed debits, chargebacks, and of the account itself. A won dispute refunds its fee. Fees of payments that
// are not ours are left out.
func TestFeesAreLinesOfTheBook(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	won := w.at(account, fake.Approved, true)
	w.paid(t, won)
	debit := w.verified(t, bankOf("000222222227"), money.USD)
	if answer, err := w.open().Debit(t.Context(), debit); err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	w.first.Sold(w.Fake, "", 100) // not our payment
	w.Bill(w.first, "usd", 700)
	w.ChargeBack(w.first, won.Reference, "fraudulent")
	w.Advance(time.Hour)
	w.Decide(w.first, w.Disputes(w.first)[0], "won")
	w.Advance(10 * 24 * time.Hour)

	type fee struct {
		kind   string
		amount money.Amount
	}
	want := []fee{{processor.Fee, 320}, {processor.Fee, 80}, {processor.Fee, 700}, {processor.Fee, 1_500},
		{processor.FeeRefunded, 1_500}, {processor.Fee, 400}}
	for _, limit := range []int{1, 2, 100} {
		var got []fee
		ids := map[string]bool{}
		for _, l := range w.book(t, limit) {
			if l.IsFee() {
				got, ids[l.Reference] = append(got, fee{l.Kind, l.Amount}), true
				if l.Account != account.External || l.Currency != money.USD || !l.Approved {
					t.Errorf("%+v", l)
				}
			}
		}
		if !slices.Equal(got, want) || len(ids) != len(want) {
			t.Errorf("pages of %d: %+v with %d ids, want %+v", limit, got, len(ids), want)
		}
	}
}
