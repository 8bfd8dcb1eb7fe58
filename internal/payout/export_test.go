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
	return pg.InTx(ctx, s.Pool, func(tx *pg.Tx) error {
		_, _, err := s.beginTx(ctx, tx, instant.Moment{Machine: s.Clock.Machine(), At: at}, due{applicationID, merchantID})
		return err
	})
}
