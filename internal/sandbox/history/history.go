// Package history gives a demo some weeks of payments of all kinds, made by the same use-cases that applications and
// people call, at the times at which they would have called them.
package history

import (
	"context"
	"fmt"
	"slices"
	"time"

	"svcpay/internal/apikey"
	"svcpay/internal/assembly"
	"svcpay/internal/authz"
	dafsandbox "svcpay/internal/daf/provider/sandbox"
	"svcpay/internal/identity"
	"svcpay/internal/ids"
	"svcpay/internal/requestlog"
	"svcpay/internal/sandbox/demo"
)

// Days is how long the history is. Its last day is today.
const Days = 44

// Clock is a machine's time that the history moves on.
type Clock interface {
	Now() time.Time
	Advance(d time.Duration)
}

// Maker makes the history of a demo. Its services go by Clock, which stands where the history begins.
type Maker struct {
	*assembly.Services
	Funds *dafsandbox.Provider
	Clock Clock
	Demo  demo.Credentials
	// Origin is of the pages that payers come from.
	Origin string
}

// act is something that someone does at a time.
type act struct {
	at time.Time
	do func(context.Context) error
}

// story is a history in progress.
type story struct {
	Maker
	from, until time.Time
	acts        []act // those to come, in order
	river       program
	harbor      program
	ola, remy   authz.Actor // of Riverside's organization
	avery       authz.Actor // of Riverside
	sam         authz.Actor // of the deployment
	made        int         // charges so far, of both programs
}

// program is one of the demo's applications.
type program struct {
	demo.Application
	server authz.Actor
	agent  string
	tokens map[string]string // of payers who give again
}

// Make lets the history happen, up to a time that is Days after the clock's at most. It returns the demo's credentials
// with the secret of the webhook endpoint that the history adds.
func (m Maker) Make(ctx context.Context, until time.Time) (demo.Credentials, error) {
	s := &story{Maker: m, from: m.Clock.Now().Truncate(24 * time.Hour), until: until}
	if err := s.meet(ctx); err != nil {
		return s.Demo, fmt.Errorf("demo: people of the history: %w", err)
	}
	return s.Demo, s.play(ctx)
}

// play makes everything planned happen at its time.
func (s *story) play(ctx context.Context) error {
	s.plan()
	for len(s.acts) > 0 {
		next := s.acts[0]
		s.acts = s.acts[1:]
		if err := s.pass(ctx, next.at); err != nil {
			return err
		}
		if err := next.do(ctx); err != nil {
			return fmt.Errorf("demo: history of %s: %w", next.at.Format(time.DateOnly), err)
		}
	}
	if err := s.pass(ctx, s.until); err != nil {
		return err
	}
	return s.RequestLogs.Flush(ctx)
}

// at plans something for a time; what would be in the future does not happen.
func (s *story) at(t time.Time, do func(context.Context) error) {
	if t.Before(s.Clock.Now()) || t.After(s.until) {
		return
	}
	i, _ := slices.BinarySearchFunc(s.acts, t, func(a act, t time.Time) int {
		if a.at.After(t) {
			return 1
		}
		return -1
	})
	s.acts = slices.Insert(s.acts, i, act{t, do})
}

// after plans something for a while from now.
func (s *story) after(d time.Duration, do func(context.Context) error) {
	s.at(s.Clock.Now().Add(d), do)
}

// on is a time of a day of the history; the first is 0.
func (s *story) on(day, hour, minute int) time.Time {
	return s.from.AddDate(0, 0, day).Add(time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute)
}

// settleEvery is how long what is due may wait: counterparties and banks work by the day.
const settleEvery = 4 * time.Hour

// pass lets time go by, with everything that becomes due in the meantime.
func (s *story) pass(ctx context.Context, to time.Time) error {
	for s.Clock.Now().Before(to) {
		s.Clock.Advance(min(to.Sub(s.Clock.Now()), settleEvery))
		for more := true; more; {
			more = false
			for _, sweep := range s.Sweeps() {
				again, err := s.Clocks.RunAll(ctx, sweep)
				if err != nil {
					return fmt.Errorf("demo: %s: %w", sweep.Name, err)
				}
				more = more || again
			}
		}
		if err := s.RequestLogs.Flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// meet finds the programs and people who act.
func (s *story) meet(ctx context.Context) (err error) {
	if s.river, err = s.program(ctx, s.Demo.Application, "riverside-giving/2.4"); err != nil {
		return err
	}
	if s.harbor, err = s.program(ctx, *s.Demo.Other, "harbor-donations/1.0"); err != nil {
		return err
	}
	for _, u := range s.Demo.Users {
		who := map[string]*authz.Actor{"organization_admin": &s.ola, "organization_staff": &s.remy,
			"application_admin": &s.avery, "system_admin": &s.sam}[u.Role]
		if who == nil {
			continue
		}
		p, err := s.Identity.SignIn(ctx, u.Email, u.Password, identity.Visitor{})
		if err != nil {
			return err
		}
		in, err := s.Identity.Act(ctx, identity.Session{Person: p, ApplicationID: s.Demo.AppID})
		if err != nil {
			return err
		}
		*who = in.Actor
	}
	return nil
}

func (s *story) program(ctx context.Context, a demo.Application, agent string) (program, error) {
	server, err := s.APIKeys.Authenticate(ctx, apikey.Credentials{APIKey: a.SecretKey, AppID: fmt.Sprint(a.AppID)})
	return program{a, server, agent, map[string]string{}}, err
}

// now is an actor with a request of its own.
func (s *story) now(a authz.Actor) authz.Actor {
	a.RequestID = ids.NewRequest(s.Clock.Now())
	return a
}

// log writes down what a program asked and was told.
func (s *story) log(p program, e requestlog.Entry) {
	e.APIVersion, e.At, e.IP, e.UserAgent = apikey.APIVersion, s.Clock.Now(), "203.0.113.20", p.agent
	e.BodyBytes, e.Took = len(e.Body), time.Duration(38+len(e.Body)%90)*time.Millisecond
	s.RequestLogs.Add(e)
}
