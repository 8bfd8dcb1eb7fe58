package charge

import (
	"context"
	"log/slog"
	"sync"

	"svcpay/internal/authz"
	"svcpay/internal/instant"
	"svcpay/internal/operation"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/testing/crash"
)

// A charge whose merchant has rules about the issuer's checks takes two calls: the amount is held, the rules are
// decided with the outcome, and in the same transaction the capture or the reversal is opened. It is called after the
// commit, also if the answer to the commit is lost and the operation turns out to be written. If the process stops in
// between, the resolver finds that the call never arrived: a void is repeated, and a charge that was not captured fails
// and its hold is voided.

// openNextTx queues the operation that follows another one, whose outcome made the charge what it is.
func (s *Service) openNextTx(tx *pg.Tx, m instant.Moment, c Charge, in operation.Outcome,
	kind operation.Kind) *operation.Operation {
	switch kind {
	case operation.Reverse:
		return s.openReversalTx(tx, m, c, in.Operation, byVoid)
	case operation.Capture:
		o := s.reference(c, operation.Operation{Kind: kind, Amount: c.Amount, IdempotencyKey: in.IdempotencyKey},
			authz.Actor{Role: authz.RoleSecretKey, RequestID: in.RequestID}, nil, m.Machine)
		operation.OpenTx(tx, o)
		return &o
	}
	return nil
}

// carryOutAll makes the call of an operation and those that follow it.
func (s *Service) carryOutAll(ctx context.Context, c Charge, o operation.Operation,
	call func(context.Context) (processor.Answer, error)) (Result, error) {
	var next *operation.Operation
	flow := s.flow
	flow.Finish = func(ctx context.Context, o operation.Outcome) (operation.Finished[Charge], error) {
		out, err := s.finishOne(ctx, o)
		next = out.next
		return out.Finished, err
	}
	out, err := flow.CarryOut(ctx, c, o, call)
	if next == nil {
		if err == nil && o.Note != nil && out.Object.Status == Processing {
			out.Unknown = true // the resolver was quicker, and makes the call that follows
		}
		return out, err
	}
	followed, lost := s.proceed(ctx, out, next)
	if err != nil { // of the charge, which failed
		return out, err
	}
	return followed, lost
}

// proceed makes the call of an operation that follows another one, whose result it has.
func (s *Service) proceed(ctx context.Context, before Result, next *operation.Operation) (Result, error) {
	crash.Point("charge.proceeds")
	if next.Kind == operation.Reverse {
		if err := s.reverse(ctx, *next); err != nil {
			slog.ErrorContext(ctx, "a reversal could not be finished", "charge_id", next.ChargeID.String(), "error",
				err.Error())
		}
		return before, nil
	}
	return s.carryOutAll(ctx, before.Object, *next, func(ctx context.Context) (processor.Answer, error) {
		return s.deps.Processors.Capture(ctx, next.FollowUp(before.Object.Processor.Reference,
			before.Object.PaymentID))
	})
}

// parallelCalls is how many calls follow at once the outcomes that were found out together. All of them count their
// time from the commit of those.
const parallelCalls = 8

// proceedAll makes the calls that follow outcomes. Their own outcomes are written, or are found out later.
func (s *Service) proceedAll(ctx context.Context, all []finished) {
	var running sync.WaitGroup
	defer running.Wait()
	slots := make(chan struct{}, parallelCalls)
	for _, f := range all {
		if f.next == nil {
			continue
		}
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			_, _ = s.proceed(ctx, Result{Object: f.Object}, f.next)
		})
	}
}
