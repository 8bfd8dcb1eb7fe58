package refund

import (
	"context"
	"errors"
	"fmt"

	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/operation"
	"svcpay/internal/outbox"
	"svcpay/internal/pg"
)

// Finish writes what became of refunds whose answer was lost, each in its own transaction.
func (s *Service) Finish(ctx context.Context, outcomes []operation.Outcome) error {
	var errs []error
	for _, o := range outcomes {
		_, err := s.finish(ctx, o, outbox.Job)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// finish writes one outcome. A refund that is finished already is returned as it is, so that the
// request and the resolver may both arrive here.
func (s *Service) finish(ctx context.Context, o operation.Outcome, source outbox.Source) (Refund, error) {
	m, err := s.Clock.Moment(ctx, o.ApplicationID)
	if err != nil {
		return Refund{}, err
	}
	var r Refund
	err = pg.InTx(ctx, s.Pool, func(tx *pg.Tx) error {
		l, before, err := s.holdTx(ctx, tx, o.ApplicationID, o.ChargeID, ids.RefundFrom(o.SubjectID))
		if err != nil {
			return fmt.Errorf("refund: outcome of %v: %w", ids.RefundFrom(o.SubjectID), err)
		}
		if r = before; before.Status != Pending {
			return nil
		}
		by := cause{source, o.RequestID}
		if o.Answer != nil && o.Answer.Approved {
			r, err = s.succeedTx(tx, m, l, before, by)
		} else {
			r, err = s.failTx(tx, m, l, before, o, by)
		}
		if err != nil {
			return err
		}
		operation.CloseTx(tx, o.ID, operation.StateOf(o.Answer), m.Machine)
		return o.StoreTx(tx, r, nil)
	})
	return r, err
}

// holdTx locks a charge and then a refund of it.
func (s *Service) holdTx(ctx context.Context, tx *pg.Tx, applicationID int64, chargeID ids.Charge, id ids.Refund) (charge.Locked, Refund, error) {
	l, err := s.Charges.LockTx(ctx, tx, applicationID, chargeID)
	if err != nil {
		return charge.Locked{}, Refund{}, err
	}
	r, err := s.lockTx(ctx, tx, applicationID, id)
	return l, r, err
}

// succeedTx books a refund that the processor has made: what was reserved on the charge is refunded.
func (s *Service) succeedTx(tx *pg.Tx, m instant.Moment, l charge.Locked, before Refund, by cause) (Refund, error) {
	r := next(before, m)
	r.Status, r.SucceededAt, r.Failure, r.FailedAt = Succeeded, instant.Ptr(m.At), nil, nil
	reserved := r.Amount
	if before.Status != Pending {
		reserved = 0
	}
	if _, err := s.Charges.ChangeTx(tx, m, l, by.change(-reserved, r.Amount)); err != nil {
		return Refund{}, err
	}
	account := ledger.MerchantPending
	if l.SettledAlready() {
		account = ledger.MerchantAvailable
	}
	ledger.PostTx(tx, m, ledger.Posting{ApplicationID: r.ApplicationID, MerchantID: r.MerchantID,
		BusinessKey: r.ID.String() + ":refund", Kind: ledger.KindRefund, Debit: account, Credit: ledger.ProcessorReceivable,
		Amount: r.Amount, Currency: r.Currency, SourceID: r.ID.Bytes(), ChargeID: r.ChargeID})
	return r, writeTx(tx, m, before, r, by)
}

// failTx lets go of what was reserved for a refund that was refused, or that never arrived.
func (s *Service) failTx(tx *pg.Tx, m instant.Moment, l charge.Locked, before Refund, o operation.Outcome, by cause) (Refund, error) {
	r := next(before, m)
	r.Status, r.FailedAt, r.Failure = Failed, instant.Ptr(m.At), &declined
	if o.Answer == nil {
		r.Failure = &lost
	}
	if _, err := s.Charges.ChangeTx(tx, m, l, by.change(-r.Amount, 0)); err != nil {
		return Refund{}, err
	}
	return r, writeTx(tx, m, before, r, by)
}
