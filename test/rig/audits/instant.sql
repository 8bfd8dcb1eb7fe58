-- deliveries that are pending and not due, or due and not pending
SELECT coalesce(d.id, w.delivery_id)::text AS wrong FROM (SELECT id FROM webhook_deliveries WHERE application_id = @app
	AND status = 'pending') d
FULL JOIN (SELECT delivery_id FROM webhook_due WHERE application_id = @app) w ON w.delivery_id = d.id
WHERE d.id IS NULL OR w.delivery_id IS NULL

-- ledgers that do not sum to zero
SELECT merchant_id || ' ' || currency || ' ' || sum(balance) AS wrong FROM ledger_balances
WHERE application_id = @app GROUP BY merchant_id, currency HAVING sum(balance) <> 0

-- charges that gave back more than they took
SELECT id || ' ' || status AS wrong FROM charges
WHERE application_id = @app AND (amount_refunded < 0 OR amount_refund_pending < 0 OR amount_disputed < 0
	OR amount_refunded + amount_refund_pending > amount_captured)

-- charges whose amounts are not their refunds'
SELECT c.id || ' ' || c.status || format(' %s %s: %s %s', c.amount_refunded, c.amount_refund_pending, r.refunded,
	r.pending) AS wrong
FROM charges c, LATERAL (
	SELECT coalesce(sum(amount) FILTER (WHERE status = 'succeeded'), 0) AS refunded,
		coalesce(sum(amount) FILTER (WHERE status = 'pending'), 0) AS pending
	FROM refunds r WHERE r.application_id = c.application_id AND r.charge_id = c.id) r
WHERE c.application_id = @app AND (c.amount_refunded <> r.refunded
	OR c.amount_refund_pending <> r.pending AND c.status NOT IN ('voided', 'failed'))

-- charges that are disputed by another amount than their disputes
SELECT c.id || ' ' || c.status AS wrong FROM charges c
WHERE c.application_id = @app AND (amount_contested <> (SELECT coalesce(sum(disputed), 0) FROM disputes d
		WHERE d.application_id = c.application_id AND d.charge_id = c.id)
	OR amount_disputed <> greatest(0, least(amount_contested, amount_captured - amount_refunded -
		amount_refund_pending)))

-- charges whose amounts lost by disputes, or fees of these, are not the disputes'
SELECT c.id || ' ' || c.status || format(' %s %s', c.amount_lost, c.dispute_fee_total) AS wrong
FROM charges c, LATERAL (
	SELECT coalesce(sum(amount) FILTER (WHERE status IN ('lost', 'accepted')), 0) AS lost,
		coalesce(sum(fee_total), 0) AS fees
	FROM disputes d WHERE d.application_id = c.application_id AND d.charge_id = c.id) d
WHERE c.application_id = @app AND (c.amount_lost <> d.lost OR c.dispute_fee_total <> d.fees)

-- charges whose net after reversals, as last published, is not the sum of their postings to the merchant
SELECT c.id || ' ' || c.status || format(': %s, %s', e.object->>'net_after_reversals', l.sum) AS wrong
FROM charges c JOIN events e ON e.application_id = c.application_id AND e.object_id = c.id AND e.position = c.version,
	LATERAL (
	SELECT coalesce(sum(amount * ((credit LIKE 'merchant\_%')::int - (debit LIKE 'merchant\_%')::int)), 0) AS sum
	FROM ledger_entries l WHERE l.application_id = c.application_id AND l.charge_id = c.id) l
WHERE c.application_id = @app AND (e.object->>'net_after_reversals')::bigint <> l.sum

-- totals of charges that are not what the charges come to, though every event is in them
WITH folded AS (SELECT c.until FROM charge_cutoffs c JOIN event_streams s USING (application_id)
	WHERE c.application_id = @app AND c.sequence = s.last_sequence
		AND NOT EXISTS (SELECT FROM events e WHERE e.application_id = c.application_id AND e.sequence IS NULL
			AND NOT e.test)),
was AS (SELECT merchant_id, quarter, currency, count, captured, refunded, returned, disputed, fees FROM charge_totals,
	folded
	WHERE application_id = @app AND merchant_id IS NOT NULL),
ought AS (SELECT merchant_id, date_bin('15 minutes', created_at, TIMESTAMPTZ 'epoch') AS quarter, currency,
	count(*) AS count,
		sum(amount_captured)::bigint AS captured, sum(amount_refunded)::bigint AS refunded,
		coalesce(sum(amount_captured) FILTER (WHERE status = 'returned'), 0)::bigint AS returned,
			sum(amount_contested)::bigint AS disputed,
		sum(fee_total)::bigint AS fees
	FROM charges, folded WHERE application_id = @app AND created_at < until GROUP BY 1, 2, 3)
SELECT coalesce(was::text, 'none') || ' for ' || coalesce(ought::text, 'none') AS wrong
FROM was FULL JOIN ought USING (merchant_id, quarter, currency)
	WHERE (was.count, was.captured, was.refunded, was.returned, was.disputed, was.fees)
	IS DISTINCT FROM (ought.count, ought.captured, ought.refunded, ought.returned, ought.disputed, ought.fees)
