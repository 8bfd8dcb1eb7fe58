package inbound

import (
	"context"

	"svcpay/internal/charge"
	"svcpay/internal/processor"
)

// ToCharges hands the events of charges to them.
func (s *Service) ToCharges(c *charge.Service) {
	s.Processor.on(string(processor.ChargeSettled), func(ctx context.Context, e processor.Event) error { return c.SettleNow(ctx, e.Reference) })
	s.Processor.on(string(processor.DebitReturned), func(ctx context.Context, e processor.Event) error { return c.Return(ctx, e.Reference, e.ReturnCode) })
}
