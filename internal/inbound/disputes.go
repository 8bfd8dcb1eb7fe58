package inbound

import (
	"svcpay/internal/dispute"
	"svcpay/internal/processor"
)

// ToDisputes hands the events of disputes to them.
func (s *Service) ToDisputes(d *dispute.Service) {
	s.On(processor.DisputeOpened, d.Open)
	s.On(processor.DisputeEscalated, d.Escalate)
	s.On(processor.DisputeWon, d.Won)
	s.On(processor.DisputeLost, d.Lost)
	s.On(processor.DisputeClosed, d.Closed)
}
