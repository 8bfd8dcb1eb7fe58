package refund

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/operation"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
)

// Finish writes the outcome of refunds whose answer was lost, whatever becomes of the others.
func (s *Service) Finish(ctx context.Context, outcomes []operation.Outcome) error {
	var errs []error
	for _, o := range outcomes {
		_, err := s.finishes.Do(ctx, finishIn{Outcome: o, source: outbox.Job})
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// pair is a refund with its charge, both held by the transaction.
type pair struct {
	charge charge.Locked
	refund Refund
}

// finishIn is one outcome, and who caused it.
type finishIn struct {
	operation.Outcome
	source outbox.Source
}

func (in finishIn) application() int64 { return in.ApplicationID }

func (in finishIn) charge() string { return in.ChargeID.String() }

type finished = operation.Finished[Refund]

// finishTx writes outcomes, each about another charge, in the order of their charges, as those lock them who read them
// first. A refund that is finished already is returned as it is, so that the request and the resolver may both arrive
// here.
func (s *Service) finishTx(ctx context.Context, tx *pg.Tx, at clock.Moments, ins []finishIn) ([]finished, error) {
	all, err := s.holdAllTx(ctx, tx, ins)
	if err != nil {
		return nil, err
	}
	order := make([]int, len(ins))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := ins[a].ChargeID.Bytes(), ins[b].ChargeID.Bytes()
		return bytes.Compare(x[:], y[:])
	})
	out := make([]finished, len(ins))
	for _, i := range order {
		if out[i], err = s.concludeTx(tx, at[ins[i].ApplicationID], all[i], ins[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// holdAllTx locks the charges of outcomes and then their refunds.
func (s *Service) holdAllTx(ctx context.Context, tx *pg.Tx, ins []finishIn) ([]pair, error) {
	named := make([]charge.Named, len(ins))
	for i, in := range ins {
		named[i] = charge.Named{ApplicationID: in.ApplicationID, ID: in.ChargeID}
	}
	b := tx.Batch()
	locked, asked := s.deps.Charges.AskLock(b, named), askLock(b, ins)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	charges, refunds := locked.Charges(), s.byID(asked.Rows())
	out := make([]pair, len(ins))
	for i, in := range ins {
		l, held := charges[in.ChargeID]
		r, there := refunds[ids.RefundFrom(in.SubjectID)]
		if !held || !there || l.ApplicationID != in.ApplicationID || r.ApplicationID != in.ApplicationID {
			return nil, fmt.Errorf("refund: outcome of %v: %w", ids.RefundFrom(in.SubjectID), fault.Missing())
		}
		out[i] = pair{l, r}
	}
	return out, nil
}

// concludeTx writes one outcome of a refund that the transaction holds, with its charge.
func (s *Service) concludeTx(tx *pg.Tx, m instant.Moment, from pair, in finishIn) (out finished, err error) {
	if from.refund.Status != Pending {
		return finished{Object: from.refund}, nil
	}
	by := cause{in.source, in.RequestID}
	if in.Answer != nil && in.Answer.Approved {
		out, err = s.succeedTx(tx, m, from, by)
	} else {
		out, err = s.failTx(tx, m, from, in.Outcome, by)
	}
	if err != nil {
		return finished{}, err
	}
	operation.CloseTx(tx, in.Outcome, m.Machine)
	return out, in.StoreTx(tx, out.Text, nil)
}

// holdTx locks a charge and then a refund of it.
func (s *Service) holdTx(ctx context.Context, tx *pg.Tx, applicationID int64, chargeID ids.Charge,
	id ids.Refund) (charge.Locked, Refund, error) {
	l, err := s.deps.Charges.LockTx(ctx, tx, applicationID, chargeID)
	if err != nil {
		return charge.Locked{}, Refund{}, err
	}
	r, err := s.lockTx(ctx, tx, applicationID, id)
	return l, r, err
}

// succeedTx books a refund that the processor has made: what was reserved on the charge is refunded.
func (s *Service) succeedTx(tx *pg.Tx, m instant.Moment, from pair, by cause) (finished, error) {
	r := next(from.refund, m)
	r.Status, r.SucceededAt, r.Failure, r.FailedAt = Succeeded, instant.Ptr(m.At), nil, nil
	reserved := r.Amount
	if from.refund.Status != Pending {
		reserved = 0
	}
	if _, err := s.deps.Charges.ChangeTx(tx, m, from.charge, by.change(-reserved, r.Amount)); err != nil {
		return finished{}, err
	}
	ledger.PostTx(tx, m, posting(from, ledger.KindRefund, "refund"))
	text, err := writeTx(tx, m, from.refund, r, by)
	return finished{Object: r, Text: text}, err
}

// posting moves the money of a refund from the account of the merchant that has the charge's money now to the
// processor.
func posting(from pair, kind, name string) ledger.Posting {
	r, account := from.refund, ledger.MerchantPending
	if from.charge.SettledAlready() {
		account = ledger.MerchantAvailable
	}
	return ledger.Posting{ApplicationID: r.ApplicationID, MerchantID: r.MerchantID,
		BusinessKey: r.ID.String() + ":" + name, Kind: kind,
		Debit: account, Credit: ledger.ProcessorReceivable, Amount: r.Amount, Currency: r.Currency,
		SourceID: r.ID.Bytes(), ChargeID: r.ChargeID}
}

// failTx lets go of what was reserved for a refund that was refused, or that never arrived.
func (s *Service) failTx(tx *pg.Tx, m instant.Moment, from pair, o operation.Outcome, by cause) (finished, error) {
	r := next(from.refund, m)
	r.Status, r.FailedAt, r.Failure = Failed, instant.Ptr(m.At), &declined
	if o.Answer == nil {
		r.Failure = &lost
	}
	if _, err := s.deps.Charges.ChangeTx(tx, m, from.charge, by.change(-r.Amount, 0)); err != nil {
		return finished{}, err
	}
	text, err := writeTx(tx, m, from.refund, r, by)
	return finished{Object: r, Text: text}, err
}
