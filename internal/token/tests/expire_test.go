package token_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/instant"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/testing/pgtest"
	"svcpay/internal/token"
)

func view(t *testing.T, w *fixture.World) clock.View {
	t.Helper()
	v, err := w.Clocks.Of(t.Context(), w.App.AppID)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestUnusedTokensExpire(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	card := get(t, w, w.Token(visa))
	unproved := get(t, w, pending(t, w))
	disabled := get(t, w, w.Token(visa))
	err := pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
		return token.DisableTx(t.Context(), tx, instant.Both(w.Clock.Now()),
			token.Ending{ApplicationID: w.App.AppID, Token: disabled.ID, Reason: "return_R02", Source: outbox.Job})
	})
	deleted := get(t, w, w.Token(visa))
	if err == nil {
		_, err = w.Tokens.Delete(t.Context(), w.Actor(), deleted.ID.String(), token.DeleteInput{}, nil)
	}
	if err == nil {
		_, err = keepPayout(t, w, w.App.AppID, w.App.Merchants.US, account("000123456789"))
	}
	if err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Hour)
	later := get(t, w, w.Token(visa))
	next, err := w.Tokens.NextExpiry(t.Context(), w.App.AppID, w.Clock.Now())
	if err != nil || !next.Equal(card.ExpiresAt.Time) {
		t.Fatalf("%v, %v; want %v", next, err, card.ExpiresAt)
	}
	if after, err := w.Tokens.NextExpiry(t.Context(), w.App.AppID, *next); err != nil ||
		!after.Equal(later.ExpiresAt.Time) {
		t.Errorf("the next but one: %v, %v", after, err)
	}
	for _, none := range []int64{w.Other.AppID, 999} {
		if n, err := w.Tokens.NextExpiry(t.Context(), none, w.Clock.Now()); n != nil || err != nil {
			t.Errorf("%v, %v", n, err)
		}
	}
	w.Clock.Advance(next.Sub(w.Clock.Now()) - time.Millisecond)
	if n, err := w.Tokens.ExpireTokens(t.Context(), view(t, w)); n != 0 || err != nil {
		t.Errorf("too early: %d, %v", n, err)
	}
	w.Clock.Advance(time.Millisecond)
	if n, err := w.Tokens.ExpireTokens(t.Context(), view(t, w)); n != 3 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := w.Tokens.ExpireTokens(t.Context(), view(t, w)); n != 0 || err != nil {
		t.Errorf("again: %d, %v", n, err)
	}
	for _, before := range []token.Token{card, unproved, disabled} {
		now := get(t, w, before.ID.String())
		what := []string{"status"}
		if before.ID == disabled.ID {
			what = []string{"status", "status"}
		}
		if now.Status != token.Expired || sealed(t, w, now.ID) != 0 ||
			(now.DisabledReason != nil) != (before.ID == disabled.ID) {
			t.Errorf("%+v", now)
		}
		if all := told(t, w, now, what...); all[len(all)-1].Source != "job" {
			t.Errorf("%+v", all)
		}
	}
	if now := get(t, w, later.ID.String()); now.Status != token.Active || sealed(t, w, now.ID) != 1 {
		t.Errorf("%+v", now)
	}
	if count(t, w, "vault_keys") != 2 { // of the later card and of the merchant's own account
		t.Errorf("%d keys", count(t, w, "vault_keys"))
	}
	if _, err := w.Tokens.Update(t.Context(), w.Actor(), card.ID.String(), token.UpdateInput{},
		nil); code(err) != "token_expired" {
		t.Errorf("%v", err)
	}
	if out, err := w.Tokens.Delete(t.Context(), w.Actor(), card.ID.String(), token.DeleteInput{}, nil); err != nil ||
		out.Object.Status != token.Deleted {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestExpiryGoesByEachApplicationsClock(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	mine := w.Token(visa)
	theirs := w.TokenIn(w.SessionOf(w.Other, w.Other.Merchants.US), visa)
	if err := w.Clocks.Advance(t.Context(), w.App.AppID, 400*24*time.Hour); err != nil {
		t.Fatal(err)
	}
	far := clock.View{Except: []int64{w.App.AppID, w.Other.AppID}, Moment: instant.Both(w.Clock.Now().AddDate(9, 0, 0))}
	if n, err := w.Tokens.ExpireTokens(t.Context(), far); n != 0 || err != nil {
		t.Errorf("applications outside the view: %d, %v", n, err)
	}
	more, err := w.Clocks.RunAll(t.Context(),
		clock.Sweep{Name: "expire_tokens", Run: w.Tokens.ExpireTokens, Next: w.Tokens.NextExpiry})
	if err != nil || !more {
		t.Errorf("%v, %v", more, err)
	}
	other, err := w.Tokens.Get(t.Context(), w.ActorOf(w.Other), theirs)
	if got := get(t, w, mine); got.Status != token.Expired || err != nil || other.Status != token.Active {
		t.Errorf("%+v, %+v, %v", got, other, err)
	}
	ahead := w.Token(visa) // its life begins where the application's clock stands
	if saved := get(t, w, ahead); !saved.CreatedAt.Equal(w.Clock.Now().Add(400 * 24 * time.Hour)) {
		t.Errorf("%+v", saved)
	}
}

// A token that cannot be ended is notified of, and none whose time is over waits for it.
func TestOneThatCannotExpireHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	var all []token.Token
	for range 4 {
		all = append(all, get(t, w, w.Token(visa)))
	}
	pgtest.Refuse(t, w.Pool, "tokens", all[0].ID)
	w.Clock.Advance(400 * 24 * time.Hour)
	if n, err := w.Tokens.ExpireTokens(t.Context(), view(t, w)); n != 3 || err == nil ||
		!strings.Contains(err.Error(), "refused here") {
		t.Errorf("%d, %v", n, err)
	}
	for i, before := range all {
		if now := get(t, w, before.ID.String()); (now.Status == token.Active) != (i == 0) ||
			(sealed(t, w, now.ID) == 1) != (i == 0) {
			t.Errorf("%d is %s", i, now.Status)
		}
	}
}

func TestExpirersShareTheWork(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	const tokens = 250
	_, err := pg.Exec(t.Context(), w.Pool, `
		INSERT INTO tokens (id, application_id, merchant_id, kind, status, last4, brand, bin, exp_month, exp_year,
			funding, country, fingerprint, entry_mode, billing, expires_at, created_at, updated_at)
		SELECT gen_random_uuid(), @application_id, @merchant_id, 'card', 'active', '4242', 'visa', '424242', 1, 2030,
			'credit', 'US', decode(repeat('00', 32), 'hex'),
			'keyed', '{}', @now, @now, @now FROM generate_series(1, @n)`,
		pg.Args{"application_id": w.App.AppID, "merchant_id": w.App.Merchants.US, "now": w.Clock.Now(), "n": tokens})
	if err != nil {
		t.Fatal(err)
	}
	v := view(t, w)
	var done atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for {
				n, err := w.Tokens.ExpireTokens(context.Background(), v)
				if err != nil {
					t.Error(err)
				}
				if n == 0 {
					return
				}
				done.Add(int64(n))
			}
		})
	}
	all.Wait()
	if n := count(t, w, "tokens WHERE status = 'expired' AND version = 2"); done.Load() != tokens || n != tokens ||
		count(t, w, "events WHERE type = 'token.updated'") != tokens {
		t.Errorf("%d were done, %d are expired", done.Load(), n)
	}
}
