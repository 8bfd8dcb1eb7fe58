package event

import (
	"context"
	"errors"

	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/crash"
)

// Batch is how many events of an application one transaction numbers.
const Batch = 500

// Numbered is an event that has just got its number.
type Numbered struct {
	ID       ids.Event `db:"id"`
	Type     string    `db:"type"`
	Sequence int64     `db:"sequence"`
}

// Follow does what follows from numbered events of an application, in the transaction that numbers
// them: an event is either numbered and followed, or neither.
type Follow func(ctx context.Context, tx *pg.Tx, applicationID int64, events []Numbered) error

// Then has something follow. It is called while the service is wired.
func (s *Service) Then(f Follow) { s.after = append(s.after, f) }

type applicationRow struct {
	ID     int64 `db:"application_id"`
	Stream bool  `db:"stream"` // whether anything of it was numbered before
}

// Number gives the events that were committed their numbers, a batch for each application, and says how
// many those were. Any number of binaries may run it at once: each application is numbered by one at a
// time. An application that cannot be numbered holds up no other.
func (s *Service) Number(ctx context.Context) (int, error) {
	waiting, err := pg.All[applicationRow](ctx, s.deps.Pool, `
		SELECT a.id AS application_id, EXISTS (SELECT FROM event_streams s WHERE s.application_id = a.id) AS stream
			FROM applications a
		WHERE EXISTS (SELECT FROM events e WHERE e.application_id = a.id AND e.sequence IS NULL
			AND NOT e.test)`, pg.Args{})
	if err != nil {
		return 0, err
	}
	n := 0
	var errs []error
	for _, a := range waiting {
		done, err := s.numberOf(ctx, a)
		n, errs = n+done, append(errs, err)
	}
	return n, errors.Join(errs...)
}

// numberOf numbers a batch of one application, unless another binary is at it.
func (s *Service) numberOf(ctx context.Context, a applicationRow) (int, error) {
	if !a.Stream { // committed on its own, so that no one waits for it
		if _, err := pg.Exec(ctx, s.deps.Pool, `INSERT INTO event_streams (application_id) VALUES (@application_id)
			ON CONFLICT DO NOTHING`, pg.Args{"application_id": a.ID}); err != nil {
			return 0, err
		}
	}
	n := 0
	err := pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		n = 0
		last, err := pg.Value[int64](ctx, tx, `
			SELECT last_sequence FROM event_streams WHERE application_id = @application_id FOR UPDATE SKIP LOCKED`,
			pg.Args{"application_id": a.ID})
		if errors.Is(err, pg.ErrNone) {
			return nil
		}
		if err != nil {
			return err
		}
		numbered, err := numberTx(ctx, tx, a.ID, last)
		if err != nil {
			return err
		}
		n = len(numbered)
		return s.followTx(ctx, tx, a.ID, numbered)
	})
	if n > 0 {
		crash.Point("event.numbered")
	}
	return n, err
}

// numberTx numbers the events that the caller's transaction sees, in the order of their serials: of
// those of one object a later one is never seen without the earlier.
func numberTx(ctx context.Context, tx *pg.Tx, applicationID, last int64) ([]Numbered, error) {
	return pg.All[Numbered](ctx, tx, `
		WITH due AS (
			SELECT id, @last::bigint + row_number() OVER (ORDER BY serial) AS number FROM (
				SELECT id, serial FROM events WHERE application_id = @application_id AND sequence IS NULL AND NOT test
				ORDER BY serial LIMIT @batch) waiting
		), numbered AS (
			UPDATE events e SET sequence = due.number FROM due WHERE e.application_id = @application_id
				AND e.id = due.id
			RETURNING e.id, e.type, e.sequence
		), moved AS (
			UPDATE event_streams SET last_sequence = @last + (SELECT count(*) FROM due)
				WHERE application_id = @application_id
		) SELECT id, type, sequence FROM numbered ORDER BY sequence`,
		pg.Args{"application_id": applicationID, "last": last, "batch": Batch})
}

func (s *Service) followTx(ctx context.Context, tx *pg.Tx, applicationID int64, numbered []Numbered) error {
	if len(numbered) == 0 {
		return nil
	}
	for _, f := range s.after {
		if err := f(ctx, tx, applicationID, numbered); err != nil {
			return err
		}
	}
	return nil
}
