package charge

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// stepBatch is how many charges one transaction moves on.
const stepBatch = 100

// free says that no call is open whose outcome could change the charge's status.
const free = `NOT EXISTS (SELECT FROM processor_operations o WHERE o.application_id = charges.application_id
	AND o.charge_id = charges.id AND o.state = 'open' AND o.kind IN ('authorize', 'debit', 'capture', 'void'))`

// Step moves on a batch of the charges whose time has come: authorizations expire, captured and
// debited money settles. It says how many those were.
func (s *Service) Step(ctx context.Context, v clock.View) (int, error) {
	return clock.Batch[Locked, ids.Charge]{
		Due: func(ctx context.Context, tx *pg.Tx, limit int, except []ids.Charge) ([]Locked, error) {
			due, err := pg.All[Locked](ctx, tx, selectLocked+`
				WHERE next_step_at <= @now AND (@only::bigint IS NULL OR application_id = @only)
					AND application_id <> ALL (@except::bigint[]) AND id <> ALL (@failed) AND `+free+`
				ORDER BY next_step_at LIMIT @batch FOR UPDATE SKIP LOCKED`,
				v.Args(pg.Args{"batch": limit, "failed": except}))
			if err != nil || len(due) == 0 {
				return due, err
			}
			return stillFreeTx(ctx, tx, due)
		},
		Key: func(d Locked) ids.Charge { return d.ID },
		Do:  func(ctx context.Context, tx *pg.Tx, due []Locked) error { return s.stepTx(ctx, tx, v.Moment, due) },
	}.Run(ctx, s.deps.Pool, stepBatch)
}

// stillFreeTx leaves out the charges for which a call was opened between the choice of the batch and the
// lock on its rows.
func stillFreeTx(ctx context.Context, tx *pg.Tx, due []Locked) ([]Locked, error) {
	named := make([]Named, len(due))
	for i, d := range due {
		named[i] = Named{d.ApplicationID, d.ID}
	}
	applications, charges := columnsOf(named)
	now, err := pg.All[Named](ctx, tx, selectFree, pg.Args{"applications": applications, "charges": charges})
	return slices.DeleteFunc(due, func(d Locked) bool { return !slices.Contains(now, Named{d.ApplicationID, d.ID}) }),
		err
}

const selectFree = `SELECT application_id, id FROM charges
	WHERE (application_id, id) IN (SELECT * FROM unnest(@applications::bigint[], @charges::uuid[])) AND ` + free

// stepTx moves locked charges on to what comes next on its own.
func (s *Service) stepTx(ctx context.Context, tx *pg.Tx, m instant.Moment, due []Locked) error {
	rows, at := make(map[ids.Charge]Locked, len(due)), make(moments)
	for _, d := range due {
		rows[d.ID], at[d.ApplicationID] = d, m
	}
	all, err := s.termsTx(ctx, tx, rows, at)
	if err != nil {
		return err
	}
	if err := releaseTx(ctx, tx, m, due); err != nil {
		return err
	}
	for _, d := range due {
		before := s.derive(d.Charge)
		e := settled(before, all[d.ID], m.At)
		if before.Status == Authorized {
			e = expired(before, m.At)
		}
		e.release = false // of all together
		if _, _, err := s.writeTx(ctx, tx, m, before, e, ids.Request{}, outbox.Job); err != nil {
			return err
		}
	}
	return nil
}

// releaseTx makes what is pending of locked charges available, in one statement an application.
func releaseTx(ctx context.Context, tx *pg.Tx, m instant.Moment, due []Locked) error {
	byApplication := make(map[int64][]ids.Charge)
	for _, d := range due {
		byApplication[d.ApplicationID] = append(byApplication[d.ApplicationID], d.ID)
	}
	for _, application := range slices.Sorted(maps.Keys(byApplication)) {
		if err := ledger.ReleaseTx(ctx, tx, m, application, byApplication[application]); err != nil {
			return err
		}
	}
	return nil
}

// NextStep is the earliest time later than after at which [Service.Step] has something to do for an application; nil
// for never.
func (s *Service) NextStep(ctx context.Context, applicationID int64, after time.Time) (*time.Time, error) {
	return pg.Value[*time.Time](ctx, s.deps.Pool,
		`SELECT min(next_step_at) FROM charges WHERE next_step_at > @after AND application_id = @application_id`,
		pg.Args{"application_id": applicationID, "after": after})
}

// SettleNow settles a captured or debited charge ahead of the calendar, because its processor says so.
// A charge that is past that is left alone; one whose capture has no outcome yet is settled when it has.
func (s *Service) SettleNow(ctx context.Context, ev processor.Event) error {
	return s.inbound(ctx, ev, func(tx *pg.Tx, m instant.Moment, l Locked) error {
		switch l.Status {
		case Authorized:
			return ErrUnresolved
		case Captured, Pending:
			return s.stepTx(ctx, tx, m, []Locked{l})
		}
		return nil
	})
}

// ErrUnresolved is returned for an event about a charge whose own outcome is not known yet: it will be.
var ErrUnresolved = errors.New("charge: its outcome is not known yet")

// inbound runs what an event of the processor does to the charge of a reference of ours; missing if
// there is none in the account.
func (s *Service) inbound(ctx context.Context, ev processor.Event,
	do func(*pg.Tx, instant.Moment, Locked) error) error {
	c, err := s.FindByReference(ctx, ev.Adapter, ev.Reference)
	if err != nil {
		return err
	}
	if ev.On() != c.Account() {
		return fault.Missing()
	}
	m, err := s.deps.Clock.Moment(ctx, c.ApplicationID)
	if err != nil {
		return err
	}
	return pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		l, err := s.LockTx(ctx, tx, c.ApplicationID, c.ID)
		if err != nil {
			return err
		}
		if l.Status == Processing {
			return ErrUnresolved
		}
		return do(tx, m, l)
	})
}
