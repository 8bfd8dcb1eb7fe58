package apikey_test

import (
	"slices"
	"testing"
	"time"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/testing/fixture"
)

func TestKeysAreFoundByKindAndStatus(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	gone, rolled := w.Issue(apikey.CreateInput{Kind: apikey.Public}), w.Issue(apikey.CreateInput{Kind: apikey.Secret})
	old := w.Issue(apikey.CreateInput{Kind: apikey.Secret, ExpiresAt: w.Clock.Now().Add(time.Hour)})
	if _, err := w.APIKeys.Revoke(t.Context(), w.Admin(), gone.ID); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Hour)
	out := roll(t, w, apikey.RollInput{ID: rolled.ID, Overlap: apikey.OverlapDay})
	for status, want := range map[apikey.Status]ids.Key{apikey.Revoked: gone.ID, apikey.Replaced: rolled.ID,
		apikey.Expired: old.ID} {
		in := pageOf(10)
		in.Statuses = []string{string(status)}
		p, err := w.APIKeys.List(t.Context(), w.Admin(), in)
		if err != nil || len(p.Items) != 1 || p.Items[0].ID != want || p.Items[0].Status(w.Clock.Now()) != status {
			t.Errorf("%s: %+v, %v", status, p.Items, err)
		}
	}
	in := pageOf(10)
	in.Statuses, in.Kinds = []string{"active"}, []string{"secret"}
	p, err := w.APIKeys.List(t.Context(), w.Admin(), in)
	if err != nil || !slices.ContainsFunc(p.Items, func(k apikey.Key) bool { return k.ID == out.New.ID }) ||
		slices.ContainsFunc(p.Items, func(k apikey.Key) bool { return k.Kind != apikey.Secret }) {
		t.Errorf("active ones: %+v, %v", p.Items, err)
	}
	if before, ok, err := w.APIKeys.Before(t.Context(), w.Admin(), out.New.ID); err != nil || !ok ||
		before.ID != rolled.ID {
		t.Errorf("before it was %+v, %v", before, err)
	}
	if _, ok, err := w.APIKeys.Before(t.Context(), w.Admin(), rolled.ID); err != nil || ok {
		t.Errorf("nothing was before: %v, %v", ok, err)
	}
}

func TestAKeyIsTheApplicationsOwn(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	key := w.Issue(apikey.CreateInput{Kind: apikey.Public})
	if got, err := w.APIKeys.Get(t.Context(), w.Admin(), key.ID.String()); err != nil || got.ID != key.ID ||
		got.Prefix == "" {
		t.Errorf("it is %+v, %v", got, err)
	}
	for _, id := range []string{"", "key_1", ids.NewKey(w.Clock.Now()).String()} {
		if _, err := w.APIKeys.Get(t.Context(), w.Admin(), id); code(err) != "resource_missing" {
			t.Errorf("%q: %v", id, err)
		}
	}
	if _, err := w.APIKeys.Get(t.Context(), w.PersonOf(authz.RoleApplicationAdmin, w.Other),
		key.ID.String()); code(err) != "resource_missing" {
		t.Errorf("the other application's: %v", err)
	}
	if _, err := w.APIKeys.Get(t.Context(), w.OrganizationAdmin(), key.ID.String()); code(err) != "permission_denied" {
		t.Errorf("an organization's administrator: %v", err)
	}
}

func TestAFormThatIsSentTwiceMakesOneKey(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	claim := func(name string) *idempotency.Claim {
		return &idempotency.Claim{ApplicationID: w.App.AppID, Key: name, Method: "POST", Path: "/keys",
			Params: map[string]string{}, RequestID: ids.NewRequest(w.Clock.Now())}
	}
	in := apikey.CreateInput{Kind: apikey.Secret, Name: "Server", Claim: claim("once")}
	first, err := w.APIKeys.Create(t.Context(), w.Admin(), in)
	if err != nil || first.Text == "" {
		t.Fatal(first, err)
	}
	if again, err := w.APIKeys.Create(t.Context(), w.Admin(), in); err != nil || again.ID != first.ID ||
		again.Text != "" {
		t.Errorf("again: %+v, %v", again, err)
	}
	public := apikey.CreateInput{Kind: apikey.Public, Name: "Pages", Claim: claim("public")}
	shown := w.Issue(public)
	if again := w.Issue(public); again.ID != shown.ID || again.Text != shown.Text {
		t.Errorf("a public key again: %+v", again)
	}
	rolling := apikey.RollInput{ID: first.ID, Overlap: apikey.OverlapHour, Claim: claim("roll")}
	rolled := roll(t, w, rolling)
	if again := roll(t, w, rolling); again.New.ID != rolled.New.ID || again.New.Text != "" ||
		again.Old.ID != first.ID || *again.Old.ReplacedBy != rolled.New.ID {
		t.Errorf("rolled again: %+v", again)
	}
}
