package inbound

import (
	"svcpay/internal/processor"
	"svcpay/internal/refund"
)

// ToRefunds hands the events of refunds to them.
func (s *Service) ToRefunds(r *refund.Service) {
	s.onEvent(processor.RefundSucceeded, r.Confirmed)
	s.onEvent(processor.RefundFailed, r.Failed)
}
