package charge

import (
	"context"

	"github.com/jackc/pgx/v5/pgtype"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/textindex"
)

// columns lists what a Charge is read from, but for the payout that it was part of and what the processor calls it.
const columns = `id, version, application_id, merchant_id, amount, amount_authorized, amount_captured,
	amount_refunded, amount_refund_pending, amount_disputed, amount_contested, amount_lost, currency,
	funding_currency, type, origin, recurring, stored_credential, capture, status, payment_method, billing, token_id,
	fees, fee_total, dispute_fee_total, failure, return_code, void_reason, authorization_expires_at, available_on,
	jsonb_build_object('name', processor_name, 'reference', processor_reference) AS processor, processor_account,
	network_transaction_id, description, ` + shownExternalID + ` AS external_id, statement_suffix, metadata,
	created_at, authorized_at,
	captured_at, settled_at, voided_at, expired_at, failed_at, returned_at, updated_at, next_step_at`

// paymentID is what the processor calls the payment.
const paymentID = `(SELECT o.external_id FROM processor_operations o
		WHERE o.processor = processor_name AND o.reference = processor_reference) AS payment_id`

// shownExternalID is what the application named the charge. A charge that failed has released it (see the migration of
// the column): another charge may have the same one then.
const shownExternalID = `coalesce(external_id, released_external_id)`

// shown reads charges as they are shown: with the payout that the money which each brought in was part of.
const shown = `SELECT ` + columns + `, (
		SELECT p.payout_id FROM ledger_entries l
		JOIN payout_entries p ON p.application_id = l.application_id AND p.entry_id = l.id AND p.active
		WHERE l.application_id = charges.application_id AND l.charge_id = charges.id
			AND ` + bringsIn + ` LIMIT 1) AS payout_id, ` + paymentID + `
	FROM charges`

// bringsIn selects the entry, as l, that makes what a charge brought in available: the payout that has it is the
// charge's.
const bringsIn = `l.kind IN ('capture', 'debit') AND 'merchant_available' IN (l.debit, l.credit)`

// insertCharges writes charges without an external_id, insertNamed those of any whose external_id is not taken.
const insertCharges = `
	INSERT INTO charges (id, application_id, merchant_id, token_id, status, amount, currency, funding_currency,
		type, origin, recurring, stored_credential, capture, payment_method, billing, description,
		external_id, statement_suffix, metadata, processor_name, processor_reference, processor_account, request_id,
			words, words_version, created_at, updated_at)
	SELECT c.*, c.now
	FROM unnest(@rows::new_routed_charge[]) AS c`

const insertNamed = insertCharges + `
	ON CONFLICT (external_id, application_id) WHERE external_id IS NOT NULL DO NOTHING
	RETURNING id`

func insertArgs(r request, c Charge) pg.Args {
	return pg.Args{"id": c.ID, "application_id": c.ApplicationID, "merchant_id": c.MerchantID, "token": c.Token,
		"status": c.Status, "amount": c.Amount, "currency": c.Currency, "funding_currency": c.FundingCurrency,
		"type": c.Type, "origin": c.Origin, "recurring": c.Recurring, "stored": c.StoredCredential,
		"capture": c.Capture, "method": c.PaymentMethod, "billing": c.Billing,
		"description": c.Description, "external_id": c.ExternalID, "suffix": c.StatementSuffix,
		"metadata": c.Metadata, "processor": c.Processor.Name, "reference": c.Processor.Reference,
		"account":    c.ProcessorAccount,
		"request_id": r.id, "words": c.words(), "words_version": textindex.Version, "now": c.CreatedAt}
}

// words are what searches find a charge by.
func (c Charge) words() pgtype.TSVector {
	return textindex.AgedVector(c.ID.Bytes(),
		append(c.Billing.Searched(), or(c.Description, ""), or(c.ExternalID, ""))...)
}

// externalIDTaken is the refusal of an external_id that another charge has that did not fail; pg.ErrNone if none has
// it.
func externalIDTaken(ctx context.Context, q pg.Querier, applicationID int64, externalID *string) (refused, err error) {
	id, err := pg.Value[ids.Charge](ctx, q, `
		SELECT id FROM charges WHERE application_id = @application_id AND external_id = @external_id`,
		pg.Args{"application_id": applicationID, "external_id": externalID})
	if err != nil {
		return nil, err
	}
	return fault.New(fault.KindConflict, "external_id_taken", "Another charge that did not fail has this external_id.").
		On("external_id").With("charge_id", id.String()), nil
}

// updateTx queues the next version of a charge whose row the transaction holds.
func updateTx(tx *pg.Tx, c Charge) {
	tx.Row(c.ID, `
		UPDATE charges c SET version = u.version, status = u.status, amount_authorized = u.authorized,
			amount_captured = u.captured, amount_refunded = u.refunded, amount_refund_pending = u.refund_pending,
			amount_disputed = u.disputed, amount_contested = u.contested, payment_method = u.method, fees = u.fees,
				fee_total = u.fee_total,
			failure = u.failure, return_code = u.return_code, void_reason = u.void_reason,
				network_transaction_id = u.network_id,
			authorized_at = u.authorized_at, captured_at = u.captured_at, settled_at = u.settled_at,
				voided_at = u.voided_at,
			expired_at = u.expired_at, failed_at = u.failed_at, returned_at = u.returned_at,
				next_step_at = u.next_step_at,
			authorization_expires_at = u.authorization_expires_at, available_on = u.available_on,
				updated_at = u.updated_at
		FROM unnest(@rows::charge_update[]) AS u
		WHERE c.application_id = u.application_id AND c.id = u.id`,
		pg.Args{"version": c.Version, "status": c.Status, "authorized": c.AmountAuthorized,
			"captured": c.AmountCaptured, "refunded": c.AmountRefunded, "refund_pending": c.AmountRefundPending,
			"disputed": c.AmountDisputed, "contested": c.AmountContested, "method": c.PaymentMethod, "fees": c.Fees,
			"fee_total": c.FeeTotal, "failure": c.Failure, "return_code": c.ReturnCode, "void_reason": c.VoidReason,
			"network_id":    c.NetworkTransactionID,
			"authorized_at": c.AuthorizedAt, "captured_at": c.CapturedAt, "settled_at": c.SettledAt,
			"voided_at": c.VoidedAt, "expired_at": c.ExpiredAt, "failed_at": c.FailedAt, "returned_at": c.ReturnedAt,
			"next_step_at":             c.NextStepAt,
			"authorization_expires_at": c.AuthorizationExpiresAt, "available_on": c.AvailableOn,
			"updated_at": c.UpdatedAt, "application_id": c.ApplicationID, "id": c.ID})
}

// Locked is a charge whose row the caller's transaction holds, with the settings of its merchant.
type Locked struct {
	Charge
	Country        string          `db:"country"`
	TimeZone       string          `db:"time_zone"`
	MerchantStatus merchant.Status `db:"merchant_status"`
}

const selectLocked = `
	SELECT ` + columns + `, NULL::uuid AS payout_id, NULL::text AS payment_id,
		(SELECT country FROM merchants m WHERE m.application_id = charges.application_id AND m.id = merchant_id),
		(SELECT time_zone FROM merchants m WHERE m.application_id = charges.application_id AND m.id = merchant_id),
		(SELECT status FROM merchants m WHERE m.application_id = charges.application_id
			AND m.id = merchant_id) AS merchant_status
	FROM charges`

// Named names a charge.
type Named struct {
	ApplicationID int64      `db:"application_id"`
	ID            ids.Charge `db:"id"`
}

func columnsOf(named []Named) (applications []int64, charges []ids.Charge) {
	for _, n := range named {
		applications, charges = append(applications, n.ApplicationID), append(charges, n.ID)
	}
	return applications, charges
}

// LockAllTx is LockTx for several charges, in the order of their ids, whatever order they were named in. Those
// that are not there are left out.
func (s *Service) LockAllTx(ctx context.Context, tx *pg.Tx, named []Named) (map[ids.Charge]Locked, error) {
	b := tx.Batch()
	asked, payments := s.AskLock(b, named), askPayments(b, named)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	return payments.named(asked.Charges()), nil
}

// payments are what processors call the payments of charges that a batch has locked.
type payments struct{ answer *pg.Answer[payment] }

type payment struct {
	ID        ids.Charge `db:"id"`
	PaymentID *string    `db:"payment_id"`
}

// askPayments reads them after the locks: the statement that waits for one sees other tables as they were before it
// waited.
func askPayments(b *pg.Batch, named []Named) payments {
	applications, charges := columnsOf(named)
	return payments{pg.Ask[payment](b, `
		SELECT id, `+paymentID+` FROM charges
		WHERE (application_id, id) IN (SELECT * FROM unnest(@applications::bigint[], @charges::uuid[]))`,
		pg.Args{"applications": applications, "charges": charges})}
}

// named puts them on their charges.
func (p payments) named(charges map[ids.Charge]Locked) map[ids.Charge]Locked {
	for _, row := range p.answer.Rows() {
		if l, ok := charges[row.ID]; ok {
			l.PaymentID = row.PaymentID
			charges[row.ID] = l
		}
	}
	return charges
}

// Asked are charges that a batch locks.
type Asked struct {
	service *Service
	answer  *pg.Answer[Locked]
}

// AskLock is [Service.LockAllTx] in a batch.
func (s *Service) AskLock(b *pg.Batch, named []Named) Asked {
	applications, charges := columnsOf(named)
	return Asked{s, pg.Ask[Locked](b, selectLocked+`
		WHERE (application_id, id) IN (SELECT * FROM unnest(@applications::bigint[], @charges::uuid[]))
		ORDER BY id FOR UPDATE`,
		pg.Args{"applications": applications, "charges": charges})}
}

// Charges are the charges that exist.
func (a Asked) Charges() map[ids.Charge]Locked {
	rows := a.answer.Rows()
	out := make(map[ids.Charge]Locked, len(rows))
	for _, l := range rows {
		l.Charge = a.service.derive(l.Charge)
		out[l.ID] = l
	}
	return out
}
