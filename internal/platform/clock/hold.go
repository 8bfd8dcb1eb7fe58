package clock

import (
	"context"
	"fmt"
	"time"

	"svcpay/internal/instant"
	"svcpay/internal/platform/pg"
)

// holdFor is how long a clock belongs to who moves it, from the last step on: what is due at one time
// is done by then. After a death the next move waits that long.
const holdFor = 30 * time.Second

// HoldTx takes the clock of an application for one who saw it show m and will move it in steps. It
// reports whether no one else has it, or moved it since: two who moved it at once would each do what
// the other's time makes due.
func HoldTx(ctx context.Context, tx *pg.Tx, applicationID int64, m instant.Moment) (bool, error) {
	n, err := tx.Exec(ctx, `
		INSERT INTO application_clocks AS k (application_id, ahead, held_until) VALUES (@application_id, @ahead, @until)
		ON CONFLICT (application_id) DO UPDATE SET held_until = excluded.held_until
		WHERE k.ahead = excluded.ahead AND (k.held_until IS NULL OR k.held_until <= @now)`,
		pg.Args{"application_id": applicationID, "ahead": m.At.Sub(m.Machine).Microseconds(),
			"until": m.Machine.Add(holdFor), "now": m.Machine})
	return n == 1, err
}

// Step moves a clock that is held from one time to a later one. It fails if the clock does not show the
// first any more: the hold was lost.
func (c *Clock) Step(ctx context.Context, applicationID int64, from instant.Moment, to time.Time) error {
	ahead, more := from.At.Sub(from.Machine), to.Sub(from.At)
	n, err := pg.Exec(ctx, c.pool, kept+`
		UPDATE application_clocks SET ahead = @to, held_until = @until WHERE application_id = @application_id
			AND ahead = @from`+keep,
		pg.Args{"application_id": applicationID, "from": ahead.Microseconds(), "to": (ahead + more).Microseconds(),
			"until": c.machine().Add(holdFor), "machine": c.machine()})
	c.forget()
	if err == nil && n == 0 {
		err = fmt.Errorf("clock: the clock of application %d was moved by another process", applicationID)
	}
	return err
}

// Release gives a clock back.
func (c *Clock) Release(ctx context.Context, applicationID int64) error {
	_, err := pg.Exec(ctx, c.pool, `UPDATE application_clocks SET held_until = NULL
		WHERE application_id = @application_id`,
		pg.Args{"application_id": applicationID})
	return err
}

// Fresh is the present as the database has it, other binaries' latest moves included.
func (c *Clock) Fresh(ctx context.Context, applicationID int64) (instant.Moment, error) {
	c.forget()
	return c.Moment(ctx, applicationID)
}

// forget has the next look at the time ask the database.
func (c *Clock) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead = nil
}
