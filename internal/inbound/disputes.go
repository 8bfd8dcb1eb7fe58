package inbound

import (
	"svcpay/internal/dispute"
	"svcpay/internal/processor"
)

// ToDisputes hands the events of disputes to them.
func (s *Service) ToDisputes(d *dispute.Service) {
	s.onEvent(processor.DisputeOpened, d.Open)
	s.onEvent(processor.DisputeEscalated, d.Escalate)
	s.onEvent(processor.DisputeWon, d.Won)
	s.onEvent(processor.DisputeLost, d.Lost)
	s.onEvent(processor.DisputeClosed, d.Closed)
}
