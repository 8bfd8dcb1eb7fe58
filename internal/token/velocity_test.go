package token_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"svcpay/internal/demo"
	"svcpay/internal/fault"
	"svcpay/internal/fixture"
	"svcpay/internal/token"
)

// limited is the test card that is counted.
const limited = "4000000000000689"

func TestCardMakesFiveTokensAnHour(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	in := w.Card(limited)
	create := func(app demo.Application, merchantID int64, key string) error {
		_, err := w.Tokens.CreateCard(t.Context(), w.SessionOf(app, merchantID), key, in)
		return err
	}
	merchants := []int64{w.App.Merchants.US, w.App.Merchants.USQ, w.App.Merchants.CA}
	for i := range 5 {
		if err := create(w.App, merchants[i%3], "k"); err != nil {
			t.Fatalf("token %d: %v", i+1, err)
		}
		w.Clock.Advance(10 * time.Minute)
	}
	err := create(w.App, merchants[0], "k")
	if f, ok := fault.As(err); !ok || f.Code != "rate_limited" || f.Kind != fault.KindLimited || f.RetryAfter != 10*time.Minute {
		t.Errorf("the sixth within an hour: %v", err)
	}
	if n := count(t, w, "tokens"); n != 5 {
		t.Errorf("%d tokens", n)
	}
	if err := create(w.Other, w.Other.Merchants.US, "k"); err != nil {
		t.Errorf("another application: %v", err)
	}
	w.TokenIn(w.Session(), "4242424242424242") // a test card, and others, are not concerned
	w.Clock.Advance(10*time.Minute - time.Millisecond)
	if err := create(w.App, merchants[0], "k"); code(err) != "rate_limited" {
		t.Errorf("just before the hour: %v", err)
	}
	w.Clock.Advance(time.Millisecond)
	if err := create(w.App, merchants[0], "k"); err != nil {
		t.Errorf("after an hour: %v", err)
	}
}

func TestOnlyNewTokensOfPayersCardsCount(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	session, in := w.Session(), w.Card(limited)
	for range 8 { // the same attempt, again
		if _, err := w.Tokens.CreateCard(t.Context(), session, "k", in); err != nil {
			t.Fatal(err)
		}
	}
	for range 12 {
		w.TokenIn(w.Session(), "4242424242424242")
	}
	w.TokenIn(w.Session(), limited)
	if n := count(t, w, "card_velocity"); n != 1 {
		t.Errorf("%d cards are counted, want the one", n)
	}
	w.Clock.Advance(time.Hour)
	if n, err := w.Tokens.PurgeVelocity(t.Context()); err != nil || n != 1 || count(t, w, "card_velocity") != 0 {
		t.Errorf("purged %d, %v", n, err)
	}
}

func TestCardIsCountedOnceHoweverManyAskAtOnce(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	in := w.Card(limited)
	sessions := make([]string, 12)
	for i := range sessions {
		sessions[i] = w.Session()
	}
	var all sync.WaitGroup
	for _, session := range sessions {
		all.Go(func() {
			if _, err := w.Tokens.CreateCard(t.Context(), session, "k", in); err != nil && code(err) != "rate_limited" {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := count(t, w, "tokens"); n != 5 {
		t.Errorf("%d tokens, want 5", n)
	}
}

func TestMerchantOfManyDeclinesIsSlowedThenRefused(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	for _, c := range []struct {
		made, declined, want int // want: tokens of a session
	}{{0, 0, 10}, {19, 19, 10}, {20, 6, 10}, {20, 7, 3}, {20, 12, 3}, {20, 13, 0}, {1000, 601, 0}} {
		deps := w.Tokens.Deps
		deps.Recent = func(_ context.Context, applicationID, merchantID int64, since time.Time) (token.Recent, error) {
			if applicationID != w.App.AppID || merchantID != w.App.Merchants.US || !since.Equal(w.Clock.Now().Add(-10*time.Minute)) {
				t.Errorf("asked of %d, %d since %s", applicationID, merchantID, since)
			}
			return token.Recent{Made: c.made, Declined: c.declined}, nil
		}
		tokens, session := token.New(deps), w.Session()
		got := 0
		for i := range 10 {
			_, err := tokens.CreateCard(t.Context(), session, fmt.Sprint(i), w.Card("4242424242424242"))
			if f, ok := fault.As(err); err != nil && (!ok || f.Code != "rate_limited" || f.RetryAfter != time.Minute) {
				t.Errorf("%+v", err)
			}
			if err == nil {
				got++
			}
		}
		if got != c.want {
			t.Errorf("%d of %d declined: %d tokens, want %d", c.declined, c.made, got, c.want)
		}
	}
}

// Whoever asks for many tokens has a merchant's charges counted now and then, and not for each.
func TestDeclinesAreReadOnceInTwoSeconds(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	deps, asked := w.Tokens.Deps, map[int64]int{}
	deps.Recent = func(_ context.Context, _, merchantID int64, _ time.Time) (token.Recent, error) {
		asked[merchantID]++
		return token.Recent{Made: 100, Declined: 100 * (asked[merchantID] / 2)}, nil // all, when it is asked the second time
	}
	tokens := token.New(deps)
	create := func(merchantID int64) error {
		_, err := tokens.CreateCard(t.Context(), w.SessionOf(w.App, merchantID), "k", w.Card("4242424242424242"))
		return err
	}
	us, other := w.App.Merchants.US, w.App.Merchants.USQ
	for range 5 {
		if err := errors.Join(create(us), create(other)); err != nil || asked[us] != 1 || asked[other] != 1 {
			t.Errorf("%v after %v", err, asked)
		}
	}
	w.Clock.Advance(2*time.Second - time.Millisecond)
	if err := create(us); err != nil || asked[us] != 1 {
		t.Errorf("%v after %v", err, asked)
	}
	w.Clock.Advance(time.Millisecond)
	if err := create(us); code(err) != "rate_limited" || asked[us] != 2 {
		t.Errorf("%v after %v", err, asked)
	}
}

func TestDeclinesThatCannotBeReadRefuse(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	deps, broken := w.Tokens.Deps, errors.New("broken")
	deps.Recent = func(context.Context, int64, int64, time.Time) (token.Recent, error) { return token.Recent{}, broken }
	if _, err := token.New(deps).CreateCard(t.Context(), w.Session(), "k", w.Card("4242424242424242")); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}
