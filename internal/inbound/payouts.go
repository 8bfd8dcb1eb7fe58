package inbound

import (
	"svcpay/internal/payout"
	"svcpay/internal/processor"
)

// ToPayouts hands the events of payouts to them.
func (s *Service) ToPayouts(p *payout.Service) {
	s.On(processor.PayoutPaid, p.Paid)
	s.On(processor.PayoutFailed, p.Failed)
	s.On(processor.PayoutReturned, p.Returned)
}
