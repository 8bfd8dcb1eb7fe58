package authz_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"svcpay/internal/authz"
)

func TestRightFor(t *testing.T) {
	t.Parallel()
	for permission, want := range map[authz.Permission]authz.Right{
		authz.ChargeRead: "charge:read", authz.ChargeCapture: "charge:write", authz.FeeWriteDAF: "fee:write",
		authz.TokenCreateTest: "token:write", authz.SandboxClock: "sandbox:write", authz.MeRead: "",
	} {
		if got := authz.RightFor(permission); got != want {
			t.Errorf("%s needs %q, want %q", permission, got, want)
		}
	}
}

func TestCovers(t *testing.T) {
	t.Parallel()
	of := func(rights ...authz.Right) *authz.Restriction { return &authz.Restriction{Rights: rights} }
	limited := of("sandbox:write", "charge:write")
	limited.Merchants = []int64{7}
	for name, c := range map[string]struct {
		restriction *authz.Restriction
		permission  authz.Permission
		want        bool
	}{
		"read by read":                   {of("charge:read"), authz.ChargeRead, true},
		"read by write":                  {of("charge:write"), authz.ChargeRead, true},
		"write by write":                 {of("refund:read", "charge:write"), authz.ChargeVoid, true},
		"write by read":                  {of("charge:read"), authz.ChargeVoid, false},
		"another resource":               {of("refund:write"), authz.ChargeRead, false},
		"a resource that begins alike":   {of("fee_default:read"), authz.FeeRead, false},
		"nothing but who one is":         {of(), authz.MeRead, true},
		"no rights":                      {of(), authz.ChargeRead, false},
		"no restriction":                 {nil, authz.ChargeRead, false},
		"no restriction, who one is":     {nil, authz.MeRead, false},
		"the application's clock":        {of("sandbox:write"), authz.SandboxClock, true},
		"the clock, for some merchants":  {limited, authz.SandboxClock, false},
		"what is of a merchant":          {limited, authz.SandboxSimulate, true},
		"a permission that is no words":  {of("charge:write"), "", false},
		"a permission without an action": {of("charge:read"), "charge", false},
	} {
		if got := c.restriction.Covers(c.permission); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Within is Sees, for lists.
func TestActorSeesItsMerchantsOnly(t *testing.T) {
	t.Parallel()
	some := rapid.SliceOfN(rapid.Int64Range(1, 6), 0, 5)
	rapid.Check(t, func(t *rapid.T) {
		actor := authz.Actor{Role: authz.RoleRestrictedKey,
			Restriction: &authz.Restriction{Merchants: some.Draw(t, "key's")}}
		mine := actor.Restriction.Merchants
		filter := some.Draw(t, "filter")
		if rapid.Bool().Draw(t, "no filter") {
			filter = nil
		}
		got := actor.Within(filter)
		for m := int64(1); m <= 6; m++ {
			if want := len(mine) == 0 || slices.Contains(mine, m); actor.Sees(m) != want {
				t.Fatalf("%v sees %d: %v", mine, m, !want)
			}
			selected := got == nil || slices.Contains(got, m)
			if want := actor.Sees(m) && (filter == nil || slices.Contains(filter, m)); selected != want {
				t.Fatalf("%v of %v is %v: %d is selected: %v", filter, mine, got, m, selected)
			}
		}
	})
	for _, free := range []authz.Actor{{Role: authz.RoleSecretKey}, {}, {Restriction: &authz.Restriction{}}} {
		if !free.Sees(3) || free.Within(nil) != nil || !slices.Equal(free.Within([]int64{3}), []int64{3}) {
			t.Errorf("%+v is limited", free)
		}
	}
}

func TestRightsAreInOrder(t *testing.T) {
	t.Parallel()
	byName := func(a, b authz.Right) int { return strings.Compare(string(a), string(b)) }
	if !slices.IsSortedFunc(authz.Rights(), byName) || len(slices.Compact(authz.Rights())) != len(authz.Rights()) {
		t.Errorf("%v", authz.Rights())
	}
}
