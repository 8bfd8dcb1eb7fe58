package demo

import (
	"context"
	"fmt"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/payout"
	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
	"svcpay/internal/token"
)

// PaidNumber is the bank account number at the sandbox's banks for which payouts succeed.
const PaidNumber = "000123456789"

// Routing is the routing number of the demo merchants' bank accounts in a currency.
func Routing(currency money.Currency) string {
	if currency == money.CAD {
		return "11000000"
	}
	return "110000000"
}

func (m Maker) ensureBanks(ctx context.Context, a Application) error {
	for _, id := range a.Merchants.All() {
		if _, err := m.EnsureBank(ctx, a.AppID, id); err != nil {
			return fmt.Errorf("demo: bank account of merchant %d: %w", id, err)
		}
	}
	return nil
}

// EnsureBank returns the verified bank account that a merchant's payouts go to: the one that it has,
// else a new one.
func (m Maker) EnsureBank(ctx context.Context, applicationID, merchantID int64) (payout.BankAccount, error) {
	admin := administrator(applicationID)
	b, err := m.Payouts.BankAccountOf(ctx, admin, merchantID)
	if fault.HasCode(err, "resource_missing") {
		b, err = m.addBank(ctx, admin, merchantID)
	}
	if err != nil || b.Status == payout.Verified {
		return b, err
	}
	return m.Payouts.VerifyBankAccount(ctx, admin,
		payout.VerifyInput{MerchantID: merchantID, Amounts: payout.SandboxDeposits})
}

func (m Maker) addBank(ctx context.Context, admin authz.Actor, merchantID int64) (payout.BankAccount, error) {
	owner, err := m.Merchants.Find(ctx, admin.ApplicationID, merchantID)
	if err != nil {
		return payout.BankAccount{}, err
	}
	in := token.BankInput{Scheme: processor.ACH, Routing: Routing(money.USD),
		Number: sensitive.NewAccountNumber(PaidNumber), AccountType: "checking",
		Billing: token.Billing{FirstName: "Community", LastName: "Trust"}}
	if owner.Country == "CA" {
		in.Scheme, in.Routing = processor.ACSS, Routing(money.CAD)
	}
	return m.Payouts.AddBankAccount(ctx, admin, payout.BankInput{MerchantID: merchantID, Account: in})
}
