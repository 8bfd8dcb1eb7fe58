package token_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"svcpay/internal/charge/rule"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/security"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

// addressOf is the n-th address of an attacker.
func addressOf(n int) string { return fmt.Sprintf("192.0.2.%d", n) }

// tokenOf makes a token that must be made.
func tokenOf(t *testing.T, w *fixture.World, merchantID int64, address, card string) string {
	t.Helper()
	id, _, err := payer(t, w, merchantID, address, card)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// stolen makes tokens of stolen cards, each from another address.
func stolen(t *testing.T, w *fixture.World, merchantID int64, most int) (ids []string) {
	t.Helper()
	for n := range most {
		ids = append(ids, tokenOf(t, w, merchantID, addressOf(n), cardOf("4111", n)))
	}
	return ids
}

// declinedAll charges tokens of stolen cards.
func declinedAll(t *testing.T, w *fixture.World, merchantID int64, ids []string) {
	t.Helper()
	for _, id := range ids {
		if got := pay(t, w, merchantID, id); got != "card_declined" {
			t.Fatalf("a stolen card: %q", got)
		}
	}
}

func watch(t *testing.T, w *fixture.World) {
	t.Helper()
	if _, err := w.Tokens.WatchCards(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Tokens that were made longer ago than the job looks for busy merchants end when the first of them are declined. Those
// of cards that paid before, and those that were saved more than an hour ago, are left.
func TestTokensOfAQuietMerchantEndWhenTheFirstAreDeclined(t *testing.T) {
	t.Parallel()
	w := watching(t)
	us, donor := w.App.Merchants.US, cardOf("4242", 1)
	if got := pay(t, w, us, tokenOf(t, w, us, "198.51.100.9", donor)); got != "" {
		t.Fatal(got)
	}
	old := tokenOf(t, w, us, "198.51.100.10", cardOf("4242", 2))
	w.Clock.Advance(2 * time.Hour)
	known := tokenOf(t, w, us, "198.51.100.9", donor)
	ids := stolen(t, w, us, 14)
	w.Clock.Advance(11 * time.Minute)
	declinedAll(t, w, us, ids[:10])
	watch(t, w)
	for _, id := range ids[10:] {
		if got := pay(t, w, us, id); got != "token_disabled" {
			t.Errorf("a token that was made in advance: %q", got)
		}
	}
	for what, id := range map[string]string{"a card that paid before": known, "an old token": old} {
		if got := pay(t, w, us, id); got != "" {
			t.Errorf("%s: %q", what, got)
		}
	}
}

// leaving is a letter at which the payer leaves the page that triggered it.
type leaving struct{ cancel context.CancelFunc }

// CardTestingTx implements [token.Letters].
func (l leaving) CardTestingTx(context.Context, *pg.Tx, token.CardTesting) error {
	l.cancel()
	return nil
}

// A restriction begins although the payer that triggered it leaves. Pages may still charge a token that was made
// seconds before; the job ends those that are not charged.
func TestYoungTokensEndAfterARestrictionBegan(t *testing.T) {
	t.Parallel()
	w := watching(t)
	us := w.App.Merchants.US
	declinedAll(t, w, us, stolen(t, w, us, 9))
	waiting := tokenOf(t, w, us, "198.51.100.9", cardOf("4242", 1))
	w.Clock.Advance(30 * time.Second)
	last := tokenOf(t, w, us, "192.0.2.99", cardOf("4111", 99))
	fast, slow := tokenOf(t, w, us, "198.51.100.10", cardOf("4242", 2)), tokenOf(t, w, us, "198.51.100.11",
		cardOf("4242", 3))
	declinedAll(t, w, us, []string{last})
	w.Clock.Advance(3 * time.Second)
	ctx, cancel := context.WithCancel(security.From(t.Context(),
		security.Origin{Address: netip.MustParseAddr("198.51.100.12")}))
	defer cancel()
	w.Tokens.WriteLetters(leaving{cancel})
	if _, err := w.Tokens.CreateCard(ctx, w.SessionOf(w.App, us), retry(w), w.Card(cardOf("4242", 4))); err == nil ||
		ctx.Err() == nil {
		t.Fatalf("the payer left: %v, %v", err, ctx.Err())
	}
	if got := pay(t, w, us, waiting); got != "token_disabled" {
		t.Errorf("a token that waited for 30 seconds: %q", got)
	}
	if got := pay(t, w, us, fast); got != "" {
		t.Errorf("a page that charges at once: %q", got)
	}
	w.Clock.Advance(25 * time.Second)
	watch(t, w)
	if got := pay(t, w, us, slow); got != "token_disabled" {
		t.Errorf("a token that was not charged: %q", got)
	}
}

// Charges that a rule of the merchant blocked are not among the declined ones of the mail.
func TestBlockedChargesAreNotDeclinesOfTheMail(t *testing.T) {
	t.Parallel()
	w, told := watching(t), &letters{}
	w.Tokens.WriteLetters(told)
	us, least := w.App.Merchants.US, 6*money.Dollar
	set := func(s rule.Settings) {
		t.Helper()
		if _, err := w.CardRules.Set(t.Context(), w.Actor(), us, rule.Proposed(s), nil); err != nil {
			t.Fatal(err)
		}
	}
	set(rule.Settings{MinimumAmount: &least})
	for n := range 3 {
		id := tokenOf(t, w, us, addressOf(100+n), cardOf("4242", n))
		if got := pay(t, w, us, id); got != "blocked_by_rule" {
			t.Fatal(got)
		}
	}
	set(rule.Settings{})
	declinedAll(t, w, us, stolen(t, w, us, 10))
	w.Clock.Advance(3 * time.Second)
	watch(t, w)
	if len(told.all) != 1 || told.all[0].Declined != 10 || told.all[0].Tokens != 13 {
		t.Errorf("notified of %+v", told.all)
	}
}

// Of a hostile address, the tokens end that it made after the first declined one, except those of cards that paid.
func TestTokensOfAHostileAddressEnd(t *testing.T) {
	t.Parallel()
	w := watching(t)
	us, other, donor := w.App.Merchants.US, w.App.Merchants.USQ, cardOf("4242", 1)
	if got := pay(t, w, us, tokenOf(t, w, us, "198.51.100.9", donor)); got != "" {
		t.Fatal(got)
	}
	w.Clock.Advance(2 * time.Hour)
	var ids []string
	for n, card := range []string{cardOf("4242", 2), cardOf("4111", 1), cardOf("4111", 2), cardOf("4111", 3),
		cardOf("4111", 4), donor, cardOf("4242", 3)} {
		merchant := us
		if n%2 == 0 {
			merchant = other
		}
		ids = append(ids, tokenOf(t, w, merchant, "192.0.2.7", card))
		w.Clock.Advance(time.Second)
	}
	w.Clock.Advance(11 * time.Minute)
	for n, id := range ids[1:5] {
		declinedAll(t, w, []int64{us, other}[n%2], []string{id})
	}
	watch(t, w)
	for n, want := range map[int]string{0: "", 5: "", 6: "token_disabled"} {
		if got := pay(t, w, []int64{other, us}[n%2], ids[n]); got != want {
			t.Errorf("token %d: %q, want %q", n, got, want)
		}
	}
}

// Tokens that are never charged don't use up the few that a restricted merchant gets: an address makes only one.
func TestUnchargedTokensDontCloseARestrictedMerchant(t *testing.T) {
	t.Parallel()
	w := watching(t)
	us := w.App.Merchants.US
	declinedAll(t, w, us, stolen(t, w, us, 12))
	w.Clock.Advance(3 * time.Second)
	tokenOf(t, w, us, "198.51.100.9", cardOf("4242", 1))
	w.Clock.Advance(time.Second)
	if _, _, err := payer(t, w, us, "198.51.100.9", cardOf("4242", 2)); code(err) != "rate_limited" {
		t.Errorf("a second card of an address: %v", err)
	}
	if got := pay(t, w, us, tokenOf(t, w, us, "198.51.100.10", cardOf("4242", 3))); got != "" {
		t.Errorf("another address: %q", got)
	}
}

// What fails at one merchant doesn't keep the job from looking at the others.
func TestWatchCardsGoesOnAfterAnError(t *testing.T) {
	t.Parallel()
	w := watching(t)
	merchants := []int64{w.App.Merchants.US, w.App.Merchants.USQ}
	for n, id := range merchants {
		for k := range 10 {
			card := cardOf("4111", 20*n+k)
			declinedAll(t, w, id, []string{tokenOf(t, w, id, addressOf(20*n+k), card)})
		}
	}
	for _, fails := range merchants {
		broken, deps := errors.New("broken"), w.Tokens.Deps()
		firsts := deps.Firsts
		deps.Firsts = func(ctx context.Context, of token.Group) (token.Firsts, error) {
			if of.MerchantID == fails {
				return token.Firsts{}, broken
			}
			return firsts(ctx, of)
		}
		if _, err := token.New(deps).WatchCards(t.Context()); !errors.Is(err, broken) {
			t.Errorf("the error is %v", err)
		}
	}
	if n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM card_testing WHERE ended_at IS NULL`,
		pg.Args{}); err != nil || n != len(merchants) {
		t.Errorf("%d merchants are restricted, %v", n, err)
	}
}
