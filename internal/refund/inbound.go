package refund

import (
	"context"
	"errors"
	"fmt"

	"svcpay/internal/fault"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/operation"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// ErrUnresolved is returned for an event of a refund whose own outcome is not known yet: it will be.
var ErrUnresolved = errors.New("refund: its outcome is not known yet")

// ErrReversalFailed is returned for the failure of the refund that reversed a late approval. The merchant never had
// that money, so nothing is booked, and the processor has it: an operator must return it to the payer.
var ErrReversalFailed = errors.New("refund: the reversal of a late approval failed, pay the payer in another way")

// Confirmed records that the processor confirms a refund. Nothing changes, unless the refund was given up: then it was
// made after all. A repetition changes nothing, and neither does an event that comes after the failure of the refund.
func (s *Service) Confirmed(ctx context.Context, ev processor.Event) error {
	return s.inbound(ctx, ev, func(_ *pg.Tx, _ instant.Moment, from pair) error {
		if r := from.refund; r.Status == Succeeded || r.Status == Failed && r.Failure.Code != declined.Code {
			return nil
		}
		return contradiction(ev, from.refund)
	})
}

// Failed records that a refund failed after it had succeeded: the merchant has the money again, and it can be refunded
// again. A repetition changes nothing, and neither does the event of a refund that returned no money.
func (s *Service) Failed(ctx context.Context, ev processor.Event) error {
	return s.inbound(ctx, ev, func(tx *pg.Tx, m instant.Moment, from pair) error {
		switch from.refund.Status {
		case Succeeded:
			return s.undoTx(ctx, tx, m, from, ev)
		case Failed:
			return nil
		case Pending, Canceled:
		}
		return contradiction(ev, from.refund)
	})
}

// inbound applies a processor's event to the refund with that reference. Its errors: resource_missing if there is
// none and no reversal either, [ErrReversalFailed], and [ErrUnresolved]. An event is proof that a refund which was
// given up was made after all: that is booked first.
func (s *Service) inbound(ctx context.Context, ev processor.Event, do func(*pg.Tx, instant.Moment, pair) error) error {
	r, err := s.findByReference(ctx, ev.Adapter, ev.Reference)
	if f, ok := fault.As(err); ok && f.Kind == fault.KindNotFound {
		return s.reversal(ctx, ev)
	}
	if err != nil {
		return err
	}
	c, err := s.deps.Charges.Find(ctx, r.ApplicationID, r.ChargeID)
	if err != nil {
		return err
	}
	if ev.On() != c.Account() {
		return fault.Missing()
	}
	m, err := s.deps.Clock.Moment(ctx, r.ApplicationID)
	if err != nil {
		return err
	}
	return pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		l, held, err := s.holdTx(ctx, tx, r.ApplicationID, r.ChargeID, r.ID)
		if err != nil {
			return err
		}
		from := pair{l, held}
		switch {
		case held.Status == Pending && !held.waiting():
			return ErrUnresolved
		case held.givenUp():
			if from, err = s.provedTx(ctx, tx, m, from); err != nil {
				return err
			}
		}
		return do(tx, m, from)
	})
}

// reversal handles an event of the refund that reversed a late approval. Such a refund is only an operation. Its
// errors: resource_missing if there is none, [ErrReversalFailed], and [ErrUnresolved].
func (s *Service) reversal(ctx context.Context, ev processor.Event) error {
	o, err := operation.OfReference(ctx, s.deps.Pool, operation.Reverse, ev.Adapter, ev.Reference)
	switch {
	case err != nil:
		return err
	case ev.On() != o.Account():
		return fault.Missing()
	case o.State == operation.Open, o.State == operation.NotSubmitted: // it is still looked up
		return ErrUnresolved
	case o.State == operation.Approved && ev.Kind == processor.RefundFailed:
		return ErrReversalFailed
	case o.State == operation.Declined && ev.Kind == processor.RefundSucceeded:
		return fmt.Errorf("refund: %s of %s, a reversal that was declined", ev.Kind, o.Reference)
	}
	return nil
}

// provedTx books a refund that was given up and is proved to be made, if it still fits its charge, and returns both as
// they then are.
func (s *Service) provedTx(ctx context.Context, tx *pg.Tx, m instant.Moment, from pair) (pair, error) {
	r := from.refund
	o, err := operation.OfReference(ctx, tx, operation.Refund, r.Processor.Name, r.Processor.Reference)
	if err != nil {
		return from, err
	}
	known, err := s.lateTx(ctx, tx, m, from, operation.Outcome{Operation: o, Answer: &processor.Answer{Approved: true}})
	switch {
	case err != nil:
		return from, err
	case !known:
		return from, ErrUnresolved
	}
	if err := tx.Flush(ctx); err != nil { // what follows begins with the rows as they now are
		return from, err
	}
	from.charge, from.refund, err = s.holdTx(ctx, tx, r.ApplicationID, r.ChargeID, r.ID)
	return from, err
}

// undoTx returns the money of a refund that had succeeded to the merchant, and to what can be refunded of the charge.
// It goes where the money of the charge is now: to what is pending, or to what is available once the charge has
// settled.
func (s *Service) undoTx(ctx context.Context, tx *pg.Tx, m instant.Moment, from pair, ev processor.Event) error {
	by, r := cause{source: outbox.Job}, next(from.refund, m)
	r.Status, r.FailedAt, r.Failure = Failed, instant.Ptr(m.At), laterFailure(ev.Failure)
	if from.charge.AmountRefunded < r.Amount {
		return fmt.Errorf("refund: %v returned more than its charge says", r.ID)
	}
	c, err := s.deps.Charges.ChangeTx(tx, m, from.charge, by.change(0, -r.Amount))
	if err != nil {
		return err
	}
	p := posting(from, ledger.KindRefundFailed, "refund_failed")
	p.Debit, p.Credit = p.Credit, p.Debit
	ledger.PostTx(tx, m, p)
	if ev.RawCode != "" {
		operation.RawCodeTx(tx, operation.Refund, r.Processor.Name, r.Processor.Reference, ev.RawCode)
	}
	if _, err := writeTx(tx, m, from.refund, r, by); err != nil {
		return err
	}
	return s.tellFailedTx(ctx, tx, r, c.AmountRefundable > 0)
}

// contradiction is what a person must look at: the processor reports something of a refund that cannot have happened to
// it.
func contradiction(ev processor.Event, r Refund) error {
	return fmt.Errorf("refund: %s of %s, which is %s", ev.Kind, r.ID, r.Status)
}
