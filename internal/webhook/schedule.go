package webhook

import (
	"math/rand/v2"
	"time"
)

// pauses are those before each attempt: the first is made at once, the last three days and some hours
// later.
var pauses = []time.Duration{
	0, 5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour,
	20 * time.Hour, 24 * time.Hour,
}

// maxAttempts is how often an event is sent to an endpoint that does not take it.
var maxAttempts = len(pauses)

// longestRetryAfter bounds what an endpoint can ask for.
const longestRetryAfter = 24 * time.Hour

// pauseAfter is how long an endpoint may fail before nothing more is sent to it.
const pauseAfter = 5 * 24 * time.Hour

// next is when a delivery is due again after some attempts, the last of which ended now: after its
// pause, a tenth more or less so that those which failed together do not come back together, and not
// before the endpoint wants it. False: there is no next attempt.
func next(attempts int, now time.Time, wanted time.Duration) (time.Time, bool) {
	if attempts >= maxAttempts {
		return time.Time{}, false
	}
	pause := pauses[attempts]
	pause += time.Duration((rand.Float64()*0.2 - 0.1) * float64(pause))
	return now.Add(max(pause, min(wanted, longestRetryAfter))), true
}
