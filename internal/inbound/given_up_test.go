package inbound_test

import (
	"strings"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// lost makes a payment of a new merchant whose answer is lost, and that is not found.
func (s *stage) lost(t *testing.T, p plot, token func(merchant int64) string) subject {
	t.Helper()
	sub := subject{plot: p, merchant: s.Merchant(merchant.CreateInput{}).ID}
	s.p.set(true)
	s.p.see(true)
	paid := token(sub.merchant)
	out, err := s.Charges.Create(t.Context(), s.Actor(),
		charge.CreateInput{MerchantID: &sub.merchant, Amount: &sub.amount, Token: &paid}, nil)
	s.p.set(false)
	if err != nil || out.Object.Status != charge.Processing {
		t.Fatalf("%+v, %v", out, err)
	}
	sub.id, sub.reference = out.Object.ID.String(), out.Object.Processor.Reference
	return sub
}

// pass lets time pass, finds outcomes, and takes in what is told.
func (s *stage) pass(t *testing.T, d time.Duration) {
	t.Helper()
	s.Clock.Advance(d)
	if _, err := s.Operations.Resolve(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.run(t)
}

func (s *stage) count(t *testing.T, from string, args pg.Args) int {
	t.Helper()
	n, err := pg.Value[int](t.Context(), s.Pool, `SELECT count(*)::int FROM `+from, args)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A merchant that was told that a sale never happened is not debited for a dispute of it.
func TestDisputeOfAPaymentThatWasGivenUpWaits(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, contest := range contests {
		sub := s.lost(t, plot{amount: 1000, contest: contest, held: 1000},
			func(m int64) string { return s.TokenIn(s.SessionOf(s.App, m), "4242424242424242") })
		s.pass(t, s.p.SettleWindow()+time.Second)
		s.p.see(false)
		s.pass(t, 2*time.Minute) // it is found, and returned
		if n := s.count(t, `processor_operations WHERE kind = 'reverse' AND state = 'approved'
			AND merchant_id = @m`, pg.Args{"m": sub.merchant}); n != 1 {
			t.Fatalf("%d reversals", n)
		}
		s.p.tell(s.events(sub)...)
		s.pass(t, time.Hour)
		if n := s.count(t, `inbound_events WHERE handled_at IS NULL AND body->>'Reference' = @reference`,
			pg.Args{"reference": sub.reference}); n != len(contest) {
			t.Errorf("%v: %d events wait for people", contest, n)
		}
		if n := s.count(t, `ledger_entries WHERE merchant_id = @m`, pg.Args{"m": sub.merchant}); n != 0 {
			t.Errorf("%v: %d postings", contest, n)
		}
	}
}

// Whenever it is told that a debit came back which was given up, nothing is returned that the bank returned.
func TestReturnOfADebitThatWasGivenUpIsTakenIn(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	var ends []string
	for when := range 3 {
		sub := s.lost(t, plot{amount: money.Amount(1000), kinds: []processor.EventKind{processor.DebitReturned}},
			func(m int64) string { return s.BankToken(m, s.USBank("000123456789")) })
		tell := func(now int) {
			if now == when {
				s.p.tell(s.events(sub)...)
				s.run(t)
			}
		}
		tell(0) // while its outcome may still be found out
		s.pass(t, s.p.SettleWindow()+time.Second)
		tell(1) // while it is looked for
		if when == 2 {
			s.pass(t, 25*time.Hour) // no one looks for it any more
		}
		tell(2)
		s.p.see(false)
		s.pass(t, 10*time.Minute)
		ends = append(ends, s.rows(t, []subject{sub}))
		if n := s.count(t, `processor_operations WHERE kind = 'reverse'`, pg.Args{}) + s.count(t, `inbound_events
			WHERE handled_at IS NULL`, pg.Args{}); n != 0 {
			t.Errorf("%d: %d reversals and events that wait", when, n)
		}
		if ends[when] != ends[0] || !strings.Contains(ends[when], `"code": "R01"`) ||
			!strings.Contains(ends[when], `"ledger": null`) {
			t.Errorf("%d ends as\n%s\nfirst as\n%s", when, ends[when], ends[0])
		}
	}
}
