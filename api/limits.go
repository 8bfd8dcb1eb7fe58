package api

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/bulkhead"
	"svcpay/internal/platform/ratelimit"
)

// Limits is how much callers may ask for. Zero is no limit.
type Limits struct {
	// Reads and Writes are requests a second of one key, in the long run; twice that at once.
	Reads, Writes int
	// Failures are failed authentications a second of one address; sixty times that at once.
	Failures int
	// AtWork is how many requests are worked on at once.
	AtWork int
}

const (
	burstFactor   = 2
	guessesFactor = 60
	// keysRemembered bounds the memory that buckets take.
	keysRemembered = 10_000
)

// quota is the limit of one sort of requests: its name, and a bucket for each key.
type quota struct {
	name string
	*ratelimit.Buckets[ids.Key]
}

// limiter holds the state of Limits; what is nil has no limit.
type limiter struct {
	reads, writes *quota
	guesses       *ratelimit.Guesses
	admits        chan struct{} // requests whose callers are being found out

	// The places of applications: for bodies that arrive, for requests at work, for those among them whose class grows,
	// and for those that stream.
	bodies, works, growing, streaming *bulkhead.Places[int64]
}

const (
	// growingEach is how many requests of the class that grows an application may have at work.
	growingEach = 2
	// growingWait is how long some more wait for one of these places.
	growingWait = time.Second
	// streamingPart is which part of all requests may stream.
	streamingPart = 4
)

func newLimiter(l Limits) limiter {
	var out limiter
	of := func(name string, perSecond int) *quota {
		if perSecond == 0 {
			return nil
		}
		return &quota{name, ratelimit.New[ids.Key](perSecond, burstFactor*perSecond, keysRemembered)}
	}
	out.reads, out.writes = of("reads", l.Reads), of("writes", l.Writes)
	if l.Failures > 0 {
		out.guesses = ratelimit.NewGuesses(ratelimit.NewAddresses(l.Failures, guessesFactor*l.Failures))
	}
	if l.AtWork > 0 {
		out.admits = make(chan struct{}, l.AtWork)
		out.bodies, out.works = bulkhead.Shared[int64](l.AtWork), bulkhead.Shared[int64](l.AtWork)
		out.growing = bulkhead.Each[int64](growingEach, growingWait)
		out.streaming = bulkhead.Shared[int64](max(2, l.AtWork/streamingPart))
	}
	return out
}

// enter takes a place among the requests whose callers are being found out, which leave returns. No one waits for one.
func (l limiter) enter() (leave func(), err error) {
	if l.admits == nil {
		return func() {}, nil
	}
	select {
	case l.admits <- struct{}{}:
		return func() { <-l.admits }, nil
	default:
		return nil, errBusy()
	}
}

// work takes the places that a request needs of its application while the service works on it. One that streams has
// the place that [API.receive] took.
func (l limiter) work(ctx context.Context, req *request, class bulkhead.Class) (leave func(), err error) {
	if class == streams {
		return func() {}, nil
	}
	leaveWork, err := placeOf(ctx, req, l.works, "requests")
	if err != nil || class == constant {
		return leaveWork, err
	}
	leaveGrowing, err := placeOf(ctx, req, l.growing, "lists, searches and reports")
	if err != nil {
		leaveWork()
		return nil, err
	}
	return func() { leaveGrowing(); leaveWork() }, nil
}

// stream takes a place for a request that lasts as long as its caller likes. It has the place until its response has
// been sent.
func (l limiter) stream(ctx context.Context, req *request) (err error) {
	leave, err := placeOf(ctx, req, l.streaming, "transfers of files and lists that wait")
	if err == nil {
		req.leave = leave
	}
	return err
}

// placeOf takes one of an application's places; what names its requests.
func placeOf(ctx context.Context, req *request, of *bulkhead.Places[int64], what string) (leave func(), err error) {
	leave, err = of.Take(ctx, req.actor.ApplicationID)
	switch {
	case errors.Is(err, bulkhead.OfHolder):
		req.turnedAway = true
		return nil, limited("Too many "+what+" of your application are in progress at once. Try again shortly.",
			time.Second)
	case errors.Is(err, bulkhead.OfAll):
		return nil, errBusy()
	}
	return leave, err
}

func errBusy() error {
	return fault.New(fault.KindUnavailable, "overloaded", "The service is busy. Try again shortly.").After(time.Second)
}

// count takes a request of an authenticated key off its limit, and tells in the answer's headers how
// much is left, in the form of draft-ietf-httpapi-ratelimit-headers-10.
func (l limiter) count(c echo.Context, key ids.Key, now time.Time) error {
	q := l.writes
	if m := c.Request().Method; m == http.MethodGet || m == http.MethodHead {
		q = l.reads
	}
	if q == nil {
		return nil
	}
	s := q.Take(key, now)
	ahead := s.Full
	if !s.Allowed {
		ahead = s.Next // what Retry-After tells, too
	}
	h := c.Response().Header()
	h.Set("RateLimit-Policy", fmt.Sprintf("%q;q=%d;w=%d", q.name, q.Quota(), wholeSeconds(q.Window())))
	h.Set("RateLimit", fmt.Sprintf("%q;r=%d;t=%d", q.name, s.Remaining, wholeSeconds(ahead)))
	if !s.Allowed {
		return limited("Rate limit exceeded. Retry after the time in Retry-After.", s.Next)
	}
	return nil
}

func wholeSeconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }

func limited(message string, wait time.Duration) error {
	return fault.New(fault.KindLimited, "rate_limited", message).After(wait)
}

// authenticated runs an authentication that was asked for from an address. If too many of that address failed, one more
// that fails is answered like a request beyond a limit. One that succeeds is not, whatever others at its address did.
func (l limiter) authenticated(ctx context.Context, address, credentials string, now time.Time,
	authenticate func() error) error {
	if l.guesses == nil {
		return authenticate()
	}
	wait, suspected := l.guesses.Suspects(address, credentials, now)
	refusal := limited("Too many requests from this address carried credentials that are not valid.", wait)
	if suspected {
		giveBack, err := l.guesses.LookUp(ctx, address)
		if err != nil {
			return refusal
		}
		defer giveBack()
	}
	err := authenticate()
	switch f, isFault := fault.As(err); {
	case err == nil:
		l.guesses.Worked(credentials)
	case !isFault || f.Kind != fault.KindUnauthenticated:
	case suspected:
		return refusal
	default:
		l.guesses.Failed(address, credentials, now)
	}
	return err
}
