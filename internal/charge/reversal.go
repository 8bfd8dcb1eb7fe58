package charge

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/operation"
	"svcpay/internal/platform/calendar"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// How a reversal returns what was approved late, as its operation notes it.
const (
	byVoid    = "void"
	byRefund  = "refund"
	unsettled = "unsettled" // by a void that was refused, as the bank had the debit; it is refunded when it has settled
	repeated  = "repeated"  // by one that came to nothing; another one was made in its place

	unsentVoid   = "unsent_void"   // by a void that was not sent; it is retried
	unsentRefund = "unsent_refund" // by a refund that was not sent; it is retried
)

// unsentPause is how long after a reversal that was not sent the next one is made. Its cause may last, such as a
// processor that the deployment does not have.
const unsentPause = time.Hour

// givenUp reports whether the charge failed because its processor knew nothing of it when its window closed.
func (c Charge) givenUp() bool { return c.Status == Failed && c.Failure.Code == notSubmitted }

// givenBack reports a charge that was given up whether the payer has the money of it again: by a reversal, or because
// the bank sent the debit back.
func (c Charge) givenBack() bool {
	return c.givenUp() && (c.ReturnCode != nil || c.Failure.Message == reversedMessage)
}

// openReversalTx queues the operation that returns what another one took or holds, unless the payer has it already.
func (s *Service) openReversalTx(tx *pg.Tx, m instant.Moment, c Charge, of operation.Operation,
	how string) *operation.Operation {
	if c.givenBack() {
		return nil
	}
	r := s.reversal(c, of, m)
	r.Note = &how
	operation.OpenTx(tx, r)
	return &r
}

func (s *Service) reversal(c Charge, of operation.Operation, m instant.Moment) operation.Operation {
	return s.reference(c, operation.Operation{Kind: operation.Reverse, Amount: of.Amount},
		authz.Actor{Role: authz.RoleSecretKey, RequestID: of.RequestID}, nil, m.Machine)
}

// reverse returns what a late approval took or holds.
func (s *Service) reverse(ctx context.Context, o operation.Operation) error {
	c, err := s.Find(ctx, o.ApplicationID, o.ChargeID)
	if err != nil {
		return err
	}
	answer, err := operation.Call(ctx, o, s.deps.Clock.Machine(), func(ctx context.Context) (processor.Answer, error) {
		f := o.FollowUp(c.Processor.Reference, c.PaymentID)
		if or(o.Note, byVoid) == byRefund {
			return s.deps.Processors.Refund(ctx, f)
		}
		return s.deps.Processors.Void(ctx, f)
	})
	outcome := operation.Outcome{Operation: o, Answer: &answer}
	switch {
	case errors.Is(err, operation.ErrNotSent):
		outcome = operation.Outcome{Operation: o, Unsent: err}
	case err != nil:
		slog.WarnContext(ctx, "the outcome of a reversal is unknown", "charge_id", c.ID.String(), "error", err.Error())
		return nil // the resolver asks
	}
	return s.FinishReversals(ctx, []operation.Outcome{outcome})
}

// FinishReversals writes the outcome of reversals. A void that never reached the processor is made again under a
// reference of its own, since a second one changes nothing; so is a refund, but not before it is looked for no more
// ([Service.RepeatReversals]): both might be paid. One that was not sent is made again after [unsentPause]. A debit
// that cannot be voided any more is refunded when it has settled: until then the bank may send it back, and the payer
// would have it twice. Any other reversal that was refused needs a person.
func (s *Service) FinishReversals(ctx context.Context, outcomes []operation.Outcome) error {
	errs := make([]error, len(outcomes))
	for i, o := range outcomes {
		errs[i] = s.reverseAfter(ctx, o.Operation,
			func(tx *pg.Tx, m instant.Moment, l Locked) (*operation.Operation, error) {
				return s.finishReversalTx(ctx, tx, m, l, o)
			})
	}
	return errors.Join(errs...)
}

// finishReversalTx writes the outcome of a reversal, and queues the one to be made in its place, if any.
func (s *Service) finishReversalTx(ctx context.Context, tx *pg.Tx, m instant.Moment, l Locked,
	o operation.Outcome) (*operation.Operation, error) {
	if open, err := operation.IsOpen(ctx, tx, o.ID); err != nil || !open {
		return nil, err
	}
	operation.CloseTx(tx, o, m.Machine)
	switch how := or(o.Note, byVoid); {
	case operation.StateOf(o.Answer) == operation.Approved:
		return nil, s.reversedTx(ctx, tx, m, l, how)
	case l.givenBack(): // in the meantime, otherwise
	case o.Unsent != nil:
		slog.ErrorContext(ctx, "a reversal was not sent", "charge_id", l.ID.String(), "processor", o.Processor,
			"retried_after", unsentPause.String(), "error", o.Unsent.Error())
		operation.NoteTx(tx, o.ID, unsentNote(how))
	case operation.StateOf(o.Answer) == operation.NotSubmitted && how == byRefund:
		slog.WarnContext(ctx, "a reversal did not arrive, and is made again when it is looked for no more", "charge_id",
			l.ID.String())
	case operation.StateOf(o.Answer) == operation.NotSubmitted:
		return s.openReversalTx(tx, m, l.Charge, o.Operation, how), nil
	case how == byVoid && l.Type != Card:
		slog.WarnContext(ctx, "a late debit is with the bank already, and is refunded when it has settled", "charge_id",
			l.ID.String())
		operation.NoteTx(tx, o.ID, unsettled)
	default:
		slog.ErrorContext(ctx, "a late approval could not be reversed", "charge_id", l.ID.String())
	}
	return nil, nil
}

// unsentNote marks a reversal that was not sent.
func unsentNote(how string) string {
	if how == byRefund {
		return unsentRefund
	}
	return unsentVoid
}

// RepeatReversals replaces reversals that came to nothing: by refunds, refunds that did not arrive and were not found
// in all the time that they were looked for, and voids of debits that have settled since; by the same, reversals that
// were not sent. It says how many. One that fails holds up no other.
func (s *Service) RepeatReversals(ctx context.Context) (int, error) {
	machine := s.deps.Clock.Machine()
	lost, err := operation.GivenUp(ctx, s.deps.Pool, operation.Reverse, byRefund, machine)
	if err != nil {
		return 0, err
	}
	refused, err := operation.Refused(ctx, s.deps.Pool, operation.Reverse, unsettled,
		machine.AddDate(0, 0, 1-s.minBankSettlementDays())) // settled at midnight: up to a day earlier
	if err != nil {
		return 0, err
	}
	unsent, err := operation.Unsent(ctx, s.deps.Pool, operation.Reverse, []string{unsentVoid, unsentRefund},
		machine.Add(-unsentPause))
	if err != nil {
		return 0, err
	}
	n := 0
	var errs []error
	for _, o := range slices.Concat(lost, refused, unsent) {
		made := false
		err := s.reverseAfter(ctx, o, func(tx *pg.Tx, m instant.Moment, l Locked) (*operation.Operation, error) {
			next, err := s.inPlaceTx(ctx, tx, m, l, o)
			made = next != nil
			return next, err
		})
		if errs = append(errs, err); err == nil && made {
			n++
		}
	}
	return n, errors.Join(errs...)
}

// inPlaceTx opens the reversal that is made in the place of another one, if its time has come and there is still
// something to return.
func (s *Service) inPlaceTx(ctx context.Context, tx *pg.Tx, m instant.Moment, l Locked,
	o operation.Operation) (*operation.Operation, error) {
	if *o.Note == unsettled {
		at, err := s.settlement(l, o.CreatedAt)
		if err != nil || m.Machine.Before(at) {
			return nil, err
		}
	}
	if first, err := operation.ForgetTx(ctx, tx, o.ID, *o.Note, repeated); err != nil || !first {
		return nil, err
	}
	how := byRefund
	if *o.Note == unsentVoid {
		how = byVoid
	}
	return s.openReversalTx(tx, m, l.Charge, o, how), nil
}

// settlement is when a debit that was accepted at t settles.
func (s *Service) settlement(l Locked, t time.Time) (time.Time, error) {
	zone, err := calendar.Zone(l.TimeZone)
	if err != nil {
		return time.Time{}, err
	}
	country, of := calendar.Country(l.Country), s.deps.Processors.Terms(l.Processor.Name)
	return country.AddBusinessDays(country.BatchAt(t, zone, of.BatchHour), of.BankSettlementDays), nil
}

// minBankSettlementDays is how many days it takes at least until a debit has settled, at whatever processor.
func (s *Service) minBankSettlementDays() int {
	days := processor.StandardTerms().BankSettlementDays
	for _, name := range s.deps.Processors.Names() {
		days = min(days, s.deps.Processors.Terms(name).BankSettlementDays)
	}
	return days
}

// reverseAfter decides about a reversal with its charge locked, and makes the one that was decided on, if any, when
// that is committed.
func (s *Service) reverseAfter(ctx context.Context, o operation.Operation,
	decideTx func(tx *pg.Tx, m instant.Moment, l Locked) (*operation.Operation, error)) error {
	m, err := s.deps.Clock.Moment(ctx, o.ApplicationID)
	if err != nil {
		return err
	}
	var next *operation.Operation
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		l, err := s.LockTx(ctx, tx, o.ApplicationID, o.ChargeID)
		if err != nil {
			return err
		}
		next, err = decideTx(tx, m, l)
		return err
	})
	if err != nil || next == nil {
		return err
	}
	return s.reverse(ctx, *next)
}

// reversedMessage is notified of a failed charge that was approved late.
const reversedMessage = "The charge did not reach the card processor in time. It was approved late and has been reversed."

// reversedTx reports the reversal, by void or by refund: a charge that failed says so once, of any other its calls and
// a version do. The void of a hold that was not captured is no late approval.
func (s *Service) reversedTx(ctx context.Context, tx *pg.Tx, m instant.Moment, l Locked, how string) error {
	if l.givenBack() {
		tellTwice(ctx, l.Charge)
	}
	before := s.derive(l.Charge)
	c := changed(before, m.At)
	if before.Failure != nil {
		if before.Failure.Message == reversedMessage || before.Failure.Code != notSubmitted ||
			before.Failure.Message == heldFailure.Message && how == byVoid {
			return nil
		}
		failure := *before.Failure
		failure.Message = reversedMessage
		c.Failure = &failure
	}
	updateTx(tx, c)
	_, err := s.announceTx(tx, m, before, c, "charge.updated", ids.Request{}, outbox.Job)
	return err
}

// tellTwice tells people that the payer has the money of a late approval twice.
func tellTwice(ctx context.Context, c Charge) {
	slog.ErrorContext(ctx, "a late approval was returned twice", "charge_id", c.ID.String(), "amount", int64(c.Amount),
		"currency", string(c.Currency))
}
