package refund

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"svcpay/internal/charge"
	"svcpay/internal/clock"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/operation"
	"svcpay/internal/outbox"
	"svcpay/internal/pg"
)

// Finish writes what became of refunds whose answer was lost, whatever becomes of the others.
func (s *Service) Finish(ctx context.Context, outcomes []operation.Outcome) error {
	var errs []error
	for _, o := range outcomes {
		_, err := s.finishes.Do(ctx, finishIn{o, outbox.Job})
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// finishIn is one outcome, and who caused it.
type finishIn struct {
	operation.Outcome
	source outbox.Source
}

func (in finishIn) application() int64 { return in.ApplicationID }

func (in finishIn) charge() string { return in.ChargeID.String() }

// finishTx writes outcomes, each about another charge. A refund that is finished already is returned as it
// is, so that the request and the resolver may both arrive here.
func (s *Service) finishTx(ctx context.Context, tx *pg.Tx, at clock.Moments, ins []finishIn) ([]Refund, error) {
	named := make([]charge.Named, len(ins))
	for i, in := range ins {
		named[i] = charge.Named{ApplicationID: in.ApplicationID, ID: in.ChargeID}
	}
	asked := s.Charges.AskLock(tx, named)
	refunds, err := s.lockAllTx(ctx, tx, ins)
	if err != nil {
		return nil, err
	}
	charges, err := asked.Charges(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]Refund, len(ins))
	for i, in := range ins {
		l, held := charges[in.ChargeID]
		before, there := refunds[ids.RefundFrom(in.SubjectID)]
		if !held || !there || l.ApplicationID != in.ApplicationID || before.ApplicationID != in.ApplicationID {
			return nil, fmt.Errorf("refund: outcome of %v: %w", ids.RefundFrom(in.SubjectID), fault.Missing())
		}
		if out[i], err = s.concludeTx(tx, at[in.ApplicationID], l, before, in); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// concludeTx writes one outcome of a refund that the transaction holds, with its charge.
func (s *Service) concludeTx(tx *pg.Tx, m instant.Moment, l charge.Locked, before Refund, in finishIn) (r Refund, err error) {
	if before.Status != Pending {
		return before, nil
	}
	by, text := cause{in.source, in.RequestID}, json.RawMessage(nil)
	if in.Answer != nil && in.Answer.Approved {
		r, text, err = s.succeedTx(tx, m, l, before, by)
	} else {
		r, text, err = s.failTx(tx, m, l, before, in.Outcome, by)
	}
	if err != nil {
		return Refund{}, err
	}
	operation.CloseTx(tx, in.ID, operation.StateOf(in.Answer), m.Machine)
	return r, in.StoreTx(tx, text, nil)
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

// succeedTx books a refund that the processor has made: what was reserved on the charge is refunded. It returns the refund and how it is told.
func (s *Service) succeedTx(tx *pg.Tx, m instant.Moment, l charge.Locked, before Refund, by cause) (r Refund, text json.RawMessage, err error) {
	r = next(before, m)
	r.Status, r.SucceededAt, r.Failure, r.FailedAt = Succeeded, instant.Ptr(m.At), nil, nil
	reserved := r.Amount
	if before.Status != Pending {
		reserved = 0
	}
	if _, err := s.Charges.ChangeTx(tx, m, l, by.change(-reserved, r.Amount)); err != nil {
		return Refund{}, nil, err
	}
	account := ledger.MerchantPending
	if l.SettledAlready() {
		account = ledger.MerchantAvailable
	}
	ledger.PostTx(tx, m, ledger.Posting{ApplicationID: r.ApplicationID, MerchantID: r.MerchantID,
		BusinessKey: r.ID.String() + ":refund", Kind: ledger.KindRefund, Debit: account, Credit: ledger.ProcessorReceivable,
		Amount: r.Amount, Currency: r.Currency, SourceID: r.ID.Bytes(), ChargeID: r.ChargeID})
	text, err = writeTx(tx, m, before, r, by)
	return r, text, err
}

// failTx lets go of what was reserved for a refund that was refused, or that never arrived. It returns the refund and how it is told.
func (s *Service) failTx(tx *pg.Tx, m instant.Moment, l charge.Locked, before Refund, o operation.Outcome, by cause) (r Refund, text json.RawMessage, err error) {
	r = next(before, m)
	r.Status, r.FailedAt, r.Failure = Failed, instant.Ptr(m.At), &declined
	if o.Answer == nil {
		r.Failure = &lost
	}
	if _, err := s.Charges.ChangeTx(tx, m, l, by.change(-r.Amount, 0)); err != nil {
		return Refund{}, nil, err
	}
	text, err = writeTx(tx, m, before, r, by)
	return r, text, err
}
