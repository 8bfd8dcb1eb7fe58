package charge

import (
	"context"
	"time"

	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/outbox"
	"svcpay/internal/pg"
	"svcpay/internal/processor"
	"svcpay/internal/returns"
)

// Return writes that the bank sent a debit back, with the scheme's return code: before it settled the
// charge fails, afterwards it is returned. News of its settlement that is still to come is made up for, so
// that the order does not matter. A repetition changes nothing.
func (s *Service) Return(ctx context.Context, ev processor.Event) error {
	return s.inbound(ctx, ev, func(tx *pg.Tx, m instant.Moment, l Locked) (err error) {
		if l.Status != Pending && l.Status != Settled {
			return nil
		}
		if ev.Settled && l.Status == Pending {
			if err := s.stepTx(ctx, tx, m, []Locked{l}); err != nil {
				return err
			}
			if err := tx.Flush(ctx); err != nil { // what follows begins with the settled row
				return err
			}
			if l, err = s.LockTx(ctx, tx, l.ApplicationID, l.ID); err != nil {
				return err
			}
		}
		all, err := s.termsTx(ctx, tx, map[ids.Charge]Locked{l.ID: l}, moments{l.ApplicationID: m})
		if err != nil {
			return err
		}
		before := s.derive(l.Charge)
		_, _, err = s.writeTx(ctx, tx, m, before, sentBack(before, ev.ReturnCode, all[l.ID], m.At), ids.Request{}, outbox.Job)
		return err
	})
}

// sentBack computes what a return changes. A code whose class says that the account will not do for
// another debit either disables the token.
func sentBack(c Charge, code string, t terms, now time.Time) effects {
	known, _ := returns.Find(code)
	late := c.Status == Settled
	c = changed(c, now)
	c.ReturnCode = &code
	e := effects{charge: c}
	if known.Disables() {
		e.disable = "return_" + code
	}
	if late {
		e.charge.Status, e.charge.ReturnedAt = Returned, instant.Ptr(now)
		e.post("return", ledger.MerchantAvailable, ledger.ProcessorReceivable, c.AmountCaptured)
		e.addFees(fee.BankReturned, c.AmountCaptured, ledger.MerchantAvailable, t, now)
		return e
	}
	base := c.AmountCaptured
	e.takeBack()
	f := bankFailure
	f.Message, f.Retryable = "The bank sent the debit back: "+known.Title+".", known.Class == returns.Retryable
	e.charge = failed(e.charge, f, now)
	e.addFees(fee.BankFailed, base, ledger.MerchantAvailable, t, now)
	return e
}
