package money

import (
	"time"

	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/report/statement"
)

// auditPayouts compares payouts with the entries that they are made of, with the ledger, and with the
// processor's book.
func (s *site) auditPayouts() {
	s.t.Helper()
	const effect = `CASE WHEN l.debit = 'merchant_available' THEN -l.amount ELSE l.amount END`
	s.none("payouts that are not the sum of their entries", `
		SELECT p.id || format(': %s of %s, entries %s of %s', p.amount, p.entry_count, e.sum, e.n) AS wrong
			FROM payouts p,
			LATERAL (SELECT coalesce(sum(amount), 0) AS sum, count(*) AS n FROM payout_entries e
				WHERE e.application_id = p.application_id AND e.payout_id = p.id) e
		WHERE p.application_id = @app AND (p.amount <> e.sum OR p.entry_count <> e.n)`)
	s.none("entries of payouts that are another merchant's, of another amount, or active where the payout is not", `
		SELECT e.entry_id || ' ' || p.status AS wrong FROM payout_entries e JOIN payouts p USING (application_id)
			JOIN ledger_entries l ON l.application_id = e.application_id AND l.id = e.entry_id
		WHERE e.application_id = @app AND p.id = e.payout_id
			AND (l.merchant_id <> p.merchant_id OR l.currency <> p.currency
			OR e.amount <>
				`+effect+` OR 'merchant_available' NOT IN (l.debit, l.credit) OR e.active <> (p.status IN ('processing', 'paid') AND p.failed_at IS NULL))`)
	s.none("merchants whose available balance is not what no payout holds", `
		SELECT m.id || format(': %s, %s', a.balance, w.sum) AS wrong FROM merchants m,
			LATERAL (SELECT coalesce(-sum(balance), 0) AS balance FROM ledger_balances b
				WHERE b.application_id = m.application_id AND b.merchant_id = m.id
					AND account = 'merchant_available') a,
			LATERAL (SELECT coalesce(sum(`+effect+`), 0) AS sum FROM ledger_entries l
				WHERE l.application_id = m.application_id AND l.merchant_id = m.id
					AND 'merchant_available' IN (l.debit, l.credit)
					AND l.kind NOT IN ('payout', 'payout_failed', 'payout_returned') AND NOT EXISTS (SELECT
						FROM payout_entries e
						WHERE e.application_id = l.application_id AND e.entry_id = l.id AND e.active)) w
		WHERE m.application_id = @app AND a.balance <> w.sum`)
	s.none("merchants with another amount in transit than their payouts on the way", `
		SELECT m.id || format(': %s, %s', b.balance, p.sum) AS wrong FROM merchants m,
			LATERAL (SELECT coalesce(-sum(balance), 0) AS balance FROM ledger_balances b
				WHERE b.application_id = m.application_id AND b.merchant_id = m.id
					AND account = 'merchant_in_transit') b,
			LATERAL (SELECT coalesce(sum(amount), 0) AS sum FROM payouts p
				WHERE p.application_id = m.application_id AND p.merchant_id = m.id AND status = 'processing') p
		WHERE m.application_id = @app AND b.balance <> p.sum`)
	s.none("payouts whose money is not that of the book", `
		SELECT p.id || format(' %s: ledger %s, book %s', p.status, ours.net, theirs.net) AS wrong FROM payouts p,
			LATERAL (SELECT coalesce(sum(CASE WHEN debit = 'processor_receivable' THEN amount
				ELSE -amount END), 0) AS net
				FROM ledger_entries l WHERE l.application_id = p.application_id AND l.source_id = p.id
					AND 'processor_receivable' IN (debit, credit)) ours,
			LATERAL (SELECT coalesce(sum(CASE e.kind WHEN 'payout_paid' THEN -p.amount WHEN 'payout_returned'
				THEN p.amount END), 0) AS net
				FROM sandbox_processor_feed e WHERE e.reference = p.processor_reference) theirs
		WHERE p.application_id = @app AND ours.net <> theirs.net AND NOT EXISTS ( -- one that was given up and left after all
			SELECT FROM processor_operations o WHERE o.subject_id = p.id AND o.state = 'approved'
				AND p.failure->>'code' = 'not_submitted')`)
	s.none("merchants whose run is overdue", `
		SELECT m.id::text AS wrong FROM merchants m JOIN application_clocks k USING (application_id)
		WHERE m.application_id = @app AND next_payout_at <= @now::timestamptz + k.ahead * interval '1 microsecond'`)
}

// auditStatements adds up every month of every merchant from its entries alone.
func (s *site) auditStatements() {
	s.t.Helper()
	for _, id := range s.merchants() {
		balance := money.Amount(0)
		y, m, _ := s.Clock.Now().Date()
		// before there was anything
		for month := time.Date(y, m-1, 1, 0, 0, 0, 0, time.UTC); ; month = month.AddDate(0, 1, 0) {
			st, err := s.Statements.Get(s.ctx(), s.server(),
				statement.MonthInput{MerchantID: id, Month: month.Format("2006-01")})
			s.must(err)
			if st.OpeningBalance != balance {
				s.t.Fatalf("%s of merchant %d opens with %d, the month before closed with %d", st.Month, id,
					st.OpeningBalance, balance)
			}
			sum := st.OpeningBalance
			for _, l := range st.Lines {
				sum += l.Amount
			}
			if sum != st.ClosingBalance || st.ClosingBalance != st.Closing.Total() {
				s.t.Fatalf("%s of merchant %d adds up to %d and closes with %d: %+v", st.Month, id, sum,
					st.ClosingBalance, st)
			}
			s.auditMonth(id, st)
			balance = st.ClosingBalance
			if !st.Complete {
				break
			}
		}
		shown, err := s.Ledger.Balance(s.ctx(), s.server(), id)
		s.must(err)
		if shown.Total != balance {
			s.t.Fatalf("merchant %d is owed %d, its statements end with %d", id, shown.Total, balance)
		}
	}
}

// auditMonth compares a month with the sums of its entries, by kind.
func (s *site) auditMonth(id int64, st statement.Statement) {
	s.t.Helper()
	type entry struct {
		Merchant int64          `db:"merchant_id"`
		Kind     string         `db:"kind"`
		Debit    ledger.Account `db:"debit"`
		Credit   ledger.Account `db:"credit"`
		Amount   money.Amount   `db:"amount"`
		At       time.Time      `db:"created_at"`
	}
	type sum struct {
		n      int
		amount money.Amount
	}
	want := map[string]sum{}
	mine := map[ledger.Account]bool{}
	for _, a := range ledger.MerchantAccounts() {
		mine[a] = true
	}
	for _, e := range rows[entry](s, `SELECT merchant_id, kind, debit, credit, amount, created_at FROM ledger_entries
		WHERE application_id = @app`) {
		if e.Merchant != id || e.At.Before(st.From.Time) || !e.At.Before(st.Until.Time) ||
			mine[e.Debit] == mine[e.Credit] {
			continue
		}
		if mine[e.Debit] {
			e.Amount = -e.Amount
		}
		want[e.Kind] = sum{want[e.Kind].n + 1, want[e.Kind].amount + e.Amount}
	}
	for _, l := range st.Lines {
		if want[l.Kind] != (sum{l.Count, l.Amount}) {
			s.t.Fatalf("%s of merchant %d has %+v, its entries %+v", st.Month, id, l, want[l.Kind])
		}
		delete(want, l.Kind)
	}
	if len(want) > 0 {
		s.t.Fatalf("%s of merchant %d lacks %+v", st.Month, id, want)
	}
}
