package charge

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"svcpay/internal/crash"
	"svcpay/internal/idempotency"
	"svcpay/internal/ids"
	"svcpay/internal/outbox"
	"svcpay/internal/pg"
	"svcpay/internal/processor"
)

const (
	resolveBatch  = 64
	parallelAsks  = 8
	firstBackoff  = 150 * time.Millisecond
	longestWait   = 5 * time.Minute
	lookupTimeout = 5 * time.Second
)

// backoff is the pause before the next look-up, after that many.
func backoff(checks int) time.Duration {
	if checks > 11 { // 150 ms × 2^11 is above the longest
		return longestWait
	}
	return min(firstBackoff<<checks, longestWait)
}

// operation is an open call to a processor whose outcome nobody has written down.
type operation struct {
	ApplicationID  int64      `db:"application_id"`
	ChargeID       ids.Charge `db:"charge_id"`
	Reference      string     `db:"reference"`
	CreatedAt      time.Time  `db:"created_at"`
	IdempotencyKey *string    `db:"idempotency_key"`
}

// Resolve asks about up to a batch of operations that are due, writes down what it learns, and
// tells how many it asked about. Any number of binaries may run it at once.
func (s *Service) Resolve(ctx context.Context) (int, error) {
	due, err := s.takeDue(ctx)
	if err != nil || len(due) == 0 {
		return 0, err
	}
	return len(due), s.resolveAll(ctx, due)
}

// takeDue leases due operations by moving their next check ahead, though not past the end of the
// processor's window, when what is not found is known not to have arrived.
func (s *Service) takeDue(ctx context.Context) ([]operation, error) {
	now := s.now()
	return pg.All[operation](ctx, s.pool, `
		WITH due AS (
			SELECT id, checks FROM processor_operations WHERE state = 'open' AND next_check_at <= @now
			ORDER BY next_check_at LIMIT @batch FOR UPDATE SKIP LOCKED
		)
		UPDATE processor_operations o SET checks = o.checks + 1,
			next_check_at = CASE WHEN o.created_at + @window::interval > @now THEN least(w.at, o.created_at + @window) ELSE w.at END
		FROM due, charges c, LATERAL (SELECT @now::timestamptz + least(@first::interval * power(2, least(due.checks, 11)), @longest::interval) AS at) w
		WHERE o.id = due.id AND c.application_id = o.application_id AND c.id = o.charge_id
		RETURNING o.application_id, o.charge_id, o.reference, o.created_at, c.idempotency_key`,
		pg.Args{"now": now, "batch": resolveBatch, "first": firstBackoff, "longest": longestWait,
			"window": s.processor.SettleWindow() + time.Millisecond})
}

// resolveCharge asks about one charge at once.
func (s *Service) resolveCharge(ctx context.Context, applicationID int64, id ids.Charge) error {
	open, err := pg.All[operation](ctx, s.pool, `
		SELECT o.application_id, o.charge_id, o.reference, o.created_at, c.idempotency_key
		FROM processor_operations o JOIN charges c ON c.application_id = o.application_id AND c.id = o.charge_id
		WHERE o.application_id = @application_id AND o.charge_id = @charge_id AND o.state = 'open'`,
		pg.Args{"application_id": applicationID, "charge_id": id})
	if err != nil || len(open) == 0 {
		return err
	}
	return s.resolveAll(ctx, open)
}

// resolveAll looks every operation up and writes the outcomes in one transaction. If that fails,
// each is written by itself, so that one bad row cannot hold up the others.
func (s *Service) resolveAll(ctx context.Context, ops []operation) error {
	known, waiting := s.ask(ctx, ops)
	crash.Point("resolve.asked")
	err := s.writeAll(ctx, known, waiting)
	if err == nil || len(ops) == 1 {
		return err
	}
	slog.WarnContext(ctx, "a batch of outcomes could not be written at once", "error", err.Error())
	var errs []error
	for _, in := range known {
		errs = append(errs, s.writeAll(ctx, []finishIn{in}, nil))
	}
	return errors.Join(append(errs, s.writeAll(ctx, nil, waiting))...)
}

func (s *Service) writeAll(ctx context.Context, known []finishIn, waiting []operation) error {
	if len(known)+len(waiting) == 0 {
		return nil
	}
	return pg.InTx(ctx, s.pool, func(tx *pg.Tx) error {
		for _, o := range waiting {
			if o.IdempotencyKey != nil {
				idempotency.AcceptTx(tx, held(o.ApplicationID, *o.IdempotencyKey, o.ChargeID))
			}
		}
		if len(known) == 0 {
			return nil
		}
		_, err := s.finishTx(ctx, tx, known)
		return err
	})
}

// ask looks operations up, some at a time. Those without an outcome are waiting until the
// processor's window closes; after it they never reached the processor.
func (s *Service) ask(ctx context.Context, ops []operation) (known []finishIn, waiting []operation) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	slots := make(chan struct{}, parallelAsks)
	for _, o := range ops {
		wg.Add(1)
		slots <- struct{}{}
		go func() {
			defer func() { <-slots; wg.Done() }()
			in, ok := s.askOne(ctx, o)
			mu.Lock()
			defer mu.Unlock()
			if ok {
				known = append(known, in)
			} else {
				waiting = append(waiting, o)
			}
		}()
	}
	wg.Wait()
	return known, waiting
}

func (s *Service) askOne(ctx context.Context, o operation) (finishIn, bool) {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	in := finishIn{applicationID: o.ApplicationID, id: o.ChargeID, source: outbox.Job}
	asked := s.now() // before the question: what arrives meanwhile must not be given up
	answer, err := guarded(func() (processor.Answer, error) { return s.processor.Lookup(ctx, o.Reference) })
	switch {
	case err == nil:
		in.answer = &answer
		return in, true
	case errors.Is(err, processor.ErrNotFound):
		return in, asked.Sub(o.CreatedAt) > s.processor.SettleWindow()
	}
	slog.WarnContext(ctx, "a processor look-up failed", "charge_id", o.ChargeID.String(), "error", err.Error())
	return in, false
}
