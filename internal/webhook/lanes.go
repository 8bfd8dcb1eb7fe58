package webhook

import (
	"slices"
	"sync"

	"svcpay/internal/ids"
	"svcpay/internal/platform/safehttp"
)

// lanesRemembered bounds the memory that endpoints take to which nothing is under way.
const lanesRemembered = 10_000

// lanes is what a worker has leased: what is under way to each endpoint, and what waits for its turn there.
type lanes struct {
	open func() *safehttp.Line
	wake func() // tells that there is room, or something to give back

	mu   sync.Mutex
	to   map[ids.Endpoint]*lane
	of   map[int64]*part // by application
	all  int             // leased deliveries
	turn uint64          // of the last of them
	back []claimed       // leased, and not to be begun
}

// lane is how many attempts to an endpoint are under way, and how many may be: one more after each that was
// quick, few after one that was not. Deliveries wait for their turns, which none does while a place is free that it could
// take. While there may be as many as to any, more are leased than there are places: at most ahead, which is one more after
// each attempt that took no time, and few after one that did.
type lane struct {
	of         *part
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
	return &lanes{open: open, wake: wake, to: make(map[ids.Endpoint]*lane), of: make(map[int64]*part)}
}

// lane is the one of a delivery's endpoint, a new one if it has none. The caller holds the lock.
func (s *lanes) lane(d claimed) *lane {
	l, ok := s.to[d.EndpointID]
	if !ok {
		p, ok := s.of[d.ApplicationID]
		if !ok {
			p = &part{}
			s.of[d.ApplicationID] = p
		}
		l = &lane{of: p, most: perSlow, ahead: fewWaiting, line: s.open()}
		s.to[d.EndpointID] = l
	}
	return l
}

// line is what a delivery is sent over.
func (s *lanes) line(d claimed) *safehttp.Line {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lane(d).line
}

// room is what may be leased.
func (s *lanes) room() room {
	s.mu.Lock()
	defer s.mu.Unlock()
	return room{
		all: atOnce - s.all,
		of: func(applicationID int64) (places, turns int) {
			s.mu.Lock()
			defer s.mu.Unlock()
			p, ok := s.of[applicationID]
			if !ok {
				return perApplication, perApplication
			}
			return perApplication - p.busy, p.turns()
		},
		to: func(e ids.Endpoint, most int) (free, ahead int) {
			s.mu.Lock()
			defer s.mu.Unlock()
			l, ok := s.to[e]
			if !ok {
				return min(most, perSlow), 0
			}
			if most == perEndpoint && l.wants() {
				ahead = l.ahead - l.over()
			}
			return max(0, min(most, l.most)-l.busy-len(l.waiting)), ahead
		},
	}
}

// over is how many wait for which there is no place.
func (l *lane) over() int { return max(0, len(l.waiting)-max(0, l.most-l.busy)) }

// wants tells whether more is to be leased ahead for an endpoint: much at a time.
func (l *lane) wants() bool { return l.most == perEndpoint && l.over() <= l.ahead/2 }

// begin takes what was leased, and tells what of it is to be begun now.
func (s *lanes) begin(leased []claimed) (now []claimed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range leased {
		s.turn++
		d.turn = s.turn
		s.all++
		s.lane(d).wait(d)
	}
	for _, p := range s.of {
		for d, more := p.next(); more; d, more = p.next() {
			now = append(now, d)
		}
		for _, l := range slices.Clone(p.lanes) {
			if l.most < perEndpoint { // an attempt has taken long meanwhile
				s.giveBack(l, max(0, l.most-l.busy))
			}
		}
	}
	return now
}

// slowed notes that an attempt takes long, while it is still under way: what waits is not to wait for it.
func (s *lanes) slowed(e ids.Endpoint) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.to[e]
	if !ok {
		return
	}
	l.allow(perSlow)
	s.giveBack(l, 0)
	if l.of.waiting > l.of.most() {
		for _, other := range slices.Clone(l.of.lanes) {
			s.giveBack(other, 0)
		}
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

// end notes that an attempt has ended, and gives what takes its place, which may go to another endpoint of the application.
func (s *lanes) end(d claimed, how end) (next claimed, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lane(d)
	if how.quick {
		l.allow(min(l.most+1, perEndpoint))
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
	s.all--
	l.occupy(-1)
	next, more = l.of.next()
	if l.most < perEndpoint || l.of.full() && l.of.turns() > 0 || !l.of.full() && l.wants() {
		s.wake()
	}
	if l.busy == 0 && len(l.waiting) == 0 && len(s.to) > lanesRemembered {
		l.line.Close()
		delete(s.to, d.EndpointID)
	}
	return next, more
}

// giveBack has no more than a few wait in a lane. The caller holds the lock.
func (s *lanes) giveBack(l *lane, few int) {
	if back := l.leave(few); len(back) > 0 {
		s.all -= len(back)
		s.back = append(s.back, back...)
		s.wake()
	}
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
