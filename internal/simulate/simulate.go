// Package simulate is how an application tries things out in a sandbox: it has something happen at
// the counterparties, and moves its own clock. The service's own paths run unchanged; only the
// counterparty is told what to do.
package simulate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/clock"
	"svcpay/internal/dispute"
	"svcpay/internal/fault"
	"svcpay/internal/idempotency"
	"svcpay/internal/ids"
	"svcpay/internal/inbound"
	"svcpay/internal/money"
	"svcpay/internal/pg"
	"svcpay/internal/processor"
)

// Happening is what the counterparty is told to let happen now.
type Happening struct {
	Account string
	Kind    processor.EventKind
	// Reference is ours, of the charge or payout that it happens to; "" where Dispute tells.
	Reference string
	// Dispute is the processor's id of one that was opened; "" for other events.
	Dispute string
	// ReturnCode is the scheme's, for a debit or payout that comes back.
	ReturnCode string
	// Retrieval, Reason and Amount describe a dispute to open. The reason defaults to the usual one,
	// an amount of 0 to all that was captured and is not disputed.
	Retrieval bool
	Reason    string
	Amount    money.Amount
}

// Deps are what the service works with. Sweeps is all work that becomes due by time, in the order in
// which it is done at one instant.
type Deps struct {
	Pool     *pgxpool.Pool
	Check    authz.Checker
	Clock    *clock.Clock
	Inbound  *inbound.Service
	Charges  *charge.Service
	Disputes *dispute.Service
	Sweeps   []clock.Sweep
	// Happen has it happen at the counterparty, or says why it cannot.
	Happen func(ctx context.Context, h Happening) error
}

// Service holds the use-cases of trying things out.
type Service struct{ Deps }

// New makes the service.
func New(d Deps) *Service { return &Service{d} }

// Result is what a simulation came to: the object as it is now, or what an earlier request with the
// same key left.
type Result[T any] struct {
	Object T
	Prior  *idempotency.Prior
}

// inFlight is how long a key's first request is left alone before a retry takes over.
const inFlight = 2 * time.Second

// once runs do, once for a claim. What do does is harmless when done again: a request that died in
// between is taken over by its retry.
func once[T any](ctx context.Context, s *Service, claim *idempotency.Claim, do func() (T, error)) (out Result[T], err error) {
	held := idempotency.Held{}
	if claim != nil {
		held = idempotency.Held{ApplicationID: claim.ApplicationID, Key: claim.Key, ObjectID: ids.NewOperation(s.Clock.Machine()).Bytes()}
		err = pg.InTx(ctx, s.Pool, func(tx *pg.Tx) error {
			verdicts, err := idempotency.ClaimTx(ctx, tx, s.Clock.Machine(), []idempotency.Entry{{Claim: claim, ObjectID: held.ObjectID}})
			if err != nil {
				return err
			}
			out.Prior = verdicts[0].Prior
			return verdicts[0].Err
		})
		if err != nil {
			return out, err
		}
		if p := out.Prior; p != nil {
			if p.State == idempotency.Done {
				return out, nil
			}
			if s.Clock.Machine().Sub(p.CreatedAt) < inFlight {
				return out, idempotency.InUse()
			}
			held.ObjectID, out.Prior = p.ObjectID, nil
		}
	}
	out.Object, err = do()
	if claim == nil {
		return out, err
	}
	return out, s.conclude(ctx, claim, held, out.Object, err)
}

// conclude stores the outcome of a key, or gives the key of a refused request back.
func (s *Service) conclude(ctx context.Context, claim *idempotency.Claim, held idempotency.Held, object any, refused error) error {
	err := pg.InTx(context.WithoutCancel(ctx), s.Pool, func(tx *pg.Tx) error {
		if refused != nil {
			idempotency.ReleaseTx(tx, claim)
			return nil
		}
		result, err := json.Marshal(object)
		if err != nil {
			return err
		}
		return idempotency.FinishTx(tx, held, idempotency.Outcome{Result: result})
	})
	if refused != nil {
		return refused
	}
	return err
}

// take takes in what the counterparty has to tell, until it has told it all.
func (s *Service) take(ctx context.Context) error {
	for {
		n, err := s.Inbound.Run(ctx)
		if err != nil || n == 0 {
			return err
		}
	}
}

// outcomeOf checks a word against those allowed.
func outcomeOf(fs *fault.Fields, outcome *string, allowed []string) {
	switch {
	case outcome == nil:
		fs.Add("outcome", "parameter_missing", "This parameter is required.")
	case !slices.Contains(allowed, *outcome):
		fs.Add("outcome", "parameter_invalid", fmt.Sprintf("Allowed here: %q.", allowed))
	}
}
