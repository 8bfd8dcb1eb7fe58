package assembly

import (
	"context"
	"time"

	"svcpay/internal/payout"
	"svcpay/internal/platform/clock"
)

// NextEvent says when a processor will next have something to tell about an application.
type NextEvent func(ctx context.Context, applicationID int64, after time.Time) (*time.Time, error)

// Sweeps is all work that becomes due by applications' time, in the order in which it is done at one
// instant: first what the processor tells, last what pays out.
func (s *Services) Sweeps() []clock.Sweep {
	return []clock.Sweep{
		{Name: "take_in_events", Run: s.takeIn, Next: s.nextEventOf, Within: payout.Within},
		{Name: "step_charges", Run: s.Charges.Step, Next: s.Charges.NextStep},
		{Name: "release_refunds", Run: s.Refunds.ReleaseWaiting, Next: s.Refunds.NextReleaseWaiting},
		{Name: "close_disputes", Run: s.Disputes.CloseOverdue, Next: s.Disputes.NextOverdue},
		{Name: "remind_of_disputes", Run: s.Disputes.Remind, Next: s.Disputes.NextReminder},
		{Name: "expire_tokens", Run: s.Tokens.ExpireTokens, Next: s.Tokens.NextExpiry},
		{Name: "run_payouts", Run: s.Payouts.Run, Next: s.Payouts.NextRun, Within: payout.Within},
	}
}

// takeIn reads the processor's feed, which is one for all applications.
func (s *Services) takeIn(ctx context.Context, _ clock.View) (int, error) { return s.Inbound.Run(ctx) }

func (s *Services) nextEventOf(ctx context.Context, applicationID int64, after time.Time) (*time.Time, error) {
	if s.nextEvent == nil {
		return nil, nil
	}
	return s.nextEvent(ctx, applicationID, after)
}
