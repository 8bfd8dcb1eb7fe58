package payout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/merchant"
	"svcpay/internal/operation"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/vault"
)

// Finish writes the outcome of submissions. One that is approved is on its way: how it ends is told
// by an event of the processor. What was refused, or never arrived, fails.
func (s *Service) Finish(ctx context.Context, outcomes []operation.Outcome) error {
	at := make(map[int64]instant.Moment)
	for _, o := range outcomes {
		m, err := s.deps.Clock.Moment(ctx, o.ApplicationID)
		if err != nil {
			return err
		}
		at[o.ApplicationID] = m
	}
	ordered := slices.SortedFunc(slices.Values(outcomes), func(a, b operation.Outcome) int { // as locks are taken
		return cmp.Or(cmp.Compare(a.MerchantID, b.MerchantID), slices.Compare(a.SubjectID[:], b.SubjectID[:]))
	})
	return pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		for _, o := range ordered {
			if err := s.finishTx(ctx, tx, at[o.ApplicationID], o); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Service) finishTx(ctx context.Context, tx *pg.Tx, m instant.Moment, o operation.Outcome) error {
	state := operation.StateOf(o.Answer)
	operation.CloseTx(tx, o, m.Machine)
	if state == operation.Approved {
		return nil
	}
	l, err := s.lockTx(ctx, tx, o.ApplicationID, o.MerchantID, o.SubjectID)
	if err != nil || l.payout.Status != Processing {
		return err
	}
	switch {
	case state == operation.Declined && o.Answer.DeclineCode == balanceLow:
		return s.waitTx(ctx, tx, m, l)
	case state == operation.Declined:
		return s.failTx(ctx, tx, m, l, ofDecline(o.Answer.DeclineCode))
	case errors.Is(o.Unsent, vault.ErrSealed):
		return s.failTx(ctx, tx, m, l, unreadableFailure)
	}
	// Nothing is wrong with the account: the next run pays, and no person need resume it.
	if err := putOffTx(tx, l.owner, m.At); err != nil {
		return err
	}
	return s.undoTx(ctx, tx, m, l, Failed, lostFailure)
}

// watchedFor is how long a submission that was given up is looked for.
const watchedFor = 24 * time.Hour

// putOffTx queues the next run of a locked merchant of whom a submission was given up: it comes when that would have
// turned up, had it arrived after all.
func putOffTx(tx *pg.Tx, owner merchant.Merchant, givenUp time.Time) error {
	return runAfterTx(tx, owner, givenUp.Add(watchedFor))
}

// runAfterTx queues the next run of a locked merchant on the first business day after a time, regardless of its
// schedule.
func runAfterTx(tx *pg.Tx, owner merchant.Merchant, at time.Time) error {
	next, err := merchant.Merchant{TimeZone: owner.TimeZone, Country: owner.Country,
		PayoutSchedule: merchant.Daily}.NextPayout(at)
	if err == nil {
		merchant.NextPayoutTx(tx, owner, next)
	}
	return err
}

// waitTx records that a payout failed because the processor did not have enough money. Nothing is wrong with the
// merchant, so payouts continue on the next business day.
func (s *Service) waitTx(ctx context.Context, tx *pg.Tx, m instant.Moment, l locked) error {
	if err := runAfterTx(tx, l.owner, m.At); err != nil {
		return err
	}
	if err := s.undoTx(ctx, tx, m, l, Failed, lowFailure); err != nil {
		return err
	}
	return s.tellFailedTx(ctx, tx, l, Failed, lowFailure)
}

// Late deals with payouts that were given up and turned out to have left after all. The books have
// the money back already, so payouts are paused before it leaves twice, and a person must look.
func (s *Service) Late(ctx context.Context, outcomes []operation.Outcome) error {
	for _, o := range outcomes {
		m, err := s.deps.Clock.Moment(ctx, o.ApplicationID)
		if err != nil {
			return err
		}
		if err := pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error { return s.lateTx(ctx, tx, m, o) }); err != nil {
			return err
		}
		slog.ErrorContext(ctx, "a payout that was given up has left after all", "payout", o.Reference)
	}
	return nil
}

// lateTx pauses payouts unless the processor has told in the meantime that this one arrived, which put the books right.
func (s *Service) lateTx(ctx context.Context, tx *pg.Tx, m instant.Moment, o operation.Outcome) error {
	l, err := s.lockTx(ctx, tx, o.ApplicationID, o.MerchantID, o.SubjectID)
	if err != nil {
		return err
	}
	if first, err := operation.FoundTx(ctx, tx, o); err != nil || !first || l.payout.Status != Failed {
		return err
	}
	_, err = s.deps.Merchants.PausePayoutsTx(tx, m, l.owner, merchant.PayoutFailed, merchant.Cause{Source: outbox.Job})
	return err
}

// locked is a payout and its merchant, whose rows the transaction holds.
type locked struct {
	owner  merchant.Merchant
	payout Payout
}

// paidTx writes that a payout on its way has arrived.
func (s *Service) paidTx(tx *pg.Tx, m instant.Moment, l locked) (locked, error) {
	before := l.payout
	l.payout.Status, l.payout.PaidAt = Paid, instant.Ptr(m.At)
	ledger.PostTx(tx, m,
		posting(l.payout, ledger.KindPayoutPaid, "paid", ledger.MerchantInTransit, ledger.ProcessorReceivable))
	var err error
	l.payout, err = changeTx(tx, m, before, l.payout)
	return l, err
}

// correctTx writes that a payout that was given up has arrived after all. The money was returned and
// may have left again: it is taken from what is available, now or later.
func (s *Service) correctTx(tx *pg.Tx, m instant.Moment, l locked) (locked, error) {
	before := l.payout
	l.payout.Status, l.payout.PaidAt, l.payout.Failure = Paid, instant.Ptr(m.At), nil
	ledger.PostTx(tx, m, posting(l.payout, ledger.KindPayoutCorrected, "late", ledger.MerchantAvailable,
		ledger.ProcessorReceivable))
	var err error
	l.payout, err = changeTx(tx, m, before, l.payout)
	return l, err
}

// failTx writes that a payout on its way does not arrive: the money is the merchant's again, and
// payouts wait for a person.
func (s *Service) failTx(ctx context.Context, tx *pg.Tx, m instant.Moment, l locked, f Failure) error {
	if _, err := s.deps.Merchants.PausePayoutsTx(tx, m, l.owner, merchant.PayoutFailed,
		merchant.Cause{Source: outbox.Job}); err != nil {
		return err
	}
	if err := s.undoTx(ctx, tx, m, l, Failed, f); err != nil {
		return err
	}
	return s.tellFailedTx(ctx, tx, l, Failed, f)
}

// returnTx writes that a payout has come back after it had arrived.
func (s *Service) returnTx(ctx context.Context, tx *pg.Tx, m instant.Moment, l locked, f Failure) error {
	if _, err := s.deps.Merchants.PausePayoutsTx(tx, m, l.owner, merchant.PayoutReturned,
		merchant.Cause{Source: outbox.Job}); err != nil {
		return err
	}
	if err := s.undoTx(ctx, tx, m, l, Returned, f); err != nil {
		return err
	}
	return s.tellFailedTx(ctx, tx, l, Returned, f)
}

// undoTx gives the money back to the merchant, and the entries to the next payout.
func (s *Service) undoTx(ctx context.Context, tx *pg.Tx, m instant.Moment, l locked, to Status, f Failure) error {
	p := l.payout
	p.Status, p.Failure = to, &f
	if to == Failed {
		p.FailedAt = instant.Ptr(m.At)
		ledger.PostTx(tx, m,
			posting(p, ledger.KindPayoutFailed, "failed", ledger.MerchantInTransit, ledger.MerchantAvailable))
	} else {
		p.ReturnedAt = instant.Ptr(m.At)
		kind := ledger.KindPayoutReturned
		if p.FailedAt != nil { // it was corrected, and so is this: its entries are not its own any more
			kind = ledger.KindPayoutCorrected
		}
		ledger.PostTx(tx, m, posting(p, kind, "returned", ledger.ProcessorReceivable, ledger.MerchantAvailable))
	}
	if err := releaseTx(ctx, tx, p); err != nil {
		return err
	}
	_, err := changeTx(tx, m, l.payout, p)
	return err
}

// changeTx queues a locked payout's next version with its event.
func changeTx(tx *pg.Tx, m instant.Moment, before, after Payout) (Payout, error) {
	if _, ok := moves.Event(before.Status, after.Status); !ok {
		return after, fmt.Errorf("payout: no move from %s to %s", before.Status, after.Status)
	}
	after.Version, after.UpdatedAt = before.Version+1, instant.Of(m.At)
	updateTx(tx, after)
	return after, emitTx(tx, m, before, after)
}
