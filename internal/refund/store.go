package refund

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/textindex"
)

// columns lists what a Refund is read from.
const columns = `id, version, application_id, merchant_id, charge_id, amount, currency, status, pending_reason,
	reason, note, external_id, metadata, initiated_by, failure,
	jsonb_build_object('name', processor_name, 'reference', processor_reference) AS processor, created_at,
	succeeded_at, failed_at, canceled_at, updated_at, request_id`

// insertRefunds writes refunds without an external_id, insertNamed those of any whose external_id is not taken.
const insertRefunds = `
	INSERT INTO refunds (id, application_id, merchant_id, charge_id, status, pending_reason, amount, currency,
		reason, note,
		external_id, metadata, initiated_by, processor_name, processor_reference, request_id, words, words_version,
		created_at, updated_at)
	SELECT r.*, r.now
	FROM unnest(@rows::new_found_refund[]) AS r`

const insertNamed = insertRefunds + `
	ON CONFLICT (application_id, external_id) DO NOTHING
	RETURNING id`

// insertTx writes the refunds of those that go on; one whose external_id is taken is refused. Where none has one, no
// one waits for an answer.
func insertTx(ctx context.Context, tx *pg.Tx, out []claimed) error {
	var rows []pg.Args
	named := false
	for _, o := range out {
		if o.Proceeds() {
			rows = append(rows, insertArgs(o.Object))
			named = named || o.Object.ExternalID != nil
		}
	}
	switch {
	case len(rows) == 0:
		return nil
	case !named:
		tx.Later(insertRefunds, pg.Rows(rows))
		return nil
	}
	written, err := pg.All[writtenRow](ctx, tx, insertNamed, pg.Rows(rows))
	if err != nil {
		return err
	}
	for i, o := range out {
		if o.Proceeds() && !slices.Contains(written, writtenRow{o.Object.ID}) {
			if out[i].Refused = freeTx(ctx, tx, o.Object.ApplicationID, o.Object.ExternalID); out[i].Refused == nil {
				return fmt.Errorf("refund: %v was not written", o.Object.ID)
			}
		}
	}
	return nil
}

// writtenRow is a refund that was inserted.
type writtenRow struct {
	ID ids.Refund `db:"id"`
}

func insertArgs(r Refund) pg.Args {
	return pg.Args{"id": r.ID, "application_id": r.ApplicationID, "merchant_id": r.MerchantID, "charge_id": r.ChargeID,
		"status": r.Status, "pending_reason": r.PendingReason, "amount": r.Amount, "currency": r.Currency,
		"reason": r.Reason, "note": r.Note, "external_id": r.ExternalID, "metadata": r.Metadata,
		"initiated_by": r.InitiatedBy, "processor": r.Processor.Name, "reference": r.Processor.Reference,
		"request_id": r.RequestID, "words": textindex.Vector(deref(r.Note), deref(r.ExternalID)),
		"words_version": textindex.Version,
		"now":           r.CreatedAt}
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
	tx.Row(r.ID, `
		UPDATE refunds r SET version = u.version, status = u.status, pending_reason = u.pending_reason,
			failure = u.failure, succeeded_at = u.succeeded_at, failed_at = u.failed_at, canceled_at = u.canceled_at,
				updated_at = u.updated_at
		FROM unnest(@rows::refund_change[]) AS u
		WHERE r.application_id = u.application_id AND r.id = u.id`,
		pg.Args{"version": r.Version, "status": r.Status, "pending_reason": r.PendingReason, "failure": r.Failure,
			"succeeded_at": r.SucceededAt, "failed_at": r.FailedAt, "canceled_at": r.CanceledAt,
			"updated_at": r.UpdatedAt, "application_id": r.ApplicationID, "id": r.ID})
}

// lockTx locks a refund of a charge that the transaction holds.
func (s *Service) lockTx(ctx context.Context, tx *pg.Tx, applicationID int64, id ids.Refund) (Refund, error) {
	r, err := pg.One[Refund](ctx, tx, `
		SELECT `+columns+` FROM refunds WHERE application_id = @application_id AND id = @id FOR UPDATE`,
		pg.Args{"application_id": applicationID, "id": id})
	return s.derive(r), err
}

// findByReference returns the refund with our reference at a processor.
func (s *Service) findByReference(ctx context.Context, adapter, reference string) (Refund, error) {
	r, err := pg.Find[Refund](ctx, s.deps.Pool, `
		SELECT `+columns+` FROM refunds WHERE processor_name = @processor AND processor_reference = @reference`,
		pg.Args{"processor": adapter, "reference": reference})
	return s.derive(r), err
}

// askLock has a batch lock the refunds of outcomes, in the order of their ids. The transaction locks their charges
// first.
func askLock(b *pg.Batch, ins []finishIn) *pg.Answer[Refund] {
	applications, refunds := make([]int64, len(ins)), make([]ids.Refund, len(ins))
	for i, in := range ins {
		applications[i], refunds[i] = in.ApplicationID, ids.RefundFrom(in.SubjectID)
	}
	return pg.Ask[Refund](b, `
		SELECT `+columns+` FROM refunds
		WHERE (application_id, id) IN (SELECT * FROM unnest(@applications::bigint[], @refunds::uuid[]))
		ORDER BY id FOR UPDATE`,
		pg.Args{"applications": applications, "refunds": refunds})
}

func (s *Service) byID(rows []Refund) map[ids.Refund]Refund {
	out := make(map[ids.Refund]Refund, len(rows))
	for _, r := range rows {
		out[r.ID] = s.derive(r)
	}
	return out
}

// waitingOfTx locks the refunds of a charge that have not been sent, in the order of their ids.
func (s *Service) waitingOfTx(ctx context.Context, tx *pg.Tx, applicationID int64,
	chargeID ids.Charge) ([]Refund, error) {
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
