// Package simulate lets an application test its integration: it causes events at the sandbox counterparties and
// advances the application's clock. The service's own paths run unchanged.
package simulate

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/daf"
	"svcpay/internal/daf/workflow"
	"svcpay/internal/dispute"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/inbound"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/payout"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/refund"
)

// Happening is what the processor is told to let happen now.
type Happening struct {
	// Account is where the payment was made.
	Account processor.Account
	Kind    processor.EventKind
	// Reference is ours, of the charge, refund or payout that it happens to; "" where Dispute tells.
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
	// Failure is why a refund fails.
	Failure processor.RefundFailure
}

// Deps are what the service works with. Sweeps is all work that becomes due by time, in the order in
// which it is done at one instant.
type Deps struct {
	Pool      *pgxpool.Pool
	Check     authz.Checker
	Clock     *clock.Clock
	Inbound   *inbound.Service
	Charges   *charge.Service
	Refunds   *refund.Service
	Disputes  *dispute.Service
	Payouts   *payout.Service
	Donations *daf.Service
	Sweeps    []clock.Sweep
	// Happen has it happen at the processor, or says why it cannot, and HappenToGrant at the provider of
	// donor-advised funds.
	Happen        func(ctx context.Context, h Happening) error
	HappenToGrant func(ctx context.Context, h GrantHappening) error
	Merchants     *merchant.Service
	Workflows     *workflow.Service
	// Cases are what can be tried out, Donor finds one of a donor by its name, and Authorize has a donor authorize a
	// grant in a visit of the provider's pages.
	Cases     []TestCase
	Donor     func(name string) (DonorCase, bool)
	Authorize func(ctx context.Context, visitID, username string) error
}

// Service holds the use-cases of trying things out.
type Service struct{ deps Deps }

// New makes the service.
func New(d Deps) *Service { return &Service{d} }

// taken is a request that goes on: under its key, or without one.
type taken struct {
	claim *idempotency.Claim
	// object is what the key was claimed for.
	object ids.Operation
	// takenOver: by an earlier request, which died.
	takenOver bool
	// prior is what an earlier request left for good; this one does nothing then.
	prior *idempotency.Prior
}

// claim takes a request's key for an object, with what hold takes in the same transaction. A request
// whose key was taken a while ago, and that has no outcome, is taken over.
func (s *Service) claim(ctx context.Context, claim *idempotency.Claim, object ids.Operation,
	hold func(*pg.Tx) error) (taken, error) {
	var out taken
	err := pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		out = taken{claim: claim, object: object}
		machine := s.deps.Clock.Machine()
		verdicts, err := idempotency.ClaimTx(ctx, tx, machine,
			[]idempotency.Entry{{Claim: claim, ObjectID: object.Bytes()}})
		if err != nil {
			return err
		}
		switch p := verdicts[0].Prior; {
		case verdicts[0].Err != nil:
			return verdicts[0].Err
		case p == nil:
		case p.State == idempotency.Done:
			out.prior = p
			return nil
		case machine.Sub(p.CreatedAt) < idempotency.InFlight:
			return idempotency.InUse()
		default:
			out.object, out.takenOver = ids.OperationFrom(p.ObjectID), true
		}
		return hold(tx)
	})
	return out, err
}

// asked is who wants what to happen to which object, and the request's key.
type asked struct {
	actor authz.Actor
	id    string
	in    interface{ Validate() fault.Fields }
	claim *idempotency.Claim
}

// once has something happen to an object, once for a claim, takes it in, and returns the object as it
// then is. A request that died in between is taken over by its retry: what had happened by then cannot
// happen again, or is one more of its kind.
func once[T any](ctx context.Context, s *Service, a asked, get func(context.Context, authz.Actor, string) (T, error),
	happen func(context.Context, T) error) (out idempotency.Result[T], err error) {
	if err = s.deps.Check.Check(a.actor, authz.SandboxSimulate); err != nil {
		return out, err
	}
	if err = a.in.Validate().Err(); err != nil {
		return out, err
	}
	// Before the key: what it keeps is for those who see the object.
	if out.Object, err = get(ctx, a.actor, a.id); err != nil {
		return out, err
	}
	t, err := s.claim(ctx, a.claim, ids.NewOperation(s.deps.Clock.Machine()), func(*pg.Tx) error { return nil })
	if err != nil || t.prior != nil {
		return idempotency.Result[T]{Prior: t.prior}, err
	}
	if err = happen(ctx, out.Object); err == nil {
		err = s.deps.Inbound.Drain(ctx)
	}
	if err == nil {
		out.Object, err = get(ctx, a.actor, a.id)
	}
	return out, s.conclude(ctx, t, out.Object, err)
}

// processing has something happen at the processor to an object.
func processing[T any](s *Service, happening func(T) Happening) func(context.Context, T) error {
	return func(ctx context.Context, object T) error { return s.deps.Happen(ctx, happening(object)) }
}

// conclude stores the outcome of a key, or gives the key of a refused request back. A request that
// failed half way leaves its key to a retry that takes over.
func (s *Service) conclude(ctx context.Context, t taken, object any, failed error) error {
	_, refused := fault.As(failed)
	if t.claim == nil || (failed != nil && !refused) {
		return failed
	}
	err := pg.InTx(context.WithoutCancel(ctx), s.deps.Pool, func(tx *pg.Tx) error {
		if refused {
			idempotency.ReleaseTx(tx, t.claim)
			return nil
		}
		return t.claim.StoreTx(tx, t.object.Bytes(), object, nil)
	})
	if refused {
		return failed
	}
	return err
}
