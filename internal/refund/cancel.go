package refund

import (
	"context"
	"fmt"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
)

// Cancel takes back a refund that waits for its charge. Any other is sent or over already: the fault
// refund_not_cancelable names its status. claim may be nil.
func (s *Service) Cancel(ctx context.Context, actor authz.Actor, id string, claim *idempotency.Claim) (Result, error) {
	if err := s.audit.Allow(ctx, actor, authz.RefundCancel, audit.Of("refund", id, 0)); err != nil {
		return Result{}, err
	}
	refundID, err := ids.ParseRefund(id)
	if err != nil {
		return Result{}, fault.Missing()
	}
	r, err := s.find(ctx, actor.ApplicationID, refundID)
	if r, err = authz.Seen(actor, r, r.MerchantID, err); err != nil {
		return Result{}, err
	}
	m, err := s.deps.Clock.Moment(ctx, actor.ApplicationID)
	if err != nil {
		return Result{}, err
	}
	return idempotency.Once(ctx, s.deps.Pool, claim, m.Machine, r.ID.Bytes(), func(tx *pg.Tx) (Refund, error) {
		l, before, err := s.holdTx(ctx, tx, actor.ApplicationID, r.ChargeID, r.ID)
		if err != nil {
			return Refund{}, err
		}
		if !before.waiting() {
			return Refund{}, notCancelable(before)
		}
		_, canceled, err := s.cancelTx(tx, m, l, []Refund{before}, cause{outbox.SourceOf(actor), actor.RequestID})
		if err != nil {
			return Refund{}, err
		}
		return canceled[0], s.audit.DoneTx(tx, actor, authz.RefundCancel,
			audit.Of("refund", r.ID.String(), r.MerchantID), before, canceled[0])
	})
}

func notCancelable(r Refund) error {
	what := string(r.Status)
	if r.Status == Pending {
		what = "pending at the processor"
	}
	return fault.New(fault.KindConflict, "refund_not_cancelable",
		fmt.Sprintf("A refund that is %s cannot be canceled.", what)).
		With("status", string(r.Status))
}

// CancelUnsentTx cancels the refunds of a charge that have not been sent, and lets go of what was
// reserved for them. It returns the charge as it is then: a further change in the same transaction
// starts from there.
func (s *Service) CancelUnsentTx(ctx context.Context, tx *pg.Tx, m instant.Moment,
	l charge.Locked) (charge.Locked, error) {
	waiting, err := s.waitingOfTx(ctx, tx, l.ApplicationID, l.ID)
	if err != nil {
		return l, err
	}
	l, _, err = s.cancelTx(tx, m, l, waiting, cause{source: outbox.Job})
	return l, err
}

// cancelTx cancels waiting refunds of one charge, all under its lock. A charge that failed or was
// voided has let go of every reservation already, then there is nothing left to release.
func (s *Service) cancelTx(tx *pg.Tx, m instant.Moment, l charge.Locked, waiting []Refund, by cause) (charge.Locked,
	[]Refund, error) {
	canceled := make([]Refund, len(waiting))
	var total money.Amount
	for i, before := range waiting {
		r := next(before, m)
		r.Status, r.PendingReason, r.CanceledAt = Canceled, nil, instant.Ptr(m.At)
		if _, err := writeTx(tx, m, before, r, by); err != nil {
			return l, nil, err
		}
		canceled[i], total = r, total+r.Amount
	}
	release := min(total, l.AmountRefundPending)
	if release == 0 {
		return l, canceled, nil
	}
	l, err := s.deps.Charges.ChangeTx(tx, m, l, by.change(-release, 0))
	return l, canceled, err
}
