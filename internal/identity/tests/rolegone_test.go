package identity_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/identity"
	"svcpay/internal/platform/pg"
)

// administrators are n people who administer the first application's organization, and how many of them do still.
func (s staffed) administrators(n int) (names []string, left func() int) {
	s.T.Helper()
	names = []string{"ola"}
	for i := 1; i < n; i++ {
		name := fmt.Sprint("admin", i)
		s.add(name, authz.RoleOrganizationAdmin, s.App.OrganizationID)
		names = append(names, name)
	}
	return names, func() int {
		s.T.Helper()
		n, err := pg.Value[int](s.T.Context(), s.Pool, `SELECT count(*)::int FROM grants WHERE organization_id = @id
			AND role = 'organization_admin'`, pg.Args{"id": s.App.OrganizationID})
		if err != nil {
			s.T.Fatal(err)
		}
		return n
	}
}

// takeAway removes every other one of some administrators and makes the rest staff, all at once, each by whom by names,
// and tells with which code each was refused; "" if it was not.
func (s staffed) takeAway(names []string, by func(i int) authz.Actor) []string {
	s.T.Helper()
	actors, refused := make([]authz.Actor, len(names)), make([]string, len(names))
	for i := range names {
		actors[i] = by(i)
	}
	var all sync.WaitGroup
	for i, victim := range names {
		all.Go(func() {
			var err error
			if i%2 == 0 {
				_, err = s.Identity.RemoveMember(s.T.Context(), actors[i], s.grant(victim))
			} else {
				_, err = s.Identity.SetRole(s.T.Context(), actors[i], s.grant(victim), authz.RoleOrganizationStaff)
			}
			if err != nil {
				refused[i] = code(err)
			}
		})
	}
	all.Wait()
	return refused
}

func tally(codes []string, want string) (n int) {
	for _, c := range codes {
		if c == want {
			n++
		}
	}
	return n
}

// However many administrators are removed at once, by anyone who is above them or on their own, one stays.
func TestTheLastAdministratorStays(t *testing.T) {
	t.Parallel()
	for name, by := range map[string]func(s staffed, names []string) func(i int) authz.Actor{
		"by who stands above": func(s staffed, _ []string) func(int) authz.Actor {
			return func(int) authz.Actor { return s.as("avery") }
		},
		"by themselves": func(s staffed, names []string) func(int) authz.Actor {
			return func(i int) authz.Actor { return s.as(names[i]) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStaffed(t)
			const n = 6
			names, left := s.administrators(n)
			refused := s.takeAway(names, by(s, names))
			if left() != 1 || tally(refused, "") != n-1 || tally(refused, "last_administrator") != 1 {
				t.Errorf("%d are left, refused: %q", left(), refused)
			}
		})
	}
}

// Of administrators who remove each other at once, who is removed first removes no one any more.
func TestWhoWasRemovedRemovesNobody(t *testing.T) {
	t.Parallel()
	s := newStaffed(t)
	const n = 6
	names, left := s.administrators(n)
	refused := s.takeAway(names, func(i int) authz.Actor { return s.as(names[(i+1)%n]) })
	if left() != n-tally(refused, "") || left() != tally(refused, "permission_denied") || left() == 0 {
		t.Errorf("%d are left, refused: %q", left(), refused)
	}
	for i, c := range refused {
		if c != "" && refused[(i+1)%n] != "" {
			t.Errorf("%s was refused and was not removed: %q", names[(i+1)%n], refused)
		}
	}
}

// A request that was begun before its person lost the role changes nothing afterwards, and is in the log.
func TestNobodyUsesARoleThatIsGone(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(s staffed) error{
		"removed": func(s staffed) error {
			_, err := s.Identity.RemoveMember(s.T.Context(), s.as("ola"), s.grant("second"))
			return err
		},
		"made less": func(s staffed) error {
			_, err := s.Identity.SetRole(s.T.Context(), s.as("ola"), s.grant("second"), authz.RoleOrganizationStaff)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStaffed(t)
			ctx := t.Context()
			s.add("second", authz.RoleOrganizationAdmin, s.App.OrganizationID)
			stale, org := s.as("second"), authz.Domain{Scope: authz.ScopeOrganization, ID: s.App.OrganizationID}
			offer := s.offer("ola", "friend@example.org", authz.RoleOrganizationStaff, org.ID)
			if err := lose(s); err != nil {
				t.Fatal(err)
			}
			for what, try := range map[string]func() error{
				"invites": func() error {
					_, err := s.Identity.Invite(ctx, stale,
						identity.NewInvitation{Email: "other@example.org", Role: authz.RoleOrganizationAdmin,
							Domain: org})
					return err
				},
				"promotes": func() error {
					_, err := s.Identity.SetRole(ctx, stale, s.grant("remy"), authz.RoleOrganizationAdmin)
					return err
				},
				"removes":   func() error { _, err := s.Identity.RemoveMember(ctx, stale, s.grant("remy")); return err },
				"withdraws": func() error { _, err := s.Identity.Withdraw(ctx, stale, offer.ID); return err },
			} {
				before := s.denials("second")
				if err := try(); code(err) != "permission_denied" {
					t.Errorf("somebody who was %s %s: %v", name, what, err)
				}
				if n := s.denials("second") - before; n != 1 {
					t.Errorf("%s: the log has %d refusals", what, n)
				}
			}
			if _, err := s.Identity.FindInvitation(ctx, offer.Token); err != nil {
				t.Errorf("the offer: %v", err)
			}
			if p := s.reload(s.people["remy"].ID); len(p.Grants) != 1 ||
				p.Grants[0].Role != string(authz.RoleOrganizationStaff) {
				t.Errorf("remy has %+v", p.Grants)
			}
		})
	}
}

// denials is how often the log says that someone was refused.
func (s staffed) denials(name string) int {
	s.T.Helper()
	n, err := pg.Value[int](s.T.Context(), s.Pool, `SELECT count(*)::int FROM audit_entries WHERE person_id = @person
		AND outcome = 'denied'`, pg.Args{"person": s.people[name].ID})
	if err != nil {
		s.T.Fatal(err)
	}
	return n
}

// Who removes someone waits for the offer that they are just making, and ends it.
func TestAnOfferThatIsBeingMadeEndsWithItsMakersRole(t *testing.T) {
	t.Parallel()
	s := newStaffed(t)
	s.add("second", authz.RoleOrganizationAdmin, s.App.OrganizationID)
	second, ola := s.as("second"), s.as("ola")
	removed := make(chan error, 1)
	s.Identity.SendInvitations(func(*pg.Tx, identity.Invited) error {
		go func() {
			_, err := s.Identity.RemoveMember(t.Context(), ola, s.grant("second"))
			removed <- err
		}()
		for start := time.Now(); time.Since(start) < 5*time.Second; time.Sleep(time.Millisecond) {
			waiting, err := pg.Value[bool](t.Context(), s.Pool, `
				SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
					AND wait_event_type = 'Lock')`, pg.Args{})
			if err != nil || waiting {
				return err
			}
			if len(removed) > 0 {
				return errors.New("the removal waited for nobody")
			}
		}
		return errors.New("the removal neither waits nor ends")
	})
	i, err := s.Identity.Invite(t.Context(), second,
		identity.NewInvitation{Email: "friend@example.org", Role: authz.RoleOrganizationAdmin, Domain: second.Granted})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-removed; err != nil {
		t.Fatal(err)
	}
	if _, err := s.Identity.FindInvitation(t.Context(), i.Token); code(err) != "invitation_ended" {
		t.Errorf("a removed person's offer: %v", err)
	}
}
