-- gaps in the sequences
SELECT max(sequence) || ' ' || count(*) AS wrong FROM events WHERE application_id = @app AND NOT test
HAVING max(sequence) <> count(*) OR min(sequence) <> 1

-- streams that are not where their events are
SELECT last_sequence::text AS wrong FROM event_streams s
WHERE application_id = @app AND last_sequence <> (SELECT count(*) FROM events e
	WHERE e.application_id = s.application_id AND NOT test)

-- events of one object out of order
SELECT b.object_id || ' ' || b.position AS wrong FROM (
	SELECT object_id, position, sequence, lag(sequence) OVER (PARTITION BY object_id ORDER BY position) AS before
	FROM events WHERE application_id = @app AND NOT test) b
WHERE sequence < before

-- events that were not queued once
SELECT e.id || ' ' || e.type AS wrong FROM events e, webhook_endpoints w WHERE e.application_id = @app
	AND w.application_id = @app
	AND e.created_at > w.created_at AND split_part(e.type, '.', 1) || '.*' = ANY (w.events) AND w.status = 'enabled'
	AND 1 <> (SELECT count(*) FROM webhook_deliveries d WHERE d.application_id = @app AND d.event_id = e.id
		AND d.endpoint_id = w.id)

-- deliveries that did not succeed
SELECT id || ' ' || status AS wrong FROM webhook_deliveries WHERE application_id = @app AND status <> 'succeeded'
