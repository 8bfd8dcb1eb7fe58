package dispute

import (
	"context"
	"time"

	"svcpay/internal/instant"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/pg"
)

// remindBefore is how long before a dispute must be answered people are reminded of it.
const remindBefore = 72 * time.Hour

// Letters write to people, each with the transaction that it reports. They call no one.
type Letters interface {
	// DisputeOpenedTx mails those who may respond to a dispute that there is one, or that a retrieval became a
	// chargeback.
	DisputeOpenedTx(ctx context.Context, tx *pg.Tx, d Dispute) error
	// DisputeDueTx reminds them, three days before the response is due.
	DisputeDueTx(ctx context.Context, tx *pg.Tx, d Dispute) error
}

// WriteLetters says who writes to people about disputes. It is called while the service is wired; without it no one
// does.
func (s *Service) WriteLetters(by Letters) { s.letters = by }

// tellOpened has people notified of a dispute that waits for their answer from now on.
func (c *contest) tellOpened(ctx context.Context) error {
	if c.s.letters == nil {
		return nil
	}
	return c.s.letters.DisputeOpenedTx(ctx, c.tx, c.row.Dispute)
}

// toldAlready is when people were reminded of a dispute that has just been opened: if there is little time left, the
// mail that reports the opening says so.
func toldAlready(respondBy, now time.Time) *instant.Time {
	if respondBy.Sub(now) <= remindBefore {
		return instant.Ptr(now)
	}
	return nil
}

// toRemind is a dispute that no one answered or was reminded of. One whose answer is on its way is left alone.
const toRemind = `status = 'needs_response' AND operation_id IS NULL AND reminded_at IS NULL`

// Remind has people notified of a batch of the disputes that must be answered in the next three days, and says how many
// those were. Any number of binaries may run it at once: of each dispute people hear once.
func (s *Service) Remind(ctx context.Context, v clock.View) (int, error) {
	if s.letters == nil {
		return 0, nil
	}
	var done int
	err := pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		rows, err := pg.All[row](ctx, tx, selectRow+`
			WHERE `+toRemind+` AND respond_by > @now AND respond_by <= @soon
				AND (@only::bigint IS NULL OR application_id = @only) AND application_id <> ALL (@except::bigint[])
			ORDER BY respond_by LIMIT @batch FOR UPDATE SKIP LOCKED`,
			v.Args(pg.Args{"batch": sweepBatch, "soon": v.Moment.At.Add(remindBefore)}))
		if err != nil {
			return err
		}
		done = len(rows)
		for _, r := range rows {
			if err := s.letters.DisputeDueTx(ctx, tx, s.derive(r.Dispute)); err != nil {
				return err
			}
			r.RemindedAt = instant.Ptr(v.Moment.At)
			updateTx(tx, r)
		}
		return nil
	})
	return done, err
}

// NextReminder is the earliest application time later than after at which [Service.Remind] has something to do; nil for
// never.
func (s *Service) NextReminder(ctx context.Context, applicationID int64, after time.Time) (*time.Time, error) {
	if s.letters == nil {
		return nil, nil
	}
	return pg.Value[*time.Time](ctx, s.deps.Pool, `
		SELECT min(respond_by - interval '72 hours') FROM disputes
		WHERE `+toRemind+` AND respond_by - interval '72 hours' > @after AND application_id = @application_id`,
		pg.Args{"application_id": applicationID, "after": after})
}
