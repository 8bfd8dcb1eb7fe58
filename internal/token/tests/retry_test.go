package token_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

// A payer whose last attempt made a token has it when the answer was lost, however many attempts that was; a new one is
// refused.
func TestRetryOfTheLastAttemptIsNoAttemptTooMany(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	us := w.App.Merchants.US
	walletWorld(t, w, us)
	wallet := payload(t, w, token.WalletB, "4242424242424242", us)
	for name, create := range map[string]func(session, key string) (token.Created, error){
		"card": func(session, key string) (token.Created, error) {
			return w.Tokens.CreateCard(t.Context(), session, key, w.Card("4242424242424242"))
		},
		"bank": func(session, key string) (token.Created, error) {
			return w.Tokens.CreateBank(t.Context(), session, key, account("000123456789"))
		},
		"wallet": func(session, key string) (token.Created, error) {
			return w.Tokens.CreateWallet(t.Context(), session, key, wallet)
		},
	} {
		session := w.SessionOf(w.App, us)
		for range 9 {
			if _, err := w.Tokens.UseSession(t.Context(), session); err != nil {
				t.Fatal(err)
			}
		}
		first, err := create(session, "last "+name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if again, err := create(session, "last "+name); err != nil || again.Token != first.Token ||
			again.Billing != first.Billing {
			t.Errorf("%s: the retry of the last attempt gives %+v, %v", name, again, err)
		}
		if out, err := create(session, "one more "+name); code(err) != "rate_limited" || out.Token != (ids.Token{}) {
			t.Errorf("%s: one more gives %+v, %v", name, out, err)
		}
	}
	session := w.Session()
	for range 10 {
		w.TokenIn(session, "4242424242424242")
	}
	if _, err := w.Tokens.CreateCard(t.Context(), session, "last card",
		w.Card("5555555555554444")); code(err) != "rate_limited" {
		t.Errorf("another card with the key of a token: %v", err)
	}
}

func TestDeclinesDoNotRefuseTheRetryOfATokenThatExists(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	session, in := w.Session(), w.Card("4242424242424242")
	first, err := w.Tokens.CreateCard(t.Context(), session, "k", in)
	if err != nil {
		t.Fatal(err)
	}
	deps := w.Tokens.Deps()
	deps.Firsts = func(context.Context, token.Group) (token.Firsts, error) {
		return token.Firsts{Declines: slices.Repeat([]bool{true}, 12)}, nil
	}
	tokens := token.New(deps)
	if again, err := tokens.CreateCard(t.Context(), session, "k", in); err != nil || again.Token != first.Token {
		t.Errorf("the retry gives %+v, %v", again, err)
	}
	if _, err := tokens.CreateCard(t.Context(), session, "k2", in); code(err) != "card_testing_suspected" {
		t.Errorf("a new one: %v", err)
	}
}

// An account that is given again in the session that follows is debited by one mandate, of which one mail tells.
func TestBankRetryOutlivesItsSession(t *testing.T) {
	t.Parallel()
	w := fixture.New(t, fixture.SendsMail)
	us := w.App.Merchants.US
	first, err := w.Tokens.CreateBank(t.Context(), w.SessionOf(w.App, us), "k", account("000123456789"))
	if err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(31 * time.Minute)
	again, err := w.Tokens.CreateBank(t.Context(), w.SessionOf(w.App, us), "k", account("000123456789"))
	if err != nil || again.Token != first.Token || count(t, w, "mandates") != 1 || count(t, w, "mails") != 1 {
		t.Errorf("%+v, %v; %d mandates, %d mails", again, err, count(t, w, "mandates"), count(t, w, "mails"))
	}
}
