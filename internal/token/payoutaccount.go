package token

import (
	"context"
	"errors"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/vault"
)

// PayoutAccountToKeep is a merchant's own bank account, sealed, as [PayoutAccountToKeep.KeepTx] writes it.
type PayoutAccountToKeep struct {
	Token           ids.Token
	Last4, BankName string
	Fingerprint     []byte // of the account, as [WrongDeposits] counts it
	row             newToken
}

// SealPayoutAccount seals a merchant's own bank account, for payouts to it. Its token is shown to no one and never
// charged; no one has to agree to a mandate. The caller has checked the right.
func (s *Service) SealPayoutAccount(ctx context.Context, applicationID, merchantID int64,
	in BankInput) (PayoutAccountToKeep, error) {
	in.Billing = in.Billing.Tidied()
	var fs fault.Fields
	in.validateAccount(&fs)
	if err := fs.Err(); err != nil {
		return PayoutAccountToKeep{}, err
	}
	owner, err := s.deps.Merchants.Find(ctx, applicationID, merchantID)
	if err != nil {
		return PayoutAccountToKeep{}, err
	}
	row, err := s.prepareBank(ctx, owner, in, PayoutAccount)
	if err != nil {
		return PayoutAccountToKeep{}, err
	}
	return PayoutAccountToKeep{row.created.Token, row.created.BankAccount.Last4, row.created.BankAccount.BankName,
		row.fingerprint, row}, nil
}

// KeepTx puts the account into the vault, in the transaction that says whose it is.
func (a PayoutAccountToKeep) KeepTx(tx *pg.Tx, m instant.Moment) error {
	return queueInsertTx(tx, a.row, m)
}

// EndPayoutAccountTx queues the end of the token of an account that is paid out to no more: the number leaves the
// vault.
func EndPayoutAccountTx(tx *pg.Tx, now time.Time, applicationID int64, id ids.Token) {
	tx.Later(`
		UPDATE tokens SET version = version + 1, status = 'deleted', updated_at = @now
		WHERE application_id = @application_id AND id = @id AND entry_mode = 'payout_account'`,
		pg.Args{"now": now, "application_id": applicationID, "id": id})
	vault.ShredTx(tx, []ids.Token{id})
}

// bankRow is what is kept in clear of a bank account.
type bankRow struct {
	Kind        Kind    `db:"kind"`
	Routing     string  `db:"routing"`
	AccountType string  `db:"account_type"`
	Billing     Billing `db:"billing"`
}

// bank is the account as processors get it, without its number.
func (r bankRow) bank() processor.Bank {
	return processor.Bank{Scheme: r.Kind.scheme(), Routing: r.Routing, Holder: r.Billing.Name(),
		Savings: r.AccountType == "savings"}
}

// OpenPayoutAccount takes a merchant's own bank account out of the vault for a call to the processor.
func (s *Service) OpenPayoutAccount(ctx context.Context, applicationID, merchantID int64,
	id ids.Token) (out processor.Bank, err error) {
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		row, err := pg.One[bankRow](ctx, tx, `
			SELECT kind, routing, account_type, billing FROM tokens
			WHERE application_id = @application_id AND merchant_id = @merchant_id AND id = @id
				AND entry_mode = 'payout_account' AND status = 'active'`,
			pg.Args{"application_id": applicationID, "merchant_id": merchantID, "id": id})
		if err = pg.Or(err, fault.Missing()); err != nil {
			return err
		}
		sealed, err := vault.SealedTx(ctx, tx, []ids.Token{id}, s.deps.Now())
		if err != nil {
			return err
		}
		if _, there := sealed[id]; !there { // the account was replaced after its row was read
			return fault.Missing()
		}
		out = row.bank()
		out.Number, err = s.deps.Vault.OpenAccount(owner{applicationID, merchantID}.ref(id), sealed[id])
		return err
	})
	if errors.Is(err, vault.ErrSealed) {
		s.deps.Vault.ReportUnreadable(ctx, owner{applicationID, merchantID}.ref(id))
	}
	return out, err
}
