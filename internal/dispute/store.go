package dispute

import (
	"context"
	"errors"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
)

// columns lists what a Dispute is read from.
const columns = `id, version, application_id, merchant_id, charge_id, kind, status, amount, currency, reason,
	respond_by, evidence, evidence_files, evidence_submitted_at, fees, fee_total,
	jsonb_build_object('name', processor_name, 'dispute', processor_dispute) AS processor, escalated_at, closed_at,
	created_at, updated_at`

// row is a dispute with what is no one else's business.
type row struct {
	Dispute
	// BeganAs is nil while only the outcome was heard of.
	BeganAs *Kind `db:"began_as"`
	// Disputed is what this dispute contests of the charge: all of it until it is won.
	Disputed money.Amount `db:"disputed"`
	// OperationID is the answer that is on its way; zero for none.
	OperationID ids.Operation `db:"operation_id"`
	// RemindedAt is when people were told that it is due soon; nil until they need be.
	RemindedAt *instant.Time `db:"reminded_at"`
}

const selectRow = `SELECT ` + columns + `, began_as, disputed, operation_id, reminded_at FROM disputes`

// lockTx locks one dispute; fault.Missing when there is none of that application.
func (s *Service) lockTx(ctx context.Context, tx *pg.Tx, applicationID int64, id ids.Dispute) (row, error) {
	r, err := pg.Find[row](ctx, tx, selectRow+` WHERE application_id = @application_id AND id = @id FOR UPDATE`,
		pg.Args{"application_id": applicationID, "id": id})
	r.Dispute = s.derive(r.Dispute)
	return r, err
}

// lockAllTx locks disputes in the order of their ids, whatever order they were named in.
func (s *Service) lockAllTx(ctx context.Context, tx *pg.Tx, applications []int64,
	disputes []ids.Dispute) (map[ids.Dispute]row, error) {
	rows, err := pg.All[row](ctx, tx, selectRow+`
		WHERE (application_id, id) IN (SELECT * FROM unnest(@applications::bigint[], @disputes::uuid[]))
		ORDER BY id FOR UPDATE`, pg.Args{"applications": applications, "disputes": disputes})
	out := make(map[ids.Dispute]row, len(rows))
	for _, r := range rows {
		r.Dispute = s.derive(r.Dispute)
		out[r.ID] = r
	}
	return out, err
}

// lockNoticedTx locks the dispute that a processor calls by some name, of one charge's application;
// false when it is not known.
func (s *Service) lockNoticedTx(ctx context.Context, tx *pg.Tx, applicationID int64, ref ProcessorRef) (row,
	bool, error) {
	r, err := pg.One[row](ctx, tx, selectRow+`
		WHERE application_id = @application_id AND processor_name = @processor
			AND processor_dispute = @dispute FOR UPDATE`,
		pg.Args{"application_id": applicationID, "processor": ref.Name, "dispute": ref.Dispute})
	if errors.Is(err, pg.ErrNone) {
		return row{}, false, nil
	}
	r.Dispute = s.derive(r.Dispute)
	return r, err == nil, err
}

func insertTx(tx *pg.Tx, r row) {
	tx.Later(`
		INSERT INTO disputes (id, application_id, merchant_id, charge_id, version, kind, status, began_as,
			amount, disputed,
			currency, reason, respond_by, reminded_at, processor_name, processor_dispute, fees, fee_total,
				created_at, updated_at)
		VALUES (@id, @application_id, @merchant_id, @charge_id, @version, @kind, @status, @began_as, @amount, @disputed,
			@currency, @reason, @respond_by, @reminded_at, @processor, @dispute, @fees, @fee_total, @created_at,
				@updated_at)`,
		pg.Args{"id": r.ID, "application_id": r.ApplicationID, "merchant_id": r.MerchantID, "charge_id": r.ChargeID,
			"version": r.Version, "kind": r.Kind, "status": r.Status, "began_as": r.BeganAs, "amount": r.Amount,
			"disputed": r.Disputed, "currency": r.Currency, "reason": r.Reason, "respond_by": r.RespondBy,
			"reminded_at": r.RemindedAt,
			"processor":   r.Processor.Name, "dispute": r.Processor.Dispute, "fees": r.Fees, "fee_total": r.FeeTotal,
			"created_at": r.CreatedAt, "updated_at": r.UpdatedAt})
}

func updateTx(tx *pg.Tx, r row) {
	tx.Later(`
		UPDATE disputes SET version = @version, kind = @kind, status = @status, began_as = @began_as, amount = @amount,
			disputed = @disputed, reason = @reason, respond_by = @respond_by, reminded_at = @reminded_at,
				evidence = @evidence,
			evidence_files = @evidence_files, evidence_submitted_at = @evidence_submitted_at,
				operation_id = @operation_id,
			fees = @fees, fee_total = @fee_total, escalated_at = @escalated_at, closed_at = @closed_at,
				updated_at = @updated_at
		WHERE application_id = @application_id AND id = @id`,
		pg.Args{"version": r.Version, "kind": r.Kind, "status": r.Status, "began_as": r.BeganAs, "amount": r.Amount,
			"disputed": r.Disputed, "reason": r.Reason, "respond_by": r.RespondBy, "reminded_at": r.RemindedAt,
			"evidence": r.Evidence, "evidence_files": r.EvidenceFiles, "evidence_submitted_at": r.EvidenceSubmittedAt,
			"operation_id": r.OperationID,
			"fees":         r.Fees, "fee_total": r.FeeTotal, "escalated_at": r.EscalatedAt, "closed_at": r.ClosedAt,
			"updated_at": r.UpdatedAt, "application_id": r.ApplicationID, "id": r.ID})
}
