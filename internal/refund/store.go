package refund

import (
	"context"
	"errors"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/pg"
)

// columns lists what a Refund is read from.
const columns = `id, version, application_id, merchant_id, charge_id, amount, currency, status, pending_reason, reason, note,
	external_id, metadata, initiated_by, failure,
	jsonb_build_object('name', processor_name, 'reference', processor_reference) AS processor,
	created_at, succeeded_at, failed_at, canceled_at, updated_at, request_id`

// insertTx writes a new refund; one whose external_id is taken is refused.
func insertTx(ctx context.Context, tx *pg.Tx, r Refund) error {
	written, err := tx.Exec(ctx, `
		INSERT INTO refunds (id, application_id, merchant_id, charge_id, status, pending_reason, amount, currency, reason, note,
			external_id, metadata, initiated_by, processor_name, processor_reference, request_id, created_at, updated_at)
		VALUES (@id, @application_id, @merchant_id, @charge_id, @status, @pending_reason, @amount, @currency, @reason, @note,
			@external_id, @metadata, @initiated_by, @processor, @reference, @request_id, @now, @now)
		ON CONFLICT (application_id, external_id) DO NOTHING`,
		pg.Args{"id": r.ID, "application_id": r.ApplicationID, "merchant_id": r.MerchantID, "charge_id": r.ChargeID,
			"status": r.Status, "pending_reason": r.PendingReason, "amount": r.Amount, "currency": r.Currency,
			"reason": r.Reason, "note": r.Note, "external_id": r.ExternalID, "metadata": r.Metadata,
			"initiated_by": r.InitiatedBy, "processor": r.Processor.Name, "reference": r.Processor.Reference,
			"request_id": r.RequestID, "now": r.CreatedAt})
	if err != nil || written == 1 {
		return err
	}
	return freeTx(ctx, tx, r.ApplicationID, r.ExternalID)
}

// freeTx refuses an external_id that a refund of the application has.
func freeTx(ctx context.Context, tx *pg.Tx, applicationID int64, externalID *string) error {
	if externalID == nil {
		return nil
	}
	id, err := pg.Value[ids.Refund](ctx, tx, `
		SELECT id FROM refunds WHERE application_id = @application_id AND external_id = @external_id`,
		pg.Args{"application_id": applicationID, "external_id": externalID})
	if errors.Is(err, pg.ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	return fault.New(fault.KindConflict, "external_id_taken", "Another refund has this external_id.").
		On("external_id").With("refund_id", id.String())
}

func updateTx(tx *pg.Tx, r Refund) {
	tx.Later(`
		UPDATE refunds SET version = @version, status = @status, pending_reason = @pending_reason, failure = @failure,
			succeeded_at = @succeeded_at, failed_at = @failed_at, canceled_at = @canceled_at, updated_at = @updated_at
		WHERE application_id = @application_id AND id = @id`,
		pg.Args{"version": r.Version, "status": r.Status, "pending_reason": r.PendingReason, "failure": r.Failure,
			"succeeded_at": r.SucceededAt, "failed_at": r.FailedAt, "canceled_at": r.CanceledAt, "updated_at": r.UpdatedAt,
			"application_id": r.ApplicationID, "id": r.ID})
}

// lockTx locks a refund of a charge that the transaction holds.
func (s *Service) lockTx(ctx context.Context, tx *pg.Tx, applicationID int64, id ids.Refund) (Refund, error) {
	r, err := pg.One[Refund](ctx, tx, `
		SELECT `+columns+` FROM refunds WHERE application_id = @application_id AND id = @id FOR UPDATE`,
		pg.Args{"application_id": applicationID, "id": id})
	return s.derive(r), err
}

// waitingOfTx locks the refunds of a charge that have not been sent, in the order of their ids.
func (s *Service) waitingOfTx(ctx context.Context, tx *pg.Tx, applicationID int64, chargeID ids.Charge) ([]Refund, error) {
	rows, err := pg.All[Refund](ctx, tx, `
		SELECT `+columns+` FROM refunds
		WHERE application_id = @application_id AND charge_id = @charge_id AND pending_reason IS NOT NULL
		ORDER BY id FOR UPDATE`,
		pg.Args{"application_id": applicationID, "charge_id": chargeID})
	for i := range rows {
		rows[i] = s.derive(rows[i])
	}
	return rows, err
}
