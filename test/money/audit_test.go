package money

import (
	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/ledger"
	"svcpay/internal/platform/page"
	"svcpay/test/rig"
)

// atEveryInstant is what must be true between any two transactions.
func (s *site) atEveryInstant() {
	s.t.Helper()
	for _, a := range rig.AtEveryInstant() {
		s.none(a.What, a.SQL)
	}
}

// auditDonations compares what donations cost with the books, in which the fees of those that are completed are,
// each change of status once, and nothing else of them.
func (s *site) auditDonations() {
	s.t.Helper()
	s.none("donations whose fees are not posted exactly while they are completed", `
		SELECT d.id || ' ' || d.status AS wrong FROM daf_donations d,
			LATERAL (SELECT coalesce(sum(CASE WHEN kind LIKE '%\_reversed' THEN -amount ELSE amount END), 0) AS sum
				FROM ledger_entries e
				WHERE e.application_id = d.application_id AND e.source_id = d.id) e
		WHERE d.application_id = @app AND e.sum <> CASE WHEN d.status = 'completed' THEN d.fee_total ELSE 0 END`)
	s.none("moves of donations that are posted more or less than once", `
		SELECT d.id || ' ' || h.version AS wrong FROM daf_donations d
			JOIN (SELECT *, lag(status) OVER (PARTITION BY application_id, donation_id ORDER BY version) AS before
				FROM daf_donation_statuses) h
				ON h.application_id = d.application_id AND h.donation_id = d.id,
			LATERAL (SELECT count(*) AS n FROM ledger_entries e WHERE e.application_id = d.application_id
				AND e.source_id = d.id
				AND e.business_key LIKE '%:' || h.version) e
		WHERE d.application_id = @app AND e.n <> CASE WHEN 'completed' IN (h.status, h.before)
			THEN jsonb_array_length(d.fees) ELSE 0 END`)
	s.none("invoice accounts that are not the service's fees of completed donations", `
		SELECT m.id || format(': %s, %s', b.owed, d.fees) AS wrong FROM merchants m,
			LATERAL (SELECT coalesce(sum(balance), 0) AS owed FROM ledger_balances b
				WHERE b.application_id = m.application_id AND b.merchant_id = m.id AND account = 'daf_invoice') b,
			LATERAL (SELECT coalesce(sum((l->>'amount')::bigint), 0) AS fees
				FROM daf_donations d, jsonb_array_elements(d.fees) l
				WHERE d.application_id = m.application_id AND d.merchant_id = m.id AND d.status = 'completed'
					AND l->>'fee' = 'daf_percentage') d
		WHERE m.application_id = @app AND b.owed <> d.fees`)
}

// auditLedger compares the books with the records, when nothing is in progress.
func (s *site) auditLedger() {
	s.t.Helper()
	s.none("business keys that were posted twice", `
		SELECT business_key AS wrong FROM ledger_entries WHERE application_id = @app
			GROUP BY business_key HAVING count(*) > 1`)
	s.none("charges at their end with money pending", `
		SELECT c.id || ' ' || c.status || ' ' || sum(CASE WHEN e.credit = 'merchant_pending' THEN e.amount
			ELSE -e.amount END) AS wrong
		FROM charges c JOIN ledger_entries e ON e.application_id = c.application_id AND e.charge_id = c.id
			AND 'merchant_pending' IN (e.debit, e.credit)
		WHERE c.application_id = @app AND c.status IN ('settled', 'voided', 'expired', 'failed', 'returned')
		GROUP BY c.id, c.status HAVING sum(CASE WHEN e.credit = 'merchant_pending' THEN e.amount
			ELSE -e.amount END) <> 0`)
	s.none("merchants with another amount in reserve than their open chargebacks", `
		SELECT m.id || format(': %s, %s', b.reserved, d.open) AS wrong FROM merchants m,
			LATERAL (SELECT coalesce(-sum(balance), 0) AS reserved FROM ledger_balances b
				WHERE b.application_id = m.application_id AND b.merchant_id = m.id AND account = 'merchant_reserved') b,
			LATERAL (SELECT coalesce(sum(amount), 0) AS open FROM disputes d WHERE d.application_id = m.application_id
				AND d.merchant_id = m.id AND kind = 'chargeback' AND status IN ('needs_response', 'under_review')) d
		WHERE m.application_id = @app AND b.reserved <> d.open`)
	for _, a := range rig.WhenQuiet() {
		s.none(a.What, a.SQL)
	}
	s.none("charges that are overdue", `
		SELECT c.id || ' ' || c.status AS wrong FROM charges c JOIN application_clocks k USING (application_id)
		WHERE c.application_id = @app AND next_step_at <= @now::timestamptz + k.ahead * interval '1 microsecond'`)
	s.auditDonations()
	s.auditBalances()
	s.auditNets()
}

// auditNets compares what a list says that the merchant keeps of each charge with the charge's balance entries, and the
// sum of these over a merchant's charges with the merchant's balance, which payouts alone change further.
func (s *site) auditNets() {
	s.t.Helper()
	type entry struct {
		ChargeID *ids.Charge `db:"charge_id"`
		Merchant int64       `db:"merchant_id"`
		Sum      int64       `db:"sum"`
	}
	kept, left := map[ids.Charge]int64{}, map[int64]int64{}
	for _, e := range rows[entry](s, `
		SELECT charge_id, merchant_id,
			sum(amount * ((credit LIKE 'merchant\_%')::int - (debit LIKE 'merchant\_%')::int))::bigint AS sum
		FROM ledger_entries WHERE application_id = @app GROUP BY 1, 2`) {
		if left[e.Merchant] += e.Sum; e.ChargeID != nil {
			kept[*e.ChargeID] = e.Sum
		} else {
			left[e.Merchant] -= e.Sum // of payouts
		}
	}
	for in := (page.Input[ids.Charge]{Limit: 100}); ; {
		got, err := s.Charges.List(s.ctx(), s.server(), charge.ListInput{Page: in})
		s.must(err)
		for _, c := range got.Items {
			if int64(c.NetAfterReversals) != kept[c.ID] {
				s.t.Fatalf("%s, %s: %d after reversals, the entries sum to %d", c.ID, c.Status, c.NetAfterReversals,
					kept[c.ID])
			}
			left[c.MerchantID] -= int64(c.NetAfterReversals)
			in.After = c.ID
		}
		if !got.HasMore {
			break
		}
	}
	for merchant, more := range left {
		if more != 0 {
			s.t.Fatalf("merchant %d has %d in the books that no charge says", merchant, more)
		}
	}
}

// auditBalances compares what people are shown with the sums of all entries, and with the running totals.
func (s *site) auditBalances() {
	s.t.Helper()
	for _, m := range s.merchants() {
		shown, err := s.Ledger.Balance(s.ctx(), s.server(), m)
		s.must(err)
		sums, err := ledger.Balances(s.ctx(), s.Pool, s.app.AppID, m)
		s.must(err)
		got := map[ledger.Account]int64{ledger.MerchantPending: int64(shown.Pending),
			ledger.MerchantAvailable: int64(shown.Available),
			ledger.MerchantReserved:  int64(shown.Reserved), ledger.MerchantInTransit: int64(shown.InTransit)}
		for _, b := range sums {
			if shown, ok := got[b.Account]; ok && shown != -int64(b.Balance) {
				s.t.Fatalf("merchant %d is shown %d in %s, the entries sum to %d", m, shown, b.Account,
					-int64(b.Balance))
			}
			delete(got, b.Account)
		}
		for account, shown := range got {
			if shown != 0 {
				s.t.Fatalf("merchant %d is shown %d in %s, without an entry", m, shown, account)
			}
		}
	}
	differences, err := s.Ledger.Compare(s.ctx())
	s.must(err)
	if len(differences) > 0 {
		s.t.Fatalf("running totals that are not the sums: %+v", differences)
	}
}
