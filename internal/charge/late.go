package charge

import (
	"context"
	"log/slog"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/operation"
	"svcpay/internal/outbox"
	"svcpay/internal/pg"
	"svcpay/internal/processor"
)

// Late deals with calls that were given up and turned out to be approved after all. Money that was
// taken or held for a charge that failed is given back at once; a capture or void is accepted if the
// charge still waits for one.
func (s *Service) Late(ctx context.Context, outcomes []operation.Outcome) error {
	for _, o := range outcomes {
		m, err := s.Clock.Moment(ctx, o.ApplicationID)
		if err != nil {
			return err
		}
		var reversal *operation.Operation
		err = pg.InTx(ctx, s.Pool, func(tx *pg.Tx) (err error) {
			reversal, err = s.lateTx(ctx, tx, m, o)
			return err
		})
		if err != nil {
			return err
		}
		if reversal != nil {
			if err := s.reverse(ctx, *reversal); err != nil {
				return err
			}
		}
	}
	return nil
}

// lateTx writes that an operation was approved late, and opens its reversal if there must be one.
func (s *Service) lateTx(ctx context.Context, tx *pg.Tx, m instant.Moment, o operation.Outcome) (*operation.Operation, error) {
	l, err := s.LockTx(ctx, tx, o.ApplicationID, o.ChargeID)
	if err != nil {
		return nil, err
	}
	first, err := operation.FoundTx(ctx, tx, o.ID)
	if err != nil || !first { // another binary, or this one before it was interrupted, deals with it
		return nil, err
	}
	switch o.Kind {
	case operation.Authorize, operation.Debit:
		give := byVoid
		if l.Type == Card && l.Capture {
			give = byRefund
		}
		return s.openReversalTx(tx, m, l.Charge, o.Operation, give), nil
	case operation.Reverse:
		return nil, s.reversedTx(tx, m, l)
	}
	o.IdempotencyKey = nil // its request was told of the failure
	all, err := s.finishTx(ctx, tx, moments{o.ApplicationID: m}, []finishIn{{Outcome: o}}, outbox.Job)
	if err != nil || all[0].charge.Version != l.Version {
		return nil, err
	}
	slog.ErrorContext(ctx, "an approval that came late fits the charge no more", "kind", string(o.Kind), "charge_id", l.ID.String())
	if o.Kind != operation.Capture {
		return nil, nil
	}
	return s.openReversalTx(tx, m, l.Charge, o.Operation, byRefund), nil // the payer has paid for nothing
}

// How a reversal gives back what was approved late, as its operation notes it.
const (
	byVoid   = "void"
	byRefund = "refund"
)

// openReversalTx queues the operation that gives back what another one took or holds.
func (s *Service) openReversalTx(tx *pg.Tx, m instant.Moment, c Charge, of operation.Operation, how string) *operation.Operation {
	r := s.reversal(c, of, m)
	r.Note = &how
	operation.OpenTx(tx, r)
	return &r
}

func (s *Service) reversal(c Charge, of operation.Operation, m instant.Moment) operation.Operation {
	return s.reference(c, operation.Operation{Kind: operation.Reverse, Amount: of.Amount},
		authz.Actor{Role: authz.RoleSecretKey, RequestID: of.RequestID}, nil, m.Machine)
}

// reverse gives back what a late approval took or holds.
func (s *Service) reverse(ctx context.Context, o operation.Operation) error {
	c, err := s.Find(ctx, o.ApplicationID, o.ChargeID)
	if err != nil {
		return err
	}
	f := processor.FollowUp{Reference: o.Reference, Account: processor.Account(o.ApplicationID, o.MerchantID),
		Original: c.Processor.Reference, Amount: o.Amount, Currency: o.Currency}
	answer, err := operation.Call(ctx, o, s.Clock.Machine(), func(ctx context.Context) (processor.Answer, error) {
		if or(o.Note, byVoid) == byRefund {
			return s.Processor.Refund(ctx, f)
		}
		return s.Processor.Void(ctx, f)
	})
	if err != nil {
		slog.WarnContext(ctx, "the outcome of a reversal is unknown", "charge_id", c.ID.String(), "error", err.Error())
		return nil // the resolver asks
	}
	return s.FinishReversals(ctx, []operation.Outcome{{Operation: o, Answer: &answer}})
}

// FinishReversals writes what became of reversals. One that never reached the processor is made
// again under a reference of its own; one that was refused needs a person.
func (s *Service) FinishReversals(ctx context.Context, outcomes []operation.Outcome) error {
	for _, o := range outcomes {
		m, err := s.Clock.Moment(ctx, o.ApplicationID)
		if err != nil {
			return err
		}
		var again *operation.Operation
		err = pg.InTx(ctx, s.Pool, func(tx *pg.Tx) error {
			again = nil
			l, err := s.LockTx(ctx, tx, o.ApplicationID, o.ChargeID)
			if err != nil {
				return err
			}
			if open, err := operation.IsOpen(ctx, tx, o.ID); err != nil || !open {
				return err
			}
			operation.CloseTx(tx, o.ID, operation.StateOf(o.Answer), m.Machine)
			switch how := or(o.Note, byVoid); {
			case operation.StateOf(o.Answer) == operation.Approved:
				return s.reversedTx(tx, m, l)
			case operation.StateOf(o.Answer) == operation.NotSubmitted:
				again = s.openReversalTx(tx, m, l.Charge, o.Operation, how)
			case how == byVoid && l.Type != Card: // it is with the bank already
				again = s.openReversalTx(tx, m, l.Charge, o.Operation, byRefund)
			default:
				slog.ErrorContext(ctx, "a late approval could not be reversed", "charge_id", l.ID.String())
			}
			return nil
		})
		if err != nil {
			return err
		}
		if again != nil {
			if err := s.reverse(ctx, *again); err != nil {
				return err
			}
		}
	}
	return nil
}

// reversedMessage is told of a failed charge that was approved late.
const reversedMessage = "The charge did not reach the card processor in time. It was approved late and has been reversed."

// reversedTx notes the reversal on the charge, once.
func (s *Service) reversedTx(tx *pg.Tx, m instant.Moment, l Locked) error {
	before := s.derive(l.Charge)
	if before.Failure == nil || before.Failure.Message == reversedMessage {
		return nil
	}
	c := changed(before, m.At)
	failure := *before.Failure
	failure.Message = reversedMessage
	c.Failure = &failure
	updateTx(tx, c, nil)
	return s.announceTx(tx, m, before, c, "charge.updated", ids.Request{}, outbox.Job)
}
