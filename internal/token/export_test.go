package token

import (
	"svcpay/internal/wallet"
)

// SelectPage reads a page of a list.
const SelectPage = selectPage

// OpenSessionsWith has merchant sessions of wallet A opened by another gateway.
func (s *Service) OpenSessionsWith(a wallet.Sessions) { s.deps.Wallets.SessionsA = a }

// Dependencies are what the service works with; a test makes another service of them.
func (s *Service) Dependencies() Deps { return s.deps }
