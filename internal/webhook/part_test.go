package webhook

import (
	"testing"

	"pgregory.net/rapid"

	"svcpay/internal/ids"
)

// endpointsOf are some of an application that have answered at once, often enough to have as many places as any.
func (s *lanes) endpointsOf(applicationID int64, n int) (out []claimed) {
	for range n {
		e := claimed{ApplicationID: applicationID, EndpointID: ids.NewEndpoint(noon)}
		s.quick(e, perEndpoint)
		out = append(out, e)
	}
	return out
}

// crowd leases as many deliveries to each of some endpoints, and gives what is begun.
func (s *lanes) crowd(endpoints []claimed, each int) []claimed {
	var leased []claimed
	for n := range each {
		for _, e := range endpoints {
			e.Number = n
			leased = append(leased, e)
		}
	}
	return s.begin(leased)
}

// A place of an application is taken by what has waited longest, to whichever endpoint it goes; other applications' places
// are their own.
func TestWhatWaitsTakesTheFirstPlaceOfItsApplication(t *testing.T) {
	t.Parallel()
	s := idle()
	endpoints := s.endpointsOf(1, 20)
	now := s.crowd(endpoints, 25)
	if len(now) != perApplication || s.of[1].waiting != 500-perApplication {
		t.Fatalf("%d are begun, %d wait", len(now), s.of[1].waiting)
	}
	last, others := now[len(now)-1].turn, 0
	for len(now) > 0 {
		d, more := s.end(now[0], swift)
		if waits := s.of[1].waiting; more != (last < now[0].turn+500 && d.turn != 0) || waits > 0 && !more {
			t.Fatalf("%d wait, and a place is free", waits)
		}
		if more && d.turn != last+1 {
			t.Fatalf("the %d. is begun after the %d.", d.turn, last)
		}
		if more && d.EndpointID != now[0].EndpointID {
			others++
		}
		if now = now[1:]; more {
			now, last = append(now, d), d.turn
		}
		if len(now) == perApplication { // all places are taken
			if begun := s.begin([]claimed{{ApplicationID: 2, EndpointID: ids.NewEndpoint(noon)}}); len(begun) != 1 {
				t.Fatal("another application waits")
			} else {
				s.end(begun[0], swift)
			}
		}
	}
	if others == 0 || s.all != 0 || s.of[1].waiting != 0 {
		t.Errorf("%d took places of others, %d are leased", others, s.all)
	}
}

// When many of an application's places are long in coming, little waits for them, and what waited is given back.
func TestLittleWaitsForPlacesThatAreLongInComing(t *testing.T) {
	t.Parallel()
	s := idle()
	endpoints := s.endpointsOf(1, 20)
	slow, quick := endpoints[:perApplication/perEndpoint], endpoints[perApplication/perEndpoint:]
	s.crowd(slow, perEndpoint)
	const waiting = 120
	s.crowd(quick, waiting/len(quick))
	if places, turns := s.room().of(1); places != 0 || turns != perApplication-waiting || s.of[1].waiting != waiting {
		t.Errorf("%d places and %d turns beside %d that wait", places, turns, s.of[1].waiting)
	}
	for i, e := range slow {
		s.slowed(e.EndpointID)
		if quick := perApplication - (i+1)*perEndpoint; (s.of[1].waiting == waiting) != (waiting <= 2*quick) {
			t.Fatalf("%d wait for %d places that are soon free", s.of[1].waiting, quick)
		}
	}
	if _, turns := s.room().of(1); turns != 0 || s.all != perApplication || len(s.takeBack()) != waiting {
		t.Errorf("%d turns, %d are leased", turns, s.all)
	}
}

// Whatever happens, no more is under way than may be, nothing waits for a place that is free, and all is counted.
func TestNothingWaitsForAPlaceThatIsFree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := idle()
		var due []dueEndpoint
		for _, e := range append(s.endpointsOf(1, 18), s.endpointsOf(2, 9)...) {
			due = append(due, dueEndpoint{ApplicationID: e.ApplicationID, ID: e.EndpointID})
		}
		var under []claimed
		pick := func() int { return rapid.IntRange(0, len(under)-1).Draw(t, "which") }
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch what := rapid.IntRange(0, 9).Draw(t, "what"); {
			case what < 3 || len(under) == 0:
				endpoints, slots := s.room().share(due)
				of, leased := map[ids.Endpoint]int64{}, []claimed(nil)
				for _, e := range due {
					of[e.ID] = e.ApplicationID
				}
				for i, e := range endpoints {
					for range rapid.IntRange(0, slots[i]).Draw(t, "leased") {
						leased = append(leased, claimed{ApplicationID: of[e], EndpointID: e})
					}
				}
				under = append(under, s.begin(leased)...)
			case what < 9:
				how := end{quick: rapid.IntRange(0, 9).Draw(t, "quick") > 0, atOnce: rapid.Bool().Draw(t, "at once"), succeeded: rapid.IntRange(0, 9).Draw(t, "well") > 0}
				for range rapid.IntRange(1, 100).Draw(t, "ends") {
					if len(under) == 0 {
						break
					}
					i := pick()
					if next, more := s.end(under[i], how); more {
						under[i] = next
					} else {
						under = append(under[:i], under[i+1:]...)
					}
				}
			default:
				s.slowed(under[pick()].EndpointID)
			}
			s.agree(t, len(under))
		}
	})
}

// agree complains of lanes that do not hold together.
func (s *lanes) agree(t *rapid.T, under int) {
	all := 0
	for id, p := range s.of {
		busy, steady, waiting := 0, 0, 0
		for _, l := range s.to {
			if l.of != p {
				continue
			}
			busy, waiting, steady = busy+l.busy, waiting+len(l.waiting), steady+l.steady()
			if l.busy > perEndpoint || l.busy < 0 || l.over() > mostWaiting || l.most < perEndpoint && l.over() > 0 {
				t.Fatalf("%d of %d are under way to an endpoint, %d wait", l.busy, l.most, len(l.waiting))
			}
			if len(l.waiting) > 0 && l.busy < l.most && !p.full() {
				t.Fatalf("%d wait while %d of %d places are taken, %d of their application", len(l.waiting), l.busy, l.most, p.busy)
			}
		}
		if busy != p.busy || steady != p.steady || waiting != p.waiting || busy > perApplication || waiting > perApplication {
			t.Fatalf("application %d: %d are under way and %d wait, not %+v", id, busy, waiting, p)
		}
		all += busy
		under += waiting
	}
	if s.all != under || all > atOnce {
		t.Fatalf("%d are leased, not %d", under, s.all)
	}
}
