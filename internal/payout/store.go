package payout

import (
	"context"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/pg"
)

// columns lists what a Payout is read from.
const columns = `id, version, application_id, merchant_id, status, amount, currency,
	bank_account_id, bank_name, bank_last4,
	statement_descriptor, arrival_on, entry_count, charge_count, refund_count, period_from, period_to, failure,
	jsonb_build_object('name', processor_name, 'reference', processor_reference) AS processor,
	processor_account, created_at, paid_at, failed_at, returned_at, updated_at`

// insertTx queues the row of a payout whose entries have ids above one.
func insertTx(tx *pg.Tx, p Payout, above [16]byte) {
	tx.Later(`
		INSERT INTO payouts (id, application_id, merchant_id, version, status, amount, currency,
			bank_account_id, bank_name,
			bank_last4, statement_descriptor, arrival_on, entry_count, charge_count, refund_count,
				period_from, period_to,
			entries_above, processor_name, processor_reference, processor_account, created_at, updated_at)
		VALUES (@id, @application_id, @merchant_id, @version, @status, @amount, @currency, @bank_account, @bank_name,
			@last4, @descriptor, @arrival_on, @entries, @charges, @refunds, @from, @to,
			@above, @processor, @reference, @account, @now, @now)`,
		pg.Args{"id": p.ID, "application_id": p.ApplicationID, "merchant_id": p.MerchantID, "version": p.Version,
			"status": p.Status, "amount": p.Amount, "currency": p.Currency, "bank_account": p.Destination.ID,
			"bank_name": p.Destination.BankName, "last4": p.Destination.Last4, "descriptor": p.StatementDescriptor,
			"arrival_on": p.ArrivalOn, "entries": p.EntryCount, "charges": p.ChargeCount, "refunds": p.RefundCount,
			"from": p.PeriodFrom, "to": p.PeriodTo, "above": above, "processor": p.Processor.Name,
			"reference": p.Processor.Reference, "account": p.ProcessorAccount, "now": p.CreatedAt})
}

// contentsTx queues what a payout of this transaction turned out to be made of.
func contentsTx(tx *pg.Tx, p Payout) {
	tx.Later(`
		UPDATE payouts SET amount = @amount, entry_count = @entries, charge_count = @charges, refund_count = @refunds,
			period_from = @from, period_to = @to
		WHERE application_id = @application_id AND id = @id`,
		pg.Args{"amount": p.Amount, "entries": p.EntryCount, "charges": p.ChargeCount, "refunds": p.RefundCount,
			"from": p.PeriodFrom, "to": p.PeriodTo, "application_id": p.ApplicationID, "id": p.ID})
}

func updateTx(tx *pg.Tx, p Payout) {
	tx.Later(`
		UPDATE payouts SET version = @version, status = @status, failure = @failure, paid_at = @paid_at,
			failed_at = @failed_at, returned_at = @returned_at, updated_at = @updated_at
		WHERE application_id = @application_id AND id = @id`,
		pg.Args{"version": p.Version, "status": p.Status, "failure": p.Failure, "paid_at": p.PaidAt,
			"failed_at":   p.FailedAt,
			"returned_at": p.ReturnedAt, "updated_at": p.UpdatedAt, "application_id": p.ApplicationID, "id": p.ID})
}

func findByReference(ctx context.Context, q pg.Querier, processor, reference string) (Payout, error) {
	p, err := pg.Find[Payout](ctx, q, `SELECT `+columns+` FROM payouts WHERE processor_name = @processor
		AND processor_reference = @reference`, pg.Args{"processor": processor, "reference": reference})
	return p, err
}

// watchedTx is when a submission to a locked merchant was given up that is still looked for; nil if none is. It is of
// one of the last payouts: none is made while it is looked for.
func watchedTx(ctx context.Context, tx *pg.Tx, owner merchant.Merchant, now time.Time) (*time.Time, error) {
	return pg.Value[*time.Time](ctx, tx, `
		SELECT max(failed_at) FROM (
			SELECT status, failure, failed_at FROM payouts
			WHERE application_id = @application_id AND merchant_id = @merchant_id ORDER BY id DESC LIMIT 10
		) last
		WHERE status = 'failed' AND failure->>'code' = 'not_submitted' AND failed_at > @since`,
		pg.Args{"application_id": owner.ApplicationID, "merchant_id": owner.ID, "since": now.Add(-watchedFor)})
}

// lockTx locks a merchant, then a payout of it.
func (s *Service) lockTx(ctx context.Context, tx *pg.Tx, applicationID, merchantID int64,
	payoutID [16]byte) (locked, error) {
	owner, err := s.deps.Merchants.LockTx(ctx, tx, applicationID, merchantID)
	if err != nil {
		return locked{}, err
	}
	p, err := pg.Find[Payout](ctx, tx, `
		SELECT `+columns+` FROM payouts WHERE application_id = @application_id AND id = @id FOR NO KEY UPDATE`,
		pg.Args{"application_id": applicationID, "id": ids.PayoutFrom(payoutID)})
	return locked{owner, s.derive(p)}, err
}
