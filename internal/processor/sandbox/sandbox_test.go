package sandbox_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/sandbox/kit"
	"svcpay/internal/sensitive"
)

func TestEveryCase(t *testing.T) {
	t.Parallel()
	p := newWorld(t).open()
	pass, fail := processor.Pass, processor.Fail
	checks := map[string]processor.Checks{
		"declined_incorrect_cvc": {CVC: fail, AddressLine1: pass, AddressZip: pass},
		"cvc_check_fails":        {CVC: fail, AddressLine1: pass, AddressZip: pass},
		"address_check_fails":    {CVC: pass, AddressLine1: fail, AddressZip: fail},
	}
	for _, c := range sandbox.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			want, ok := checks[c.Name]
			if !ok {
				want = processor.Checks{CVC: pass, AddressLine1: pass, AddressZip: pass}
			}
			answer, err := p.Authorize(t.Context(), authorization(c.Number))
			if c.TimesOut {
				if !errors.Is(err, kit.ErrNoAnswer) {
					t.Errorf("%+v, %v", answer, err)
				}
				return
			}
			if err != nil || answer.Approved != (c.Decline == "") || answer.DeclineCode != c.Decline ||
				answer.Checks != want {
				t.Errorf("%+v, %v; want checks %+v", answer, err, want)
			}
		})
	}
}

func TestNothingSubmittedIsNothingChecked(t *testing.T) {
	t.Parallel()
	p, none := newWorld(t).open(), processor.Unavailable
	for _, number := range []string{"4242424242424242", "4000000000000101", "4000000000000010"} {
		a := authorization(number)
		a.Card.CVC, a.Card.Line1, a.Card.Zip = sensitive.CVC{}, "", ""
		if answer, err := p.Authorize(t.Context(), a); err != nil ||
			answer.Checks != (processor.Checks{CVC: none, AddressLine1: none, AddressZip: none}) {
			t.Errorf("%s: %+v, %v", number, answer, err)
		}
	}
}

func TestExpiredCardIsDeclinedByTheAccountsTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.skip(other, 31*day)
	for _, c := range []struct {
		account     string
		month, year int
		want        string
	}{
		{account, 5, 2027, ""}, {account, 4, 2027, "expired_card"}, {account, 12, 2026, "expired_card"},
		{account, 1, 2028, ""},
		{other, 5, 2027, "expired_card"}, {other, 6, 2027, ""},
	} {
		a := authorization("4242424242424242")
		a.Account, a.Card.ExpMonth, a.Card.ExpYear = ofPort(c.account), c.month, c.year
		if answer, err := w.open().Authorize(t.Context(), a); err != nil || answer.DeclineCode != c.want {
			t.Errorf("%s %d/%d: %+v, %v", c.account, c.month, c.year, answer, err)
		}
	}
}

// losses are the calls whose answers get lost, each prepared so that only its own does.
func losses(t *testing.T, w *world) map[string]func(context.Context, *sandbox.Processor) (string, error) {
	held := authorization(number(t, "capture_timeout"))
	held.Capture = false
	if answer, err := w.open().Authorize(t.Context(), held); err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	refund, capture := follow(paid(t, w, "refund_timeout"), 10), follow(held.Reference, 10)
	a := authorization(number(t, "timeout"))
	d := processor.Debit{Reference: newReference(), Account: ofPort(account), Amount: 1, Currency: "usd",
		Bank: bank(t, "ach_timeout")}
	out := processor.Payout{Reference: newReference(), Account: ofPort(account), Amount: 1, Currency: "usd",
		Bank: bank(t, "payout_timeout")}
	type ctx = context.Context
	return map[string]func(ctx, *sandbox.Processor) (string, error){
		"authorize": func(c ctx, p *sandbox.Processor) (string, error) {
			_, err := p.Authorize(c, a)
			return a.Reference, err
		},
		"capture": func(c ctx, p *sandbox.Processor) (string, error) {
			_, err := p.Capture(c, capture)
			return capture.Reference, err
		},
		"refund": func(c ctx, p *sandbox.Processor) (string, error) {
			_, err := p.Refund(c, refund)
			return refund.Reference, err
		},
		"debit": func(c ctx, p *sandbox.Processor) (string, error) { _, err := p.Debit(c, d); return d.Reference, err },
		"payout": func(c ctx, p *sandbox.Processor) (string, error) {
			_, err := p.Payout(c, out)
			return out.Reference, err
		},
	}
}

func TestLostAnswerShowsUpLaterByTheMachinesTime(t *testing.T) {
	t.Parallel()
	for name := range losses(t, newWorld(t)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			make := losses(t, w)[name]
			if _, err := make(t.Context(), w.open()); !errors.Is(err, kit.ErrNoAnswer) {
				t.Errorf("%v", err)
			}
			w = newWorld(t)
			impatient, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			reference, err := losses(t, w)[name](impatient, w.open())
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the caller's deadline is not kept: %v", err)
			}
			w.skip(account, day) // which helps nothing
			w.pass(2999 * time.Millisecond)
			if answer, err := w.open().Lookup(t.Context(), ofPort(account), reference); !errors.Is(err,
				processor.ErrNotFound) {
				t.Errorf("too early: %+v, %v", answer, err)
			}
			w.pass(time.Millisecond)
			if answer, err := w.open().Lookup(t.Context(), ofPort(account), reference); err != nil || !answer.Approved {
				t.Errorf("later: %+v, %v", answer, err)
			}
		})
	}
}

func TestBookShowsEverySubmission(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, a := w.open(), authorization("4242424242424242")
	first, err := p.Authorize(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Authorize(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	declined := authorization("4000000000000002")
	if _, err := p.Authorize(t.Context(), declined); err != nil {
		t.Fatal(err)
	}
	type row struct {
		Reference string
		Captured  bool
		Approved  bool
	}
	rows, err := pg.All[row](t.Context(), w.pool, `SELECT reference, captured, approved FROM sandbox_processor_book
		ORDER BY id`, pg.Args{})
	want := []row{{a.Reference, true, true}, {a.Reference, true, true}, {declined.Reference, false, false}}
	if err != nil || len(rows) != 3 || rows[0] != want[0] || rows[1] != want[1] || rows[2] != want[2] {
		t.Errorf("%+v, %v", rows, err)
	}
	if again, err := p.Lookup(t.Context(), a.Account, a.Reference); err != nil || again != first {
		t.Errorf("the book says %+v, %v; the first answer was %+v", again, err, first)
	}
}

// A line of a higher number can be the older one: until both must be there, neither is told.
func TestBookTellsNoLineBeforeThoseOfLowerNumbers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	book := func(want int) (lines []processor.BookLine) {
		t.Helper()
		lines, err := w.open().Book(t.Context(), 0, 10)
		if err != nil || len(lines) != want {
			t.Fatalf("%d lines, %v; want %d", len(lines), err, want)
		}
		return lines
	}
	reference := paid(t, w, "approved")
	w.pass(kit.BookDelay - time.Millisecond)
	book(0)
	w.pass(time.Millisecond)
	l := book(1)[0]
	if !l.At.Equal(start) || !l.Approved || l.Amount != 1250 || l.Kind != "authorize" || l.Reference != reference ||
		l.Account != account {
		t.Errorf("%+v", l)
	}
	w.skip(account, day) // which hastens nothing
	paid(t, w, "approved")
	w.pass(-time.Second)
	paid(t, w, "approved")
	w.pass(kit.BookDelay)
	book(1)
	w.pass(time.Second)
	if lines := book(3); !lines[1].At.Equal(lines[2].At.Add(time.Second)) {
		t.Errorf("%+v", lines)
	}
}

// An account is unknown if its id is no account's. That the clock cannot be read says nothing about it.
func TestCheckTellsUnknownFromUnreadable(t *testing.T) {
	t.Parallel()
	unread := errors.New("the database is away")
	p := sandbox.New("sandbox", nil, time.Now,
		func(context.Context, string) (time.Time, error) { return time.Time{}, unread })
	for external, want := range map[string]error{account: unread, "acct_1": processor.ErrNoAccount} {
		if got, err := p.Check(t.Context(), ofPort(external), sensitive.Credentials{}); !errors.Is(err, want) {
			t.Errorf("%s: %s, %v", external, got, err)
		}
	}
}
