package payout

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
)

// unconfirmed is an unverified bank account.
type unconfirmed struct {
	ApplicationID int64           `db:"application_id"`
	MerchantID    int64           `db:"merchant_id"`
	ID            ids.BankAccount `db:"id"`
	Token         ids.Token       `db:"token_id"`
}

// confirmBatch is the most bank accounts that one run checks.
const confirmBatch = 100

// ConfirmBankAccounts verifies a batch of the unverified bank accounts that the processors of their merchants' payouts
// have on file: such a processor knows the owner, and pays out to no other bank account. It returns how many it
// verified. If a processor can't be reached, a later run checks again.
func (s *Service) ConfirmBankAccounts(ctx context.Context) (n int, err error) {
	waiting, err := pg.All[unconfirmed](ctx, s.deps.Pool, `
		SELECT b.application_id, b.merchant_id, b.id, b.token_id FROM merchant_bank_accounts b
		WHERE b.status = 'unverified' AND EXISTS (SELECT FROM processor_accounts a
			WHERE a.application_id = b.application_id AND (a.merchant_id = b.merchant_id OR a.merchant_id IS NULL)
				AND a.processor = ANY (@processors) AND @method = ANY (a.methods))
		ORDER BY random() LIMIT @batch`, // random, so that every account is checked eventually
		pg.Args{"batch": confirmBatch, "processors": s.deps.Processors.WithBankAccounts(),
			"method": processor.MethodPayout})
	errs := []error{err}
	for _, b := range waiting {
		confirmed, err := s.confirm(ctx, b)
		if err != nil && !fault.HasCode(err, "resource_missing") { // replaced in the meantime
			errs = append(errs, err)
		}
		if confirmed {
			n++
		}
	}
	return n, errors.Join(errs...)
}

// confirm verifies a bank account if the processor has it on file.
func (s *Service) confirm(ctx context.Context, b unconfirmed) (bool, error) {
	owner, err := s.deps.Merchants.Find(ctx, b.ApplicationID, b.MerchantID)
	if err != nil {
		return false, err
	}
	at, routed := owner.Routes.Choose(s.deps.Processors,
		accounts.Want{ApplicationID: b.ApplicationID, MerchantID: b.MerchantID,
			Method: processor.MethodPayout, Currency: owner.Currency}, nil)
	if !routed || !slices.Contains(s.deps.Processors.WithBankAccounts(), at.Adapter) {
		return false, nil
	}
	bank, err := s.deps.Tokens.OpenPayoutAccount(ctx, b.ApplicationID, b.MerchantID, b.Token)
	if err != nil {
		return false, err
	}
	has, err := s.deps.Processors.HasBankAccount(ctx, at, bank, owner.Currency)
	if err != nil {
		slog.WarnContext(ctx, "a bank account could not be confirmed", "bank_account", b.ID.String(), "error",
			err.Error())
	}
	if err != nil || !has {
		return false, nil
	}
	return s.confirmed(ctx, b)
}

// confirmed marks a bank account as verified, unless it already is or has been replaced.
func (s *Service) confirmed(ctx context.Context, b unconfirmed) (done bool, _ error) {
	m, err := s.deps.Clock.Moment(ctx, b.ApplicationID)
	if err != nil {
		return false, err
	}
	return done, pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		done = false
		owner, err := s.deps.Merchants.LockTx(ctx, tx, b.ApplicationID, b.MerchantID)
		if err != nil {
			return err
		}
		before, err := currentBank(ctx, tx, owner)
		switch {
		case errors.Is(err, pg.ErrNone):
			return nil
		case err != nil:
			return err
		case before.ID != b.ID || before.Status != Unverified:
			return nil
		}
		after := before
		after.Status, after.VerifiedAt, after.UpdatedAt = Verified, instant.Ptr(m.At), instant.Of(m.At)
		verifyBankTx(tx, after)
		done = true
		return s.doneTx(tx, authz.Actor{ApplicationID: b.ApplicationID}, &before, after)
	})
}
