package authz_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"svcpay/internal/authz"
)

func TestDomainsAreReadAsTheyArePrinted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]authz.Domain{
		"system": authz.System(), "app:7": {Scope: authz.ScopeApplication, ID: 7},
		"org:90": {Scope: authz.ScopeOrganization, ID: 90},
	} {
		if got, ok := authz.ParseDomain(text); !ok || got != want || got.String() != text {
			t.Errorf("%s is %+v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "*", "app", "app:", "app:0", "app:-1", "app:07", "app:+7", "org:7:7", "system:",
		"system:0", "system:1", "App:7", "app: 7", "keys:7", ":7", "app:99999999999999999999"} {
		if got, ok := authz.ParseDomain(text); ok {
			t.Errorf("%q is the domain %+v", text, got)
		}
	}
	if (authz.Domain{}).String() != "" || (authz.Domain{ID: 4}).Whole() {
		t.Error("no domain is one")
	}
}

func TestWhereActorsAct(t *testing.T) {
	t.Parallel()
	org := authz.Domain{Scope: authz.ScopeOrganization, ID: 9}
	for want, a := range map[string]authz.Actor{
		"app:7":  {Role: authz.RoleSecretKey, ApplicationID: 7},
		"system": {Role: authz.RoleSystemAdmin, ApplicationID: 7},
		"org:9":  {Role: authz.RoleOrganizationStaff, ApplicationID: 7, OrganizationID: 9, PersonID: 1},
	} {
		if got := a.Domain().String(); got != want || a.IsPerson() != (want == "org:9") {
			t.Errorf("%s acts in %s", a.Role, got)
		}
	}
	if a := (authz.Actor{Role: authz.RoleSystemAdmin, PersonID: 1, Granted: org}); a.Domain() != org {
		t.Error("a grant is not believed")
	}
}

// A person of an organization sees its merchants, and none if it has none.
func TestOrganizationsSeeTheirMerchantsOnly(t *testing.T) {
	t.Parallel()
	some := rapid.SliceOfN(rapid.Int64Range(1, 6), 0, 5)
	rapid.Check(t, func(t *rapid.T) {
		mine, filter := some.Draw(t, "merchants"), some.Draw(t, "filter")
		a := authz.Actor{Role: authz.RoleOrganizationAdmin, PersonID: 1, ApplicationID: 7, Merchants: mine,
			Granted: authz.Domain{Scope: authz.ScopeOrganization, ID: 9}}
		all, some := a.Within(nil), a.Within(filter)
		if all == nil || some == nil {
			t.Fatal("everything is selected")
		}
		for m := int64(0); m <= 6; m++ {
			own := slices.Contains(mine, m)
			if a.Sees(m) != own || slices.Contains(all, m) != own ||
				slices.Contains(some, m) != (own && slices.Contains(filter, m)) {
				t.Fatalf("of %v merchant %d: sees %v, lists %v and %v of %v", mine, m, a.Sees(m), all, some, filter)
			}
			if err := a.Reach(func() (int64, error) { return m, nil }); (err == nil) != own {
				t.Fatalf("of %v it reaches %d: %v", mine, m, err)
			}
		}
	})
}

func TestWidthOfRoles(t *testing.T) {
	t.Parallel()
	all := authz.PeopleRoles()
	for i, r := range all {
		for j, other := range all {
			if r.Wider(other) != (i < j) {
				t.Errorf("%s is wider than %s: %v", r, other, r.Wider(other))
			}
		}
		if r.Scope() == "" {
			t.Errorf("%s is granted nowhere", r)
		}
	}
	if authz.RoleSecretKey.Scope() != "" || authz.RoleOrganizationStaff.Administers() ||
		authz.RoleSupportStaff.Administers() {
		t.Error("a role is more than it is")
	}
}

// FuzzDomain demands that a text is a domain only as the domain is printed.
func FuzzDomain(f *testing.F) {
	for _, text := range []string{"system", "app:7", "org:9223372036854775807", "app:007", "org:", "system:1", ":"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if d, ok := authz.ParseDomain(text); ok && (d.String() != text || !d.Whole()) {
			t.Errorf("%q is the domain %q", text, d)
		}
	})
}
