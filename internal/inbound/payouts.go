package inbound

import (
	"svcpay/internal/payout"
	"svcpay/internal/processor"
)

// ToPayouts hands the events of payouts to them.
func (s *Service) ToPayouts(p *payout.Service) {
	s.Processor.on(string(processor.PayoutPaid), p.Paid)
	s.Processor.on(string(processor.PayoutFailed), p.Failed)
	s.Processor.on(string(processor.PayoutReturned), p.Returned)
}
