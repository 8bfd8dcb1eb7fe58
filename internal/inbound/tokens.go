package inbound

import (
	"svcpay/internal/processor"
	"svcpay/internal/token"
)

// ToTokens hands the events of bank accounts that are verified to their tokens.
func (s *Service) ToTokens(t *token.Service) {
	s.onEvent(processor.BankAccountVerified, t.AccountVerified)
	s.onEvent(processor.VerificationFailed, t.VerificationFailed)
}
