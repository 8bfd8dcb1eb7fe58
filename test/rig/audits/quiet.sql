-- calls without an outcome
SELECT kind || ' ' || reference AS wrong FROM processor_operations WHERE application_id = @app AND state = 'open'

-- keys without an outcome
SELECT path || ' ' || key || ' ' || state AS wrong FROM idempotency_keys WHERE application_id = @app AND state <> 'done'

-- events of the processor that were not handled, but for disputes of charges that brought nothing and failed reversals
SELECT kind || ' ' || body AS wrong FROM inbound_events
WHERE handled_at IS NULL AND NOT (kind LIKE 'dispute\_%' AND EXISTS (
    SELECT FROM processor_operations o JOIN charges c ON c.application_id = o.application_id AND c.id = o.charge_id
    WHERE o.reference = body->>'Reference' AND o.kind IN ('authorize', 'debit') AND c.amount_captured = 0
        AND c.status IN ('failed', 'expired', 'voided')))
    AND NOT (kind = 'refund_failed' AND EXISTS (
        SELECT FROM processor_operations o
        WHERE o.reference = body->>'Reference' AND o.kind = 'reverse' AND o.state = 'approved'))

-- refunds that never end
SELECT r.id || ' ' || c.status AS wrong FROM refunds r JOIN charges c ON c.application_id = r.application_id
    AND c.id = r.charge_id
WHERE r.application_id = @app AND r.status = 'pending' AND NOT (r.pending_reason IS NOT NULL AND c.status = 'pending')
