package charge

import (
	"context"
	"errors"
	"fmt"

	"svcpay/internal/combine"
	"svcpay/internal/fault"
	"svcpay/internal/operation"
	"svcpay/internal/outbox"
	"svcpay/internal/pg"
)

// key is what two requests may have in common that come at the same time.
func (in claimIn) key() string {
	if in.claim == nil {
		return ""
	}
	return fmt.Sprint(in.applicationID, ":", in.claim.Key)
}

// combined has requests that come at the same time share transactions.
func (s *Service) combined() {
	s.claims = combine.New(s.claim, claimIn.key)
	s.finishes = combine.New(s.finishRound, func(in operation.Outcome) string { return in.ChargeID.String() })
}

// claim is a round of claims: one transaction.
func (s *Service) claim(ctx context.Context, ins []claimIn) (out []claimOut, err error) {
	at := make(moments)
	for _, in := range ins {
		if at[in.applicationID], err = s.Clock.Moment(ctx, in.applicationID); err != nil {
			return nil, err
		}
	}
	err = pg.InTx(ctx, s.Pool, func(tx *pg.Tx) (err error) {
		if out, err = s.claimTx(ctx, tx, at, ins); err == nil {
			s.callEarly(ctx, out)
		}
		return err
	})
	if errors.Is(err, pg.ErrCommit) {
		return s.found(ctx, ins, out, err), nil
	}
	return out, combine.Alone(err)
}

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

func (s *Service) finish(ctx context.Context, in operation.Outcome) (Charge, *fault.Error, error) {
	out, err := s.finishes.Do(ctx, in)
	return out.charge, out.refusal, err
}

// finishRound is a round of outcomes, each of which has a caller who waits for it.
func (s *Service) finishRound(ctx context.Context, ins []operation.Outcome) (out []finished, err error) {
	at, err := s.moments(ctx, ins)
	if err != nil {
		return nil, err
	}
	err = pg.InTx(ctx, s.Pool, func(tx *pg.Tx) (err error) {
		out, err = s.finishTx(ctx, tx, at, ins, "")
		return err
	})
	return out, combine.Alone(err)
}

// Finish writes what became of calls whose answer was lost.
func (s *Service) Finish(ctx context.Context, outcomes []operation.Outcome) error {
	at, err := s.moments(ctx, outcomes)
	if err != nil {
		return err
	}
	return pg.InTx(ctx, s.Pool, func(tx *pg.Tx) error {
		_, err := s.finishTx(ctx, tx, at, outcomes, outbox.Job)
		return err
	})
}
