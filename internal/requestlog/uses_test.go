package requestlog_test

import (
	"slices"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/requestlog"
	"svcpay/internal/testing/fixture"
)

func TestRequestsOfKeysAreCountedBySlots(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	busy, idle, others := ids.NewKey(w.Clock.Now()), ids.NewKey(w.Clock.Now()), ids.NewKey(w.Clock.Now())
	add := func(key ids.Key, a authz.Actor) {
		e := entry(w)
		e.Actor = a
		e.Actor.KeyID, e.Actor.RequestID, e.At = key, ids.NewRequest(w.Clock.Now()), w.Clock.Now()
		w.RequestLogs.Add(e)
	}
	add(busy, w.Actor()) // too long ago
	w.Clock.Advance(15*time.Minute + time.Second)
	add(busy, w.Actor())
	add(busy, w.Actor())
	w.Clock.Advance(6 * time.Minute)
	add(busy, w.Actor())
	add(others, w.Actor())
	add(idle, w.ActorOf(w.Other)) // another application's
	w.Clock.Advance(8 * time.Minute)
	flush(t, w.RequestLogs)
	in := requestlog.UseInput{Keys: []ids.Key{busy, idle}, Slot: 5 * time.Minute, Slots: 3}
	uses, err := w.RequestLogs.Uses(t.Context(), w.Person(authz.RoleApplicationAdmin), in)
	if err != nil || len(uses) != 2 || !slices.Equal(uses[busy], []int64{2, 1, 0}) ||
		!slices.Equal(uses[idle], []int64{0, 0, 0}) {
		t.Errorf("uses are %v, %v", uses, err)
	}
	if _, err := w.RequestLogs.Uses(t.Context(), w.OrganizationAdmin(), in); err == nil {
		t.Error("an organization's administrator sees how keys are used")
	}
}
