package payout

import (
	"context"
	"fmt"

	"svcpay/internal/fault"
	"svcpay/internal/instant"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/returncode"
)

// Paid writes that a payout has arrived. A repetition changes nothing, and neither does news that
// comes after that of its return.
func (s *Service) Paid(ctx context.Context, ev processor.Event) error {
	return s.inbound(ctx, ev, func(tx *pg.Tx, m instant.Moment, l locked) error {
		switch l.payout.Status {
		case Processing:
			_, err := s.paidTx(tx, m, l)
			return err
		case Failed:
			if l.payout.Failure.Code != notSubmitted {
				return contradiction(ev, l)
			}
			_, err := s.correctTx(tx, m, l)
			return err
		}
		return nil
	})
}

// Failed writes that a payout on its way was refused by the bank: the money is available again, and
// the merchant's payouts are paused. A repetition changes nothing.
func (s *Service) Failed(ctx context.Context, ev processor.Event) error {
	return s.inbound(ctx, ev, func(tx *pg.Tx, m instant.Moment, l locked) error {
		switch l.payout.Status {
		case Processing:
			return s.failTx(ctx, tx, m, l, ofBank(bankRefused, sentence("The bank declined the payout", ev.ReturnCode),
				ev.ReturnCode))
		case Failed:
			return nil
		}
		return contradiction(ev, l)
	})
}

// Returned writes that a payout came back after it had arrived, with the effects of [Service.Failed].
// News of its arrival that is still to come is made up for, so that the order does not matter. A
// repetition changes nothing.
func (s *Service) Returned(ctx context.Context, ev processor.Event) error {
	return s.inbound(ctx, ev, func(tx *pg.Tx, m instant.Moment, l locked) (err error) {
		switch l.payout.Status {
		case Returned:
			return nil
		case Failed:
			if l.payout.Failure.Code != notSubmitted {
				return contradiction(ev, l)
			}
			if l, err = s.correctTx(tx, m, l); err != nil {
				return err
			}
		case Processing:
			if l, err = s.paidTx(tx, m, l); err != nil {
				return err
			}
		}
		return s.returnTx(ctx, tx, m, l, ofBank(bankReturned, sentence("The bank returned the payout", ev.ReturnCode),
			ev.ReturnCode))
	})
}

// inbound runs what an event of the processor does to the payout of a reference of ours; missing if
// there is none.
func (s *Service) inbound(ctx context.Context, ev processor.Event,
	do func(*pg.Tx, instant.Moment, locked) error) error {
	p, err := findByReference(ctx, s.deps.Pool, ev.Adapter, ev.Reference)
	if err != nil {
		return err
	}
	if ev.On() != p.Account() {
		return fault.Missing()
	}
	m, err := s.deps.Clock.Moment(ctx, p.ApplicationID)
	if err != nil {
		return err
	}
	return pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		l, err := s.lockTx(ctx, tx, p.ApplicationID, p.MerchantID, p.ID.Bytes())
		if err != nil {
			return err
		}
		return do(tx, m, l)
	})
}

// contradiction is what a person must look at: the processor says that two things happened of which
// only one can.
func contradiction(ev processor.Event, l locked) error {
	return fmt.Errorf("payout: %s of %s, which is %s", ev.Kind, l.payout.ID, l.payout.Status)
}

func sentence(what, returnCode string) string {
	if known, ok := returncode.Find(returnCode); ok {
		return what + ": " + known.Title + "."
	}
	return what + "."
}
