package api

import (
	"fmt"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
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
	atWork        chan struct{}
	shares        *shares
}

// shares counts the requests at work of each application.
type shares struct {
	mu   sync.Mutex
	most int
	busy map[int64]int
}

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
		out.atWork = make(chan struct{}, l.AtWork)
		out.shares = &shares{most: max(1, l.AtWork/2), busy: make(map[int64]int)}
	}
	return out
}

// share takes a place of an application, which leave returns: one application's slow requests leave
// half of all places to the others.
func (l limiter) share(applicationID int64) (leave func(), err error) {
	if l.shares == nil {
		return func() {}, nil
	}
	s := l.shares
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy[applicationID] >= s.most {
		return nil, fault.New(fault.KindLimited, "rate_limited",
			"Too many requests of your application are in progress at once. Try again shortly.").After(time.Second)
	}
	s.busy[applicationID]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.busy[applicationID]--; s.busy[applicationID] == 0 {
			delete(s.busy, applicationID)
		}
	}, nil
}

// enter takes a place among the requests at work, which leave returns. No one waits for one.
func (l limiter) enter() (leave func(), err error) {
	if l.atWork == nil {
		return func() {}, nil
	}
	select {
	case l.atWork <- struct{}{}:
		return func() { <-l.atWork }, nil
	default:
		return nil, fault.New(fault.KindUnavailable, "overloaded",
			"The service is busy. Try again shortly.").After(time.Second)
	}
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

// authenticated runs an authentication that was asked for from an address, unless too many of that
// address failed.
func (l limiter) authenticated(address, credentials string, now time.Time, authenticate func() error) error {
	if l.guesses == nil {
		return authenticate()
	}
	if wait, refused := l.guesses.Refuses(address, credentials, now); refused {
		return limited("Too many requests from this address carried credentials that are not valid.", wait)
	}
	err := authenticate()
	switch f, isFault := fault.As(err); {
	case err == nil:
		l.guesses.Worked(credentials)
	case isFault && f.Kind == fault.KindUnauthenticated:
		l.guesses.Failed(address, credentials, now)
	}
	return err
}
