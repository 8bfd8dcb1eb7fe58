package inbound

import (
	"svcpay/internal/charge"
	"svcpay/internal/processor"
)

// ToCharges hands the events of charges to them.
func (s *Service) ToCharges(c *charge.Service) {
	s.onEvent(processor.ChargeSettled, c.SettleNow)
	s.onEvent(processor.DebitReturned, c.Return)
}
