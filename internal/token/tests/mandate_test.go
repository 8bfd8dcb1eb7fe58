package token_test

import (
	"sync"
	"testing"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

func TestRevokedMandateDisablesItsToken(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	saved := bank(t, w, w.App.Merchants.US, account("000123456789"))
	w.Clock.Advance(time.Hour)
	id := saved.Mandate.String()
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			out, err := w.Tokens.RevokeMandate(t.Context(), w.Actor(), id, nil)
			if err != nil || out.Object.Status != "revoked" || out.Object.Version != 2 ||
				!out.Object.RevokedAt.Equal(w.Clock.Now()) || out.Object.Object != "mandate" {
				t.Errorf("%+v, %v", out, err)
			}
		})
	}
	all.Wait()
	m, err := w.Tokens.GetMandate(t.Context(), w.Actor(), id)
	if err != nil || m.Status != "revoked" || m.Version != 2 || m.Text == "" || !m.UpdatedAt.Equal(w.Clock.Now()) ||
		m.AcceptedAt.Equal(w.Clock.Now()) {
		t.Errorf("%+v, %v", m, err)
	}
	now := get(t, w, saved.ID.String())
	if now.Status != token.Disabled || *now.DisabledReason != "mandate_revoked" {
		t.Errorf("%+v", now)
	}
	if e := told(t, w, now, "status"); e[0].Source != "api" || e[0].Request.IsZero() {
		t.Errorf("%+v", e)
	}
}

func TestRevocationOfADeletedTokensMandate(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	saved := bank(t, w, w.App.Merchants.US, account("000123456789"))
	if _, err := w.Tokens.Delete(t.Context(), w.Actor(), saved.ID.String(), token.DeleteInput{}, nil); err != nil {
		t.Fatal(err)
	}
	out, err := w.Tokens.RevokeMandate(t.Context(), w.Actor(), saved.Mandate.String(), claim(w, "k", ""))
	if err != nil || out.Object.Status != "revoked" || get(t, w, saved.ID.String()).Status != token.Deleted {
		t.Errorf("%+v, %v", out, err)
	}
	if again, err := w.Tokens.RevokeMandate(t.Context(), w.Actor(), saved.Mandate.String(),
		claim(w, "k", "")); err != nil || again.Prior == nil {
		t.Errorf("%+v, %v", again, err)
	}
	told(t, w, get(t, w, saved.ID.String()), "status")
}

func TestMandatesOfOthersAreMissing(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	saved := bank(t, w, w.App.Merchants.US, account("000123456789"))
	foreign := w.ActorOf(w.Other)
	for name, err := range map[string]error{
		"get":     second(w.Tokens.GetMandate(t.Context(), foreign, saved.Mandate.String())),
		"revoke":  second(w.Tokens.RevokeMandate(t.Context(), foreign, saved.Mandate.String(), nil)),
		"unheard": second(w.Tokens.RevokeMandate(t.Context(), w.Actor(), ids.NewMandate(w.Clock.Now()).String(), nil)),
		"a token": second(w.Tokens.GetMandate(t.Context(), w.Actor(), saved.ID.String())),
		"no id":   second(w.Tokens.RevokeMandate(t.Context(), w.Actor(), "", nil)),
	} {
		if code(err) != "resource_missing" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if m, err := w.Tokens.GetMandate(t.Context(), w.Actor(), saved.Mandate.String()); err != nil ||
		m.Status != "active" || m.Version != 1 {
		t.Errorf("%+v, %v", m, err)
	}
}
