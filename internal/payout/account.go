package payout

import (
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
	"svcpay/internal/token"
)

// AccountInput is a merchant's bank account as someone types it. Routing is that of the merchant's country: a routing
// number, or a transit and an institution number, one after the other.
type AccountInput struct {
	MerchantID          int64
	FirstName, LastName string // of the holder
	Routing, Number     string
	AccountType         string // checking or savings
}

// schemes are how banks of a country are reached.
var schemes = map[string]processor.Scheme{"US": processor.ACH, "CA": processor.ACSS}

// PutAccount adds a merchant's bank account for someone who saw none, or puts it in the place of the one whose id they
// saw. Faults as of [Service.AddBankAccount] and [Service.ReplaceBankAccount]; bank_account_changed if another one is
// there by now.
func (s *Service) PutAccount(ctx context.Context, actor authz.Actor, in AccountInput,
	seen string) (BankAccount, error) {
	owner, err := s.deps.Merchants.Find(ctx, actor.ApplicationID, in.MerchantID)
	if err == nil && !actor.Sees(in.MerchantID) {
		err = fault.Missing()
	}
	if err != nil {
		return BankAccount{}, err
	}
	return s.putBank(ctx, actor,
		BankInput{MerchantID: in.MerchantID,
			Account: token.BankInput{Scheme: schemes[owner.Country], Routing: in.Routing,
				Number: sensitive.NewAccountNumber(in.Number), AccountType: in.AccountType,
				Billing: token.Billing{FirstName: in.FirstName, LastName: in.LastName}}}, seen != "", seen)
}
