package charge

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"svcpay/internal/ids"
	"svcpay/internal/operation"
	"svcpay/internal/platform/batch"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
)

// key is what two requests may have in common that come at the same time.
func (r request) key() string {
	if r.claim == nil {
		return ""
	}
	return fmt.Sprint(r.applicationID, ":", r.claim.Key)
}

// batches has concurrent requests share transactions.
func (s *Service) batches() {
	s.claims = batch.New(batch.InTx(s.deps.Pool, s.deps.Clock, request.application, s.claimTx, s.found), request.key)
	s.followUps = batch.New(batch.InTx(s.deps.Pool, s.deps.Clock, followUp.application, s.claimFollowUpsTx,
		s.foundFollowUps), followUp.key)
	s.finishes = batch.New(batch.InTx(s.deps.Pool, s.deps.Clock, applicationOf, s.finishRequestsTx, s.foundFinished),
		chargeOf)
}

func (r request) application() int64 { return r.applicationID }

func chargeOf(in operation.Outcome) string { return in.ChargeID.String() }

func applicationOf(in operation.Outcome) int64 { return in.ApplicationID }

// found looks for the charges of a batch when the answer to its commit was lost. One that is there was written, and no
// other program can submit it: the card's code left the database with it.
func (s *Service) found(ctx context.Context, requests []request, out []claimed, lost error) []claimed {
	for i, r := range requests {
		if !out[i].Proceeds() {
			continue // nothing was written
		}
		if _, err := s.Find(ctx, r.applicationID, out[i].Object.ID); err != nil {
			out[i].Refused = lost
		}
	}
	return out
}

// foundFollowUps looks for the operations of a batch when the answer to its commit was lost. One that is there was
// written, and no other program has begun to send it.
func (s *Service) foundFollowUps(ctx context.Context, _ []followUp, out []operation.Claimed[Charge],
	lost error) []operation.Claimed[Charge] {
	var all []ids.Operation
	for _, o := range out {
		if o.Proceeds() {
			all = append(all, o.Operation.ID)
		}
	}
	open := operation.FindOpen(ctx, s.deps.Pool, all)
	for i, o := range out {
		if o.Proceeds() && !open[o.Operation.ID] { // the others wrote nothing
			out[i].Refused = lost
		}
	}
	return out
}

// foundFinished looks for the operations that follow a batch of outcomes when the answer to its commit was lost. One
// that is there was written with its outcome, and no other program has begun to send it. Other outcomes may be written
// or not: the resolver finds out.
func (s *Service) foundFinished(ctx context.Context, _ []operation.Outcome, out []finished, lost error) []finished {
	var all []ids.Operation
	for _, f := range out {
		if f.next != nil {
			all = append(all, f.next.ID)
		}
	}
	open := operation.FindOpen(ctx, s.deps.Pool, all)
	for i, f := range out {
		if f.next == nil || !open[f.next.ID] {
			out[i] = finished{lost: lost}
		}
	}
	return out
}

// finishOne writes the outcome of a request's call, and returns the operation that follows it.
func (s *Service) finishOne(ctx context.Context, o operation.Outcome) (finished, error) {
	out, err := s.finishes.Do(ctx, o)
	return out, cmp.Or(err, out.lost)
}

// finish writes the outcome of a request's call that none follows.
func (s *Service) finish(ctx context.Context, o operation.Outcome) (operation.Finished[Charge], error) {
	out, err := s.finishOne(ctx, o)
	return out.Finished, err
}

// finishRequestsTx writes outcomes each of which has a caller who waits for it.
func (s *Service) finishRequestsTx(ctx context.Context, tx *pg.Tx, at clock.Moments,
	ins []operation.Outcome) ([]finished, error) {
	return s.finishTx(ctx, tx, at, ins, "")
}

// Finish writes the outcome of calls whose answer was lost.
func (s *Service) Finish(ctx context.Context, outcomes []operation.Outcome) error {
	at, err := s.moments(ctx, outcomes)
	if err != nil {
		return err
	}
	var out []finished
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) (err error) {
		out, err = s.finishTx(ctx, tx, at, outcomes, outbox.Job)
		return err
	})
	switch {
	case errors.Is(err, pg.ErrCommit):
		out = s.foundFinished(ctx, outcomes, out, err)
	case err != nil:
		return err
	}
	s.proceedAll(ctx, out)
	return err
}
