package charge

import (
	"context"
	"fmt"

	"svcpay/internal/operation"
	"svcpay/internal/platform/batch"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
)

// key is what two requests may have in common that come at the same time.
func (in claimIn) key() string {
	if in.claim == nil {
		return ""
	}
	return fmt.Sprint(in.applicationID, ":", in.claim.Key)
}

// batches has concurrent requests share transactions.
func (s *Service) batches() {
	s.claims = batch.New(batch.InTx(s.deps.Pool, s.deps.Clock, claimIn.application, s.claimTx, s.found), claimIn.key)
	s.followUps = batch.New(batch.InTx(s.deps.Pool, s.deps.Clock, followUpIn.application, s.beginTx, s.opened), followUpIn.key)
	s.finishes = batch.New(batch.InTx(s.deps.Pool, s.deps.Clock, applicationOf, s.finishRequestsTx, nil), chargeOf)
}

func (in claimIn) application() int64 { return in.applicationID }

func chargeOf(in operation.Outcome) string { return in.ChargeID.String() }

func applicationOf(in operation.Outcome) int64 { return in.ApplicationID }

// found looks for what became of a round when the answer to its commit was lost. A charge that is there
// happened, and nobody but us can submit it: the card's code left the database with it.
func (s *Service) found(ctx context.Context, ins []claimIn, out []claimOut, lost error) []claimOut {
	for i, in := range ins {
		if !out[i].submits() {
			continue // nothing was written
		}
		if _, err := s.Find(ctx, in.applicationID, out[i].charge.ID); err != nil {
			out[i] = claimOut{refused: lost}
		}
	}
	return out
}

// opened looks for what became of a round of follow-ups when the answer to its commit was lost. An operation that is there
// happened, and nobody but us has begun to send it.
func (s *Service) opened(ctx context.Context, _ []followUpIn, out []begun, lost error) []begun {
	for i, b := range out {
		if !b.submits() {
			continue // nothing was written
		}
		if open, err := operation.IsOpen(ctx, s.deps.Pool, b.op.ID); err != nil || !open {
			out[i] = begun{refused: lost}
		}
	}
	return out
}

// finish writes the outcome of a request's call.
func (s *Service) finish(ctx context.Context, o operation.Outcome) (finished, error) {
	return s.finishes.Do(ctx, o)
}

// finishRequestsTx writes outcomes each of which has a caller who waits for it.
func (s *Service) finishRequestsTx(ctx context.Context, tx *pg.Tx, at clock.Moments, ins []operation.Outcome) ([]finished, error) {
	return s.finishTx(ctx, tx, at, ins, "")
}

// Finish writes what became of calls whose answer was lost.
func (s *Service) Finish(ctx context.Context, outcomes []operation.Outcome) error {
	at, err := s.moments(ctx, outcomes)
	if err != nil {
		return err
	}
	return pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		_, err := s.finishTx(ctx, tx, at, outcomes, outbox.Job)
		return err
	})
}
