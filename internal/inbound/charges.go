package inbound

import (
	"context"

	"svcpay/internal/charge"
	"svcpay/internal/processor"
)

// ToCharges hands the events of charges to them.
func (s *Service) ToCharges(c *charge.Service) {
	s.On(processor.ChargeSettled, func(ctx context.Context, e processor.Event) error { return c.SettleNow(ctx, e.Reference) })
	s.On(processor.DebitReturned, func(ctx context.Context, e processor.Event) error { return c.Return(ctx, e.Reference, e.ReturnCode) })
}
