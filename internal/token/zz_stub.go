package token

import (
	"context"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/pg"
)

type Kind string

const (
	CardKind Kind = "card"
	WalletA  Kind = "wallet_a"
	WalletB  Kind = "wallet_b"
	BankUS   Kind = "bank_us"
	BankCA   Kind = "bank_ca"

	PendingVerification Status = "pending_verification"
	Keyed                      = "keyed"
	Swiped                     = "swiped"
	PayoutAccount              = "payout_account"
)

func DisableTx(ctx context.Context, tx *pg.Tx, m instant.Moment, applicationID int64, id ids.Token, reason string) error {
	return nil
}
