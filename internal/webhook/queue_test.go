package webhook

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/ids"
	"svcpay/internal/platform/safehttp"
)

// idle is the queue of a worker that has done nothing.
func idle() *queue {
	return newQueue(func() time.Time { return noon }, safehttp.New(safehttp.Policy{}).Line, func() {})
}

func dueTo(applicationID int64) dueEndpoint {
	return dueEndpoint{ApplicationID: applicationID, ID: ids.NewEndpoint(noon)}
}

// to is some deliveries to an endpoint, numbered from 0.
func to(e dueEndpoint, n int) []claimed {
	out := make([]claimed, n)
	for i := range out {
		out[i] = claimed{ApplicationID: e.ApplicationID, EndpointID: e.ID, Number: i, since: noon}
		out[i].ID = ids.NewDelivery(noon)
	}
	return out
}

// responds has an endpoint respond once, within a time.
func (q *queue) responds(e dueEndpoint, within time.Duration, succeeded bool) {
	for _, d := range q.begin(to(e, 1)) {
		q.end(d, within, succeeded)
	}
}

// respondsOften has it respond at once until it is leased as many as any.
func (q *queue) respondsOften(e dueEndpoint) {
	for range perEndpoint + perApplication {
		q.responds(e, 0, true)
	}
}

// leases is how many deliveries an endpoint would be leased if those had some.
func (q *queue) leases(e dueEndpoint, others ...dueEndpoint) int {
	endpoints, slots := q.portion(append([]dueEndpoint{e}, others...))
	for i, id := range endpoints {
		if id == e.ID {
			return slots[i]
		}
	}
	return 0
}

func TestLeasesByHowAnEndpointResponds(t *testing.T) {
	t.Parallel()
	q, e := idle(), dueTo(1)
	failing := e
	failing.Failing = true
	expect := func(what string, want, wantFailing int) {
		t.Helper()
		if n, f := q.leases(e), q.leases(failing); n != want || f != wantFailing {
			t.Errorf("%s: %d are leased, %d if it fails; want %d and %d", what, n, f, want, wantFailing)
		}
	}
	expect("a new endpoint", perSlow, perFailing)
	q.responds(e, fast, true)
	expect("one that was fast once", perSlow+1, perFailing)
	q.respondsOften(e)
	expect("a fast one", perEndpoint+perApplication, perFailing)
	q.responds(e, slow, true)
	expect("one that is not slow", 2*perEndpoint, perFailing)
	q.responds(e, slow+1, true)
	expect("a slow one", perSlow, perFailing)
	q.responds(e, 0, true)
	q.responds(e, 0, false)
	expect("one that failed", perSlow, perFailing)
	q.respondsOften(e)
	q.begin(to(e, 3))
	expect("with 3 in progress", perEndpoint+perApplication-3, 0)
	q.now = func() time.Time { return noon.Add(slow + 1) }
	expect("with 3 in progress that hang", perSlow-3, 0)
}

// Endpoints that were fast and begin to hang take no more places than new ones.
func TestFastEndpointsThatHangLeavePlaces(t *testing.T) {
	t.Parallel()
	q, now := idle(), noon
	q.now = func() time.Time { return now }
	var hanging []dueEndpoint
	for range 49 {
		e := dueTo(1)
		q.respondsOften(e)
		hanging = append(hanging, e)
	}
	for range 15 { // a second each
		for _, e := range hanging {
			if q.leases(e) > 0 {
				q.begin(to(e, 1))
			}
		}
		now = now.Add(time.Second)
	}
	if busy := q.shares[1].busy; busy > 49*perSlow {
		t.Errorf("endpoints that hang have %d places", busy)
	}
	if n := len(q.begin(to(dueTo(1), 1))); n != 1 {
		t.Error("no place is left for another endpoint")
	}
}

// What was leased to an endpoint while it was fast begins no more attempts there once it hangs.
func TestNothingMoreBeginsAtAnEndpointThatHangs(t *testing.T) {
	t.Parallel()
	q, now, e := idle(), noon, dueTo(1)
	q.now = func() time.Time { return now }
	q.respondsOften(e)
	begun := q.begin(to(e, 100))
	now = now.Add(slow + 1)
	if _, more := q.end(begun[5], 0, true); more {
		t.Error("another attempt begins")
	}
	now = now.Add(patience)
	for _, s := range q.shares {
		for i := range s.waiting {
			s.waiting[i].since = noon
		}
	}
	if q.expire(now); len(q.takeBack()) != 100-perEndpoint {
		t.Error("what waits is not given back")
	}
}

// Endpoints that hang and other applications leave an endpoint its part.
func TestRoomIsShared(t *testing.T) {
	t.Parallel()
	q, good := idle(), dueTo(1)
	q.respondsOften(good)
	var others []dueEndpoint
	for range 49 {
		e := dueTo(1)
		q.begin(to(e, q.leases(e)))
		others = append(others, e)
	}
	if n := q.leases(good, others...); n != 2*perApplication/50 {
		t.Errorf("%d are leased next to 49 endpoints that hang", n)
	}
	q = idle()
	for application := range int64(3) {
		for n := 1; n > 0; {
			e := dueTo(application)
			q.respondsOften(e)
			n = q.leases(e)
			q.begin(to(e, n))
		}
	}
	if n := q.leases(dueTo(3)); n != 0 || q.leased != mostLeased {
		t.Errorf("another application is leased %d, with %d", n, q.leased)
	}
	q.expire(noon.Add(patience + 1))
	q.takeBack()
	e := dueTo(3)
	q.respondsOften(e)
	if n := q.leases(e); n != perEndpoint+perApplication {
		t.Errorf("another application is leased %d after those that wait were given back", n)
	}
}

func TestWaitingDeliveriesAreAttemptedInOrderOrGivenBack(t *testing.T) {
	t.Parallel()
	const leased = perEndpoint + 20
	e := dueTo(1)
	begin := func() (*queue, []claimed) {
		q := idle()
		q.respondsOften(e)
		now := q.begin(to(e, leased))
		if len(now) != perEndpoint || q.leased != leased {
			t.Fatalf("%d are attempted of %d", len(now), q.leased)
		}
		return q, now
	}
	q, now := begin()
	for i := perEndpoint; i < leased; i++ {
		if d, more := q.end(now[i-perEndpoint], 0, true); !more || d.Number != i || d.line == nil {
			t.Fatalf("number %d comes in the place of %d, %v", d.Number, i, more)
		}
	}
	if _, more := q.end(now[leased-perEndpoint], 0, true); more || len(q.takeBack()) != 0 {
		t.Error("more than were leased")
	}
	for what, do := range map[string]func(*queue, claimed) (ended int){
		"an attempt is slow":     func(q *queue, first claimed) int { q.end(first, slow+1, true); return 1 },
		"an attempt fails":       func(q *queue, first claimed) int { q.end(first, 0, false); return 1 },
		"they wait too long":     func(q *queue, _ claimed) int { q.expire(noon.Add(patience + 1)); return 0 },
		"their endpoint changes": func(q *queue, _ claimed) int { q.changed([]ids.Endpoint{e.ID}); return 0 },
		"the worker stops":       func(q *queue, _ claimed) int { q.stop(); return 0 },
	} {
		q, now := begin()
		q.expire(noon.Add(patience))
		q.changed([]ids.Endpoint{dueTo(1).ID})
		if len(q.takeBack()) != 0 {
			t.Errorf("before %s: some are given back", what)
		}
		ended := do(q, now[0])
		back := q.takeBack()
		if len(back) != leased-perEndpoint || back[0].Number != perEndpoint || q.leased != perEndpoint-ended {
			t.Errorf("%s: %d are given back, %d are in progress", what, len(back), q.leased)
		}
		if _, more := q.end(now[1], 0, true); more || len(q.takeBack()) != 0 {
			t.Errorf("%s: something waits, or is given back twice", what)
		}
	}
}

// Whatever happens, no limit is exceeded, nothing waits while its endpoint and its application have a place, and all is
// counted.
func TestNothingWaitsForAPlaceThatIsFree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		q, now := idle(), noon
		q.now = func() time.Time { return now }
		due := make([]dueEndpoint, 27)
		for i := range due {
			due[i] = dueTo(int64(1 + i/9))
			due[i].Failing = rapid.IntRange(0, 5).Draw(t, "failing") == 0
			q.responds(due[i], time.Duration(rapid.IntRange(0, 1200).Draw(t, "responds"))*time.Millisecond, true)
		}
		application := make(map[ids.Endpoint]int64)
		for _, e := range due {
			application[e.ID] = e.ApplicationID
		}
		var under []claimed
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch what := rapid.IntRange(0, 9).Draw(t, "what"); {
			case what < 3 || len(under) == 0:
				endpoints, slots := q.portion(due)
				var leased []claimed
				for i, e := range endpoints {
					n := rapid.IntRange(0, slots[i]).Draw(t, "leased")
					for _, d := range to(dueEndpoint{ID: e, ApplicationID: application[e]}, n) {
						d.since = now
						leased = append(leased, d)
					}
				}
				under = append(under, q.begin(leased)...)
			case what < 9:
				took, well := time.Duration(rapid.IntRange(0, 1200).Draw(t, "took"))*time.Millisecond, rapid.IntRange(0,
					9).Draw(t, "well") > 0
				for range min(len(under), rapid.IntRange(1, 100).Draw(t, "ends")) {
					i := rapid.IntRange(0, len(under)-1).Draw(t, "which")
					next, more := q.end(under[i], took, well)
					if under[i] = next; !more {
						under = append(under[:i], under[i+1:]...)
					}
				}
			default:
				now = now.Add(time.Duration(rapid.IntRange(1, 2000).Draw(t, "passes")) * time.Millisecond)
				q.expire(now)
			}
			q.takeBack()
			q.agree(t, len(under))
		}
	})
}

// agree fails if the counts of a queue differ, or its limits are exceeded.
func (q *queue) agree(t *rapid.T, under int) {
	busy, waiting := 0, 0
	for id, s := range q.shares {
		ofBusy, ofWaiting := 0, 0
		for _, l := range q.lanes {
			if l.share != s {
				continue
			}
			n := len(l.running)
			ofBusy, ofWaiting = ofBusy+n, ofWaiting+l.waiting
			if n > perEndpoint || l.waiting > 0 && n < perEndpoint && s.busy < perApplication &&
				!(n >= perSlow && l.hangs(q.now())) {
				t.Fatalf("%d wait and %d are in progress, %d of the application", l.waiting, n, s.busy)
			}
		}
		if ofBusy != s.busy || ofWaiting != len(s.waiting) || s.busy > perApplication || s.leased() > 2*perApplication {
			t.Fatalf("application %d: %d and %d, not %d and %d", id, ofBusy, ofWaiting, s.busy, len(s.waiting))
		}
		busy, waiting = busy+ofBusy, waiting+ofWaiting
	}
	if busy != under || q.leased != busy+waiting || q.leased > mostLeased {
		t.Fatalf("%d are leased, %d in progress, %d wait", q.leased, busy, waiting)
	}
}
