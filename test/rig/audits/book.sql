-- references that were submitted twice, at one processor or at two
SELECT reference AS wrong FROM sandbox_processor_book WHERE starts_with(account, $account) AND kind <> 'refund_failed'
	GROUP BY reference HAVING count(*) > 1

-- lines of the book that are no call of ours
SELECT b.kind || ' ' || b.reference || ' ' || b.amount AS wrong FROM sandbox_processor_book b
WHERE starts_with(b.account, $account) AND NOT EXISTS (SELECT FROM processor_operations o
	WHERE o.application_id = @app AND o.processor = b.processor AND o.reference = b.reference AND o.amount = b.amount
		AND o.currency = b.currency
		AND (o.kind = b.kind OR o.kind = 'reverse' AND b.kind IN ('refund', 'void') OR o.kind IN ('refund', 'reverse')
			AND b.kind = 'refund_failed'))

-- calls whose outcome is another than the book's
SELECT o.kind || ' ' || o.reference || ' ' || o.state || coalesce(' ' || b.approved, ' nothing') AS wrong
FROM processor_operations o LEFT JOIN sandbox_processor_book b ON b.processor = o.processor
	AND b.reference = o.reference
WHERE o.application_id = @app AND o.kind <> 'grant' AND o.state <> CASE b.approved WHEN true THEN 'approved' WHEN false
	THEN 'declined' ELSE 'not_submitted' END
	AND NOT (o.state = 'not_submitted' AND NOT b.approved)
	-- Stripe keeps no record of a response or a payout that it refused
	AND NOT (o.processor = 'stripe' AND o.kind IN ('respond', 'payout') AND o.state = 'declined' AND b.approved IS NULL)

-- charges whose money is not that of the book
SELECT c.id || format(' %s %s: ledger %s, book %s', c.status, theirs.test_case, ours.net, theirs.net) AS wrong
	FROM charges c,
	LATERAL (SELECT coalesce(sum(CASE WHEN debit = 'processor_receivable' THEN amount ELSE -amount END), 0) AS net
		FROM ledger_entries e WHERE e.application_id = c.application_id AND e.charge_id = c.id
			AND 'processor_receivable' IN (debit, credit)) ours,
	LATERAL (SELECT coalesce(sum(m.amount), 0) AS net, (SELECT min(test_case) FROM sandbox_processor_book b
		WHERE b.reference = c.processor_reference) AS test_case
		FROM (
			SELECT b.amount FROM sandbox_processor_book b WHERE b.processor = c.processor_name
				AND b.reference = c.processor_reference AND b.approved AND (b.captured OR b.kind = 'debit')
			UNION ALL
			SELECT CASE WHEN f.kind IN ('capture', 'refund_failed') THEN f.amount ELSE -f.amount END
				FROM sandbox_processor_book f
				JOIN sandbox_processor_book b ON b.processor = f.processor AND b.reference = f.original
			WHERE f.processor = c.processor_name AND f.original = c.processor_reference AND f.approved
				AND (f.kind IN ('capture', 'refund', 'refund_failed') OR f.kind = 'void' AND b.kind = 'debit')
			UNION ALL
			SELECT -b.amount FROM sandbox_processor_feed e JOIN sandbox_processor_book b ON b.reference = e.reference
			WHERE e.reference = c.processor_reference AND e.kind = 'debit_returned'
			UNION ALL
			SELECT -d.amount FROM disputes d WHERE d.application_id = c.application_id AND d.charge_id = c.id
				AND d.status IN ('lost', 'accepted')
		) m) theirs
WHERE c.application_id = @app AND ours.net <> theirs.net AND NOT EXISTS (
	SELECT FROM processor_operations o WHERE o.charge_id = c.id AND o.kind = 'reverse' AND (o.state = 'declined'
		-- the reversal failed after it was approved: an operator must return the money
		OR EXISTS (SELECT FROM sandbox_processor_book b
			WHERE b.processor = o.processor AND b.reference = o.reference AND b.kind = 'refund_failed')))

-- charges that are approved on one side only
SELECT c.id || ' ' || c.status AS wrong FROM charges c
WHERE c.application_id = @app AND (c.status NOT IN ('failed', 'processing')) AND NOT EXISTS (
	SELECT FROM sandbox_processor_book b
	WHERE b.processor = c.processor_name AND b.reference = c.processor_reference AND b.approved AND b.amount = c.amount)
