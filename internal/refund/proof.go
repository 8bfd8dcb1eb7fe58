package refund

import (
	"context"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/money"
)

// largeTotal is the total of refunds, in minor units, from which on a person must verify their identity.
const largeTotal money.Amount = 1_000_00

// totalWithin is how long a refund counts in the total of its person.
const totalWithin = 24 * time.Hour

// NeedsProof reports whether a person who refunds that amount of a charge must verify their identity first: whether the
// charge's refunds, succeeded and pending, or those that the person made in the last 24 hours in its currency, of any
// charges, would reach 1,000.00 with it. Refunds that failed or were canceled count for their person.
func (s *Service) NeedsProof(ctx context.Context, actor authz.Actor, c charge.Charge,
	amount money.Amount) (bool, error) {
	if amount >= largeTotal-c.AmountRefunded-c.AmountRefundPending {
		return true, nil
	}
	made, err := s.audit.AmountsWithin(ctx, actor, authz.RefundCreate, totalWithin)
	return amount >= largeTotal-made[c.Currency], err
}
