package webhook

import "slices"

// part is what an application has of all lanes: how many attempts are under way, how many of them to endpoints that
// answer quickly, and what waits. While all its places are taken, whatever waited longest takes the first that is free,
// if its endpoint has one, too. It is guarded by the lock of the lanes.
type part struct {
	busy, steady, waiting int
	lanes                 []*lane // in which something waits
}

// full tells whether as many attempts are under way as may be.
func (p *part) full() bool { return p.busy >= perApplication }

// most is how many deliveries may wait, so that all are begun long before their leases end: while no place is free, two for
// each that is as soon free as an endpoint answers.
func (p *part) most() int {
	if p.full() {
		return min(perApplication, 2*p.steady)
	}
	return perApplication
}

// turns is how many more are to be leased that wait: many at a time.
func (p *part) turns() int {
	if most := p.most(); p.waiting <= most/2 {
		return most - p.waiting
	}
	return 0
}

// next is what is begun now, if something waits that can be.
func (p *part) next() (d claimed, more bool) {
	var first *lane
	for _, l := range p.lanes {
		if l.busy < l.most && (first == nil || l.waiting[0].turn < first.waiting[0].turn) {
			first = l
		}
	}
	if first == nil || p.full() {
		return d, false
	}
	d = first.waiting[0]
	first.keep(first.waiting[1:])
	first.occupy(1)
	return d, true
}

// wait has a delivery wait for its turn.
func (l *lane) wait(d claimed) { l.keep(append(l.waiting, d)) }

// leave has no more than a few wait, and gives the others.
func (l *lane) leave(few int) (back []claimed) {
	if len(l.waiting) > few {
		back = l.waiting[few:]
		l.keep(slices.Clone(l.waiting[:few]))
	}
	return back
}

// keep sets what waits.
func (l *lane) keep(waiting []claimed) {
	p := l.of
	switch {
	case len(l.waiting) == 0 && len(waiting) > 0:
		p.lanes = append(p.lanes, l)
	case len(l.waiting) > 0 && len(waiting) == 0:
		p.lanes = slices.DeleteFunc(p.lanes, func(other *lane) bool { return other == l })
	}
	p.waiting += len(waiting) - len(l.waiting)
	l.waiting = waiting
}

// occupy adds attempts to those that are under way, or takes some from them.
func (l *lane) occupy(n int) {
	l.of.busy += n
	l.of.steady -= l.steady()
	l.busy += n
	l.of.steady += l.steady()
}

// allow says how many attempts may be under way.
func (l *lane) allow(most int) {
	l.of.steady -= l.steady()
	l.most = most
	l.of.steady += l.steady()
}

// steady is how many attempts are under way to an endpoint that has answered quickly again and again.
func (l *lane) steady() int {
	if l.most == perEndpoint {
		return l.busy
	}
	return 0
}
