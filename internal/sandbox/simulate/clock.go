package simulate

import (
	"context"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
)

// maxAdvance bounds one move: what becomes due in the meantime is done before the answer.
const maxAdvance = 62 * 24 * time.Hour

// AdvanceInput asks to move the application's clock ahead: "72h", "90m", "36h30m".
type AdvanceInput struct {
	Advance *string `json:"advance"`
}

// Validate returns every mistake that can be seen without looking anything up.
func (in AdvanceInput) Validate() fault.Fields {
	var fs fault.Fields
	if in.Advance == nil {
		check.Required(&fs, "advance", false)
		return fs
	}
	if d, err := time.ParseDuration(*in.Advance); err != nil || d < 0 || d > maxAdvance {
		fs.Add("advance", "parameter_invalid",
			"A duration in hours, minutes and seconds from 0s to 1488h, such as 72h.")
	}
	return fs
}

// Clock is an application's clock. It is the API's object.
type Clock struct {
	Object       string       `json:"object"`
	Livemode     bool         `json:"livemode"` // never: time is real in production
	Now          instant.Time `json:"now"`
	AheadSeconds int64        `json:"ahead_seconds"`
}

// Now says what time it is for the application.
func (s *Service) Now(ctx context.Context, actor authz.Actor) (Clock, error) {
	if err := s.deps.Check.Check(actor, authz.SandboxClock); err != nil {
		return Clock{}, err
	}
	m, err := s.deps.Clock.Fresh(ctx, actor.ApplicationID)
	return clockOf(m), err
}

func clockOf(m instant.Moment) Clock {
	return Clock{Object: "clock", Now: instant.Of(m.At), AheadSeconds: int64(m.At.Sub(m.Machine).Seconds())}
}

// Advance moves the application's clock ahead, stopping wherever something becomes due to do it, and
// returns the new time. One advance of a clock runs at a time: the fault operation_in_progress tells
// of another. If the caller's patience ends first, the clock stands where it got to; a retry with the
// same key goes on from there to where the first would have stopped.
func (s *Service) Advance(ctx context.Context, actor authz.Actor, in AdvanceInput,
	claim *idempotency.Claim) (idempotency.Result[Clock], error) {
	if err := s.deps.Check.Check(actor, authz.SandboxClock); err != nil {
		return idempotency.Result[Clock]{}, err
	}
	if err := in.Validate().Err(); err != nil {
		return idempotency.Result[Clock]{}, err
	}
	by, err := time.ParseDuration(*in.Advance)
	if err != nil {
		return idempotency.Result[Clock]{}, err
	}
	m, err := s.deps.Clock.Fresh(ctx, actor.ApplicationID)
	if err != nil {
		return idempotency.Result[Clock]{}, err
	}
	// The key's object is made of the time at which the clock will stop, for a retry that takes over.
	t, err := s.claim(ctx, claim, ids.NewOperation(m.At.Add(by)),
		func(tx *pg.Tx) error { return holdTx(ctx, tx, actor.ApplicationID, m) })
	if err != nil || t.prior != nil {
		return idempotency.Result[Clock]{Prior: t.prior}, err
	}
	end := m.At.Add(by)
	if t.takenOver {
		end = t.object.Time()
	}
	c, err := s.advance(ctx, actor.ApplicationID, end)
	if released := s.deps.Clock.Release(context.WithoutCancel(ctx), actor.ApplicationID); err == nil {
		err = released
	}
	return idempotency.Result[Clock]{Object: c}, s.conclude(ctx, t, c, err)
}

// holdTx takes the clock for one advance.
func holdTx(ctx context.Context, tx *pg.Tx, applicationID int64, m instant.Moment) error {
	held, err := clock.HoldTx(ctx, tx, applicationID, m)
	if err != nil || held {
		return err
	}
	return fault.New(fault.KindConflict, "operation_in_progress",
		"Another advance of this clock is in progress. Read the clock in a moment.").After(time.Second)
}

func (s *Service) advance(ctx context.Context, applicationID int64, end time.Time) (Clock, error) {
	if err := s.drain(ctx, applicationID); err != nil {
		return Clock{}, err
	}
	for done := false; !done; {
		var err error
		if done, err = s.stepTowards(ctx, applicationID, end); err != nil {
			return Clock{}, err
		}
	}
	m, err := s.deps.Clock.Moment(ctx, applicationID)
	return clockOf(m), err
}

// stepTowards moves the clock to the next time at which something is due, at most to end, does what is
// due then, and reports whether the end was reached.
func (s *Service) stepTowards(ctx context.Context, applicationID int64, end time.Time) (bool, error) {
	m, err := s.deps.Clock.Moment(ctx, applicationID)
	if err != nil {
		return false, err
	}
	if !m.At.Before(end) {
		return true, nil
	}
	next := end
	for _, sweep := range s.deps.Sweeps {
		due, err := sweep.Next(ctx, applicationID, m.At)
		if err != nil {
			return false, err
		}
		if due != nil && due.Before(next) {
			next = *due
		}
	}
	if err := s.deps.Clock.Step(ctx, applicationID, m, m.At.Add(ceil(next.Sub(m.At)))); err != nil {
		return false, err
	}
	return !next.Before(end), s.drain(ctx, applicationID)
}

// ceil rounds up to milliseconds, which times of records have: the clock must not stop just before.
func ceil(d time.Duration) time.Duration {
	return (d + time.Millisecond - 1).Truncate(time.Millisecond)
}

// drain does everything that is due for an application, including what becomes due while it runs. It waits for other
// workers that handle messages from processors, because one of these may be about this application.
func (s *Service) drain(ctx context.Context, applicationID int64) error {
	for {
		if err := s.deps.Inbound.Drain(ctx); err != nil {
			return err
		}
		v, err := s.deps.Clock.Of(ctx, applicationID)
		if err != nil {
			return err
		}
		done, err := runAll(ctx, s.deps.Sweeps, v)
		if err != nil || done == 0 {
			return err
		}
	}
}

func runAll(ctx context.Context, sweeps []clock.Sweep, v clock.View) (done int, err error) {
	for _, sweep := range sweeps {
		n, err := sweep.Run(ctx, v)
		if err != nil {
			return done, err
		}
		done += n
	}
	return done, ctx.Err()
}
