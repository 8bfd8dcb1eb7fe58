package refund

import (
	"context"
	"errors"
	"time"

	"svcpay/internal/audit"
	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/crash"
	"svcpay/internal/fault"
	"svcpay/internal/idempotency"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/operation"
	"svcpay/internal/outbox"
	"svcpay/internal/pg"
	"svcpay/internal/processor"
)

// Result is the answer to a request about a refund.
type Result = idempotency.Result[Refund]

// createTimeout bounds a creation: the call and the two transactions around it.
const createTimeout = 30 * time.Second

// call is a refund that is to be sent: its operation, and our reference of the charge.
type call struct {
	refund   Refund
	op       operation.Operation
	original string
}

// begun is what became of the first step: a refund, to be sent unless it waits, or what an earlier
// request left.
type begun struct {
	call
	prior *idempotency.Prior
}

// Create gives back an amount of a charge, whatever the merchant's status. A refund that the
// processor refuses is recorded and returned as failed. An outcome that is unknown is found out by
// the resolver; a refund with a pending_reason waits for its charge. claim may be nil: without a key,
// nothing protects the caller from their own retries.
//
// Faults: resource_missing, charge_not_refundable, charge_disputed, refund_exceeds_remaining (with
// what remains), external_id_taken (with the refund that has it).
//
// Once begun, the work goes on even if the caller goes away.
func (s *Service) Create(ctx context.Context, actor authz.Actor, in CreateInput, claim *idempotency.Claim) (Result, error) {
	if err := s.audit.Allow(ctx, actor, authz.RefundCreate, audit.Of("charge", deref(in.ChargeID), 0)); err != nil {
		return Result{}, err
	}
	if err := in.Validate().Err(); err != nil {
		return Result{}, err
	}
	chargeID, err := ids.ParseCharge(*in.ChargeID)
	if err != nil {
		return Result{}, noCharge()
	}
	if err := s.Charges.Reach(ctx, actor, chargeID); fault.HasCode(err, "resource_missing") {
		return Result{}, noCharge()
	} else if err != nil {
		return Result{}, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), createTimeout)
	defer cancel()
	m, err := s.Clock.Moment(ctx, actor.ApplicationID)
	if err != nil {
		return Result{}, err
	}
	b, err := s.begin(ctx, m, actor, chargeID, in, claim)
	switch {
	case err != nil:
		return Result{}, err
	case b.prior != nil:
		return s.flow(outbox.SourceOf(actor)).Resume(ctx, claim, b.prior)
	case b.refund.waiting():
		return Result{Object: b.refund}, nil
	}
	crash.Point("refund.claimed")
	return s.send(ctx, b.call, outbox.SourceOf(actor))
}

func noCharge() error { return fault.Missing().On("charge_id") }

// begin claims the key, reserves the amount and writes the refund, in one transaction. A refusal
// leaves nothing behind.
func (s *Service) begin(ctx context.Context, m instant.Moment, actor authz.Actor, chargeID ids.Charge, in CreateInput,
	claim *idempotency.Claim,
) (begun, error) {
	id := ids.NewRefund(m.Machine)
	var b begun
	err := pg.InTx(ctx, s.Pool, func(tx *pg.Tx) error {
		b = begun{}
		verdicts, err := idempotency.ClaimTx(ctx, tx, m.Machine, []idempotency.Entry{{Claim: claim, ObjectID: id.Bytes()}})
		if err != nil {
			return err
		}
		if b.prior = verdicts[0].Prior; b.prior != nil || verdicts[0].Err != nil {
			return verdicts[0].Err // before the charge is locked: its holders write to keys
		}
		l, err := s.Charges.LockTx(ctx, tx, actor.ApplicationID, chargeID)
		if fault.HasCode(err, "resource_missing") {
			return noCharge()
		}
		if err != nil {
			return err
		}
		b.call, err = s.reserveTx(ctx, tx, m, actor, l, in, id)
		if err != nil {
			return err
		}
		if claim != nil {
			b.op.IdempotencyKey = &claim.Key
		}
		return openTx(tx, b.call, claim)
	})
	if errors.Is(err, pg.ErrCommit) && b.prior == nil {
		// The answer to the commit was lost. If the refund is there it happened, and nobody but us
		// has begun to send it.
		if _, lost := s.find(ctx, actor.ApplicationID, id); lost == nil {
			err = nil
		}
	}
	return b, err
}

// reserveTx writes a refund of a charge that the transaction holds, and reserves its amount there.
func (s *Service) reserveTx(ctx context.Context, tx *pg.Tx, m instant.Moment, actor authz.Actor, l charge.Locked, in CreateInput,
	id ids.Refund,
) (call, error) {
	// Before what is left is looked at: who refunds twice under one external_id is told of the first.
	if err := freeTx(ctx, tx, l.ApplicationID, in.ExternalID); err != nil {
		return call{}, err
	}
	if err := untouched(l.Charge, in.IfLeft); err != nil {
		return call{}, err
	}
	amount, err := amountOf(l.Charge, in.Amount)
	if err != nil {
		return call{}, err
	}
	r := Refund{
		ID: id, Version: 1, ApplicationID: l.ApplicationID, MerchantID: l.MerchantID, ChargeID: l.ID, Amount: amount,
		Currency: l.Currency, Status: Pending, Reason: in.Reason, Note: in.Note, ExternalID: in.ExternalID,
		Metadata: in.Metadata, InitiatedBy: initiatedBy(actor), RequestID: actor.RequestID,
		Processor: charge.ProcessorRef{Name: s.Processor.Name(), Reference: id.String()},
		CreatedAt: instant.Of(m.At), UpdatedAt: instant.Of(m.At),
	}
	if r.Metadata == nil {
		r.Metadata = map[string]string{}
	}
	if _, waits := refundable(l.Charge); waits {
		reason := ChargePending
		r.PendingReason = &reason
	}
	r = s.derive(r)
	if err := insertTx(ctx, tx, r); err != nil {
		return call{}, err
	}
	by := cause{outbox.SourceOf(actor), actor.RequestID}
	if _, err := s.Charges.ChangeTx(tx, m, l, by.change(amount, 0)); err != nil {
		return call{}, err
	}
	if err := announceTx(tx, m, Refund{}, r, by); err != nil {
		return call{}, err
	}
	return callOf(r, l, m.Machine), s.audit.DoneTx(tx, actor, authz.RefundCreate, audit.Of("refund", r.ID.String(), r.MerchantID), nil, r)
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// callOf is the call that sends a refund of a charge.
func callOf(r Refund, l charge.Locked, machine time.Time) call {
	return call{refund: r, original: l.Processor.Reference, op: operation.Operation{
		ID: ids.NewOperation(machine), ApplicationID: r.ApplicationID, MerchantID: r.MerchantID, ChargeID: r.ChargeID,
		SubjectID: r.ID.Bytes(), Kind: operation.Refund, Processor: r.Processor.Name, Reference: r.Processor.Reference,
		Amount: r.Amount, Currency: r.Currency, State: operation.Open, RequestID: r.RequestID,
		Source: outbox.Source(r.InitiatedBy.Kind), CreatedAt: machine}}
}

// openTx opens the operation of a refund that is to be sent. The request for one that waits has its
// answer already.
func openTx(tx *pg.Tx, c call, claim *idempotency.Claim) error {
	if !c.refund.waiting() {
		operation.OpenTx(tx, c.op)
		return nil
	}
	return claim.StoreTx(tx, c.refund.ID.Bytes(), c.refund, nil)
}

// flow is how refunds are sent, by whom their outcome's events tell.
func (s *Service) flow(source outbox.Source) operation.Flow[Refund] {
	return operation.Flow[Refund]{Name: "refund", Resolver: s.Operations,
		Find: func(ctx context.Context, applicationID int64, id [16]byte) (Refund, error) {
			return s.find(ctx, applicationID, ids.RefundFrom(id))
		},
		Finish: func(ctx context.Context, o operation.Outcome) (Refund, *fault.Error, error) {
			r, err := s.finish(ctx, o, source)
			return r, nil, err
		}}
}

// send calls the processor once and writes the outcome down.
func (s *Service) send(ctx context.Context, c call, source outbox.Source) (Result, error) {
	r := c.refund
	return s.flow(source).CarryOut(ctx, r, c.op, func(ctx context.Context) (processor.Answer, error) {
		return s.Processor.Refund(ctx, processor.FollowUp{Reference: r.Processor.Reference,
			Account: processor.Account(r.ApplicationID, r.MerchantID), Original: c.original, Amount: r.Amount, Currency: r.Currency})
	})
}
