package webhook

// These statements keep the plans that they get when they are first used, which is when next to nothing is due. So they
// leave no plan but the one that is good when much is: what is due to an endpoint comes along its index, as far as a
// limit; what is leased is found where the lease stands, and by no index, of which a plan for an empty table would read
// all. That is what IS TRUE and the order of endpoints are for.

// dueStatement finds endpoints to which something is due that no one has leased.
const dueStatement = `
	SELECT application_id, id, failing_since IS NOT NULL AS failing FROM webhook_endpoints e
	CROSS JOIN LATERAL (
		SELECT FROM webhook_due
		WHERE endpoint_id = e.id AND next_attempt_at <= @now AND (leased_until IS NULL OR leased_until <= @now)
		ORDER BY next_attempt_at LIMIT 1) due
	WHERE status = 'enabled' AND deleted_at IS NULL ORDER BY application_id, id`

// leaseStatement leases deliveries, so many to each endpoint.
const leaseStatement = `
	WITH due AS (
		SELECT d.row FROM unnest(@endpoints::uuid[], @slots::int[]) AS free (of_endpoint, slots)
		CROSS JOIN LATERAL (
			SELECT ctid AS row FROM webhook_due
			WHERE endpoint_id = of_endpoint AND next_attempt_at <= @now
				AND (leased_until IS NULL OR leased_until <= @now)
			ORDER BY next_attempt_at, event_sequence LIMIT slots FOR UPDATE SKIP LOCKED) d
	)
	UPDATE webhook_due d SET attempts = d.attempts + 1, leased_until = @until FROM due
	WHERE d.ctid = due.row
	RETURNING d.delivery_id AS id, d.application_id, d.endpoint_id, d.event_id, d.attempts, d.ctid AS row`

// releaseStatement makes leases that were not used as if they had never been.
const releaseStatement = `
	UPDATE webhook_due d SET attempts = d.attempts - 1, leased_until = NULL
	FROM unnest(@rows::returned_lease[]) AS back
	WHERE d.ctid = back.row AND (d.delivery_id = back.id) IS TRUE AND d.attempts = back.number`

// endStatement ends deliveries.
const endStatement = `
	WITH gone AS (
		DELETE FROM webhook_due w
		USING unnest(@rows::ended_delivery[]) AS ended
		WHERE w.ctid = ended.row AND (w.delivery_id = ended.id) IS TRUE AND w.attempts = ended.number
		RETURNING w.application_id, ended.id, ended.status, ended.code, ended.reason
	)
	UPDATE webhook_deliveries d SET status = gone.status, finished_at = @now, last_status_code = nullif(gone.code, 0),
		last_error = nullif(gone.reason, '')
	FROM gone WHERE d.application_id = gone.application_id AND d.id = gone.id`

// againStatement says when deliveries are attempted again.
const againStatement = `
	WITH again AS (
		UPDATE webhook_due w SET next_attempt_at = failed.due, leased_until = NULL
		FROM unnest(@rows::failed_delivery[]) AS failed
		WHERE w.ctid = failed.row AND (w.delivery_id = failed.id) IS TRUE AND w.attempts = failed.number
		RETURNING w.application_id, failed.id, failed.code, failed.reason
	)
	UPDATE webhook_deliveries d SET last_status_code = nullif(again.code, 0), last_error = nullif(again.reason, '')
	FROM again WHERE d.application_id = again.application_id AND d.id = again.id`
