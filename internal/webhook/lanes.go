package webhook

import (
	"slices"
	"sync"

	"svcpay/internal/ids"
	"svcpay/internal/safehttp"
)

// lanesRemembered bounds the memory that endpoints take to which nothing is under way.
const lanesRemembered = 10_000

// lanes is what a worker has leased: what is under way to each endpoint, and what waits for its turn there.
type lanes struct {
	open func() *safehttp.Line
	wake func() // tells that there is room, or something to give back

	mu   sync.Mutex
	to   map[ids.Endpoint]*lane
	of   map[int64]int // leased deliveries, by application
	all  int
	back []claimed // leased, and not to be begun
}

// lane is how many attempts to an endpoint are under way, and how many may be: one more after each that was
// quick, few after one that was not. While there may be as many as to any, deliveries wait for their turns, which
// none does while a place is free: at most ahead, which is one more after each attempt that took no time, and few after
// one that did.
type lane struct {
	busy, most int
	waiting    []claimed
	ahead      int
	line       *safehttp.Line
}

// end is how an attempt ended.
type end struct {
	quick     bool // it was not slow
	atOnce    bool // it took no time to speak of
	succeeded bool
}

func newLanes(open func() *safehttp.Line, wake func()) *lanes {
	return &lanes{open: open, wake: wake, to: make(map[ids.Endpoint]*lane), of: make(map[int64]int)}
}

// lane is an endpoint's, a new one if it has none. The caller holds the lock.
func (s *lanes) lane(e ids.Endpoint) *lane {
	l, ok := s.to[e]
	if !ok {
		l = &lane{most: perSlow, ahead: fewWaiting, line: s.open()}
		s.to[e] = l
	}
	return l
}

// line is what an endpoint's attempts are sent over.
func (s *lanes) line(e ids.Endpoint) *safehttp.Line {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lane(e).line
}

// room is what may be leased.
func (s *lanes) room() room {
	s.mu.Lock()
	defer s.mu.Unlock()
	return room{
		all: atOnce - s.all,
		of: func(applicationID int64) int {
			s.mu.Lock()
			defer s.mu.Unlock()
			return perApplication - s.of[applicationID]
		},
		to: func(e ids.Endpoint, most int) (free, ahead int) {
			s.mu.Lock()
			defer s.mu.Unlock()
			l, ok := s.to[e]
			if !ok {
				return min(most, perSlow), 0
			}
			if free = max(0, min(most, l.most)-l.busy); most == perEndpoint && l.wants() {
				ahead = l.ahead - len(l.waiting)
			}
			return free, ahead
		},
	}
}

// wants tells whether more is to be leased ahead for an endpoint: much at a time.
func (l *lane) wants() bool { return l.most == perEndpoint && len(l.waiting) <= l.ahead/2 }

// begin takes what was leased, and tells what of it is to be begun now.
func (s *lanes) begin(leased []claimed) (now []claimed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range leased {
		l := s.lane(d.EndpointID)
		s.of[d.ApplicationID]++
		s.all++
		if l.busy < l.most {
			l.busy++
			now = append(now, d)
			continue
		}
		l.waiting = append(l.waiting, d)
		if l.most < perEndpoint { // an attempt has taken long meanwhile
			s.giveBack(l, 0)
		}
	}
	return now
}

// slowed notes that an attempt takes long, while it is still under way: what waits is not to wait for it.
func (s *lanes) slowed(e ids.Endpoint) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l, ok := s.to[e]; ok {
		l.most = perSlow
		s.giveBack(l, 0)
	}
}

// outdated has nothing wait in the lanes of endpoints that are other than they were when it was leased.
func (s *lanes) outdated(endpoints []ids.Endpoint) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range endpoints {
		if l, ok := s.to[e]; ok {
			s.giveBack(l, 0)
		}
	}
}

// any tells whether anything is leased.
func (s *lanes) any() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all > 0
}

// end notes that an attempt has ended, and gives what takes its place.
func (s *lanes) end(d claimed, how end) (next claimed, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lane(d.EndpointID)
	if how.quick {
		l.most = min(l.most+1, perEndpoint)
	}
	if how.atOnce {
		l.ahead = min(l.ahead+1, mostWaiting)
	} else {
		l.ahead = fewWaiting
		s.giveBack(l, fewWaiting)
	}
	if !how.succeeded {
		s.giveBack(l, 0)
	}
	s.forget(d)
	if len(l.waiting) > 0 {
		next, more = l.waiting[0], true
		l.waiting = l.waiting[1:]
	} else {
		l.busy--
	}
	if l.most < perEndpoint || l.wants() {
		s.wake()
	}
	if l.busy == 0 && len(s.to) > lanesRemembered {
		l.line.Close()
		delete(s.to, d.EndpointID)
	}
	return next, more
}

// forget takes a delivery from what is counted. The caller holds the lock.
func (s *lanes) forget(d claimed) {
	s.all--
	if s.of[d.ApplicationID]--; s.of[d.ApplicationID] == 0 {
		delete(s.of, d.ApplicationID)
	}
}

// giveBack has no more than a few wait in a lane. The caller holds the lock.
func (s *lanes) giveBack(l *lane, few int) {
	if len(l.waiting) <= few {
		return
	}
	for _, d := range l.waiting[few:] {
		s.forget(d)
	}
	s.back, l.waiting = slices.Concat(s.back, l.waiting[few:]), slices.Clone(l.waiting[:few])
	s.wake()
}

// takeBack tells what is to be given back, once.
func (s *lanes) takeBack() []claimed {
	s.mu.Lock()
	defer s.mu.Unlock()
	back := s.back
	s.back = nil
	return back
}

// stop has nothing wait in any lane. It is called when nothing more is leased.
func (s *lanes) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.to {
		s.giveBack(l, 0)
	}
}

// close ends the connections that are kept. It is called when nothing is under way.
func (s *lanes) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.to {
		l.line.Close()
	}
}
