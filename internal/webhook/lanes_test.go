package webhook

import (
	"testing"

	"pgregory.net/rapid"

	"svcpay/internal/ids"
	"svcpay/internal/platform/safehttp"
)

// swift is how an attempt ends that took no time.
var swift = end{quick: true, atOnce: true, succeeded: true}

// idle are the lanes of a worker that has done nothing.
func idle() *lanes { return newLanes(safehttp.New(safehttp.Policy{}).Line, func() {}) }

// quick has an endpoint answer so often, each time at once.
func (s *lanes) quick(d claimed, times int) {
	for range times {
		s.begin([]claimed{d})
		s.end(d, swift)
	}
}

// Of all places those that are due get what they may have, in whatever order, and no application more than its
// part. What waits takes no place that another could use, and leaves room for another application.
func TestRoomIsSharedSoThatFailingEndpointsGetLittle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := idle()
		due, failing, of := make([]dueEndpoint, rapid.IntRange(0, 60).Draw(t, "endpoints")), map[ids.Endpoint]bool{}, map[ids.Endpoint]int64{}
		for i := range due {
			due[i] = dueEndpoint{ApplicationID: rapid.Int64Range(1, 2).Draw(t, "application"), ID: ids.NewEndpoint(noon), Failing: rapid.Bool().Draw(t, "failing")}
			e := claimed{ApplicationID: due[i].ApplicationID, EndpointID: due[i].ID}
			failing[e.EndpointID], of[e.EndpointID] = due[i].Failing, e.ApplicationID
			s.quick(e, rapid.IntRange(0, 40).Draw(t, "quick ones before"))
			s.begin(make50(e)[:rapid.IntRange(0, 50).Draw(t, "leased")])
			if rapid.IntRange(0, 9).Draw(t, "slow") == 0 {
				s.slowed(e.EndpointID)
			}
		}
		r, could, wanted := s.room(), map[int64]int{}, 0
		wants := func(e ids.Endpoint) (now, ahead int) {
			l := s.lane(claimed{ApplicationID: of[e], EndpointID: e})
			if over := max(0, len(l.waiting)-(l.most-l.busy)); !failing[e] && l.most == perEndpoint && over <= l.ahead/2 {
				ahead = l.ahead - over
			}
			return max(0, min(bound(failing[e]), l.most)-l.busy-len(l.waiting)), ahead
		}
		for e, a := range of {
			now, _ := wants(e)
			could[a] += now
			wanted += now
		}
		got, slots := r.share(due)
		all, parts, begun := 0, map[int64]int{}, map[int64]int{}
		for i, e := range got {
			now, ahead := wants(e)
			all += slots[i]
			parts[of[e]] += slots[i]
			begun[of[e]] += min(now, slots[i])
			if slots[i] < 1 || slots[i] > now+ahead {
				t.Fatalf("%d, wanted %d and %d", slots[i], now, ahead)
			}
		}
		for a, n := range could {
			places, turns := r.of(a)
			if parts[a] > places+turns || parts[a] > places && s.all+all > atOnce-perApplication {
				t.Fatalf("application %d gets %d, has %d places and %d turns of %d", a, parts[a], places, turns, r.all)
			}
			if want := min(n, places+turns); wanted <= r.all-perApplication && begun[a] != want {
				t.Fatalf("application %d has %d for places, could have %d", a, begun[a], want)
			}
		}
		if all > r.all {
			t.Fatalf("%d of %d", all, r.all)
		}
	})
}

func make50(e claimed) []claimed {
	out := make([]claimed, 50)
	for i := range out {
		out[i] = e
	}
	return out
}

func bound(failing bool) int {
	if failing {
		return perFailing
	}
	return perEndpoint
}

// An endpoint gets more and more places as long as it answers quickly, and few as soon as it does not.
func TestLanesGrowWithQuickAnswers(t *testing.T) {
	t.Parallel()
	s := idle()
	e := claimed{ApplicationID: 1, EndpointID: ids.NewEndpoint(noon)}
	expect := func(what string, free, ahead int) {
		t.Helper()
		if f, a := s.room().to(e.EndpointID, perEndpoint); f != free || a != ahead {
			t.Errorf("%s: %d places and %d more, want %d and %d", what, f, a, free, ahead)
		}
	}
	expect("a new one", perSlow, 0)
	s.quick(e, mostWaiting)
	expect("a quick one", perEndpoint, mostWaiting)
	if free, ahead := s.room().to(e.EndpointID, perFailing); free != perFailing || ahead != 0 {
		t.Errorf("one that fails gets %d and %d more", free, ahead)
	}
	s.begin([]claimed{e, e})
	s.slowed(e.EndpointID)
	expect("one that takes long, beside 2", perSlow-2, 0)
	s.end(e, end{succeeded: true})
	s.end(e, end{succeeded: true})
	expect("then", perSlow, 0)
	if p := s.of[1]; s.all != 0 || p.busy != 0 || p.steady != 0 {
		t.Errorf("%d are under way", s.all)
	}
}

// What waits for a place takes the first that is free, and is given back as soon as one would be long in coming.
func TestWhatWaitsIsBegunOrGivenBack(t *testing.T) {
	t.Parallel()
	e := claimed{ApplicationID: 1, EndpointID: ids.NewEndpoint(noon)}
	leased := make50(e)
	for i := range leased {
		leased[i].Number = i
	}
	begin := func() *lanes {
		s := idle()
		s.quick(e, 100)
		if now := s.begin(leased); len(now) != perEndpoint || now[0].Number != 0 || len(s.takeBack()) != 0 || s.all != len(leased) {
			t.Fatalf("%d are begun, %d leased", len(now), s.all)
		}
		return s
	}
	s := begin()
	for i := perEndpoint; i < len(leased); i++ {
		if d, more := s.end(e, swift); !more || d.Number != i {
			t.Fatalf("after %d comes %d, %v", i-1, d.Number, more)
		}
	}
	for range perEndpoint {
		if _, more := s.end(e, swift); more {
			t.Fatal("more than were leased")
		}
	}
	if s.all != 0 || s.of[1].busy != 0 || s.of[1].waiting != 0 || len(s.takeBack()) != 0 {
		t.Errorf("%d are leased, and something is given back", s.all)
	}
	for what, do := range map[string]func(*lanes) (ended int){
		"an attempt takes long": func(s *lanes) int { s.slowed(e.EndpointID); return 0 },
		"an attempt fails":      func(s *lanes) int { s.end(e, end{quick: true, atOnce: true}); return 1 },
		"the worker stops":      func(s *lanes) int { s.stop(); return 0 },
	} {
		s := begin()
		ended := do(s)
		back := s.takeBack()
		if want := len(leased) - perEndpoint; len(back) != want || back[0].Number != perEndpoint || s.all != perEndpoint-ended {
			t.Errorf("%s: %d of %d are given back, %d are under way", what, len(back), want, s.all)
		}
		if _, more := s.end(e, swift); more || len(s.takeBack()) != 0 {
			t.Errorf("%s: something waits all the same, or is given back twice", what)
		}
	}
	s = begin()
	s.slowed(e.EndpointID)
	s.takeBack()
	if now := s.begin(leased[:3]); len(now) != 0 || len(s.takeBack()) != 3 {
		t.Errorf("%d are begun beside those that take long", len(now))
	}
}
