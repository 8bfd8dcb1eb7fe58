package upload

import (
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/ratelimit"
)

// Quota is how many bytes an application may upload on a day: some 400 scans of half a megabyte, or forty of the
// largest files. While unattached files are kept for [life], they take at most 1.6 GiB of an application.
const Quota = 200 << 20

var quota = ratelimit.Quota{Kind: "files", Most: Quota}

// Create keeps a file. Faults: those of [CreateInput.Validate], request_too_large,
// content_type_unsupported when the content is not what it should be, rate_limited beyond the application's quota of
// the day, those of the key. claim may be nil.
func (s *Service) Create(ctx context.Context, actor authz.Actor, in CreateInput,
	claim *idempotency.Claim) (out idempotency.Result[File], err error) {
	if err := s.audit.Allow(ctx, actor, authz.FileCreate, audit.Of("file", "", 0)); err != nil {
		return out, err
	}
	if err := in.Validate().Err(); err != nil {
		return out, err
	}
	contentType, err := in.check()
	if err != nil {
		return out, err
	}
	m, err := s.deps.Clock.Moment(ctx, actor.ApplicationID)
	if err != nil {
		return out, err
	}
	f := s.draft(ids.NewFile(m.Machine), actor.ApplicationID, in, contentType, m.At)
	return idempotency.Once(ctx, s.deps.Pool, claim, m.Machine, f.ID.Bytes(), func(tx *pg.Tx) (File, error) {
		room, err := quota.TakeTx(ctx, tx, f.ApplicationID, int64(f.Size), m.Machine)
		if err != nil {
			return f, err
		}
		if !room {
			return f, fault.New(fault.KindLimited, "rate_limited",
				"This application has uploaded as much as it may on one day (200 MiB). Try again tomorrow (UTC).").
				After(ratelimit.UntilNextDay(m.Machine))
		}
		insertTx(tx, f, actor.OrganizationID, in.Content)
		noted := f
		noted.Name = "" // it often names the payer, and nothing is ever taken out of the audit log
		return f, s.audit.DoneTx(tx, actor, authz.FileCreate, audit.Of("file", f.ID.String(), 0), nil, noted)
	})
}

func insertTx(tx *pg.Tx, f File, organizationID int64, content []byte) {
	tx.Later(`
		INSERT INTO files (id, application_id, organization_id, name, content_type, size, sha256, content, created_at)
		VALUES (@id, @application_id, nullif(@organization_id::bigint, 0), @name, @content_type, @size, @sha256,
			@content, @now)`,
		pg.Args{"id": f.ID, "application_id": f.ApplicationID, "organization_id": organizationID, "name": f.Name,
			"content_type": f.ContentType, "size": f.Size, "sha256": f.SHA256, "content": content, "now": f.CreatedAt})
}
