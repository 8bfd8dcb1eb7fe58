package webhook

import (
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/platform/safehttp"
)

const (
	// perEndpoint is how many attempts to one endpoint one binary makes at once, perApplication to all endpoints of one
	// application: more than they take if each holds perSlow of them, so that endpoints that hang delay no other.
	perEndpoint    = 32
	perApplication = 256
	// perSlow is how many deliveries are leased to an endpoint that is new here, responds slowly or hangs, perFailing
	// to one whose last attempts failed.
	perSlow    = 4
	perFailing = 2
	// mostLeased is how many deliveries one binary leases at once.
	mostLeased = 1024
	// An endpoint is slow if it takes longer than slow to respond, and fast if it takes no longer than fast.
	slow = time.Second
	fast = slow / 8
	// patience is how long a leased delivery waits for its attempt before it is returned. With [attemptTimeout] it is
	// less than [leaseFor].
	patience = 2 * time.Second
	// lanesRemembered is how many endpoints without leased deliveries are remembered.
	lanesRemembered = 10_000
)

// queue holds the deliveries that a worker has leased, those that wait and those that are attempted.
type queue struct {
	now  func() time.Time
	open func() *safehttp.Line
	wake func() // called when there is room, or something to return

	mu     sync.Mutex
	lanes  map[ids.Endpoint]*lane
	shares map[int64]*share // by application
	leased int
	back   []claimed // leased, and not to be attempted
}

// lane is an endpoint.
type lane struct {
	share   *share
	line    *safehttp.Line
	running []begun // its attempts, in the order of their beginnings
	waiting int
	// how many deliveries it may have leased: more after each quick response, few after a slow one or a failure
	places int
}

// begun is an attempt in progress.
type begun struct {
	id ids.Delivery
	at time.Time
}

// hangs reports whether an attempt has been in progress for too long.
func (l *lane) hangs(now time.Time) bool {
	return len(l.running) > 0 && now.Sub(l.running[0].at) > slow
}

// share is what an application has of the queue. The delivery that has waited longest goes first.
type share struct {
	busy    int
	waiting []claimed
	refill  int // lease again once at most this many wait
}

func newQueue(now func() time.Time, open func() *safehttp.Line, wake func()) *queue {
	return &queue{now: now, open: open, wake: wake, lanes: make(map[ids.Endpoint]*lane), shares: make(map[int64]*share)}
}

// lane returns the lane of an endpoint. The caller holds the lock.
func (q *queue) lane(applicationID int64, e ids.Endpoint) *lane {
	if l, ok := q.lanes[e]; ok {
		return l
	}
	s, ok := q.shares[applicationID]
	if !ok {
		s = &share{}
		q.shares[applicationID] = s
	}
	l := &lane{share: s, line: q.open(), places: perSlow}
	q.lanes[e] = l
	return l
}

// quota is how many deliveries are leased to an endpoint at most.
func (l *lane) quota(failing bool, now time.Time) int {
	switch {
	case failing:
		return perFailing
	case l.hangs(now):
		return min(l.places, perSlow)
	}
	return l.places
}

// responded notes how the endpoint responded. Deliveries beyond its attempts are leased ahead, so that no attempt waits
// for a claim: as many as can be attempted within a second.
func (l *lane) responded(took time.Duration, succeeded bool) {
	most := perEndpoint + perApplication
	switch {
	case !succeeded || took > slow:
		l.places = perSlow
		return
	case took > fast:
		most = 2 * perEndpoint
	}
	l.places = min(l.places+1, most)
}

// portion shares the room among the endpoints that have deliveries due: how many to lease to each. An application
// leases what it attempts at once, and as much ahead while others leave room. Its endpoints that do not fail get even
// parts.
func (q *queue) portion(due []dueEndpoint) (endpoints []ids.Endpoint, slots []int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	// The last may get nothing.
	rand.Shuffle(len(due), func(i, j int) { due[i], due[j] = due[j], due[i] })
	healthy := make(map[int64]int) // endpoints that do not fail, by application
	for _, e := range due {
		if !e.Failing {
			healthy[e.ApplicationID]++
		}
	}
	limit, free, room, now := make(map[int64]int), make(map[int64]int), mostLeased-q.leased, q.now()
	for _, e := range due {
		l, of := q.lane(e.ApplicationID, e.ID), e.ApplicationID
		if limit[of] == 0 {
			limit[of] = perApplication
			if others := mostLeased - room - l.share.leased(); others <= perApplication {
				limit[of] += perApplication
			}
			free[of] = limit[of] - l.share.leased()
		}
		evenPart := max(1, limit[of]/max(1, healthy[of]))
		n := min(l.quota(e.Failing, now), evenPart) - len(l.running) - l.waiting
		if n = min(n, free[of], room); n > 0 {
			endpoints, slots = append(endpoints, e.ID), append(slots, n)
			free[of] -= n
			room -= n
		}
	}
	return endpoints, slots
}

func (s *share) leased() int { return s.busy + len(s.waiting) }

// begin queues what was leased, and returns the deliveries to attempt now.
func (q *queue) begin(leased []claimed) (now []claimed) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.leased += len(leased)
	more := make(map[*share]bool)
	for _, d := range leased {
		l := q.lane(d.ApplicationID, d.EndpointID)
		d.line = l.line
		l.waiting++
		l.share.waiting = append(l.share.waiting, d)
		more[l.share] = true
	}
	for s := range more {
		for d, ok := q.next(s); ok; d, ok = q.next(s) {
			now = append(now, d)
		}
		s.refill = len(s.waiting) / 2
	}
	return now
}

// next takes the delivery that has waited longest of those whose endpoint has a place.
func (q *queue) next(s *share) (d claimed, ok bool) {
	if s.busy >= perApplication || len(s.waiting) == 0 {
		return d, false
	}
	now := q.now()
	for i, d := range s.waiting {
		l := q.lanes[d.EndpointID]
		if n := len(l.running); n >= perEndpoint || n >= perSlow && l.hangs(now) {
			continue
		}
		l.waiting--
		l.running = append(l.running, begun{d.ID, now})
		s.busy++
		if i == 0 {
			s.waiting[0] = claimed{} // its body is needed no more
			s.waiting = s.waiting[1:]
		} else {
			s.waiting = slices.Delete(s.waiting, i, i+1)
		}
		return d, true
	}
	return d, false
}

// end notes that an attempt took so long, and returns the delivery that takes its place.
func (q *queue) end(d claimed, took time.Duration, succeeded bool) (next claimed, more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lanes[d.EndpointID]
	if i := slices.IndexFunc(l.running, func(b begun) bool { return b.id == d.ID }); i >= 0 {
		l.running = slices.Delete(l.running, i, i+1)
	}
	l.share.busy--
	q.leased--
	l.responded(took, succeeded)
	if !succeeded || took > slow {
		q.giveBack(l)
	}
	next, more = q.next(l.share)
	if len(l.share.waiting) <= l.share.refill || l.waiting == 0 && l.share.busy < perApplication {
		q.wake()
	}
	if len(l.running) == 0 && l.waiting == 0 && len(q.lanes) > lanesRemembered {
		l.line.Close()
		delete(q.lanes, d.EndpointID)
	}
	return next, more
}

// expire returns what waits for endpoints whose deliveries have waited too long.
func (q *queue) expire(now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, s := range q.shares {
		for len(s.waiting) > 0 && now.Sub(s.waiting[0].since) > patience {
			l := q.lanes[s.waiting[0].EndpointID]
			l.places = perSlow
			q.giveBack(l)
		}
	}
}

// changed returns what waits for endpoints that changed since it was leased.
func (q *queue) changed(endpoints []ids.Endpoint) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, e := range endpoints {
		if l, ok := q.lanes[e]; ok {
			q.giveBack(l)
		}
	}
}

// giveBack has nothing wait for an endpoint. The caller holds the lock.
func (q *queue) giveBack(l *lane) {
	if l.waiting == 0 {
		return
	}
	l.share.waiting = slices.DeleteFunc(l.share.waiting, func(d claimed) bool {
		if q.lanes[d.EndpointID] != l {
			return false
		}
		q.back = append(q.back, d)
		return true
	})
	q.leased -= l.waiting
	l.waiting = 0
	q.wake()
}

// again queues deliveries whose release failed for another try.
func (q *queue) again(back []claimed) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.back = append(q.back, back...)
}

// takeBack returns what is to be released, once.
func (q *queue) takeBack() []claimed {
	q.mu.Lock()
	defer q.mu.Unlock()
	back := q.back
	q.back = nil
	return back
}

// any reports whether anything is leased.
func (q *queue) any() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.leased > 0
}

// stop returns all that waits. It is called when nothing more is leased.
func (q *queue) stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, l := range q.lanes {
		q.giveBack(l)
	}
}

// close ends the connections that are kept. It is called when nothing is attempted.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, l := range q.lanes {
		l.line.Close()
	}
}
