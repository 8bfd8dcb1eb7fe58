package payout

import (
	"context"
	"time"

	"svcpay/internal/instant"
	"svcpay/internal/platform/pg"
)

// CollectBatch is how many entries one statement deals with.
const CollectBatch = collectBatch

// BeginAndDie does what a binary has done that dies before it calls the processor.
func (s *Service) BeginAndDie(ctx context.Context, at time.Time, applicationID, merchantID int64) error {
	return pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		_, _, err := s.claimTx(ctx, tx, instant.Moment{Machine: s.deps.Clock.Machine(), At: at},
			due{applicationID, merchantID})
		return err
	})
}

// HoldFor sets how long payouts wait after a change of the bank account.
func (s *Service) HoldFor(d time.Duration) { s.deps.HoldAfterChange = d }
