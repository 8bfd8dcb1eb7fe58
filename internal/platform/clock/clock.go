// Package clock gives each application its time. In production that is the machine's. A sandbox application can advance
// its own clock, so that settlements, expiries, payouts and deadlines can be tested without waiting; ids, keys,
// sessions and signatures keep the machine's time.
package clock

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/instant"
	"svcpay/internal/platform/pg"
)

// freshFor bounds how long another binary's move of a clock stays unnoticed here.
const freshFor = time.Second

// Clock tells the time. Its methods may be called from several goroutines.
type Clock struct {
	pool    *pgxpool.Pool
	machine func() time.Time

	mu    sync.Mutex
	ahead map[int64]time.Duration // applications whose clock was moved
	asOf  time.Time
}

// New makes a clock over the machine's time.
func New(pool *pgxpool.Pool, machine func() time.Time) *Clock {
	return &Clock{pool: pool, machine: machine}
}

// Machine is the real time.
func (c *Clock) Machine() time.Time { return c.machine() }

// Moment is the present, for an application.
func (c *Clock) Moment(ctx context.Context, applicationID int64) (instant.Moment, error) {
	ahead, err := c.moved(ctx)
	now := c.machine()
	return instant.Moment{Machine: now, At: now.Add(ahead[applicationID])}, err
}

// Since is the present of an application whose moment was read before, such as that under a lock which was waited for.
func (c *Clock) Since(before instant.Moment) instant.Moment {
	now := c.machine()
	return instant.Moment{Machine: now, At: before.At.Add(now.Sub(before.Machine))}
}

// Moments are the present of several applications.
type Moments map[int64]instant.Moment

// MomentsOf reads the clocks that some inputs go by.
func MomentsOf[T any](ctx context.Context, c *Clock, inputs []T, application func(T) int64) (Moments, error) {
	out := make(Moments)
	for _, in := range inputs {
		id := application(in)
		m, err := c.Moment(ctx, id)
		if err != nil {
			return nil, err
		}
		out[id] = m
	}
	return out, nil
}

type row struct {
	ApplicationID int64 `db:"application_id"`
	Ahead         int64 `db:"ahead"`
}

// moved returns the applications whose clock was moved, no older than freshFor.
func (c *Clock) moved(ctx context.Context) (map[int64]time.Duration, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if age := c.machine().Sub(c.asOf); c.ahead != nil && age >= 0 && age < freshFor {
		return c.ahead, nil
	}
	rows, err := pg.All[row](ctx, c.pool, `SELECT application_id, ahead FROM application_clocks`, pg.Args{})
	if err != nil {
		return nil, err
	}
	ahead := make(map[int64]time.Duration, len(rows))
	for _, r := range rows {
		ahead[r.ApplicationID] = time.Duration(r.Ahead) * time.Microsecond
	}
	c.ahead, c.asOf = ahead, c.machine()
	return ahead, nil
}

// Advance moves an application's clock ahead by d, which is not negative. Nothing that became due
// is done by it.
func (c *Clock) Advance(ctx context.Context, applicationID int64, d time.Duration) error {
	_, err := pg.Exec(ctx, c.pool, kept+`
		INSERT INTO application_clocks AS k (application_id, ahead) VALUES (@application_id, @ahead)
		ON CONFLICT (application_id) DO UPDATE SET ahead = k.ahead + excluded.ahead`+keep,
		pg.Args{"application_id": applicationID, "ahead": d.Microseconds(), "machine": c.machine()})
	c.forget()
	return err
}
