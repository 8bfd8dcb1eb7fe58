package inbound

import (
	"svcpay/internal/payout"
	"svcpay/internal/processor"
)

// ToPayouts hands the events of payouts to them.
func (s *Service) ToPayouts(p *payout.Service) {
	s.onEvent(processor.PayoutPaid, p.Paid)
	s.onEvent(processor.PayoutFailed, p.Failed)
	s.onEvent(processor.PayoutReturned, p.Returned)
}
