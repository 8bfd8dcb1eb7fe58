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

// request is one caller's wish for a refund.
type request struct {
	actor    authz.Actor
	chargeID ids.Charge
	in       CreateInput
	claim    *idempotency.Claim
}

func (r request) application() int64 { return r.actor.ApplicationID }

func (r request) charge() string { return r.chargeID.String() }

// claimed is a refund that was claimed, with our reference of its charge. It is called unless it waits.
type claimed struct {
	operation.Claimed[Refund]
	charge charge.Charge
}

// Create returns an amount of a charge, whatever the merchant's status. A refund that the
// processor refuses is recorded and returned as failed. An outcome that is unknown is found out by
// the resolver; a refund with a pending_reason waits for its charge. claim may be nil: without a key,
// nothing protects the caller from their own retries.
//
// Faults: resource_missing, charge_not_refundable, charge_disputed, refund_exceeds_remaining (with
// what remains), external_id_taken (with the refund that has it); of a person's refund, proof_required.
//
// Once begun, the work goes on even if the caller goes away.
func (s *Service) Create(ctx context.Context, actor authz.Actor, in CreateInput,
	claim *idempotency.Claim) (Result, error) {
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
	out, err := s.claims.Do(ctx, request{actor, chargeID, in, claim})
	switch {
	case err != nil:
		return Result{}, err
	case out.Refused != nil:
		return Result{}, out.Refused
	case out.Prior != nil:
		return s.flow().Resume(ctx, claim, out.Prior)
	case out.Object.waiting():
		return Result{Object: out.Object}, nil
	}
	crash.Point("refund.claimed")
	return s.send(ctx, out, outbox.SourceOf(actor))
}

func noCharge() error { return fault.Missing().On("charge_id") }

// claimTx claims the keys, reserves the amounts and writes the refunds, each of another charge. Every request gets its
// own answer; one that is refused leaves nothing behind.
func (s *Service) claimTx(ctx context.Context, tx *pg.Tx, at clock.Moments, requests []request) ([]claimed, error) {
	out, machine := make([]claimed, len(requests)), at[requests[0].application()].Machine
	entries := make([]idempotency.Entry, len(requests))
	for i, r := range requests {
		out[i].Object.ID = ids.NewRefund(machine)
		entries[i] = idempotency.Entry{Claim: r.claim, ObjectID: out[i].Object.ID.Bytes()}
	}
	verdicts, err := idempotency.ClaimTx(ctx, tx, machine, entries)
	if err != nil {
		return nil, err
	}
	for i := range requests { // before charges are locked: their holders write to keys
		out[i].Prior, out[i].Refused = verdicts[i].Prior, verdicts[i].Err
	}
	charges, err := s.chargesTx(ctx, tx, requests, out)
	if err != nil {
		return nil, err
	}
	people, err := s.unprovenTx(ctx, tx, requests)
	if err != nil {
		return nil, err
	}
	for i, r := range requests {
		if !out[i].Proceeds() {
			continue
		}
		// Before what is left is looked at: a second refund under one external_id is refused with the id of the first.
		if out[i].Refused = freeTx(ctx, tx, r.application(), r.in.ExternalID); out[i].Refused == nil {
			out[i].Object, out[i].Refused = s.decide(r, out[i].Object.ID, charges[r.chargeID], at[r.application()].At)
		}
		if out[i].Refused == nil {
			out[i].Refused = people.add(r, charges[r.chargeID].Charge, out[i].Object)
		}
	}
	if err := insertTx(ctx, tx, out); err != nil {
		return nil, err
	}
	for i, r := range requests {
		switch {
		case out[i].Proceeds():
			out[i], err = s.reserveTx(tx, at[r.application()], r, charges[r.chargeID], out[i].Object)
		case out[i].Prior == nil && verdicts[i].Err == nil:
			idempotency.ReleaseTx(tx, r.claim)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// chargesTx locks the charges of those that go on.
func (s *Service) chargesTx(ctx context.Context, tx *pg.Tx, requests []request,
	out []claimed) (map[ids.Charge]charge.Locked, error) {
	var named []charge.Named
	for i, r := range requests {
		if out[i].Proceeds() {
			named = append(named, charge.Named{ApplicationID: r.application(), ID: r.chargeID})
		}
	}
	if len(named) == 0 {
		return nil, nil
	}
	return s.deps.Charges.LockAllTx(ctx, tx, named)
}

// found looks for the refunds of a batch when the answer to its commit was lost. One that is there was written, and no
// other program has begun to send it.
func (s *Service) found(ctx context.Context, requests []request, out []claimed, lost error) []claimed {
	for i, r := range requests {
		if !out[i].Proceeds() {
			continue // nothing was written
		}
		if _, err := s.find(ctx, r.application(), out[i].Object.ID); err != nil {
			out[i].Refused = lost
		}
	}
	return out
}

// decide makes a refund of a locked charge, which is the zero one if there is none, or says why not.
func (s *Service) decide(req request, id ids.Refund, l charge.Locked, now time.Time) (Refund, error) {
	in := req.in
	if l.ApplicationID != req.application() {
		return Refund{}, noCharge()
	}
	if err := untouched(l.Charge, in.IfLeft); err != nil {
		return Refund{}, err
	}
	amount, err := AmountOf(l.Charge, in.Amount)
	if err != nil {
		return Refund{}, err
	}
	r := Refund{
		ID: id, Version: 1, ApplicationID: l.ApplicationID, MerchantID: l.MerchantID, ChargeID: l.ID, Amount: amount,
		Currency: l.Currency, Status: Pending, Reason: in.Reason, Note: in.Note, ExternalID: in.ExternalID,
		Metadata: in.Metadata, InitiatedBy: initiatedBy(req.actor), RequestID: req.actor.RequestID,
		Processor: charge.ProcessorRef{Name: l.Processor.Name, Reference: id.String()},
		CreatedAt: instant.Of(now), UpdatedAt: instant.Of(now),
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
func (s *Service) reserveTx(tx *pg.Tx, m instant.Moment, req request, l charge.Locked, r Refund) (claimed, error) {
	by := cause{outbox.SourceOf(req.actor), req.actor.RequestID}
	if _, err := s.deps.Charges.ChangeTx(tx, m, l, by.change(r.Amount, 0)); err != nil {
		return claimed{}, err
	}
	if _, err := announceTx(tx, m, Refund{}, r, by); err != nil {
		return claimed{}, err
	}
	if err := s.audit.DoneTx(tx, req.actor, authz.RefundCreate, audit.Of("refund", r.ID.String(), r.MerchantID), nil,
		r); err != nil {
		return claimed{}, err
	}
	out := claimedOf(r, l, req.claim, m.Machine)
	if r.waiting() { // the request has its answer already
		return out, req.claim.StoreTx(tx, r.ID.Bytes(), r, nil)
	}
	operation.OpenTx(tx, out.Operation)
	return out, nil
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// claimedOf is a refund of a charge with the operation that sends it.
func claimedOf(r Refund, l charge.Locked, claim *idempotency.Claim, machine time.Time) claimed {
	op := operation.Operation{ApplicationID: r.ApplicationID, MerchantID: r.MerchantID, ChargeID: r.ChargeID,
		SubjectID: r.ID.Bytes(),
		Kind:      operation.Refund, Reference: r.Processor.Reference, Amount: r.Amount, Currency: r.Currency,
		RequestID: r.RequestID, Source: outbox.Source(r.InitiatedBy.Kind)}
	return claimed{operation.Claimed[Refund]{Object: r, Operation: operation.New(op.At(l.Account()), claim, machine)},
		l.Charge}
}

// flow is how refunds are sent and asked after again, but for how their outcomes are written.
func (s *Service) flow() operation.Flow[Refund] {
	return operation.Flow[Refund]{Name: "refund", Resolver: s.deps.Operations,
		Find: func(ctx context.Context, applicationID int64, id [16]byte) (Refund, error) {
			return s.find(ctx, applicationID, ids.RefundFrom(id))
		}}
}

// send calls the processor once and writes the outcome down, whose events tell by whom.
func (s *Service) send(ctx context.Context, c claimed, source outbox.Source) (Result, error) {
	r, flow := c.Object, s.flow()
	flow.Finish = func(ctx context.Context, o operation.Outcome) (finished, error) {
		return s.finishes.Do(ctx, finishIn{o, source})
	}
	return flow.CarryOut(ctx, r, c.Operation, func(ctx context.Context) (processor.Answer, error) {
		return s.deps.Processors.Refund(ctx, c.Operation.FollowUp(c.charge.Processor.Reference, c.charge.PaymentID))
	})
}
