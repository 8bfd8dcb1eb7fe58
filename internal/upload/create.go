package upload

import (
	"context"
	"encoding/json"

	"svcpay/internal/authz"
	"svcpay/internal/idempotency"
	"svcpay/internal/ids"
	"svcpay/internal/pg"
)

// Created is the answer to a creation: the file, or what an earlier request with the same key left.
type Created struct {
	File  File
	Prior *idempotency.Prior
}

// Create keeps a file. Faults: those of [CreateInput.Validate], request_too_large,
// content_type_unsupported when the content is not what it should be, those of the key. claim may be
// nil.
func (s *Service) Create(ctx context.Context, actor authz.Actor, in CreateInput, claim *idempotency.Claim) (Created, error) {
	if err := s.Check.Check(actor, authz.FileCreate); err != nil {
		return Created{}, err
	}
	if err := in.Validate().Err(); err != nil {
		return Created{}, err
	}
	contentType, err := in.check()
	if err != nil {
		return Created{}, err
	}
	m, err := s.Clock.Moment(ctx, actor.ApplicationID)
	if err != nil {
		return Created{}, err
	}
	f := s.draft(ids.NewFile(m.Machine), actor.ApplicationID, in, contentType, m.At)
	out := Created{File: f}
	err = pg.InTx(ctx, s.Pool, func(tx *pg.Tx) error {
		verdicts, err := idempotency.ClaimTx(ctx, tx, m.Machine, []idempotency.Entry{{Claim: claim, ObjectID: f.ID.Bytes()}})
		if err != nil {
			return err
		}
		if v := verdicts[0]; v.Prior != nil || v.Err != nil {
			out = Created{Prior: v.Prior}
			return v.Err
		}
		insertTx(tx, f, in.Content)
		return finishTx(tx, claim, f)
	})
	if err != nil {
		return Created{}, err
	}
	if out.Prior != nil && out.Prior.State != idempotency.Done { // claim and outcome are written together
		return Created{}, idempotency.InUse()
	}
	return out, nil
}

func insertTx(tx *pg.Tx, f File, content []byte) {
	tx.Later(`
		INSERT INTO files (id, application_id, name, content_type, size, sha256, content, created_at)
		VALUES (@id, @application_id, @name, @content_type, @size, @sha256, @content, @now)`,
		pg.Args{"id": f.ID, "application_id": f.ApplicationID, "name": f.Name, "content_type": f.ContentType,
			"size": f.Size, "sha256": f.SHA256, "content": content, "now": f.CreatedAt})
}

func finishTx(tx *pg.Tx, claim *idempotency.Claim, f File) error {
	if claim == nil {
		return nil
	}
	result, err := json.Marshal(f)
	if err != nil {
		return err
	}
	held := idempotency.Held{ApplicationID: claim.ApplicationID, Key: claim.Key, ObjectID: f.ID.Bytes()}
	return idempotency.FinishTx(tx, held, idempotency.Outcome{Result: result})
}
