package sandbox_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"svcpay/internal/pg"
	"svcpay/internal/pgtest"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/sensitive"
)

var start = time.Date(2027, 5, 6, 7, 8, 9, 0, time.UTC)

func card(number string) processor.Card {
	return processor.Card{PAN: sensitive.NewPAN(number), CVC: sensitive.NewCVC("123"), ExpMonth: 5, ExpYear: 2027, Line1: "12 Elm Street", Zip: "97301"}
}

func newSubject(t *testing.T) (subject, *time.Time) {
	pool, now := pgtest.New(t), start
	return subject{
		open:     func() processor.Processor { return sandbox.New(pool, func() time.Time { return now }) },
		approved: "4242424242424242", declined: "4000000000000002", card: card,
	}, &now
}

func TestConformance(t *testing.T) {
	t.Parallel()
	s, _ := newSubject(t)
	conformance(t, s)
}

func TestCasesAreCardNumbersAndNames(t *testing.T) {
	t.Parallel()
	names, numbers := map[string]bool{}, map[string]bool{}
	for _, c := range sandbox.Cases() {
		if !sensitive.Luhn(c.Number) || len(c.Number) < 14 || c.Name == "" || names[c.Name] || numbers[c.Number] {
			t.Errorf("%s %s", c.Number, c.Name)
		}
		names[c.Name], numbers[c.Number] = true, true
	}
	for _, must := range []string{
		"4242424242424242", "5555555555554444", "2223003122003222", "378282246310005", "6011111111111117", "3566002020360505",
		"36227206271667", "4000000000000002", "4000000000009995", "4000000000009987", "4000000000009979", "4000000000000069", "4000000000000127",
		"4000000000000119", "4000000000000341", "4000000000000010", "4000000000000101", "4000000000005423",
	} {
		if !numbers[must] {
			t.Errorf("%s has no case", must)
		}
	}
}

func TestEveryCase(t *testing.T) {
	t.Parallel()
	s, _ := newSubject(t)
	p := s.open()
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
			a := s.authorization(c.Number)
			answer, err := p.Authorize(t.Context(), a)
			if c.TimesOut {
				if !errors.Is(err, sandbox.ErrNoAnswer) {
					t.Errorf("%+v, %v", answer, err)
				}
				return
			}
			if err != nil || answer.Approved != (c.Decline == "") || answer.DeclineCode != c.Decline || answer.Checks != want {
				t.Errorf("%+v, %v; want checks %+v", answer, err, want)
			}
		})
	}
}

func TestNothingSubmittedIsNothingChecked(t *testing.T) {
	t.Parallel()
	s, _ := newSubject(t)
	p, none := s.open(), processor.Unavailable
	for _, number := range []string{"4242424242424242", "4000000000000101", "4000000000000010"} {
		a := s.authorization(number)
		a.Card.CVC, a.Card.Line1, a.Card.Zip = sensitive.CVC{}, "", ""
		if answer, err := p.Authorize(t.Context(), a); err != nil || answer.Checks != (processor.Checks{CVC: none, AddressLine1: none, AddressZip: none}) {
			t.Errorf("%s: %+v, %v", number, answer, err)
		}
	}
}

func TestExpiredCardIsDeclined(t *testing.T) {
	t.Parallel()
	s, _ := newSubject(t)
	for _, c := range []struct {
		month, year int
		want        string
	}{{5, 2027, ""}, {4, 2027, "expired_card"}, {12, 2026, "expired_card"}, {1, 2028, ""}} {
		a := s.authorization("4242424242424242")
		a.Card.ExpMonth, a.Card.ExpYear = c.month, c.year
		if answer, err := s.open().Authorize(t.Context(), a); err != nil || answer.DeclineCode != c.want {
			t.Errorf("%d/%d: %+v, %v", c.month, c.year, answer, err)
		}
	}
}

func TestTimedOutOutcomeShowsUpLater(t *testing.T) {
	t.Parallel()
	s, now := newSubject(t)
	a := s.authorization("4000000000005423")
	impatient, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := s.open().Authorize(impatient, a); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the caller's deadline is not kept: %v", err)
	}
	*now = start.Add(2999 * time.Millisecond)
	if answer, err := s.open().Lookup(t.Context(), a.Reference); !errors.Is(err, processor.ErrNotFound) {
		t.Errorf("too early: %+v, %v", answer, err)
	}
	*now = start.Add(3 * time.Second)
	if answer, err := s.open().Lookup(t.Context(), a.Reference); err != nil || !answer.Approved {
		t.Errorf("later: %+v, %v", answer, err)
	}
}

func TestBookShowsEverySubmission(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	p := sandbox.New(pool, func() time.Time { return start })
	s := subject{card: card}
	a := s.authorization("4242424242424242")
	first, err := p.Authorize(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Authorize(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	declined := s.authorization("4000000000000002")
	if _, err := p.Authorize(t.Context(), declined); err != nil {
		t.Fatal(err)
	}
	type row struct {
		Reference string
		Captured  bool
		Text      string
	}
	rows, err := pg.All[row](t.Context(), pool, `SELECT reference, captured, b::text AS text FROM sandbox_processor_book b ORDER BY id`, pg.Args{})
	if err != nil || len(rows) != 3 || rows[0].Reference != a.Reference || rows[1].Reference != a.Reference || !rows[1].Captured || rows[2].Captured {
		t.Errorf("%+v, %v", rows, err)
	}
	if again, err := p.Lookup(t.Context(), a.Reference); err != nil || again != first {
		t.Errorf("the book says %+v, %v; the first answer was %+v", again, err, first)
	}
}
