package accounts

import (
	"slices"

	"svcpay/internal/money"
	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
)

// CredentialsOf are credentials as they are typed; "" is none.
func CredentialsOf(text string) sensitive.Credentials { return sensitive.NewCredentials(text) }

// ServingOf is a choice of methods and currencies by their names, of which each must still be checked.
func ServingOf(methods, currencies []string, priority int) Serving {
	out := Serving{Priority: priority}
	for _, m := range methods {
		out.Methods = append(out.Methods, processor.Method(m))
	}
	for _, c := range currencies {
		out.Currencies = append(out.Currencies, money.Currency(c))
	}
	return out
}

// Suggested are the default methods of a new account: all but payouts, because a payout account also pays out money of
// payments that were made elsewhere. An account that can serve only payouts gets payouts.
func Suggested(served []processor.Method) []processor.Method {
	if len(served) == 1 {
		return served
	}
	return slices.DeleteFunc(slices.Clone(served), func(m processor.Method) bool { return m == processor.MethodPayout })
}

// BusinessType is the legal form of a merchant.
type BusinessType = processor.BusinessType

// BusinessTypes lists every business type.
func BusinessTypes() []BusinessType { return processor.BusinessTypes() }

// BusinessTypeOf is the likely business type of a merchant.
func BusinessTypeOf(nonprofit bool) BusinessType {
	if nonprofit {
		return processor.NonProfit
	}
	return processor.Company
}

// Example is an account that a sandbox lets be connected: the merchant's own, or for nil one of the application's.
// False: there is none, as outside sandboxes.
func (s *Service) Example(applicationID int64, merchantID *int64) (processor.Account, bool) {
	if merchantID != nil {
		return s.deps.Processors.Unconnected(applicationID, *merchantID)
	}
	a, ok := s.deps.Processors.Unconnected(applicationID, 0)
	a.External = processor.AccountPrefix(applicationID) + "main"
	return a, ok
}
