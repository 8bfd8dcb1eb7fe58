package inbound_test

import (
	"encoding/json"

	"svcpay/internal/platform/pg"
)

// rowsOf is everything that the end of a history must not owe to the way that it was told.
const rowsOf = `SELECT jsonb_build_object(
	'charges', (SELECT jsonb_agg(o ORDER BY o)
		FROM (SELECT jsonb_build_object('status', status, 'amount', amount, 'captured', amount_captured,
		'refunded', amount_refunded, 'disputed', amount_disputed, 'contested', amount_contested, 'fees', fee_total,
			'code', return_code, 'failure', failure ->> 'code',
		'settled', settled_at IS NOT NULL, 'events', (SELECT jsonb_agg(DISTINCT e.type) FROM events e
			WHERE e.object_id = c.id)) AS o
		FROM charges c WHERE merchant_id = @m) all_of),
	'refunds',
		(SELECT jsonb_agg(jsonb_build_object('status', status, 'amount', amount, 'failure', failure, 'version', version,
		'succeeded', succeeded_at IS NOT NULL) ORDER BY amount, status) FROM refunds WHERE merchant_id = @m),
	'disputes', (SELECT jsonb_agg(o ORDER BY o)
		FROM (SELECT jsonb_build_object('kind', kind, 'status', status, 'amount', amount, 'reason', reason,
		'fees', fee_total, 'escalated', escalated_at IS NOT NULL) AS o FROM disputes d WHERE merchant_id = @m) all_of),
	'payouts',
		(SELECT jsonb_agg(jsonb_build_object('status', status, 'amount', amount, 'failure', failure ->> 'code',
			'version', version)) FROM payouts WHERE merchant_id = @m),
	'merchant', (SELECT jsonb_build_object('paused', payouts_paused_reason) FROM merchants WHERE id = @m),
	'fees', (SELECT jsonb_agg(jsonb_build_object('kind', kind, 'total', total) ORDER BY kind, total) FROM fee_events
		WHERE merchant_id = @m),
	'ledger', (SELECT jsonb_agg(jsonb_build_object('kind', kind, 'debit', debit, 'credit', credit, 'amount', amount)
		ORDER BY kind, debit, credit, amount)
		FROM ledger_entries WHERE merchant_id = @m),
	'balances', (SELECT jsonb_object_agg(account, balance) FROM ledger_balances
		WHERE merchant_id = @m AND balance <> 0))::text`

func (s *stage) rows(t failing, all []subject) string {
	text, err := pg.Value[string](s.T.Context(), s.Pool, rowsOf, pg.Args{"m": all[0].merchant})
	if err != nil || !json.Valid([]byte(text)) {
		t.Fatalf("%s, %v", text, err)
	}
	return text
}
