// Package listen forwards an application's events to a program that cannot be reached from the internet: it reads them
// in order and posts them, signed, one at a time.
//
// Invariants: an event is skipped only after its receiver accepted it, or refused it as often as allowed; the position
// in the log is on disk before the next event is posted, so a killed process posts one event twice at most; events are
// posted in the order of their sequence numbers.
package listen

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"svcpay/internal/devtools/signature"
	"svcpay/internal/event"
)

const (
	firstRest = time.Second
	// longestRest is the longest pause before something is tried again.
	longestRest = 10 * time.Second
	// grace is for how long a post that has begun may go on after the end.
	grace = 3 * time.Second
)

// Event is an event of the log.
type Event struct {
	Sequence int64
	ID, Type string
	Object   string // the id of what it is about
	Body     []byte // as a webhook has it
}

// Relay forwards the events of one application to one URL.
type Relay struct {
	Place  *Place
	Sender *Sender
	Secret signature.Secret
	// Read returns what comes after a sequence, in its order. It may wait a while for the first.
	Read func(ctx context.Context, after int64) ([]Event, error)
	// Final reports whether an error of Read will come again.
	Final func(error) bool
	// Wanted are the filters, of which one covers what is forwarded; none forward all.
	Wanted []string
	// Refusals is how often an event is posted that the receiver answers, but does not take; 0 is until it takes it.
	Refusals int
	Out      io.Writer // a line for each event, and for each way in which one is not taken
	Err      io.Writer
}

// Begin finds the place to go on from: what was kept, unless from says another; at first the end of the log, whose last
// sequence is newest.
func (r *Relay) Begin(newest int64, from *int64) error {
	after, ok := r.Place.After()
	switch {
	case from != nil:
		after = *from
	case !ok:
		after = newest
	}
	if after < 0 || after > newest {
		return fmt.Errorf(
			"the place is after event %d, and the log of application %d ends with %d: say where to begin in this log, %d for what comes next",
			after, r.Place.target.ApplicationID, newest, newest)
	}
	return r.Place.Move(after)
}

// Follow forwards events until ctx ends, from the place on.
func (r *Relay) Follow(ctx context.Context) error {
	rest, said := firstRest, ""
	for ctx.Err() == nil {
		after, _ := r.Place.After()
		rested := time.After(firstRest)
		events, err := r.Read(ctx, after)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && r.Final(err):
			return err
		case err != nil:
			if text := err.Error(); text != said {
				fmt.Fprintf(r.Err, "svcpay: events cannot be read, and are asked for again: %s\n", text)
				said = text
			}
			rest = pause(ctx, rest)
			continue
		}
		rest, said = firstRest, ""
		if err := r.all(ctx, events); err != nil {
			return err
		}
		// A server with too many who wait, or about to stop, answers at once.
		if len(events) == 0 {
			select {
			case <-rested:
			case <-ctx.Done():
			}
		}
	}
	return nil
}

// all forwards events until ctx ends. Of those that no one wants the place is written down with what follows.
func (r *Relay) all(ctx context.Context, events []Event) error {
	passed := int64(0)
	for _, e := range events {
		if len(r.Wanted) > 0 &&
			!slices.ContainsFunc(r.Wanted, func(f string) bool { return event.Matches(f, e.Type) }) {
			passed = e.Sequence
			continue
		}
		done, err := r.one(ctx, e)
		if err != nil {
			return err
		}
		if !done { // the end has come
			break
		}
		if err := r.Place.Move(e.Sequence); err != nil {
			return err
		}
		passed = 0
	}
	if passed == 0 {
		return nil
	}
	return r.Place.Move(passed)
}

// one posts an event until it need not be posted again; false if ctx ended before.
func (r *Relay) one(ctx context.Context, e Event) (bool, error) {
	rest, said := firstRest, ""
	for refusals := 0; ctx.Err() == nil; {
		a, err := r.post(ctx, e)
		if err != nil {
			return false, err
		}
		if a.Status != 0 && !a.Taken() {
			refusals++
		}
		passed := !a.Taken() && r.Refusals > 0 && refusals >= r.Refusals
		switch {
		case a.Taken() || passed:
			r.say(e, a, map[bool]string{true: ", passed over"}[passed])
			return true, nil
		case a.Reason != said:
			r.say(e, a, ", waits until it is taken")
			said = a.Reason
		}
		rest = pause(ctx, rest)
	}
	return false, nil
}

func (r *Relay) say(e Event, a Answer, more string) {
	fmt.Fprintf(r.Out, "#%d  %s  %s  %s  %s  %d ms%s\n", e.Sequence, e.Type, e.ID, e.Object, a.Reason,
		a.Took.Milliseconds(), more)
}

// post posts an event once. What has begun may end after ctx has.
func (r *Relay) post(ctx context.Context, e Event) (Answer, error) {
	header, err := r.Sender.Sign(r.Secret, e.ID, e.Body)
	if err != nil {
		return Answer{}, err
	}
	attempt, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	late := context.AfterFunc(ctx, func() { time.AfterFunc(grace, stop) })
	defer late()
	a, err := r.Sender.Post(attempt, r.Place.target.ForwardTo, header, e.Body)
	if attempt.Err() != nil { // it goes out again with the next start
		return Answer{Reason: "given up"}, nil
	}
	return a, err
}

// pause rests, and returns the next rest.
func pause(ctx context.Context, d time.Duration) time.Duration {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
	return min(2*d, longestRest)
}
