package identity_test

import (
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/identity"
	"svcpay/internal/testing/fixture"
)

func TestMeIsForKeys(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	key := w.Issue(identity.NewKey{Kind: identity.RestrictedKey, Rights: []authz.Right{"payout:read"}})
	actor, err := enter(t, w, w.Identity, key.Text, "")
	if err != nil {
		t.Fatal(err)
	}
	me, err := w.Identity.Me(t.Context(), actor)
	if err != nil || me.Key.ID != key.ID || me.Application.ID != w.App.AppID || me.APIVersion != identity.APIVersion || me.Livemode {
		t.Errorf("%+v, %v", me, err)
	}
	live, err := identity.New(w.Pool, identity.Production, w.Clock.Now, w.Gate).Me(t.Context(), actor)
	if err != nil || !live.Livemode || live.Key.Prefix != "rk_production_" {
		t.Errorf("%+v, %v", live, err)
	}
	theirs := actor
	theirs.ApplicationID = w.Other.AppID
	for want, a := range map[string]authz.Actor{"resource_missing": theirs, "permission_denied": w.Admin()} {
		if _, err := w.Identity.Me(t.Context(), a); !fault.HasCode(err, want) {
			t.Errorf("%+v: %v", a, err)
		}
	}
}
