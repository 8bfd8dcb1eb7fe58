package mail

import (
	"context"
	"log/slog"
	"time"

	"svcpay/internal/platform/pg"
)

const (
	// batch is how many letters one run tries.
	batch = 20
	// attempt is how long one may take, with what is written down of it.
	attempt = sendTimeout + 5*time.Second
	// lease is how long a binary has for one; after it another one takes the letter.
	lease = 2 * time.Minute
	// keptFor is how long rows stay after there is nothing left to do.
	keptFor = 7 * 24 * time.Hour
)

// pauses lie between the attempts for a letter; after the last of them it is given up.
var pauses = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour,
	12 * time.Hour}

// Deliver sends what is due and says how many letters it tried. It takes one after the other, and none that it has no
// time for: an attempt is counted for a letter that is tried only. A failure to send is the letter's, not its own.
func (s *Service) Deliver(ctx context.Context) (int, error) {
	if !s.On() {
		return 0, nil
	}
	for n := range batch {
		if end, bounded := ctx.Deadline(); bounded && end.Sub(s.deps.Now()) < attempt {
			return n, nil
		}
		due, err := s.take(ctx)
		if err != nil || len(due) == 0 {
			return n, err
		}
		if err := s.deliver(ctx, due[0]); err != nil {
			return n, err
		}
	}
	return batch, nil
}

// take leases the letter that has been due for longest, if there is one.
func (s *Service) take(ctx context.Context) ([]letterRow, error) {
	now := s.deps.Now()
	return pg.All[letterRow](ctx, s.deps.Pool, `
		UPDATE mails SET attempts = attempts + 1, due_at = @lease
		WHERE id IN (SELECT id FROM mails WHERE due_at <= @now ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
		RETURNING id, content, attempts, created_at`,
		pg.Args{"now": now, "lease": now.Add(lease)})
}

// deliver makes one attempt and writes down the outcome of it.
func (s *Service) deliver(ctx context.Context, r letterRow) error {
	l, err := s.open(r)
	if err == nil {
		err = s.deps.Sender.Send(ctx, l)
	}
	if err == nil {
		_, err = pg.Exec(ctx, s.deps.Pool, `
			UPDATE mails SET sent_at = @now, due_at = NULL, failure = '', content = CASE WHEN @keep::boolean
				THEN content END WHERE id = @id`,
			pg.Args{"now": s.deps.Now(), "id": r.ID, "keep": s.deps.Sender.Keeps()})
		return err
	}
	if ctx.Err() != nil { // the lease ends, and another run makes the attempt
		return ctx.Err()
	}
	var next *time.Time
	if r.Attempts <= len(pauses) {
		at := s.deps.Now().Add(pauses[r.Attempts-1])
		next = &at
	}
	// What a mail server says may repeat the letter: only our log has it, through its filter.
	slog.WarnContext(ctx, "a mail was not sent", "mail_id", r.ID.String(), "attempt", r.Attempts, "given_up",
		next == nil, "error", err.Error())
	_, err = pg.Exec(ctx, s.deps.Pool, `
		UPDATE mails SET due_at = @next, failure = 'not taken by the mail server', content = CASE
			WHEN @next::timestamptz IS NOT NULL THEN content END
		WHERE id = @id`, pg.Args{"next": next, "id": r.ID})
	return err
}

// Purge deletes a batch of the rows that have nothing left to do, and says how many there were.
func (s *Service) Purge(ctx context.Context) (int64, error) {
	return pg.Exec(ctx, s.deps.Pool, `
		DELETE FROM mails WHERE id IN (SELECT id FROM mails WHERE due_at IS NULL AND created_at < @before
			LIMIT @batch)`,
		pg.Args{"before": s.deps.Now().Add(-keptFor), "batch": pg.PurgeBatch})
}
