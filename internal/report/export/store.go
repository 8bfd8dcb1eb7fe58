package export

import (
	"context"
	"errors"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/ratelimit"
)

const recordColumns = `id, version, application_id, resource, format, filters, columns, status, rows, size, sha256,
	error, merchants, chunks, cursor, digest, failures, created_at, started_at, completed_at, expires_at, updated_at`

const selected = `SELECT ` + recordColumns + ` FROM exports
	WHERE application_id = @application_id AND (@seen::bigint[] IS NULL OR merchants <@ @seen)`

// insertTx queues an export unless too many are open; the application's row keeps others from
// counting at the same time.
func insertTx(ctx context.Context, tx *pg.Tx, e Export) error {
	args := pg.Args{"application_id": e.ApplicationID}
	if _, err := tx.Exec(ctx, `SELECT FROM applications WHERE id = @application_id FOR NO KEY UPDATE`,
		args); err != nil {
		return err
	}
	open, err := pg.Value[int](ctx, tx, `
		SELECT count(*)::int FROM exports WHERE application_id = @application_id
			AND status IN ('queued', 'running')`, args)
	if err != nil {
		return err
	}
	if open >= maxOpen {
		return errTooMany
	}
	left, err := quota.Left(ctx, tx, e.ApplicationID, e.CreatedAt.Time)
	if err != nil {
		return err
	}
	if left <= 0 {
		return errQuota.After(ratelimit.UntilNextDay(e.CreatedAt.Time))
	}
	tx.Later(`
		INSERT INTO exports (id, application_id, resource, format, filters, columns, merchants, status,
			created_at, updated_at)
		VALUES (@id, @application_id, @resource, @format, @filters, @columns, @merchants, 'queued', @now, @now)`,
		pg.Args{"id": e.ID, "application_id": e.ApplicationID, "resource": e.Resource, "format": e.Format,
			"filters": e.Filters, "columns": e.Columns, "merchants": e.Merchants, "now": e.CreatedAt})
	return nil
}

// leaseTime is how long a worker that says nothing keeps an export.
const leaseTime = 15 * time.Second

// lease takes the export that has waited longest and that no one is at; false if there is none.
func (s *Service) lease(ctx context.Context, worker ids.Request, now time.Time) (Export, bool, error) {
	e, err := pg.One[Export](ctx, s.deps.Pool, `
		UPDATE exports SET status = 'running', lease = @worker, lease_until = @until, worked_at = @now,
			started_at = coalesce(started_at, @now), version = version + (status = 'queued')::int,
			updated_at = CASE status WHEN 'queued' THEN @now ELSE updated_at END
		WHERE (application_id, id) = (SELECT application_id, id FROM exports
			WHERE status IN ('queued', 'running') AND (lease_until IS NULL OR lease_until <= @now)
			ORDER BY worked_at NULLS FIRST LIMIT 1 FOR UPDATE SKIP LOCKED)
		RETURNING `+recordColumns, pg.Args{"worker": worker, "now": now, "until": now.Add(leaseTime)})
	if errors.Is(err, pg.ErrNone) {
		return Export{}, false, nil
	}
	return e, err == nil, err
}

// errLeaseLost says that another worker is at the export.
var errLeaseLost = errors.New("export: another worker writes this export")

// keep writes a chunk with how far it brings the export, if the worker still has it and no one wrote that
// chunk.
func (s *Service) keep(ctx context.Context, worker ids.Request, e Export, now time.Time, content []byte) error {
	return pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		n, err := tx.Exec(ctx, `
			UPDATE exports SET version = version + 1, status = @status, rows = @rows, size = @size, chunks = @chunks,
				cursor = @cursor, digest = @digest, sha256 = @sha256, failures = 0, completed_at = @completed_at,
					expires_at = @expires_at,
				lease_until = @until, worked_at = @now, updated_at = @now
			WHERE application_id = @application_id AND id = @id AND lease = @worker AND chunks = @chunks - 1
				AND status = 'running'`,
			pg.Args{"status": e.Status, "rows": e.Rows, "size": e.Size, "chunks": e.Chunks, "cursor": e.Cursor,
				"digest": e.Digest, "sha256": e.SHA256, "completed_at": e.CompletedAt, "expires_at": e.ExpiresAt,
				"until": now.Add(leaseTime), "now": now, "application_id": e.ApplicationID, "id": e.ID,
				"worker": worker})
		if err == nil && n == 0 {
			err = errLeaseLost
		}
		quota.AddTx(tx, e.ApplicationID, int64(len(content)), now)
		tx.Later(`INSERT INTO export_chunks (application_id, export_id, number, content)
			VALUES (@application_id, @id, @number, @content)`,
			pg.Args{"application_id": e.ApplicationID, "id": e.ID, "number": e.Chunks, "content": content})
		return err
	})
}

// leave gives an export back for others to go on at a time.
func (s *Service) leave(ctx context.Context, worker ids.Request, e Export, at time.Time) error {
	_, err := pg.Exec(ctx, s.deps.Pool, `
		UPDATE exports SET lease = NULL, lease_until = @at
		WHERE application_id = @application_id AND id = @id AND lease = @worker`,
		pg.Args{"at": at, "application_id": e.ApplicationID, "id": e.ID, "worker": worker})
	return err
}

// maxFailures is how often in a row a batch may fail.
const maxFailures = 10

// stumble notes that a batch failed; one too many fails the export.
func (s *Service) stumble(ctx context.Context, worker ids.Request, e Export, now time.Time) error {
	args := pg.Args{"failures": e.Failures + 1, "now": now, "at": now.Add(time.Duration(e.Failures+1) * time.Second),
		"status": "running",
		"error":  nil, "application_id": e.ApplicationID, "id": e.ID, "worker": worker}
	if e.Failures+1 >= maxFailures {
		args["status"] = "failed"
		args["error"] = &Error{Code: "internal_error",
			Message: "Something went wrong on our side. It has been recorded. Create the export again."}
	}
	_, err := pg.Exec(ctx, s.deps.Pool, `
		UPDATE exports SET version = version + 1, status = @status, error = @error, failures = @failures, lease = NULL,
			lease_until = @at, updated_at = @now
		WHERE application_id = @application_id AND id = @id AND lease = @worker`, args)
	return err
}

// Purge takes back files whose time is over, or that failed, and says how many rows that touched.
func (s *Service) Purge(ctx context.Context) (int64, error) {
	now := instant.Of(s.deps.Now())
	expired, err := pg.Exec(ctx, s.deps.Pool, `
		UPDATE exports SET status = 'expired', version = version + 1, updated_at = @now
			WHERE status = 'done' AND expires_at <= @now`,
		pg.Args{"now": now})
	if err != nil {
		return 0, err
	}
	chunks, err := pg.Exec(ctx, s.deps.Pool, `
		DELETE FROM export_chunks WHERE (application_id, export_id, number) IN (
			SELECT c.application_id, c.export_id, c.number FROM export_chunks c
			JOIN exports e ON e.application_id = c.application_id AND e.id = c.export_id
			WHERE e.status IN ('failed', 'expired') LIMIT 100)`, pg.Args{})
	return expired + chunks, err
}
