package charge

import (
	"context"
	"errors"
	"maps"
	"reflect"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/check/patch"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/textindex"
)

// UpdateInput is the body of an update: what the application itself wrote on a charge, in any status.
// Members that are not given stay as they are; null clears. Metadata is replaced as a whole.
type UpdateInput struct {
	Description patch.Member[string]            `json:"description"`
	ExternalID  patch.Member[string]            `json:"external_id"`
	Metadata    patch.Member[map[string]string] `json:"metadata"`
	// IfVersion is the version that the charge must still have; nil for any.
	IfVersion *int `json:"-"`
}

// Validate returns every mistake that can be seen without looking anything up.
func (in UpdateInput) Validate() fault.Fields {
	var fs fault.Fields
	check.Text(&fs, "description", in.Description.Value, 0, check.MaxDescription)
	check.ExternalID(&fs, in.ExternalID.Value)
	if m := in.Metadata.Value; m != nil {
		check.Metadata(&fs, *m)
	}
	return fs
}

// on merges the update into a charge.
func (in UpdateInput) on(c Charge) Charge {
	c.Description, c.ExternalID = in.Description.On(c.Description), in.ExternalID.On(c.ExternalID)
	if in.Metadata.Given {
		c.Metadata = map[string]string{}
		if m := in.Metadata.Value; m != nil {
			c.Metadata = maps.Clone(*m)
		}
	}
	return c
}

// Update changes what the application itself wrote on a charge. One that changes nothing makes no
// version and no event.
func (s *Service) Update(ctx context.Context, actor authz.Actor, id string, in UpdateInput,
	claim *idempotency.Claim) (Result, error) {
	if err := s.deps.Check.Check(actor, authz.ChargeUpdate); err != nil {
		return Result{}, err
	}
	if err := in.Validate().Err(); err != nil {
		return Result{}, err
	}
	chargeID, err := ids.ParseCharge(id)
	if err != nil {
		return Result{}, fault.Missing()
	}
	if err := s.Reach(ctx, actor, chargeID); err != nil {
		return Result{}, err
	}
	for {
		m, err := s.deps.Clock.Moment(ctx, actor.ApplicationID)
		if err != nil {
			return Result{}, err
		}
		out, err := idempotency.Once(ctx, s.deps.Pool, claim, m.Machine, chargeID.Bytes(),
			func(tx *pg.Tx) (Charge, error) {
				return s.amendTx(ctx, tx, m, actor, chargeID, in)
			})
		if pg.Violated(err) != "charges_application_id_external_id_key" {
			return out, err
		}
		refused, err := externalIDTaken(ctx, s.deps.Pool, actor.ApplicationID, in.ExternalID.Value)
		switch {
		case err == nil:
			return Result{}, refused
		case !errors.Is(err, pg.ErrNone): // else the other charge has given it up in the meantime
			return Result{}, err
		}
	}
}

// amendTx makes an update of a charge, whose row it locks.
func (s *Service) amendTx(ctx context.Context, tx *pg.Tx, m instant.Moment, actor authz.Actor, id ids.Charge,
	in UpdateInput) (Charge, error) {
	before, err := pg.Find[Charge](ctx, tx, shown+` WHERE application_id = @application_id AND id = @id
		FOR UPDATE OF charges`, pg.Args{"application_id": actor.ApplicationID, "id": id})
	if err != nil {
		return before, err
	}
	before = s.derive(before)
	if err := check.Version(in.IfVersion, before.Version); err != nil {
		return before, err
	}
	after := in.on(before)
	if reflect.DeepEqual(before, after) {
		return before, nil
	}
	after = changed(after, m.At)
	if _, err := tx.Exec(ctx, `
		UPDATE charges SET version = @version, description = @description, metadata = @metadata,
			updated_at = @updated_at, words = @words, words_version = @words_version,
			external_id = CASE WHEN status <> 'failed' THEN @external_id END,
			released_external_id = CASE WHEN status = 'failed' THEN @external_id END
		WHERE application_id = @application_id AND id = @id`,
		pg.Args{"version": after.Version, "description": after.Description, "external_id": after.ExternalID,
			"metadata": after.Metadata,
			"words":    after.words(), "words_version": textindex.Version, "updated_at": after.UpdatedAt,
			"application_id": after.ApplicationID, "id": id}); err != nil {
		return before, err
	}
	told := after
	before.PayoutID, told.PayoutID = nil, nil // events do not have it
	_, err = s.announceTx(tx, m, before, told, "charge.updated", actor.RequestID, outbox.SourceOf(actor))
	return after, err
}
