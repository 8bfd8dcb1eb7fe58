package stripe_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/money"
	"svcpay/internal/processor"
	"svcpay/internal/processor/stripe/fake"
)

// book reads the whole book in pages of a number of lines.
func (w *world) book(t *testing.T, limit int) (all []processor.BookLine) {
	t.Helper()
	after := int64(0)
	for {
		page, err := w.open().Book(t.Context(), after, limit)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) > limit {
			t.Fatalf("%d lines, of at most %d", len(page), limit)
		}
		if len(page) == 0 {
			return all
		}
		all, after = append(all, page...), page[len(page)-1].Number
	}
}

// at is an authorization on an account.
func (w *world) at(account processor.Account, number string, capture bool) processor.Authorization {
	a := w.authorization(number)
	a.Account, a.Capture = account, capture
	return a
}

// The lines of both accounts have one order, regardless of the page size. A payment has one line, with the reference of
// the call that captured it.
func TestBookOfBothAccounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var want []processor.BookLine
	line := func(kind, reference string, at processor.Account, amount money.Amount) {
		want = append(want, processor.BookLine{Reference: reference, Kind: kind, Account: at.External, Amount: amount,
			Currency: money.USD, Approved: true, At: w.Now()})
	}
	sold := w.at(account, fake.RefundFails, true)
	w.paid(t, sold)
	line("authorize", sold.Reference, account, 10_000)
	w.Advance(time.Second)
	held := w.at(other, fake.Approved, false)
	w.paid(t, held)
	w.Advance(48 * time.Hour)
	capture := w.about(held.Reference, 7_500)
	capture.Account = other
	if answer, err := w.open().Capture(t.Context(), capture); err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	line("capture", capture.Reference, other, 7_500)
	w.Advance(5 * 24 * time.Hour)
	refund := w.about(sold.Reference, 4_000)
	if answer, err := w.open().Refund(t.Context(), refund); err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	line("refund", refund.Reference, account, 4_000)
	failed := w.Now().Add(72 * time.Hour)
	for i := range 5 { // five in one second
		a := w.at([]processor.Account{account, other}[i%2], fake.Approved, true)
		w.paid(t, a)
	}
	w.Advance(4 * 24 * time.Hour)

	for _, limit := range []int{1, 2, 3, 100} {
		got := withoutFees(w.book(t, limit))
		if len(got) != 9 {
			t.Fatalf("pages of %d: %d lines", limit, len(got))
		}
		for i := range want {
			got[i].Number = 0
			if got[i] != want[i] {
				t.Errorf("pages of %d: line %d is %+v, want %+v", limit, i, got[i], want[i])
			}
		}
		if last := got[8]; last.Kind != processor.FailedRefund || last.Reference != refund.Reference ||
			!last.At.Equal(failed) {
			t.Errorf("pages of %d: the last line is %+v", limit, last)
		}
	}
}

// The book leaves the last minute to the next page, so that it misses no line of an earlier second.
func TestBookReadsAMinuteBehind(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.paid(t, w.authorization(fake.Approved))
	w.Advance(59 * time.Second)
	if lines := w.book(t, 10); len(lines) != 0 {
		t.Errorf("%+v", lines)
	}
	w.Advance(time.Second)
	if lines := withoutFees(w.book(t, 10)); len(lines) != 1 {
		t.Errorf("%+v", lines)
	}
}

// A page whose first window has too many lines is read in shorter windows.
func TestLongBook(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const all = 1100
	for i := range all {
		w.first.Sold(w.Fake, w.at(account, "", true).Reference, 100)
		if i%100 == 99 {
			w.Advance(time.Second)
		}
	}
	w.first.Sold(w.Fake, "", 100) // not our payment
	w.Advance(time.Hour)
	lines := withoutFees(w.book(t, 500))
	if len(lines) != all {
		t.Errorf("%d lines, want %d", len(lines), all)
	}
}

// If one account cannot be read, there is no page: the accounts share a cursor, which would pass that account's lines.
func TestBookNeedsEveryAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.paid(t, w.authorization(fake.Approved))
	w.Advance(time.Hour)
	w.keys[other] = "sk_test_revoked"
	if lines, err := w.open().Book(t.Context(), 0, 10); err == nil || !strings.Contains(err.Error(), other.External) {
		t.Errorf("%+v, %v", lines, err)
	}
	delete(w.keys, other)
	w.Fail("GET /v1/balance_transactions", fake.TooMany)
	if lines, err := w.open().Book(t.Context(), 0, 10); err == nil {
		t.Errorf("%+v", lines)
	}
}

// Refunds that people made in Stripe's Dashboard have Stripe's id, if the payment is ours. So have those that fail
// later.
func TestBookOfRefundsByHand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sold := w.at(account, fake.RefundFails, true)
	w.paid(t, sold)
	debit := w.verified(t, bankOf(fake.Debited), money.USD)
	if answer, err := w.open().Debit(t.Context(), debit); err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	w.first.Sold(w.Fake, "", 100) // not a payment of the service
	w.Advance(5 * 24 * time.Hour)
	var got, want []processor.BookLine
	add := func(kind, reference string, amount money.Amount) {
		want = append(want, processor.BookLine{Reference: reference, Kind: kind, Account: account.External,
			Amount: amount, Currency: money.USD, Approved: true})
	}
	card, bank := w.first.RefundByHand(w.Fake, sold.Reference, 3_000), w.first.RefundByHand(w.Fake,
		debit.Reference, 2_000)
	if card == "" || bank == "" || w.first.RefundByHand(w.Fake, "", 50) == "" {
		t.Fatal("they are not made")
	}
	ours := w.about(sold.Reference, 1_000)
	if answer, err := w.open().Refund(t.Context(), ours); err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	add("refund", card, 3_000)
	add("refund", bank, 2_000)
	add("refund", ours.Reference, 1_000)
	add(processor.FailedRefund, card, 3_000)
	add(processor.FailedRefund, ours.Reference, 1_000)
	w.Advance(4 * 24 * time.Hour)
	for _, l := range w.book(t, 100) {
		if l.Kind == "refund" || l.Kind == processor.FailedRefund {
			l.Number, l.At = 0, time.Time{}
			got = append(got, l)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
