package token_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

// limited is the test card that is counted.
const limited = "4000000000000689"

func TestCardMakesFiveTokensAnHour(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	in := w.Card(limited)
	create := func(app demo.Application, merchantID int64) error {
		_, err := w.Tokens.CreateCard(t.Context(), w.SessionOf(app, merchantID), retry(w), in)
		return err
	}
	merchants := []int64{w.App.Merchants.US, w.App.Merchants.USQ, w.App.Merchants.CA}
	for i := range 5 {
		if err := create(w.App, merchants[i%3]); err != nil {
			t.Fatalf("token %d: %v", i+1, err)
		}
		w.Clock.Advance(10 * time.Minute)
	}
	err := create(w.App, merchants[0])
	if f, ok := fault.As(err); !ok || f.Code != "rate_limited" || f.Kind != fault.KindLimited ||
		f.RetryAfter != 10*time.Minute {
		t.Errorf("the sixth within an hour: %v", err)
	}
	if n := count(t, w, "tokens"); n != 5 {
		t.Errorf("%d tokens", n)
	}
	if err := create(w.Other, w.Other.Merchants.US); err != nil {
		t.Errorf("another application: %v", err)
	}
	w.TokenIn(w.Session(), "4242424242424242") // a test card, and others, are not concerned
	w.Clock.Advance(10*time.Minute - time.Millisecond)
	if err := create(w.App, merchants[0]); code(err) != "rate_limited" {
		t.Errorf("just before the hour: %v", err)
	}
	w.Clock.Advance(time.Millisecond)
	if err := create(w.App, merchants[0]); err != nil {
		t.Errorf("after an hour: %v", err)
	}
}

// Five tokens an hour are five in any hour: there is no moment at which a card that made some may make five more.
func TestTheHourOfACardSlides(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	in := w.Card(limited)
	fill := func(want int, retryAfter time.Duration) {
		t.Helper()
		for range want {
			w.TokenIn(w.Session(), limited)
		}
		_, err := w.Tokens.CreateCard(t.Context(), w.Session(), retry(w), in)
		if f, ok := fault.As(err); !ok || f.Code != "rate_limited" || f.RetryAfter != retryAfter {
			t.Errorf("after %d more: %v; want a wait of %s", want, err, retryAfter)
		}
	}
	w.TokenIn(w.Session(), limited)
	w.Clock.Advance(59 * time.Minute)
	fill(4, time.Minute)
	w.Clock.Advance(time.Minute)
	fill(1, 59*time.Minute)
	if n, err := w.Tokens.PurgeVelocity(t.Context()); err != nil || n != 0 {
		t.Errorf("purged %d, %v", n, err)
	}
	w.Clock.Advance(59 * time.Minute)
	fill(4, time.Minute)
	w.Clock.Advance(time.Hour)
	if n, err := w.Tokens.PurgeVelocity(t.Context()); err != nil || n != 1 {
		t.Errorf("purged %d, %v", n, err)
	}
	fill(5, time.Hour)
}

// A program of before that runs next to counts by began_at and tokens alone, and resets both an hour after began_at.
func TestCardsAreCountedForAProgramOfBefore(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	for i, want := range []int{1, 2, 3, 3, 3} {
		w.TokenIn(w.Session(), limited)
		kept, err := pg.Value[bool](t.Context(), w.Pool, `SELECT tokens = @tokens AND began_at = @now
			FROM card_velocity`, pg.Args{"tokens": want, "now": w.Clock.Now()})
		if err != nil || !kept {
			t.Errorf("token %d: not %d of now, %v", i+1, want, err)
		}
		w.Clock.Advance(20 * time.Minute)
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
			if _, err := w.Tokens.CreateCard(t.Context(), session, retry(w), in); err != nil &&
				code(err) != "rate_limited" {
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
		deps := w.Tokens.Dependencies()
		deps.Recent = func(_ context.Context, applicationID, merchantID int64, since time.Time) (token.Recent, error) {
			if applicationID != w.App.AppID || merchantID != w.App.Merchants.US ||
				!since.Equal(w.Clock.Now().Add(-10*time.Minute)) {
				t.Errorf("asked of %d, %d since %s", applicationID, merchantID, since)
			}
			return token.Recent{Made: c.made, Declined: c.declined}, nil
		}
		tokens, session := token.New(deps), w.Session()
		got := 0
		for range 10 {
			_, err := tokens.CreateCard(t.Context(), session, retry(w), w.Card("4242424242424242"))
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

// Anyone who asks for many tokens has a merchant's charges counted now and then, and not for each.
func TestDeclinesAreReadOnceInTwoSeconds(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	deps, asked := w.Tokens.Dependencies(), map[int64]int{}
	deps.Recent = func(_ context.Context, _, merchantID int64, _ time.Time) (token.Recent, error) {
		asked[merchantID]++
		// all, when it is asked the second time
		return token.Recent{Made: 100, Declined: 100 * (asked[merchantID] / 2)}, nil
	}
	tokens, made := token.New(deps), 0
	create := func(merchantID int64) error {
		made++
		_, err := tokens.CreateCard(t.Context(), w.SessionOf(w.App, merchantID), fmt.Sprint("k", made),
			w.Card("4242424242424242"))
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
	deps, broken := w.Tokens.Dependencies(), errors.New("broken")
	deps.Recent = func(context.Context, int64, int64, time.Time) (token.Recent, error) { return token.Recent{}, broken }
	if _, err := token.New(deps).CreateCard(t.Context(), w.Session(), "k",
		w.Card("4242424242424242")); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}
