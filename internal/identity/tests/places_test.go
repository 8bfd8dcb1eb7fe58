package identity_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/identity"
)

// Anyone who has roles in applications alone is known by their session where they can act: nothing more is asked.
func TestPlacesInApplicationsAreKnownByTheSession(t *testing.T) {
	t.Parallel()
	s := newStaffed(t)
	s.add("ada", authz.RoleApplicationAdmin, s.App.AppID)
	s.add("ada", authz.RoleApplicationAdmin, s.Other.AppID)
	for name, want := range map[string]struct {
		places  int
		queries int64
	}{"ada": {2, 0}, "ola": {1, 1}, "sol": {2, 1}} {
		p := s.people[name]
		before := s.Pool.Stat().AcquireCount()
		a, err := s.Identity.Act(t.Context(), identity.Session{Person: p})
		if n := s.Pool.Stat().AcquireCount() - before; err != nil || len(a.Places) != want.places || n != want.queries {
			t.Errorf("%s has %+v by %d queries, %v", name, a.Places, n, err)
		}
		if !slices.Contains(a.Places, a.Place) || a.Place.Application.Name == "" ||
			a.Actor.ApplicationID != a.Place.Application.ID {
			t.Errorf("%s acts in %+v as %+v", name, a.Place, a.Actor)
		}
	}
	for _, g := range s.people["ada"].Grants {
		a, err := s.Identity.Act(t.Context(), identity.Session{Person: s.people["ada"], Domain: g.Domain()})
		if want := (identity.Named{ID: g.ScopeID, Name: g.ScopeName}); err != nil || a.Place.Application != want ||
			string(a.Place.Role) != g.Role {
			t.Errorf("%+v is acted in as %+v, %v", g, a, err)
		}
	}
}

// A page reads a session by one question. A sign of life is written when the last one that was is older than a quarter
// of a minute, and none of what a page asks on its own.
func TestASignOfLifeIsWrittenNowAndThen(t *testing.T) {
	t.Parallel()
	s := newStaffed(t)
	id := s.session(s.people["avery"].ID)
	for i, c := range []struct {
		later   time.Duration
		find    func(context.Context, string) (identity.Session, error)
		queries int64
	}{{0, s.Identity.FindSession, 1}, {16 * time.Second, s.Identity.PeekSession, 1}, {0, s.Identity.FindSession, 2},
		{14 * time.Second, s.Identity.FindSession, 1}, {time.Second, s.Identity.FindSession, 2}} {
		s.Clock.Advance(c.later)
		before := s.Pool.Stat().AcquireCount()
		if _, err := c.find(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if n := s.Pool.Stat().AcquireCount() - before; n != c.queries {
			t.Errorf("the %dth time takes %d queries, not %d", i, n, c.queries)
		}
	}
}
