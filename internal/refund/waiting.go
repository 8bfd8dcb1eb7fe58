package refund

import (
	"context"
	"errors"
	"sync"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/operation"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/crash"
)

const (
	releaseBatch = 100
	// parallelSends bounds how many refunds are at the processor at once, so that one which hangs
	// holds up few others.
	parallelSends = 4
)

type released struct {
	ApplicationID int64      `db:"application_id"`
	ID            ids.Refund `db:"id"`
	ChargeID      ids.Charge `db:"charge_id"`
}

// ReleaseWaiting deals with up to a batch of refunds whose charge is no longer pending: those of a
// settled charge are sent, the others canceled. It says how many it dealt with. Any number of
// binaries may run it at once: what to do is decided again under the charge's lock.
func (s *Service) ReleaseWaiting(ctx context.Context, v clock.View) (int, error) {
	due, err := s.releasable(ctx, v)
	if err != nil {
		return 0, err
	}
	done, errs := make([]bool, len(due)), make([]error, len(due))
	slots := make(chan struct{}, parallelSends)
	var all sync.WaitGroup
	for i, d := range due {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			done[i], errs[i] = s.release(ctx, v.Moment, d)
		})
	}
	all.Wait()
	n := 0
	for _, d := range done {
		if d {
			n++
		}
	}
	return n, errors.Join(errs...)
}

const selectReleasable = `
	SELECT r.application_id, r.id, r.charge_id FROM refunds r
	CROSS JOIN LATERAL (SELECT FROM charges c
		WHERE c.application_id = r.application_id AND c.id = r.charge_id AND c.status <> 'pending' OFFSET 0) ready
	WHERE (@only::bigint IS NULL OR r.application_id = @only) AND r.application_id <> ALL (@except::bigint[])
		AND r.pending_reason IS NOT NULL
	ORDER BY r.id LIMIT @batch`

// releasable returns a batch of the refunds whose charge is no longer pending. Few refunds wait, of however many there
// are: they are looked for along their index, and each one's charge by its id, also while the planner knows nothing of
// the tables yet.
func (s *Service) releasable(ctx context.Context, v clock.View) (due []released, err error) {
	err = pg.InBatch(ctx, s.deps.Pool, func(tx *pg.Tx) (err error) {
		due, err = pg.All[released](ctx, tx, selectReleasable,
			pg.Args{"only": v.Only, "except": v.Except, "batch": releaseBatch})
		return err
	})
	return due, err
}

// NextReleaseWaiting is never: no time of its own makes a refund due. What charges become does, so that
// [Service.ReleaseWaiting] is run after their sweep, at the same time of the clock.
func (s *Service) NextReleaseWaiting(context.Context, int64, time.Time) (*time.Time, error) {
	return nil, nil
}

// release sends or cancels one refund, and reports whether there was something to do. Once begun, the
// sending goes on even if the sweep is stopped.
func (s *Service) release(ctx context.Context, m instant.Moment, d released) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), createTimeout)
	defer cancel()
	// The operation's window opens now, not when the batch began.
	m.Machine = s.deps.Clock.Machine()
	var sends, acted bool
	var c claimed
	err := pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		sends, acted = false, false
		l, before, err := s.holdTx(ctx, tx, d.ApplicationID, d.ChargeID, d.ID)
		if err != nil || !before.waiting() || l.Status == charge.Pending {
			return err
		}
		acted = true
		if ok, _ := refundable(l.Charge); !ok {
			_, _, err := s.cancelTx(tx, m, l, []Refund{before}, cause{source: outbox.Job})
			return err
		}
		sends, c = true, claimedOf(next(before, m), l, nil, m.Machine)
		c.Object.PendingReason = nil
		operation.OpenTx(tx, c.Operation)
		_, err = writeTx(tx, m, before, c.Object, cause{outbox.Job, before.RequestID})
		return err
	})
	if err != nil {
		return false, err
	}
	if sends {
		crash.Point("refund.claimed")
		_, err = s.send(ctx, c, outbox.Job)
	}
	return acted, err
}
