package accounts

import (
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

// Unconnected is the account that serves a merchant without a connection. False: there is none, as outside sandboxes.
func (s *Service) Unconnected(applicationID, merchantID int64) (processor.Account, bool) {
	return s.deps.Processors.Unconnected(applicationID, merchantID)
}
