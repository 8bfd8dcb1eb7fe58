package inbound

import (
	"svcpay/internal/charge"
	"svcpay/internal/processor"
)

// ToCharges hands the events of charges to them.
func (s *Service) ToCharges(c *charge.Service) {
	s.Processor.on(string(processor.ChargeSettled), c.SettleNow)
	s.Processor.on(string(processor.DebitReturned), c.Return)
}
