package inbound

import (
	"svcpay/internal/dispute"
	"svcpay/internal/processor"
)

// ToDisputes hands the events of disputes to them.
func (s *Service) ToDisputes(d *dispute.Service) {
	s.Processor.on(string(processor.DisputeOpened), d.Open)
	s.Processor.on(string(processor.DisputeEscalated), d.Escalate)
	s.Processor.on(string(processor.DisputeWon), d.Won)
	s.Processor.on(string(processor.DisputeLost), d.Lost)
	s.Processor.on(string(processor.DisputeClosed), d.Closed)
}
