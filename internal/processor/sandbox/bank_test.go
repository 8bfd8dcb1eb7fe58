package sandbox_test

import (
	"testing"
	"time"

	"svcpay/internal/money"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
)

// at is nine in the morning in the East, which is summer time all along these tests.
func at(month time.Month, day int) time.Time {
	return time.Date(2027, month, day, 13, 0, 0, 0, time.UTC)
}

func TestDebitsEndAsTheirAccountsSay(t *testing.T) {
	t.Parallel()
	// From Thursday 6 May 2027: two business days are Monday, ten are Thursday 20 May.
	for _, c := range sandbox.BankCases() {
		if c.Decline != "" || c.TimesOut {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			reference := debited(t, w, c.Name)
			due := at(time.May, 10)
			if c.ReturnAfter == 10 {
				due = at(time.May, 20)
			}
			next, err := w.open().NextDue(t.Context(), "", start)
			if c.Return == "" {
				w.pass(90 * day)
				told(t, w)
				if err != nil || next != nil {
					t.Errorf("due at %v, %v", next, err)
				}
				return
			}
			if err != nil || next == nil || !next.Equal(due) {
				t.Fatalf("due at %v, %v; want %v", next, err, due)
			}
			if later, err := w.open().NextDue(t.Context(), "", due); err != nil || later != nil {
				t.Errorf("after it comes %v, %v", later, err)
			}
			w.skip(account, due.Sub(start)-time.Millisecond)
			told(t, w)
			w.skip(account, time.Millisecond)
			e := told(t, w, processor.DebitReturned)[0]
			if e.Reference != reference || e.ReturnCode != c.Return || !e.At.Equal(due) || e.Account != account {
				t.Errorf("%+v", e)
			}
			if next, err := w.open().NextDue(t.Context(), "", start); err != nil || next != nil {
				t.Errorf("then due at %v, %v", next, err)
			}
		})
	}
}

// A debit of a Friday evening goes to the bank on Monday: its two business days end on Wednesday, as its four to
// settlement end on Friday.
func TestReturnsCountFromTheBatch(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]time.Time{"ach_r01": at(time.May, 12), "acss_901": at(time.May, 12),
		"ach_returned_r10": at(time.May, 24)} {
		w := newWorld(t)
		w.skip(account, time.Date(2027, time.May, 7, 22, 0, 0, 0, time.UTC).Sub(start)) // 18:00 in New York and Toronto
		debited(t, w, name)
		if next, err := w.open().NextDue(t.Context(), "app-1/", start); err != nil || next == nil || !next.Equal(want) {
			t.Errorf("%s: due at %v, %v; want %v", name, next, err, want)
		}
	}
}

func TestBusinessDaysAreTheCountrys(t *testing.T) {
	t.Parallel()
	// Friday 21 May 2027; Monday the 24th is Victoria Day in Canada alone, Monday the 31st Memorial Day in the US
	// alone.
	for name, want := range map[string]time.Time{
		"ach_r01": at(time.May, 25), "acss_901": at(time.May, 26), "ach_returned_r10": at(time.June, 7),
		"acss_returned_915": at(time.June, 7),
	} {
		w := newWorld(t)
		w.skip(account, 15*day)
		debited(t, w, name)
		if next, err := w.open().NextDue(t.Context(), "app-1/", start); err != nil || next == nil || !next.Equal(want) {
			t.Errorf("%s: due at %v, %v; want %v", name, next, err, want)
		}
	}
}

func TestPayoutsEndAsTheirAccountsSay(t *testing.T) {
	t.Parallel()
	paid, failed, returned := processor.PayoutPaid, processor.PayoutFailed, processor.PayoutReturned
	type end struct {
		kinds []processor.EventKind
		code  string
	}
	for name, want := range map[string]end{
		"payout_paid": {[]processor.EventKind{paid}, ""}, "payout_paid_ca": {[]processor.EventKind{paid}, ""},
		"payout_failed":      {[]processor.EventKind{failed}, "R03"},
		"payout_failed_ca":   {[]processor.EventKind{failed}, "912"},
		"payout_returned":    {[]processor.EventKind{paid, returned}, "R02"},
		"payout_returned_ca": {[]processor.EventKind{paid, returned}, "905"},
		"ach_r01":            {[]processor.EventKind{paid}, ""}, // an account that is bad for debits only
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			reference := paidOut(t, w, name)
			w.pass(30 * day)
			events := told(t, w, want.kinds...)
			if !events[0].At.Equal(at(time.May, 7)) {
				t.Errorf("first at %v", events[0].At)
			}
			last := events[len(events)-1]
			if last.ReturnCode != want.code || last.Reference != reference {
				t.Errorf("%+v", last)
			}
			if len(events) == 2 && !last.At.Equal(at(time.May, 13)) {
				t.Errorf("returned at %v", last.At)
			}
		})
	}
}

func TestUnusableAccountsAreDeclinedAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := bank(t, "ach_declined")
	answer, err := w.open().Debit(t.Context(),
		processor.Debit{Reference: newReference(), Account: ofPort(account), Amount: 1, Currency: "usd", Bank: b})
	if err != nil || answer.Approved || answer.DeclineCode != "bank_account_unusable" {
		t.Errorf("%+v, %v", answer, err)
	}
	answer, err = w.open().Payout(t.Context(),
		processor.Payout{Reference: newReference(), Account: ofPort(account), Amount: 1, Currency: "usd", Bank: b})
	if err != nil || answer.Approved || answer.DeclineCode != "bank_account_unusable" {
		t.Errorf("%+v, %v", answer, err)
	}
	w.pass(30 * day)
	told(t, w)
}

func TestEveryAccountGoesByItsOwnClock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mine := paidOut(t, w, "payout_paid")
	out := processor.Payout{Reference: newReference(), Account: ofPort(other), Amount: 1, Currency: "usd",
		Bank: bank(t, "payout_paid")}
	if _, err := w.open().Payout(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	w.skip(other, 30*day)
	if e := told(t, w, processor.PayoutPaid)[0]; e.Reference != out.Reference || e.Account != other {
		t.Errorf("%+v", e)
	}
	for prefix, due := range map[string]bool{"": true, "app-1/": true, "app-2/": false, "app-1/merchant-1": true,
		"app-": true, "app-11/": false, "app": true, "%": false} {
		next, err := w.open().NextDue(t.Context(), prefix, start)
		if err != nil || (next != nil) != due || due && !next.Equal(at(time.May, 7)) {
			t.Errorf("%q: due at %v, %v", prefix, next, err)
		}
	}
	w.skip(account, 30*day)
	if e := told(t, w, processor.PayoutPaid, processor.PayoutPaid)[1]; e.Reference != mine || e.Account != account {
		t.Errorf("%+v", e)
	}
}

func TestVoidedDebitNeverComesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	taken, kept := debited(t, w, "ach_r01"), debited(t, w, "ach_r01")
	void := func(what, want, original string) {
		t.Helper()
		if answer, err := w.open().Void(t.Context(), follow(original, 1250)); err != nil || answer.DeclineCode != want {
			t.Errorf("%s: %+v, %v; want %q", what, answer, err, want)
		}
	}
	void("in time", "", taken)
	w.pass(10 * day) // its return is due, but was not told yet
	other := debited(t, w, "ach_settles")
	void("of another", "", other)
	if e := told(t, w, processor.DebitReturned)[0]; e.Reference != kept {
		t.Errorf("%+v", e)
	}
	void("after the return", "debit_returned", kept)
	void("of a payout", "original_not_found", paidOut(t, w, "payout_paid"))
}

func TestRefundsAsTheirCardsSay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	reference := paid(t, w, "refund_declined")
	for _, c := range []struct {
		amount money.Amount
		want   string
	}{{1, "generic_decline"}, {1250, "generic_decline"}, {1251, "refund_exceeds_captured"}} {
		if answer, err := w.open().Refund(t.Context(), follow(reference, c.amount)); err != nil ||
			answer.DeclineCode != c.want {
			t.Errorf("%d: %+v, %v; want %q", c.amount, answer, err, c.want)
		}
	}
}
