package token_test

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"time"

	"svcpay/internal/assembly"
	"svcpay/internal/charge"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/security"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

// stolenDecline is the sandbox's processor, with whole ranges of cards: those that begin with 4111 are declined.
type stolenDecline struct{ *sandbox.Processor }

// Authorize declines cards of one range.
func (d stolenDecline) Authorize(ctx context.Context, a processor.Authorization) (processor.Answer, error) {
	if a.Card.PAN.Reveal()[:4] == "4111" {
		a.Card.PAN = sensitive.NewPAN("4000000000000002")
	}
	return d.Processor.Authorize(ctx, a)
}

// watching is a world that watches for card testing as production does.
func watching(t *testing.T) *fixture.World {
	t.Helper()
	return fixture.NewWith(t, func(p *sandbox.Processor) processor.Processor { return stolenDecline{p} },
		func(d *assembly.Deps) { d.WatchCards, d.Exempt, d.EasierProofs = true, nil, 10 })
}

// cardOf is the n-th card of a range.
func cardOf(prefix string, n int) string {
	for check := range 10 {
		if all := fmt.Sprintf("%s%011d%d", prefix, n, check); sensitive.Luhn(all) {
			return all
		}
	}
	panic("no digit fits")
}

// payer makes a token from an address, with a proof where one is asked for, and reports whether it had to prove work.
func payer(t *testing.T, w *fixture.World, merchantID int64, address, card string) (id string, challenged bool,
	err error) {
	t.Helper()
	ctx := security.From(t.Context(), security.Origin{Address: netip.MustParseAddr(address)})
	session, key, in := w.SessionOf(w.App, merchantID), retry(w), w.Card(card)
	out, err := w.Tokens.CreateCard(ctx, session, key, in)
	if code(err) == "card_testing_suspected" {
		in.Proof, challenged = solved(challengeOf(t, err)), true
		out, err = w.Tokens.CreateCard(ctx, session, key, in)
	}
	return out.Token.String(), challenged, err
}

// pay charges a token and returns the code of the outcome; "" if it was approved.
func pay(t *testing.T, w *fixture.World, merchantID int64, id string) string {
	t.Helper()
	amount := 5 * money.Dollar
	_, err := w.Charges.Create(t.Context(), w.Actor(), charge.CreateInput{MerchantID: &merchantID, Amount: &amount,
		Token: &id}, nil)
	if err == nil {
		return ""
	}
	return code(err)
}

// M8: 150 cards that one address tokenizes at once are not charged later: few get tokens, and those that are left when
// the first are declined end. Other payers of the merchant are challenged, and pay; other merchants' notice nothing.
func TestManyCardsOfOneAddressLearnLittle(t *testing.T) {
	t.Parallel()
	w := watching(t)
	us, other := w.App.Merchants.US, w.App.Merchants.USQ
	if id, _, err := payer(t, w, us, "198.51.100.9", cardOf("4242", 1)); err != nil || pay(t, w, us, id) != "" {
		t.Fatalf("a payer of before: %v", err)
	}
	w.Clock.Advance(2 * time.Hour)
	var ids []string
	var mu sync.Mutex
	var all sync.WaitGroup
	for n := range 150 {
		all.Go(func() {
			if id, _, err := payer(t, w, us, "192.0.2.7", cardOf("4111", n)); err == nil {
				mu.Lock()
				defer mu.Unlock()
				ids = append(ids, id)
			}
		})
	}
	all.Wait()
	if len(ids) > 70 {
		t.Errorf("%d tokens", len(ids))
	}
	w.Clock.Advance(30 * time.Second)
	learned := 0
	for _, id := range ids {
		if pay(t, w, us, id) != "token_disabled" {
			learned++
		}
		w.Clock.Advance(300 * time.Millisecond)
		if _, err := w.Tokens.WatchCards(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if learned > 25 {
		t.Errorf("the status of %d cards was learned", learned)
	}
	if id, challenged, err := payer(t, w, us, "198.51.100.9", cardOf("4242", 1)); err != nil || !challenged ||
		pay(t, w, us, id) != "" {
		t.Errorf("a card that paid before: challenged %v, %v", challenged, err)
	}
	if id, _, err := payer(t, w, us, "198.51.100.10", cardOf("4242", 2)); err != nil || pay(t, w, us, id) != "" {
		t.Errorf("the first unknown card of another address: %v", err)
	}
	if id, challenged, err := payer(t, w, other, "198.51.100.11", cardOf("4242", 3)); err != nil || challenged ||
		pay(t, w, other, id) != "" {
		t.Errorf("another merchant's payer: challenged %v, %v", challenged, err)
	}
	t.Logf("150 cards from one address: %d tokens, the status of %d learned", len(ids), learned)
}

// 13 declines of 20 never close a merchant's checkout.
func TestDeclinesLeadToAChallenge(t *testing.T) {
	t.Parallel()
	w := watching(t)
	us := w.App.Merchants.US
	for n := range 20 {
		prefix := "4242"
		if n%3 > 0 {
			prefix = "4111"
		}
		id, _, err := payer(t, w, us, fmt.Sprintf("192.0.2.%d", n), cardOf(prefix, n))
		if err != nil {
			t.Fatalf("card %d: %v", n, err)
		}
		pay(t, w, us, id)
		w.Clock.Advance(20 * time.Second)
	}
	if _, challenged, err := payer(t, w, us, "198.51.100.9", cardOf("4242", 99)); err != nil || !challenged {
		t.Errorf("challenged: %v, %v", challenged, err)
	}
}

// Many payers share the address of a venue: once several of their cards were approved, they prove no work.
func TestVenuesAreNotChallengedMuch(t *testing.T) {
	t.Parallel()
	w := watching(t)
	us, proofs := w.App.Merchants.US, 0
	for n := range 60 {
		prefix := "4242"
		if n%15 == 14 {
			prefix = "4111"
		}
		id, challenged, err := payer(t, w, us, "192.0.2.7", cardOf(prefix, n))
		if err != nil {
			t.Fatalf("payer %d: %v", n, err)
		}
		if challenged {
			proofs++
		}
		pay(t, w, us, id)
		w.Clock.Advance(10 * time.Second)
	}
	if proofs > 3 {
		t.Errorf("%d of 60 were challenged", proofs)
	}
}

// letters keeps what people were told.
type letters struct{ all []token.CardTesting }

// CardTestingTx implements [token.Letters].
func (l *letters) CardTestingTx(_ context.Context, _ *pg.Tx, c token.CardTesting) error {
	l.all = append(l.all, c)
	return nil
}

// A restriction ends after the attack: the few payers that pass are approved, each makes room for more.
func TestRestrictionEnds(t *testing.T) {
	t.Parallel()
	w := watching(t)
	us, learned, told := w.App.Merchants.US, 0, &letters{}
	w.Tokens.WriteLetters(told)
	for n := range 60 {
		if id, _, err := payer(t, w, us, fmt.Sprintf("192.0.2.%d", n), cardOf("4111", n)); err == nil {
			pay(t, w, us, id)
			learned++
		}
		w.Clock.Advance(5 * time.Second)
	}
	if learned > 16 {
		t.Errorf("%d learned from 60 addresses", learned)
	}
	restricted := func() bool {
		is, err := pg.Value[bool](t.Context(), w.Pool,
			`SELECT EXISTS (SELECT FROM card_testing WHERE ended_at IS NULL)`, pg.Args{})
		if err != nil {
			t.Fatal(err)
		}
		return is
	}
	if !restricted() {
		t.Fatal("the merchant is not restricted")
	}
	if len(told.all) != 1 || told.all[0].MerchantID != us || told.all[0].Cards < 10 || told.all[0].Declined < 10 ||
		told.all[0].Addresses != told.all[0].Cards || told.all[0].Tokens != told.all[0].Cards {
		t.Errorf("notified of %+v", told.all)
	}
	refused := 0
	for n := 0; restricted() && n < 40; n++ {
		if id, _, err := payer(t, w, us, fmt.Sprintf("198.51.100.%d", n), cardOf("4242", n)); err != nil {
			refused++
		} else {
			pay(t, w, us, id)
		}
		w.Clock.Advance(10 * time.Minute)
	}
	if restricted() || refused > 8 {
		t.Errorf("restricted: %v; %d payers were refused after the attack", restricted(), refused)
	}
}

// Attempts are kept for 30 days.
func TestAttemptsArePurged(t *testing.T) {
	t.Parallel()
	w := watching(t)
	if _, _, err := payer(t, w, w.App.Merchants.US, "2001:db8::7", cardOf("4242", 1)); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(30*24*time.Hour - time.Second)
	if n, err := w.Tokens.PurgeAttempts(t.Context()); err != nil || n != 0 {
		t.Errorf("%d purged, %v", n, err)
	}
	w.Clock.Advance(2 * time.Second)
	if n, err := w.Tokens.PurgeAttempts(t.Context()); err != nil || n != 1 {
		t.Errorf("%d purged, %v", n, err)
	}
}
