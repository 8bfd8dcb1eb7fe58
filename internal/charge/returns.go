package charge

import (
	"context"
	"log/slog"
	"time"

	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/returncode"
	"svcpay/internal/token"
)

// Return writes that the bank sent a debit back, with the scheme's return code: before it settled the
// charge fails, afterwards it is returned. News of its settlement that is still to come is made up for, so
// that the order does not matter. One that was given up and comes back was made after all: what is known of its return
// is kept, so that it is not reversed, too. A repetition changes nothing.
func (s *Service) Return(ctx context.Context, ev processor.Event) error {
	return s.inbound(ctx, ev, func(tx *pg.Tx, m instant.Moment, l Locked) (err error) {
		switch {
		case l.givenUp() && l.Type != Card && l.ReturnCode == nil:
			return s.cameBackTx(ctx, tx, m, l.Charge, ev.ReturnCode)
		case l.Status != Pending && l.Status != Settled:
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
		_, _, err = s.writeTx(ctx, tx, m, before, sentBack(before, ev.ReturnCode, all[l.ID], m.At), ids.Request{},
			outbox.Job)
		return err
	})
}

// cameBackTx writes that the bank sent back a debit that was given up. No money of it is in the books.
func (s *Service) cameBackTx(ctx context.Context, tx *pg.Tx, m instant.Moment, c Charge, code string) error {
	slog.ErrorContext(ctx, "a debit that was given up came back", "charge_id", c.ID.String(), "return_code", code)
	before := s.derive(c)
	known, _ := returncode.Find(code)
	c = changed(before, m.At)
	c.ReturnCode = &code
	if before.givenBack() {
		tellTwice(ctx, c)
	} else {
		f := *before.Failure
		f.Message, f.Advice, f.Retryable = cameBackMessage+known.Title+
			".", useAnother, known.Class == returncode.Retryable
		c.Failure = &f
	}
	updateTx(tx, c)
	if known.Disables() {
		if err := token.DisableTx(ctx, tx, m,
			token.Ending{ApplicationID: c.ApplicationID, Token: c.Token, Reason: disabledBy(code),
				Livemode: c.Livemode, Source: outbox.Job}); err != nil {
			return err
		}
	}
	_, err := s.announceTx(tx, m, before, c, "charge.updated", ids.Request{}, outbox.Job)
	return err
}

// cameBackMessage begins what is notified of a failed charge whose debit was made late and came back.
const cameBackMessage = "The charge did not reach the bank in time. It was debited late, and the bank sent the debit back: "

// disabledBy is why a token is disabled by a return.
func disabledBy(code string) string { return "return_" + code }

// sentBack computes what a return changes. A code whose class says that the account will not do for
// another debit either disables the token.
func sentBack(c Charge, code string, t terms, now time.Time) effects {
	known, _ := returncode.Find(code)
	late := c.Status == Settled
	c = changed(c, now)
	c.ReturnCode = &code
	e := effects{charge: c}
	if known.Disables() {
		e.disable = disabledBy(code)
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
	f.Message, f.Retryable = "The bank sent the debit back: "+known.Title+".", known.Class == returncode.Retryable
	e.charge = failed(e.charge, f, now)
	e.addFees(fee.BankFailed, base, ledger.MerchantAvailable, t, now)
	return e
}
