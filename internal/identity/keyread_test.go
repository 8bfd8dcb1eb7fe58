package identity_test

import (
	"slices"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/identity"
	"svcpay/internal/ids"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/testing/fixture"
)

func TestKeysAreFoundByKindAndStatus(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	gone, rolled := w.Issue(identity.NewKey{Kind: identity.PublicKey}), w.Issue(identity.NewKey{Kind: identity.SecretKey})
	old := w.Issue(identity.NewKey{Kind: identity.SecretKey, ExpiresAt: w.Clock.Now().Add(time.Hour)})
	if _, err := w.Identity.RevokeKey(t.Context(), w.Admin(), gone.ID); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Hour)
	out := roll(t, w, identity.RollInput{ID: rolled.ID, Overlap: identity.OverlapDay})
	for status, want := range map[identity.KeyStatus]ids.Key{identity.KeyRevoked: gone.ID, identity.KeyReplaced: rolled.ID, identity.KeyExpired: old.ID} {
		in := pageOf(10)
		in.Statuses = []string{string(status)}
		p, err := w.Identity.ListKeys(t.Context(), w.Admin(), in)
		if err != nil || len(p.Items) != 1 || p.Items[0].ID != want || p.Items[0].Status(w.Clock.Now()) != status {
			t.Errorf("%s: %+v, %v", status, p.Items, err)
		}
	}
	in := pageOf(10)
	in.Statuses, in.Kinds = []string{"active"}, []string{"secret"}
	p, err := w.Identity.ListKeys(t.Context(), w.Admin(), in)
	if err != nil || !slices.ContainsFunc(p.Items, func(k identity.Key) bool { return k.ID == out.New.ID }) ||
		slices.ContainsFunc(p.Items, func(k identity.Key) bool { return k.Kind != identity.SecretKey }) {
		t.Errorf("active ones: %+v, %v", p.Items, err)
	}
	if before, ok, err := w.Identity.KeyBefore(t.Context(), w.Admin(), out.New.ID); err != nil || !ok || before.ID != rolled.ID {
		t.Errorf("before it was %+v, %v", before, err)
	}
	if _, ok, err := w.Identity.KeyBefore(t.Context(), w.Admin(), rolled.ID); err != nil || ok {
		t.Errorf("nothing was before: %v, %v", ok, err)
	}
}

func TestAKeyIsTheApplicationsOwn(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	key := w.Issue(identity.NewKey{Kind: identity.PublicKey})
	if got, err := w.Identity.GetKey(t.Context(), w.Admin(), key.ID.String()); err != nil || got.ID != key.ID || got.Prefix == "" {
		t.Errorf("it is %+v, %v", got, err)
	}
	for _, id := range []string{"", "key_1", ids.NewKey(w.Clock.Now()).String()} {
		if _, err := w.Identity.GetKey(t.Context(), w.Admin(), id); code(err) != "resource_missing" {
			t.Errorf("%q: %v", id, err)
		}
	}
	if _, err := w.Identity.GetKey(t.Context(), w.PersonOf(authz.RoleApplicationAdmin, w.Other), key.ID.String()); code(err) != "resource_missing" {
		t.Errorf("the other application's: %v", err)
	}
	if _, err := w.Identity.GetKey(t.Context(), w.OrganizationAdmin(), key.ID.String()); code(err) != "permission_denied" {
		t.Errorf("an organization's administrator: %v", err)
	}
}

func TestAFormThatIsSentTwiceMakesOneKey(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	claim := func(name string) *idempotency.Claim {
		return &idempotency.Claim{ApplicationID: w.App.AppID, Key: name, Method: "POST", Path: "/keys", Params: map[string]string{}, RequestID: ids.NewRequest(w.Clock.Now())}
	}
	in := identity.NewKey{Kind: identity.SecretKey, Name: "Server", Claim: claim("once")}
	first, err := w.Identity.CreateKey(t.Context(), w.Admin(), in)
	if err != nil || first.Text == "" {
		t.Fatal(first, err)
	}
	if again, err := w.Identity.CreateKey(t.Context(), w.Admin(), in); err != nil || again.ID != first.ID || again.Text != "" {
		t.Errorf("again: %+v, %v", again, err)
	}
	public := identity.NewKey{Kind: identity.PublicKey, Name: "Pages", Claim: claim("public")}
	shown := w.Issue(public)
	if again := w.Issue(public); again.ID != shown.ID || again.Text != shown.Text {
		t.Errorf("a public key again: %+v", again)
	}
	rolling := identity.RollInput{ID: first.ID, Overlap: identity.OverlapHour, Claim: claim("roll")}
	rolled := roll(t, w, rolling)
	if again := roll(t, w, rolling); again.New.ID != rolled.New.ID || again.New.Text != "" || again.Old.ID != first.ID || *again.Old.ReplacedBy != rolled.New.ID {
		t.Errorf("rolled again: %+v", again)
	}
}
