package inbound_test

import (
	"strings"
	"testing"
	"time"

	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/refund"
)

// The processor reports a reversal by a refund as it reports any refund. Its success is handled, and its failure waits
// for people.
func TestEventsOfTheReversalOfALateApproval(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	sub := s.lost(t, plot{amount: 1000},
		func(m int64) string { return s.TokenIn(s.SessionOf(s.App, m), "4242424242424242") })
	s.pass(t, s.p.SettleWindow()+time.Second)
	s.p.set(true) // the answer to the reversal is lost
	s.p.see(false)
	s.pass(t, 2*time.Minute)
	s.p.set(false)
	reference, err := pg.Value[string](t.Context(), s.Pool, `
		SELECT reference FROM processor_operations WHERE kind = 'reverse' AND note = 'refund'
			AND state = 'open'`, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	account := processor.MerchantAccount(s.App.AppID, sub.merchant)
	tell := func(kind processor.EventKind, account string) {
		t.Helper()
		s.p.tell(s.named(processor.Event{Adapter: "sandbox", Kind: kind, Account: account, Reference: reference,
			Failure: processor.AccountClosed, At: s.Clock.Now()}))
		s.run(t)
	}
	waits := func(when, want string) {
		t.Helper()
		got, err := pg.Value[string](t.Context(), s.Pool, `
			SELECT coalesce(string_agg(kind || ': ' || failure, ', ' ORDER BY number), '') FROM inbound_events
				WHERE handled_at IS NULL`, pg.Args{})
		if err != nil || got != want && (want == "" || !strings.Contains(got, want)) {
			t.Errorf("%s: %q waits, want %q: %v", when, got, want, err)
		}
	}
	tell(processor.RefundSucceeded, account)
	waits("before the answer", "refund_succeeded: "+refund.ErrUnresolved.Error())
	s.pass(t, time.Hour)
	if n := s.count(t, `processor_operations WHERE kind = 'reverse' AND state = 'approved'`, pg.Args{}); n != 1 {
		t.Fatalf("%d reversals", n)
	}
	waits("confirmed", "")
	tell(processor.RefundFailed, account)
	s.pass(t, time.Hour)
	waits("failed", "refund_failed: "+refund.ErrReversalFailed.Error())
	if n := s.count(t, `ledger_entries WHERE merchant_id = @m`, pg.Args{"m": sub.merchant}); n != 0 {
		t.Errorf("%d postings", n)
	}
	if _, err := pg.Exec(t.Context(), s.Pool, `UPDATE inbound_events SET handled_at = now() WHERE handled_at IS NULL`,
		pg.Args{}); err != nil {
		t.Fatal(err)
	}
	tell(processor.RefundSucceeded, processor.MerchantAccount(s.App.AppID, s.App.Merchants.US))
	waits("in another account", "refund_succeeded: resource_missing")
}

// A reversal that the processor declined returned no money, whatever it reports later.
func TestEventsOfAReversalThatWasDeclined(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	sub := s.lost(t, plot{amount: 1000},
		func(m int64) string { return s.TokenIn(s.SessionOf(s.App, m), "4242424242424242") })
	s.pass(t, s.p.SettleWindow()+time.Second)
	s.p.see(false)
	s.pass(t, 2*time.Minute)
	if n, err := pg.Exec(t.Context(), s.Pool, `UPDATE processor_operations SET state = 'declined'
		WHERE kind = 'reverse'`, pg.Args{}); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	reference, err := pg.Value[string](t.Context(), s.Pool, `SELECT reference FROM processor_operations
		WHERE kind = 'reverse'`, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []processor.EventKind{processor.RefundFailed, processor.RefundSucceeded} {
		s.p.tell(s.named(processor.Event{Adapter: "sandbox", Kind: kind,
			Account: processor.MerchantAccount(s.App.AppID, sub.merchant), Reference: reference, At: s.Clock.Now()}))
	}
	s.run(t)
	if n := s.count(t, `inbound_events WHERE handled_at IS NULL AND kind = 'refund_succeeded'
		AND failure LIKE '%a reversal that was declined'`, pg.Args{}); n != 1 ||
		s.count(t, `inbound_events WHERE handled_at IS NULL`, pg.Args{}) != 1 {
		t.Error("another event waits than the one that contradicts")
	}
}
