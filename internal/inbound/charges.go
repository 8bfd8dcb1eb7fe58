package inbound

import (
	"context"

	"svcpay/internal/processor"
)

// Charges is what events do to charges.
type Charges interface {
	Return(ctx context.Context, reference, code string) error
	SettleNow(ctx context.Context, reference string) error
}

// ToCharges hands the events of charges to them.
func (s *Service) ToCharges(c Charges) {
	s.On(processor.ChargeSettled, func(ctx context.Context, e processor.Event) error { return c.SettleNow(ctx, e.Reference) })
	s.On(processor.DebitReturned, func(ctx context.Context, e processor.Event) error { return c.Return(ctx, e.Reference, e.ReturnCode) })
}
