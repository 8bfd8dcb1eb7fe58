package charge

import (
	"context"
	"encoding/json"

	"svcpay/internal/operation"
	"svcpay/internal/pg"
)

// basis is what the outcome of a charge's submission starts from if nobody has touched the charge since: the charge as
// it was inserted, and what its merchant was settled by then. It saves the outcome's transaction to read and lock
// what nearly always is as it was: whether it is, the statement sees that writes the outcome (see [updateTx]).
type basis struct {
	charge Charge
	text   json.RawMessage // of the charge
	asOf   uint32          // the transaction that wrote it
	terms  terms
}

// Left is a charge that [Service.ChangeTx] returned, for a transaction after the one that held it: to change it further
// without a lock. That one fails if anybody else has touched the charge's row meanwhile (see [OrHeld]).
func (l Locked) Left() Locked {
	l.left = true
	return l
}

// finishIn is an outcome to write.
type finishIn struct {
	operation.Outcome
	basis *basis // nil: the charge is read and locked first
}

func (in finishIn) held() finishIn { return finishIn{Outcome: in.Outcome} }

// OrHeld has outcomes that do writes in one transaction written again if a basis is not what there is any more: without one, with
// their charges read and locked.
func OrHeld[In, Out any](do func(ctx context.Context, ins []In) ([]Out, error), without func(In) In) func(ctx context.Context, ins []In) ([]Out, error) {
	return func(ctx context.Context, ins []In) ([]Out, error) {
		out, err := do(ctx, ins)
		if !hasMoved(err) {
			return out, err
		}
		held := make([]In, len(ins))
		for i, in := range ins {
			held[i] = without(in)
		}
		return do(ctx, held)
	}
}

// hasMoved tells of an error that it is of an outcome whose basis is not what there is any more.
func hasMoved(err error) bool { return pg.Violated(err) == "charge_moved" }
