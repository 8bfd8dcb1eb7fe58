package charge

import (
	"context"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/operation"
	"svcpay/internal/pg"
)

// columns lists what a Charge is read from.
const columns = `id, version, application_id, merchant_id, amount, amount_authorized, amount_captured,
	amount_refunded, amount_refund_pending, amount_disputed, currency, funding_currency, type, origin, recurring,
	stored_credential, capture, status, payment_method, billing, token_id, fees, fee_total, failure,
	authorization_expires_at, available_on, jsonb_build_object('name', processor_name, 'reference', processor_reference) AS processor,
	network_transaction_id, description, external_id, statement_suffix, metadata, created_at, authorized_at,
	captured_at, failed_at, updated_at`

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

func externalIDTakenTx(ctx context.Context, tx *pg.Tx, c Charge) (refused, err error) {
	id, err := pg.Value[ids.Charge](ctx, tx, `
		SELECT id FROM charges WHERE application_id = @application_id AND external_id = @external_id`,
		pg.Args{"application_id": c.ApplicationID, "external_id": c.ExternalID})
	if err != nil {
		return nil, err
	}
	return fault.New(fault.KindConflict, "external_id_taken", "Another charge has this external_id.").
		On("external_id").With("charge_id", id.String()), nil
}

func updateTx(tx *pg.Tx, c Charge) {
	tx.Later(`
		UPDATE charges SET version = @version, status = @status, amount_authorized = @authorized,
			amount_captured = @captured, payment_method = @method, fees = @fees, fee_total = @fee_total,
			failure = @failure, network_transaction_id = @network_id, authorized_at = @authorized_at,
			captured_at = @captured_at, failed_at = @failed_at,
			authorization_expires_at = @authorization_expires_at, available_on = @available_on, updated_at = @updated_at
		WHERE application_id = @application_id AND id = @id`,
		pg.Args{"version": c.Version, "status": c.Status, "authorized": c.AmountAuthorized,
			"captured": c.AmountCaptured, "method": c.PaymentMethod, "fees": c.Fees, "fee_total": c.FeeTotal,
			"failure": c.Failure, "network_id": c.NetworkTransactionID, "authorized_at": c.AuthorizedAt,
			"captured_at": c.CapturedAt, "failed_at": c.FailedAt,
			"authorization_expires_at": c.AuthorizationExpiresAt, "available_on": c.AvailableOn, "updated_at": c.UpdatedAt,
			"application_id": c.ApplicationID, "id": c.ID})
}

type locked struct {
	Charge
	RequestID ids.Request `db:"request_id"`
	Country   string      `db:"country"`
	TimeZone  string      `db:"time_zone"`
}

// lockTx locks charges in the order of their ids, whatever order they were named in.
func lockTx(ctx context.Context, tx *pg.Tx, ins []operation.Outcome) (map[ids.Charge]locked, error) {
	applications, charges := make([]int64, len(ins)), make([]ids.Charge, len(ins))
	for i, in := range ins {
		applications[i], charges[i] = in.ApplicationID, in.ChargeID
	}
	rows, err := pg.All[locked](ctx, tx, `
		SELECT `+columns+`, request_id,
			(SELECT country FROM merchants m WHERE m.application_id = charges.application_id AND m.id = merchant_id),
			(SELECT time_zone FROM merchants m WHERE m.application_id = charges.application_id AND m.id = merchant_id)
		FROM charges
		WHERE (application_id, id) IN (SELECT * FROM unnest(@applications::bigint[], @charges::uuid[]))
		ORDER BY id FOR UPDATE`,
		pg.Args{"applications": applications, "charges": charges})
	out := make(map[ids.Charge]locked, len(rows))
	for _, r := range rows {
		out[r.ID] = r
	}
	return out, err
}
