package charge

import (
	"context"
	"log/slog"

	"svcpay/internal/instant"
	"svcpay/internal/operation"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
)

// Late deals with calls that were given up and turned out to be approved after all. Money that was
// taken or held for a charge that failed is returned at once; a capture or void is accepted if the
// charge still waits for one.
func (s *Service) Late(ctx context.Context, outcomes []operation.Outcome) error {
	for _, o := range outcomes {
		m, err := s.deps.Clock.Moment(ctx, o.ApplicationID)
		if err != nil {
			return err
		}
		var reversal *operation.Operation
		err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) (err error) {
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
func (s *Service) lateTx(ctx context.Context, tx *pg.Tx, m instant.Moment,
	o operation.Outcome) (*operation.Operation, error) {
	l, err := s.LockTx(ctx, tx, o.ApplicationID, o.ChargeID)
	if err != nil {
		return nil, err
	}
	first, err := operation.FoundTx(ctx, tx, o)
	if err != nil || !first { // another binary, or this one before it was interrupted, deals with it
		return nil, err
	}
	switch o.Kind {
	case operation.Authorize, operation.Debit:
		give := byVoid
		if l.Type == Card && l.Capture && o.Note == nil { // with rules noted it was only held
			give = byRefund
		}
		return s.openReversalTx(tx, m, l.Charge, o.Operation, give), nil
	case operation.Reverse:
		return nil, s.reversedTx(ctx, tx, m, l, or(o.Note, byVoid))
	}
	o.IdempotencyKey = nil // its request was notified of the failure
	all, err := s.finishTx(ctx, tx, moments{o.ApplicationID: m}, []operation.Outcome{o}, outbox.Job)
	if err != nil || all[0].Object.Version != l.Version {
		return nil, err
	}
	slog.ErrorContext(ctx, "an approval that came late fits the charge no more", "kind", string(o.Kind), "charge_id",
		l.ID.String())
	if o.Kind != operation.Capture {
		return nil, nil
	}
	return s.openReversalTx(tx, m, l.Charge, o.Operation, byRefund), nil // the payer has paid for nothing
}
