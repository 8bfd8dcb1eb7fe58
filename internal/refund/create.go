package refund

import (
	"context"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/operation"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/testing/crash"
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

// createIn is one request that wants a refund.
type createIn struct {
	actor    authz.Actor
	chargeID ids.Charge
	in       CreateInput
	claim    *idempotency.Claim
}

func (in createIn) application() int64 { return in.actor.ApplicationID }

func (in createIn) charge() string { return in.chargeID.String() }

// begun is what became of it in the first step: a refund, to be sent unless it waits, what an earlier
// request left, or a refusal.
type begun struct {
	call
	prior   *idempotency.Prior
	refused error
}

func (b begun) writes() bool { return b.prior == nil && b.refused == nil }

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
	if err := s.deps.Charges.Reach(ctx, actor, chargeID); fault.HasCode(err, "resource_missing") {
		return Result{}, noCharge()
	} else if err != nil {
		return Result{}, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), createTimeout)
	defer cancel()
	b, err := s.begins.Do(ctx, createIn{actor, chargeID, in, claim})
	switch {
	case err != nil:
		return Result{}, err
	case b.refused != nil:
		return Result{}, b.refused
	case b.prior != nil:
		return s.flow().Resume(ctx, claim, b.prior)
	case b.refund.waiting():
		return Result{Object: b.refund}, nil
	}
	crash.Point("refund.claimed")
	return s.send(ctx, b.call, outbox.SourceOf(actor))
}

func noCharge() error { return fault.Missing().On("charge_id") }

// beginTx claims the keys, reserves the amounts and writes the refunds, each of another charge. Every input
// gets its own answer; an input that is refused leaves nothing behind.
func (s *Service) beginTx(ctx context.Context, tx *pg.Tx, at clock.Moments, ins []createIn) ([]begun, error) {
	out, machine := make([]begun, len(ins)), at[ins[0].application()].Machine
	entries := make([]idempotency.Entry, len(ins))
	for i, in := range ins {
		out[i].refund.ID = ids.NewRefund(machine)
		entries[i] = idempotency.Entry{Claim: in.claim, ObjectID: out[i].refund.ID.Bytes()}
	}
	verdicts, err := idempotency.ClaimTx(ctx, tx, machine, entries)
	if err != nil {
		return nil, err
	}
	for i := range ins { // before charges are locked: their holders write to keys
		out[i].prior, out[i].refused = verdicts[i].Prior, verdicts[i].Err
	}
	charges, err := s.chargesTx(ctx, tx, ins, out)
	if err != nil {
		return nil, err
	}
	for i, in := range ins {
		if out[i].writes() {
			l, ok := charges[in.chargeID]
			out[i].refund, out[i].refused = s.draftTx(ctx, tx, at[in.application()], in, l, ok, out[i].refund.ID)
		}
	}
	if err := insertTx(ctx, tx, out); err != nil {
		return nil, err
	}
	for i, in := range ins {
		switch {
		case out[i].writes():
			out[i].call, err = s.reserveTx(tx, at[in.application()], in, charges[in.chargeID], out[i].refund)
		case out[i].prior == nil && verdicts[i].Err == nil:
			idempotency.ReleaseTx(tx, in.claim)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// chargesTx locks the charges of those that go on.
func (s *Service) chargesTx(ctx context.Context, tx *pg.Tx, ins []createIn, out []begun) (map[ids.Charge]charge.Locked, error) {
	var named []charge.Named
	for i, in := range ins {
		if out[i].writes() {
			named = append(named, charge.Named{ApplicationID: in.application(), ID: in.chargeID})
		}
	}
	if len(named) == 0 {
		return nil, nil
	}
	return s.deps.Charges.LockAllTx(ctx, tx, named)
}

// found looks for what became of a round when the answer to its commit was lost. A refund that is there
// happened, and nobody but us has begun to send it.
func (s *Service) found(ctx context.Context, ins []createIn, out []begun, lost error) []begun {
	for i, in := range ins {
		if !out[i].writes() {
			continue // nothing was written
		}
		if _, err := s.find(ctx, in.application(), out[i].refund.ID); err != nil {
			out[i] = begun{refused: lost}
		}
	}
	return out
}

// draftTx makes a refund of a charge that the transaction holds, if there is one, or says why not.
func (s *Service) draftTx(ctx context.Context, tx *pg.Tx, m instant.Moment, req createIn, l charge.Locked, ok bool, id ids.Refund) (Refund, error) {
	in := req.in
	if !ok || l.ApplicationID != req.application() {
		return Refund{}, noCharge()
	}
	// Before what is left is looked at: who refunds twice under one external_id is told of the first.
	if err := freeTx(ctx, tx, l.ApplicationID, in.ExternalID); err != nil {
		return Refund{}, err
	}
	if err := untouched(l.Charge, in.IfLeft); err != nil {
		return Refund{}, err
	}
	amount, err := amountOf(l.Charge, in.Amount)
	if err != nil {
		return Refund{}, err
	}
	r := Refund{
		ID: id, Version: 1, ApplicationID: l.ApplicationID, MerchantID: l.MerchantID, ChargeID: l.ID, Amount: amount,
		Currency: l.Currency, Status: Pending, Reason: in.Reason, Note: in.Note, ExternalID: in.ExternalID,
		Metadata: in.Metadata, InitiatedBy: initiatedBy(req.actor), RequestID: req.actor.RequestID,
		Processor: charge.ProcessorRef{Name: s.deps.Processor.Name(), Reference: id.String()},
		CreatedAt: instant.Of(m.At), UpdatedAt: instant.Of(m.At),
	}
	if r.Metadata == nil {
		r.Metadata = map[string]string{}
	}
	if _, waits := refundable(l.Charge); waits {
		reason := ChargePending
		r.PendingReason = &reason
	}
	return s.derive(r), nil
}

// reserveTx reserves the amount of a refund that is written, and opens its operation.
func (s *Service) reserveTx(tx *pg.Tx, m instant.Moment, in createIn, l charge.Locked, r Refund) (call, error) {
	by := cause{outbox.SourceOf(in.actor), in.actor.RequestID}
	if _, err := s.deps.Charges.ChangeTx(tx, m, l, by.change(r.Amount, 0)); err != nil {
		return call{}, err
	}
	if _, err := announceTx(tx, m, Refund{}, r, by); err != nil {
		return call{}, err
	}
	c := callOf(r, l, m.Machine)
	if in.claim != nil {
		c.op.IdempotencyKey = &in.claim.Key
	}
	if err := s.audit.DoneTx(tx, in.actor, authz.RefundCreate, audit.Of("refund", r.ID.String(), r.MerchantID), nil, r); err != nil {
		return call{}, err
	}
	return c, openTx(tx, c, in.claim)
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

// flow is how refunds are sent and asked after again, but for how their outcomes are written.
func (s *Service) flow() operation.Flow[Refund] {
	return operation.Flow[Refund]{Name: "refund", Resolver: s.deps.Operations,
		Find: func(ctx context.Context, applicationID int64, id [16]byte) (Refund, error) {
			return s.find(ctx, applicationID, ids.RefundFrom(id))
		}}
}

// send calls the processor once and writes the outcome down, whose events tell by whom.
func (s *Service) send(ctx context.Context, c call, source outbox.Source) (Result, error) {
	r, flow := c.refund, s.flow()
	flow.Finish = func(ctx context.Context, o operation.Outcome) (finished, error) {
		return s.finishes.Do(ctx, finishIn{o, source})
	}
	return flow.CarryOut(ctx, r, c.op, func(ctx context.Context) (processor.Answer, error) {
		return s.deps.Processor.Refund(ctx, processor.FollowUp{Reference: r.Processor.Reference,
			Account: processor.Account(r.ApplicationID, r.MerchantID), Original: c.original, Amount: r.Amount, Currency: r.Currency})
	})
}
