package refund

import (
	"context"
	"errors"
	"log/slog"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/operation"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
)

// Late books refunds that turn up as made after they were given up: the money has left, so the
// refund has succeeded after all. One that does not fit while another refund is pending is looked up again, since that
// one may fail. One that no longer fits, because something else was refunded instead, stays as it is; reconciliation
// shows it as a difference between the books.
func (s *Service) Late(ctx context.Context, outcomes []operation.Outcome) error {
	var errs []error
	for _, o := range outcomes {
		errs = append(errs, s.late(ctx, o))
	}
	return errors.Join(errs...)
}

func (s *Service) late(ctx context.Context, o operation.Outcome) error {
	m, err := s.deps.Clock.Moment(ctx, o.ApplicationID)
	if err != nil {
		return err
	}
	return pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		l, before, err := s.holdTx(ctx, tx, o.ApplicationID, o.ChargeID, ids.RefundFrom(o.SubjectID))
		if err != nil {
			return err
		}
		_, err = s.lateTx(ctx, tx, m, pair{l, before}, o)
		return err
	})
}

// lateTx books that a refund was made after it was given up, and reports whether that is known of the call for good.
// False: it does not fit yet, and is looked at again.
func (s *Service) lateTx(ctx context.Context, tx *pg.Tx, m instant.Moment, from pair, o operation.Outcome) (known bool,
	err error) {
	l, before := from.charge, from.refund
	left := l.AmountCaptured - l.AmountRefunded
	fits := left-l.AmountRefundPending >= before.Amount
	if before.givenUp() && !fits && left >= before.Amount {
		return false, nil
	}
	if first, err := operation.FoundTx(ctx, tx, o); err != nil || !first {
		return true, err
	}
	switch {
	case !before.givenUp():
		return true, nil
	case !fits:
		slog.ErrorContext(ctx, "a refund that was given up was made, and no longer fits its charge", "refund_id",
			before.ID.String())
		return true, nil
	}
	_, err = s.succeedTx(tx, m, from, cause{outbox.Job, o.RequestID})
	return true, err
}
