package token_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/testing/fixture"
)

// limited is the test card that is counted.
const limited = "4000000000000689"

func TestCardMakesFiveTokensAnHourAtAMerchant(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	in := w.Card(limited)
	create := func(app demo.Application, merchantID int64) error {
		_, err := w.Tokens.CreateCard(t.Context(), w.SessionOf(app, merchantID), retry(w), in)
		return err
	}
	us := w.App.Merchants.US
	for i := range 5 {
		if err := create(w.App, us); err != nil {
			t.Fatalf("token %d: %v", i+1, err)
		}
		w.Clock.Advance(10 * time.Minute)
	}
	err := create(w.App, us)
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
	for i := range 5 {
		if err := create(w.App, w.App.Merchants.CA); err != nil {
			t.Errorf("token %d at another merchant: %v", i+1, err)
		}
	}
	if err := create(w.App, w.App.Merchants.CA); code(err) != "rate_limited" {
		t.Errorf("the sixth at another merchant: %v", err)
	}
	w.TokenIn(w.Session(), "4242424242424242") // a test card, and others, are not concerned
	w.Clock.Advance(10*time.Minute - time.Millisecond)
	if err := create(w.App, us); code(err) != "rate_limited" {
		t.Errorf("just before the hour: %v", err)
	}
	w.Clock.Advance(time.Millisecond)
	if err := create(w.App, us); err != nil {
		t.Errorf("after an hour: %v", err)
	}
}

// A donor may give to many merchants of an application in an hour; a thief who tries codes of a card may not.
func TestCardMakesTwentyFiveTokensAnHourAtAllMerchants(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	in, of := w.Card(limited), w.App.Merchants
	merchants := []int64{of.US, of.USQ, of.CA}
	made := 0
	create := func(merchantID int64) error {
		_, err := w.Tokens.CreateCard(t.Context(), w.SessionOf(w.App, merchantID), retry(w), in)
		if err == nil {
			made++
		}
		return err
	}
	for i := range 25 {
		if err := create(merchants[i%3]); err != nil {
			t.Fatalf("token %d: %v", i+1, err)
		}
		w.Clock.Advance(2 * time.Minute)
		if i == 14 { // the merchants' own hours are full, and end
			if _, err := pg.Exec(t.Context(), w.Pool, `DELETE FROM card_velocity WHERE cardinality(times) <= 5`,
				pg.Args{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	err := create(merchants[0])
	if f, ok := fault.As(err); !ok || f.Code != "rate_limited" || f.RetryAfter != 10*time.Minute || made != 25 {
		t.Errorf("after %d: %v", made, err)
	}
	w.Clock.Advance(10 * time.Minute)
	if err := create(merchants[1]); err != nil {
		t.Errorf("after an hour: %v", err)
	}
}

// A card that is counted while others are forgotten is kept, and is not waited for: who counts it has its merchant's
// row and wants the one of all merchants, which would end in a deadlock.
func TestACardThatIsCountedIsNotForgotten(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	w.TokenIn(w.Session(), limited)
	w.Clock.Advance(time.Hour)
	err := pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
		if _, err := tx.Exec(t.Context(), `UPDATE card_velocity SET began_at = @now`,
			pg.Args{"now": w.Clock.Now()}); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if n, err := w.Tokens.PurgeVelocity(ctx); err != nil || n != 0 {
			t.Errorf("purged %d, %v", n, err)
		}
		return nil
	})
	if n := count(t, w, "card_velocity"); err != nil || n != 2 {
		t.Errorf("%d rows are left, %v", n, err)
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
	if n, err := w.Tokens.PurgeVelocity(t.Context()); err != nil || n != 2 {
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
		kept, err := pg.Value[bool](t.Context(), w.Pool, `SELECT bool_and(tokens = @tokens AND began_at = @now)
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
	if n := count(t, w, "card_velocity"); n != 2 {
		t.Errorf("%d cards are counted, want the one, at its merchant and at all", n)
	}
	w.Clock.Advance(time.Hour)
	if n, err := w.Tokens.PurgeVelocity(t.Context()); err != nil || n != 2 || count(t, w, "card_velocity") != 0 {
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
