package payout

import (
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/pg"
)

// Letters write to people, each with the transaction that it reports. They call no one.
type Letters interface {
	// PayoutFailedTx mails those who may resume a merchant's payouts: one failed or was returned. Payouts are paused
	// unless [Failure.Waits].
	PayoutFailedTx(ctx context.Context, tx *pg.Tx, m merchant.Merchant, p Payout) error
	// BankAccountChangedTx mails those who may change a merchant's bank account that it was changed.
	BankAccountChangedTx(ctx context.Context, tx *pg.Tx, m merchant.Merchant, b BankAccount, by authz.Actor,
		replaced bool) error
}

// WriteLetters says who writes to people about payouts. It is called while the service is wired; without it no one
// does.
func (s *Service) WriteLetters(by Letters) { s.letters = by }

// tellFailedTx has people notified of a payout that failed or came back.
func (s *Service) tellFailedTx(ctx context.Context, tx *pg.Tx, l locked, to Status, f Failure) error {
	if s.letters == nil {
		return nil
	}
	p := l.payout
	p.Status, p.Failure = to, &f
	return s.letters.PayoutFailedTx(ctx, tx, l.owner, p)
}

// tellBankTx has people notified of a merchant's new bank account.
func (s *Service) tellBankTx(ctx context.Context, tx *pg.Tx, m merchant.Merchant, b BankAccount, by authz.Actor,
	replaced bool) error {
	if s.letters == nil {
		return nil
	}
	return s.letters.BankAccountChangedTx(ctx, tx, m, b, by, replaced)
}
