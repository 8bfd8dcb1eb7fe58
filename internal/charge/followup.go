package charge

import (
	"context"
	"fmt"
	"slices"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/operation"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/calendar"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/testing/crash"
)

// CaptureInput is the body of a capture; no amount means all that was authorized.
type CaptureInput struct {
	Amount    *money.Amount `json:"amount" absent:"all"`
	IfVersion *int          `json:"-"` // the charge must still be of this version
}

// Validate returns every mistake that can be seen without looking anything up.
func (in CaptureInput) Validate() fault.Fields {
	var fs fault.Fields
	check.Amount(&fs, "amount", in.Amount)
	return fs
}

// VoidInput is the body of a void.
type VoidInput struct {
	Reason    *string `json:"reason"`
	IfVersion *int    `json:"-"` // the charge must still be of this version
}

// Validate returns every mistake that can be seen without looking anything up.
func (in VoidInput) Validate() fault.Fields {
	var fs fault.Fields
	check.Text(&fs, "reason", in.Reason, 1, check.MaxDescription)
	return fs
}

// Capture takes the authorized amount of a charge or a part of it, once; the rest is released. Like
// [Service.Create] it happens once per key, and its outcome may be unknown for a while.
func (s *Service) Capture(ctx context.Context, actor authz.Actor, id string, in CaptureInput,
	claim *idempotency.Claim) (Result, error) {
	return s.carryOut(ctx, actor, authz.ChargeCapture, id, in.Validate(), claim,
		func(l Locked, m instant.Moment) (operation.Operation, error) {
			if err := check.Version(in.IfVersion, l.Version); err != nil {
				return operation.Operation{}, err
			}
			if err := capturable(l, m.At); err != nil {
				return operation.Operation{}, err
			}
			amount := or(in.Amount, l.AmountAuthorized)
			if amount > l.AmountAuthorized {
				return operation.Operation{}, fault.Refused("capture_exceeds_authorized",
					fmt.Sprintf("At most %d can be captured: that much was authorized.",
						l.AmountAuthorized)).On("amount")
			}
			return operation.Operation{Kind: operation.Capture, Amount: amount}, nil
		})
}

func capturable(c Locked, now time.Time) error {
	switch {
	case c.Status == Expired, c.Status == Authorized && !now.Before(c.AuthorizationExpiresAt.Time):
		return ErrAuthorizationExpired.With("charge_id", c.ID.String())
	case c.Status != Authorized:
		return fault.New(fault.KindConflict, "charge_not_capturable",
			"Only an authorized charge can be captured; this one is "+string(c.Status)+".").With("status",
			string(c.Status))
	case !merchant.Allows(c.MerchantStatus, merchant.Capture):
		return fault.Refused("merchant_not_active",
			"This merchant is closed, so no more of its charges can be captured.")
	}
	return nil
}

// Void releases the hold of an authorized charge, or takes a bank debit back that was not batched yet.
// What was captured goes back by a refund only.
func (s *Service) Void(ctx context.Context, actor authz.Actor, id string, in VoidInput,
	claim *idempotency.Claim) (Result, error) {
	return s.carryOut(ctx, actor, authz.ChargeVoid, id, in.Validate(), claim,
		func(l Locked, m instant.Moment) (operation.Operation, error) {
			if err := check.Version(in.IfVersion, l.Version); err != nil {
				return operation.Operation{}, err
			}
			zone, err := calendar.Zone(l.TimeZone)
			if err != nil {
				return operation.Operation{}, err
			}
			switch {
			case l.Status == Authorized:
			case l.Status == Pending &&
				m.At.Before(calendar.Country(l.Country).BatchAt(l.CapturedAt.Time, zone,
					s.deps.Processors.Terms(l.Processor.Name).BatchHour)):
			case l.Status == Pending:
				return operation.Operation{}, fault.New(fault.KindConflict, "charge_not_voidable",
					"The debit is with the bank already. Refund it instead.").With("status", string(l.Status))
			default:
				return operation.Operation{}, fault.New(fault.KindConflict, "charge_not_voidable",
					"Only an authorized charge, or a bank debit before its batch, can be voided; this one is "+
						string(l.Status)+".").
					With("status", string(l.Status))
			}
			return operation.Operation{Kind: operation.Void, Amount: l.AmountAuthorized, Note: in.Reason}, nil
		})
}

// carryOut makes a call about a charge that exists: decide under the charge's lock, commit our
// reference, call, finish.
func (s *Service) carryOut(ctx context.Context, actor authz.Actor, right authz.Permission, id string,
	mistakes fault.Fields, claim *idempotency.Claim, decide func(Locked, instant.Moment) (operation.Operation, error),
) (Result, error) {
	if err := s.audit.Allow(ctx, actor, right, audit.Of("charge", id, 0)); err != nil {
		return Result{}, err
	}
	if err := mistakes.Err(); err != nil {
		return Result{}, err
	}
	chargeID, err := ids.ParseCharge(id)
	if err != nil {
		return Result{}, fault.Missing()
	}
	if err := s.Reach(ctx, actor, chargeID); err != nil {
		return Result{}, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), createTimeout)
	defer cancel()
	out, err := s.followUps.Do(ctx, followUp{actor, right, chargeID, claim, decide})
	switch {
	case err != nil:
		return Result{}, err
	case out.Refused != nil:
		return Result{}, out.Refused
	case out.Prior != nil:
		return s.flow.Resume(ctx, claim, out.Prior)
	}
	crash.Point("charge.claimed")
	c, op := out.Object, out.Operation
	return s.flow.CarryOut(ctx, c, op, func(ctx context.Context) (processor.Answer, error) {
		f := op.FollowUp(c.Processor.Reference, c.PaymentID)
		if op.Kind == operation.Capture {
			return s.deps.Processors.Capture(ctx, f)
		}
		return s.deps.Processors.Void(ctx, f)
	})
}

// wanted is what the audit log keeps of a follow-up; its outcome is an event.
type wanted struct {
	Amount money.Amount `json:"amount"`
	// the name by which the audit log knows that it may report the payer
	Reason *string `json:"void_reason,omitempty"`
}

// followUp is a request about a charge that exists: decide says under its lock what is asked of the processor.
type followUp struct {
	actor  authz.Actor
	right  authz.Permission
	id     ids.Charge
	claim  *idempotency.Claim
	decide func(Locked, instant.Moment) (operation.Operation, error)
}

func (r followUp) application() int64 { return r.actor.ApplicationID }

func (r followUp) key() string { return r.id.String() }

// claimFollowUpsTx takes the keys and opens the operations of follow-ups, each about another charge. Every request gets
// its own answer; one that is refused leaves nothing behind.
func (s *Service) claimFollowUpsTx(ctx context.Context, tx *pg.Tx, at moments,
	requests []followUp) ([]operation.Claimed[Charge], error) {
	out, machine := make([]operation.Claimed[Charge], len(requests)), at[requests[0].application()].Machine
	entries := make([]idempotency.Entry, len(requests))
	for i, r := range requests {
		entries[i] = idempotency.Entry{Claim: r.claim, ObjectID: r.id.Bytes()}
	}
	verdicts, err := idempotency.ClaimTx(ctx, tx, machine, entries)
	if err != nil {
		return nil, err
	}
	var named []Named
	for i, r := range requests {
		out[i].Prior, out[i].Refused = verdicts[i].Prior, verdicts[i].Err
		if out[i].Proceeds() {
			named = append(named, Named{r.application(), r.id})
		}
	}
	if len(named) == 0 {
		return out, nil
	}
	rows, busy, err := s.freeTx(ctx, tx, named)
	if err != nil {
		return nil, err
	}
	for i, r := range requests {
		if !out[i].Proceeds() {
			continue
		}
		out[i], err = s.claimFollowUpTx(tx, at[r.application()], r, rows, busy)
		if out[i].Refused != nil {
			idempotency.ReleaseTx(tx, r.claim)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// freeTx locks charges and says which of them have a call in progress.
func (s *Service) freeTx(ctx context.Context, tx *pg.Tx, named []Named) (map[ids.Charge]Locked, []ids.Charge, error) {
	b := tx.Batch()
	locked, payments := s.AskLock(b, named), askPayments(b, named)
	applications, charges := columnsOf(named)
	busy := operation.AskBusy(b, applications, charges) // after the locks
	if err := b.Run(ctx); err != nil {
		return nil, nil, err
	}
	return payments.named(locked.Charges()), busy.Charges(), nil
}

// claimFollowUpTx decides about one follow-up and queues its operation.
func (s *Service) claimFollowUpTx(tx *pg.Tx, m instant.Moment, r followUp, rows map[ids.Charge]Locked,
	busy []ids.Charge) (out operation.Claimed[Charge], err error) {
	l, ok := rows[r.id]
	if !ok || l.ApplicationID != r.application() {
		out.Refused = fault.Missing()
		return out, nil
	}
	wants, refused := r.decide(l, m)
	if refused == nil && slices.Contains(busy, r.id) {
		refused = errInProgress()
	}
	if refused != nil {
		out.Refused = refused
		return out, nil
	}
	out.Object, out.Operation = l.Charge, s.reference(l.Charge, wants, r.actor, r.claim, m.Machine)
	operation.OpenTx(tx, out.Operation)
	about := audit.Of("charge", r.id.String(), l.MerchantID)
	return out, s.audit.DoneTx(tx, r.actor, r.right, about, nil, wanted{wants.Amount, wants.Note})
}

func errInProgress() error {
	return fault.New(fault.KindConflict, "operation_in_progress",
		"Another capture or void of this charge is in progress. Read the charge in a moment.").After(time.Second)
}

// reference completes an operation about a charge: who wants it, and our reference.
func (s *Service) reference(c Charge, o operation.Operation, actor authz.Actor, claim *idempotency.Claim,
	machine time.Time) operation.Operation {
	o.ApplicationID, o.MerchantID, o.ChargeID, o.SubjectID = c.ApplicationID, c.MerchantID, c.ID, c.ID.Bytes()
	o.Currency, o.RequestID, o.Source = c.Currency, actor.RequestID, outbox.SourceOf(actor)
	return operation.New(o.At(c.Account()), claim, machine)
}
