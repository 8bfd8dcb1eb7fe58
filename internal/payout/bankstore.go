package payout

import (
	"context"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/pg"
	"svcpay/internal/token"
)

// currentBank reads the account that is not replaced; pg.ErrNone without one. But for its tries it changes only under
// its merchant's lock.
func currentBank(ctx context.Context, q pg.Querier, m merchant.Merchant) (BankAccount, error) {
	return pg.One[BankAccount](ctx, q, `
		SELECT b.id, b.application_id, b.merchant_id, b.token_id, b.status, b.bank_name, b.last4, b.currency,
			b.held_until,
			@max - b.tries AS tries_left, b.created_at, b.verified_at, b.updated_at, t.fingerprint
		FROM merchant_bank_accounts b
		JOIN tokens t ON t.application_id = b.application_id AND t.merchant_id = b.merchant_id AND t.id = b.token_id
		WHERE b.application_id = @application_id AND b.merchant_id = @merchant_id AND b.status <> 'replaced'`,
		pg.Args{"application_id": m.ApplicationID, "merchant_id": m.ID, "max": maxTries})
}

func depositsOf(ctx context.Context, q pg.Querier, b BankAccount) ([]int, error) {
	return pg.Value[[]int](ctx, q, `
		SELECT deposits FROM merchant_bank_accounts WHERE application_id = @application_id AND id = @id`,
		pg.Args{"application_id": b.ApplicationID, "id": b.ID})
}

func replaceBankTx(tx *pg.Tx, m merchant.Merchant, now time.Time) {
	tx.Later(`
		UPDATE merchant_bank_accounts SET status = 'replaced', replaced_at = @now, updated_at = @now
		WHERE application_id = @application_id AND merchant_id = @merchant_id AND status <> 'replaced'`,
		pg.Args{"now": now, "application_id": m.ApplicationID, "merchant_id": m.ID})
}

func insertBankTx(tx *pg.Tx, b BankAccount, deposits [2]int) {
	tx.Later(`
		INSERT INTO merchant_bank_accounts (id, application_id, merchant_id, token_id, status, bank_name,
			last4, currency, deposits, held_until, created_at, updated_at)
		VALUES (@id, @application_id, @merchant_id, @token, @status, @bank_name, @last4, @currency,
			@deposits, @held_until, @now, @now)`,
		pg.Args{"id": b.ID, "application_id": b.ApplicationID, "merchant_id": b.MerchantID, "token": b.Token,
			"status":    b.Status,
			"bank_name": b.BankName, "last4": b.Last4, "currency": b.Currency, "deposits": deposits[:],
			"held_until": b.HeldUntil, "now": b.CreatedAt})
}

func verifyBankTx(tx *pg.Tx, b BankAccount) {
	tx.Later(`
		UPDATE merchant_bank_accounts SET status = @status, tries = @tries, verified_at = @verified_at,
			updated_at = @now
		WHERE application_id = @application_id AND id = @id`,
		pg.Args{"status": b.Status, "tries": maxTries - b.TriesLeft, "verified_at": b.VerifiedAt, "now": b.UpdatedAt,
			"application_id": b.ApplicationID, "id": b.ID})
}

// replacedFor is how long the number of an account stays that another took the place of: longer than a payout to it may
// be in progress.
const replacedFor = 30 * 24 * time.Hour

type replacedRow struct {
	ApplicationID int64     `db:"application_id"`
	Token         ids.Token `db:"token_id"`
}

// PurgeAccounts takes the numbers of a batch of accounts out of the vault that were replaced long ago, and says how
// many those were. An account with a payout in progress keeps its own.
func (s *Service) PurgeAccounts(ctx context.Context) (n int64, err error) {
	now := s.deps.Clock.Machine()
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		gone, err := pg.All[replacedRow](ctx, tx, `
			SELECT a.application_id, a.token_id FROM merchant_bank_accounts a
			JOIN tokens t ON t.application_id = a.application_id AND t.merchant_id = a.merchant_id AND t.id = a.token_id
			WHERE a.status = 'replaced' AND a.replaced_at <= @before AND t.status <> 'deleted'
				AND NOT EXISTS (SELECT FROM payouts p WHERE p.application_id = a.application_id
					AND p.merchant_id = a.merchant_id
					AND p.bank_account_id = a.id AND p.status = 'processing')
			ORDER BY a.replaced_at
				LIMIT @batch FOR NO KEY UPDATE OF t
					SKIP LOCKED`, pg.Args{"before": now.Add(-replacedFor), "batch": purgeBatch})
		for _, r := range gone {
			token.EndPayoutAccountTx(tx, now, r.ApplicationID, r.Token)
		}
		n = int64(len(gone))
		return err
	})
	return n, err
}

// purgeBatch bounds one transaction of PurgeAccounts.
const purgeBatch = 100
