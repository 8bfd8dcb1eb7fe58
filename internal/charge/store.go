package charge

import (
	"context"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/merchant"
	"svcpay/internal/operation"
	"svcpay/internal/pg"
)

// columns lists what a Charge is read from, but for the payout that it was part of.
const columns = `id, version, application_id, merchant_id, amount, amount_authorized, amount_captured,
	amount_refunded, amount_refund_pending, amount_disputed, amount_contested, currency, funding_currency, type, origin, recurring,
	stored_credential, capture, status, payment_method, billing, token_id, fees, fee_total, failure, return_code,
	void_reason, authorization_expires_at, available_on, jsonb_build_object('name', processor_name, 'reference', processor_reference) AS processor,
	network_transaction_id, description, external_id, statement_suffix, metadata, created_at, authorized_at,
	captured_at, settled_at, voided_at, expired_at, failed_at, returned_at, updated_at, next_step_at`

// shown reads charges as they are shown: with the payout that the money which each brought in was part of.
const shown = `SELECT ` + columns + `, (
		SELECT p.payout_id FROM ledger_entries l
		JOIN payout_entries p ON p.application_id = l.application_id AND p.entry_id = l.id AND p.active
		WHERE l.application_id = charges.application_id AND l.charge_id = charges.id
			AND l.kind IN ('capture', 'debit') AND 'merchant_available' IN (l.debit, l.credit) LIMIT 1) AS payout_id
	FROM charges`

// insertCharge leaves out a charge whose external_id is taken.
const insertCharge = `
	INSERT INTO charges (id, application_id, merchant_id, token_id, status, amount, currency, funding_currency,
		type, origin, recurring, stored_credential, capture, payment_method, billing, description,
		external_id, statement_suffix, metadata, processor_name, processor_reference, request_id, created_at, updated_at)
	VALUES (@id, @application_id, @merchant_id, @token, @status, @amount, @currency, @funding_currency,
		@type, @origin, @recurring, @stored, @capture, @method, @billing, @description,
		@external_id, @suffix, @metadata, @processor, @reference, @request_id, @now, @now)
	ON CONFLICT (application_id, external_id) DO NOTHING`

func insertArgs(in claimIn, c Charge) pg.Args {
	return pg.Args{"id": c.ID, "application_id": c.ApplicationID, "merchant_id": c.MerchantID, "token": c.Token,
		"status": c.Status, "amount": c.Amount, "currency": c.Currency, "funding_currency": c.FundingCurrency,
		"type": c.Type, "origin": c.Origin, "recurring": c.Recurring, "stored": c.StoredCredential,
		"capture": c.Capture, "method": c.PaymentMethod, "billing": c.Billing,
		"description": c.Description, "external_id": c.ExternalID, "suffix": c.StatementSuffix,
		"metadata": c.Metadata, "processor": c.Processor.Name, "reference": c.Processor.Reference,
		"request_id": in.requestID, "now": c.CreatedAt}
}

// externalIDTaken is the refusal of an external_id that another charge has; pg.ErrNone if none has it.
func externalIDTaken(ctx context.Context, q pg.Querier, applicationID int64, externalID *string) (refused, err error) {
	id, err := pg.Value[ids.Charge](ctx, q, `
		SELECT id FROM charges WHERE application_id = @application_id AND external_id = @external_id`,
		pg.Args{"application_id": applicationID, "external_id": externalID})
	if err != nil {
		return nil, err
	}
	return fault.New(fault.KindConflict, "external_id_taken", "Another charge has this external_id.").
		On("external_id").With("charge_id", id.String()), nil
}

func updateTx(tx *pg.Tx, c Charge) {
	tx.Later(`
		UPDATE charges SET version = @version, status = @status, amount_authorized = @authorized,
			amount_captured = @captured, amount_refunded = @refunded, amount_refund_pending = @refund_pending,
			amount_disputed = @disputed, amount_contested = @contested, payment_method = @method, fees = @fees, fee_total = @fee_total,
			failure = @failure, return_code = @return_code, void_reason = @void_reason, network_transaction_id = @network_id,
			authorized_at = @authorized_at, captured_at = @captured_at, settled_at = @settled_at, voided_at = @voided_at,
			expired_at = @expired_at, failed_at = @failed_at, returned_at = @returned_at, next_step_at = @next_step_at,
			authorization_expires_at = @authorization_expires_at, available_on = @available_on, updated_at = @updated_at
		WHERE application_id = @application_id AND id = @id`,
		pg.Args{"version": c.Version, "status": c.Status, "authorized": c.AmountAuthorized,
			"captured": c.AmountCaptured, "refunded": c.AmountRefunded, "refund_pending": c.AmountRefundPending,
			"disputed": c.AmountDisputed, "contested": c.AmountContested, "method": c.PaymentMethod, "fees": c.Fees, "fee_total": c.FeeTotal,
			"failure": c.Failure, "return_code": c.ReturnCode, "void_reason": c.VoidReason, "network_id": c.NetworkTransactionID,
			"authorized_at": c.AuthorizedAt, "captured_at": c.CapturedAt, "settled_at": c.SettledAt, "voided_at": c.VoidedAt,
			"expired_at": c.ExpiredAt, "failed_at": c.FailedAt, "returned_at": c.ReturnedAt, "next_step_at": c.NextStepAt,
			"authorization_expires_at": c.AuthorizationExpiresAt, "available_on": c.AvailableOn, "updated_at": c.UpdatedAt,
			"application_id": c.ApplicationID, "id": c.ID})
}

// Locked is a charge whose row the caller's transaction holds, with what its merchant goes by.
type Locked struct {
	Charge
	Country        string          `db:"country"`
	TimeZone       string          `db:"time_zone"`
	MerchantStatus merchant.Status `db:"merchant_status"`
}

const selectLocked = `
	SELECT ` + columns + `, NULL::uuid AS payout_id,
		(SELECT country FROM merchants m WHERE m.application_id = charges.application_id AND m.id = merchant_id),
		(SELECT time_zone FROM merchants m WHERE m.application_id = charges.application_id AND m.id = merchant_id),
		(SELECT status FROM merchants m WHERE m.application_id = charges.application_id AND m.id = merchant_id) AS merchant_status
	FROM charges`

// lockTx locks charges in the order of their ids, whatever order they were named in.
func lockTx(ctx context.Context, tx *pg.Tx, ins []operation.Outcome) (map[ids.Charge]Locked, error) {
	applications, charges := make([]int64, len(ins)), make([]ids.Charge, len(ins))
	for i, in := range ins {
		applications[i], charges[i] = in.ApplicationID, in.ChargeID
	}
	rows, err := pg.All[Locked](ctx, tx, selectLocked+`
		WHERE (application_id, id) IN (SELECT * FROM unnest(@applications::bigint[], @charges::uuid[]))
		ORDER BY id FOR UPDATE`,
		pg.Args{"applications": applications, "charges": charges})
	out := make(map[ids.Charge]Locked, len(rows))
	for _, r := range rows {
		out[r.ID] = r
	}
	return out, err
}
