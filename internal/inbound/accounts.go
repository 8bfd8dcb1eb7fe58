package inbound

import (
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
)

// ToAccounts hands the events of processor accounts to them.
func (s *Service) ToAccounts(a *accounts.Service) { s.onEvent(processor.AccountUpdated, a.Updated) }
