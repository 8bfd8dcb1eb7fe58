package token

import (
	"context"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sensitive"
	"svcpay/internal/vault"
)

// LinkedInput is a bank account that a payer gave before its token is made, with the mandate as it was accepted then.
type LinkedInput struct {
	BankInput
	Text       string // of the mandate
	AcceptedAt instant.Time
	Verified   bool // the bank itself named the account
}

// Mistakes are all that is wrong with a bank account and its mandate, named as the library names its inputs.
func (in BankInput) Mistakes() fault.Fields { return in.validate() }

// CreateLinked keeps a bank account as [Service.CreateBank] does. It runs take, with the token's id, in the same
// transaction, and makes no token if that fails. The same authorization and retryKey again return the same token
// without running it, also from the session that follows one that ended in the meantime.
func (s *Service) CreateLinked(ctx context.Context, session SessionUse, authorization, retryKey string, in LinkedInput,
	take func(context.Context, *pg.Tx, ids.Token) error,
) (Created, error) {
	m, err := s.deps.Merchants.Find(ctx, session.ApplicationID, session.MerchantID)
	if err != nil {
		return Created{}, err
	}
	in.Billing = in.Billing.Tidied()
	var fs fault.Fields
	in.Billing.validate(&fs)
	switch {
	case len(fs) > 0:
		return Created{}, fs.Err()
	case in.Country != "" && in.Country != m.Country:
		return Created{}, errCountry
	}
	entryMode := Keyed
	if in.Verified {
		entryMode = FromBank
	}
	row, err := s.prepareBank(ctx, m, in.BankInput, entryMode)
	if err != nil {
		return Created{}, err
	}
	row.mandate.Text, row.mandate.TextVersion, row.mandate.AcceptedAt = in.Text, in.Mandate.TextVersion, in.AcceptedAt
	claim := browserClaim(session.scope(authorization), retryKey, row, s.deps.Now())
	refusal := session.refuse()
	if refusal == nil {
		refusal = row.refusal
	}
	if refusal != nil {
		return s.madeBefore(ctx, claim, refusal)
	}
	return s.keepBank(ctx, m, row, claim,
		func(ctx context.Context, tx *pg.Tx) error { return take(ctx, tx, row.created.Token) })
}

// NumberOf says whose account number is sealed before its token is made: Token is any id that no other has.
type NumberOf vault.Ref

// SealedNumber is such a number, as the vault keeps one.
type SealedNumber struct{ WrappedKey, Number []byte }

// SealNumber seals the number of an account, under a data key of its own.
func (s *Service) SealNumber(of NumberOf, number sensitive.AccountNumber) (SealedNumber, error) {
	sealed, err := s.deps.Vault.SealAccount(vault.Ref(of), number)
	return SealedNumber{sealed.WrappedKey, sealed.AccountNumber}, err
}

// OpenNumber opens what SealNumber sealed for the same.
func (s *Service) OpenNumber(of NumberOf, sealed SealedNumber) (sensitive.AccountNumber, error) {
	return s.deps.Vault.OpenAccount(vault.Ref(of),
		vault.Sealed{WrappedKey: sealed.WrappedKey, AccountNumber: sealed.Number})
}
