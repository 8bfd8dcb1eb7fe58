package money

import (
	"cmp"
	"encoding/json"
	"slices"

	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
)

// feeEvent is what a charge or a dispute was charged at one time, and by what.
type feeEvent struct {
	MerchantID        int64           `db:"merchant_id"`
	SourceID          [16]byte        `db:"source_id"`
	Kind              fee.Kind        `db:"kind"`
	Base              money.Amount    `db:"base"`
	Brand             string          `db:"brand"`
	ScheduleID        ids.FeeSchedule `db:"schedule_id"`
	Lines             []fee.Line      `db:"lines"`
	Total             money.Amount    `db:"total"`
	ServiceScheduleID ids.FeeSchedule `db:"service_schedule_id"`
	ServiceLines      []fee.Line      `db:"service_lines"`
	ServiceTotal      money.Amount    `db:"service_total"`
	OccurredAt        instant.Time    `db:"occurred_at"`
}

// auditFees computes every fee line again from the schedule that it names, which must be the one that
// was in effect, and compares the lines with the records and the ledger.
func (s *site) auditFees() {
	s.t.Helper()
	series := make(map[int64][]fee.Record)
	for _, m := range s.merchants() {
		p, err := s.Fees.History(s.ctx(), s.admin(), m, page.Input[ids.FeeSchedule]{Limit: 10_000})
		s.must(err)
		series[m] = p.Items
	}
	p, err := s.Fees.ServiceHistory(s.ctx(), s.admin(), s.app.AppID, page.Input[ids.FeeSchedule]{Limit: 10_000})
	s.must(err)
	bySource := make(map[[16]byte][]fee.Line)
	for _, e := range rows[feeEvent](s, `
		SELECT merchant_id, source_id, kind, base, brand, schedule_id, lines, total, service_schedule_id, service_lines,
			service_total, occurred_at FROM fee_events WHERE application_id = @app`) {
		s.recompute(e, series[e.MerchantID], e.ScheduleID, e.Lines, e.Total)
		s.recompute(e, p.Items, e.ServiceScheduleID, e.ServiceLines, e.ServiceTotal)
		bySource[e.SourceID] = append(bySource[e.SourceID], e.Lines...)
	}
	s.auditFeeRecords(bySource)
	s.auditFeePostings()
}

// recompute checks one event's lines by one of its two series.
func (s *site) recompute(e feeEvent, series []fee.Record, named ids.FeeSchedule, lines []fee.Line, total money.Amount) {
	s.t.Helper()
	var inForce fee.Record
	for _, r := range series {
		if r.Status != fee.Canceled && !r.EffectiveAt.After(e.OccurredAt.Time) &&
			cmp.Or(r.EffectiveAt.Compare(inForce.EffectiveAt.Time),
				cmp.Compare(r.Version, inForce.Version)) > 0 {
			inForce = r
		}
	}
	if inForce.ID != named {
		s.t.Fatalf("%s at %v was charged by %s, in force was %s of %v", e.Kind, e.OccurredAt, named, inForce.ID,
			inForce.EffectiveAt)
	}
	want := inForce.Schedule.Lines(e.Kind, e.Base, e.Brand)
	if named.IsZero() {
		want = nil
	}
	if text(want) != text(lines) || fee.Total(want) != total {
		s.t.Fatalf("%s of %d at %v cost %s in all %d, by its schedule %s", e.Kind, e.Base, e.OccurredAt, text(lines),
			total, text(want))
	}
}

// text prints lines, in the order of their names.
func text(lines []fee.Line) string {
	lines = slices.SortedFunc(slices.Values(lines), func(a, b fee.Line) int { return cmp.Compare(a.Fee, b.Fee) })
	b, err := json.Marshal(append([]fee.Line{}, lines...))
	if err != nil {
		panic(err) // lines are plain
	}
	return string(b)
}

// auditFeeRecords compares the lines on charges and disputes with those of their events.
func (s *site) auditFeeRecords(bySource map[[16]byte][]fee.Line) {
	s.t.Helper()
	type record struct {
		ID       [16]byte     `db:"id"`
		Fees     []fee.Line   `db:"fees"`
		FeeTotal money.Amount `db:"fee_total"`
	}
	for _, r := range rows[record](s, `
		SELECT id, fees, fee_total FROM charges WHERE application_id = @app
		UNION ALL SELECT id, fees, fee_total FROM disputes WHERE application_id = @app`) {
		if text(r.Fees) != text(bySource[r.ID]) || r.FeeTotal != fee.Total(r.Fees) {
			s.t.Fatalf("%x has the fees %s in all %d, its events %s", r.ID, text(r.Fees), r.FeeTotal,
				text(bySource[r.ID]))
		}
		delete(bySource, r.ID)
	}
	if len(bySource) > 0 {
		s.t.Fatalf("fees of nobody: %v", bySource)
	}
}

// auditFeePostings compares the lines with the ledger, both ways.
func (s *site) auditFeePostings() {
	s.t.Helper()
	const charged = `
		SELECT source_id, 'fee:' || (l->>'fee') AS what, (l->>'amount')::bigint AS amount
		FROM fee_events, jsonb_array_elements(lines) l WHERE application_id = @app
		UNION ALL SELECT source_id, 'service_fee:' || (l->>'fee'), (l->>'amount')::bigint
		FROM fee_events, jsonb_array_elements(service_lines) l WHERE application_id = @app`
	const posted = `
		SELECT source_id, split_part(business_key, ':', 2) || ':' || split_part(business_key, ':', 3) AS what, amount
		FROM ledger_entries WHERE application_id = @app
			AND (credit = 'application_fees' AND debit IN ('merchant_pending', 'merchant_available')
			OR (debit, credit) = ('application_fees', 'service_fees'))`
	s.none("fees without a posting", `SELECT source_id || ' ' || what || ' ' || amount AS wrong
		FROM (`+charged+` EXCEPT ALL (`+posted+`)) x`)
	s.none("postings without a fee", `SELECT source_id || ' ' || what || ' ' || amount AS wrong
		FROM (`+posted+` EXCEPT ALL (`+charged+`)) x`)
	s.none("fees of another base or brand than their charge or dispute", `
		SELECT f.kind || format(' of %s %s: %s %s', f.base, f.brand, c.status, c.amount) AS wrong
			FROM fee_events f JOIN (
			SELECT id, status, amount, amount_authorized AS authorized, amount_captured AS captured,
				coalesce(payment_method->>'brand', '') AS brand
				FROM charges WHERE application_id = @app
			UNION ALL SELECT d.id, d.status, d.amount, d.amount, d.amount, coalesce(c.payment_method->>'brand', '')
				FROM disputes d JOIN charges c ON c.application_id = d.application_id AND c.id = d.charge_id
					WHERE d.application_id = @app
		) c ON c.id = f.source_id
		WHERE f.application_id = @app AND (f.brand <> c.brand OR f.base <> CASE f.kind
			WHEN 'authorized' THEN c.authorized WHEN 'captured' THEN c.captured WHEN 'bank_settled' THEN c.captured
			WHEN 'bank_returned' THEN c.captured ELSE c.amount END)`)
	s.none("charges and disputes without the fees of what happened to them", `
		SELECT c.id || ' ' || c.status AS wrong FROM (
			SELECT id, status, array_remove(ARRAY[CASE WHEN type = 'cc' AND authorized_at IS NOT NULL
				THEN 'authorized' END,
				CASE WHEN type = 'cc' AND captured_at IS NOT NULL THEN 'captured' END, CASE WHEN type <> 'cc'
					AND settled_at IS NOT NULL THEN 'bank_settled' END,
				CASE WHEN type <> 'cc' AND failed_at IS NOT NULL AND failure->>'code' <> 'not_submitted'
					THEN 'bank_failed' END,
				CASE WHEN returned_at IS NOT NULL THEN 'bank_returned' END], NULL) AS want FROM charges
					WHERE application_id = @app
			UNION ALL SELECT id, status, array_remove(ARRAY[CASE kind WHEN 'chargeback'
				THEN 'chargeback' END, CASE began_as WHEN 'retrieval' THEN 'retrieval' END], NULL)
				FROM disputes WHERE application_id = @app) c
		WHERE ARRAY(SELECT unnest(c.want) ORDER BY 1) <> ARRAY(SELECT kind FROM fee_events f
			WHERE f.application_id = @app AND f.source_id = c.id ORDER BY 1)`)
	s.none("fees that were given back", `
		SELECT business_key AS wrong FROM ledger_entries
		WHERE application_id = @app AND (debit = 'application_fees' AND credit <> 'service_fees'
			OR debit = 'service_fees')`)
}
