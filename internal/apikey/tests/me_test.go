package apikey_test

import (
	"testing"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/testing/fixture"
)

func TestMeIsForKeys(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	key := w.Issue(apikey.CreateInput{Kind: apikey.Restricted, Rights: []authz.Right{"payout:read"}})
	actor, err := enter(t, w, w.APIKeys, key.Text, "")
	if err != nil {
		t.Fatal(err)
	}
	me, err := w.APIKeys.Me(t.Context(), actor)
	if err != nil || me.Key.ID != key.ID || me.Application.ID != w.App.AppID || me.APIVersion != apikey.APIVersion ||
		me.Livemode {
		t.Errorf("%+v, %v", me, err)
	}
	live, err := apikey.New(w.Pool, apikey.Production, w.Clock.Now, w.Gate).Me(t.Context(), actor)
	if err != nil || !live.Livemode || live.Key.Prefix != "rk_production_" {
		t.Errorf("%+v, %v", live, err)
	}
	theirs := actor
	theirs.ApplicationID = w.Other.AppID
	for want, a := range map[string]authz.Actor{"resource_missing": theirs, "permission_denied": w.Admin()} {
		if _, err := w.APIKeys.Me(t.Context(), a); !fault.HasCode(err, want) {
			t.Errorf("%+v: %v", a, err)
		}
	}
}
