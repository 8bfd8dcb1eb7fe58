package dispute

import (
	"context"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
)

// sweepBatch is how many disputes one transaction closes.
const sweepBatch = 100

// overdue is a chargeback that no one answered. One whose answer is on its way is left alone; a
// retrieval waits for its processor.
const overdue = `kind = 'chargeback' AND status = 'needs_response' AND operation_id IS NULL`

// heldCharges are the charges of disputes, locked before these as everywhere. None is waited for: a dispute whose
// charge another transaction holds comes with a later batch.
const heldCharges = ` CROSS JOIN LATERAL (SELECT FROM charges c WHERE c.application_id = disputes.application_id
	AND c.id = disputes.charge_id
	FOR UPDATE SKIP LOCKED) held`

// CloseOverdue moves a batch of the chargebacks whose time to answer has run out to lost, with their
// money, and says how many those were. Any number of binaries may run it at once.
func (s *Service) CloseOverdue(ctx context.Context, v clock.View) (int, error) {
	return clock.Batch[row, ids.Dispute]{
		Due: func(ctx context.Context, tx *pg.Tx, limit int, except []ids.Dispute) ([]row, error) {
			return pg.All[row](ctx, tx, selectRow+heldCharges+`
				WHERE `+overdue+` AND respond_by <= @now AND id <> ALL (@failed)
					AND (@only::bigint IS NULL OR application_id = @only) AND application_id <> ALL (@except::bigint[])
				ORDER BY respond_by LIMIT @batch
					FOR UPDATE OF disputes SKIP LOCKED`, v.Args(pg.Args{"batch": limit, "failed": except}))
		},
		Key: func(r row) ids.Dispute { return r.ID },
		Do:  func(ctx context.Context, tx *pg.Tx, due []row) error { return s.loseTx(ctx, tx, v, due) },
	}.Run(ctx, s.deps.Pool, sweepBatch)
}

// loseTx moves chargebacks to lost that the transaction holds, with their charges.
func (s *Service) loseTx(ctx context.Context, tx *pg.Tx, v clock.View, due []row) error {
	named := make([]charge.Named, len(due))
	for i, r := range due {
		named[i] = charge.Named{ApplicationID: r.ApplicationID, ID: r.ChargeID}
	}
	charges, err := s.deps.Charges.LockAllTx(ctx, tx, named)
	if err != nil {
		return err
	}
	for _, r := range due {
		r.Dispute = s.derive(r.Dispute)
		c := &contest{change: change{s: s, tx: tx, m: v.Moment, source: outbox.Job, row: r},
			charge: charges[r.ChargeID]}
		if err := c.lose(Lost); err != nil {
			return err
		}
		charges[r.ChargeID] = c.charge
	}
	return nil
}

// NextOverdue is the earliest application time later than after at which [Service.CloseOverdue] has something to do;
// nil for never.
func (s *Service) NextOverdue(ctx context.Context, applicationID int64, after time.Time) (*time.Time, error) {
	return pg.Value[*time.Time](ctx, s.deps.Pool,
		`SELECT min(respond_by)
			FROM disputes WHERE `+overdue+` AND respond_by > @after AND application_id = @application_id`,
		pg.Args{"application_id": applicationID, "after": after})
}
