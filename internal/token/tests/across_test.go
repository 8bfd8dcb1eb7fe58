package token_test

import (
	"fmt"
	"testing"
	"time"

	"svcpay/internal/merchant"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

// threeOf are three merchants of the application.
func threeOf(w *fixture.World) []int64 {
	return []int64{w.App.Merchants.US, w.App.Merchants.USQ, w.Merchant(merchant.CreateInput{}).ID}
}

// While cards are tested at many merchants, and for a day after, an address gets no other unknown card when two of its
// cards were declined and none was approved. Its tokens that wait for a charge are disabled. Donors whose first card is
// declined use another, and cards that paid before are accepted from every address.
func TestAddressesOfAnAttackOnManyMerchants(t *testing.T) {
	t.Parallel()
	w := watching(t)
	merchants := threeOf(w)
	known := cardOf("4242", 9000)
	if got := pay(t, w, merchants[0], tokenOf(t, w, merchants[0], "198.51.100.1", known)); got != "" {
		t.Fatal(got)
	}
	w.Clock.Advance(2 * time.Hour)
	const addresses = 12
	waiting := ""
	try := func(n int) (learned bool) {
		t.Helper()
		merchant := merchants[n%3]
		id, _, err := payer(t, w, merchant, addressOf(n%addresses), cardOf("4111", n))
		if err == nil {
			pay(t, w, merchant, id)
		} else if code(err) != "rate_limited" {
			t.Fatal(err)
		}
		donor := tokenOf(t, w, merchant, fmt.Sprintf("198.51.100.%d", 2+n), cardOf("4242", n))
		if got := pay(t, w, merchant, donor); got != "" {
			t.Errorf("donor %d: %q", n, got)
		}
		w.Clock.Advance(3 * time.Second)
		return err == nil
	}
	for n := range 2 * addresses {
		if !try(n) {
			t.Errorf("card %d is refused, one of two of its address", n)
		}
		if n == 0 {
			waiting = tokenOf(t, w, merchants[0], addressOf(0), cardOf("4111", 9001))
		}
	}
	watch(t, w)
	if got := pay(t, w, merchants[0], waiting); got != "token_disabled" {
		t.Errorf("a token that waited: %q", got)
	}
	for n := 2 * addresses; n < 3*addresses; n++ {
		if try(n) {
			t.Errorf("card %d is the third of its address", n)
		}
	}
	second := "198.51.100.200"
	declinedAll(t, w, merchants[0], []string{tokenOf(t, w, merchants[0], second, cardOf("4111", 9002))})
	if got := pay(t, w, merchants[0], tokenOf(t, w, merchants[0], second, cardOf("4242", 9003))); got != "" {
		t.Errorf("a donor's second card: %q", got)
	}
	w.Clock.Advance(3 * time.Hour)
	if try(3 * addresses) {
		t.Error("the third card of an address passes after some hours")
	}
	if got := pay(t, w, merchants[0], tokenOf(t, w, merchants[0], addressOf(1), known)); got != "" {
		t.Errorf("a card that paid before: %q", got)
	}
	w.Clock.Advance(25 * time.Hour)
	if !try(3*addresses + 1) {
		t.Error("an address is refused a day after the attack")
	}
}

// Tokens that were made weeks ago end at a restricted merchant if their address made several of them.
func TestSeveralOldTokensOfAnAddressEnd(t *testing.T) {
	t.Parallel()
	w := watching(t)
	us := w.App.Merchants.US
	saved := tokenOf(t, w, us, "198.51.100.10", cardOf("4242", 1))
	var old []string
	for n := range 6 {
		old = append(old, tokenOf(t, w, us, "192.0.2.200", cardOf("4111", 100+n)))
	}
	w.Clock.Advance(29 * 24 * time.Hour)
	declinedAll(t, w, us, stolen(t, w, us, 12))
	w.Clock.Advance(3 * time.Second)
	watch(t, w)
	for _, id := range old {
		if got := pay(t, w, us, id); got != "token_disabled" {
			t.Errorf("one of several old tokens: %q", got)
		}
	}
	if got := pay(t, w, us, saved); got != "" {
		t.Errorf("the one card that an address saved: %q", got)
	}
}

// Tokens that were made more than a day before the first is charged end: a merchant is restricted by their declines.
func TestTokensMadeDaysInAdvanceEnd(t *testing.T) {
	t.Parallel()
	w := watching(t)
	us := w.App.Merchants.US
	var ids []string
	for n := range 30 {
		ids = append(ids, tokenOf(t, w, us, addressOf(n%3), cardOf("4111", n)))
	}
	w.Clock.Advance(25 * time.Hour)
	declinedAll(t, w, us, ids[:10])
	watch(t, w)
	for _, id := range ids[10:] {
		if got := pay(t, w, us, id); got != "token_disabled" {
			t.Errorf("a token that was made in advance: %q", got)
		}
	}
	if n := len(across(t, w)); n != 0 {
		t.Errorf("an attack on one merchant is one on %d applications", n)
	}
}

// across are the applications of which many merchants are attacked.
func across(t *testing.T, w *fixture.World) []seenAcross {
	t.Helper()
	all, err := pg.All[seenAcross](t.Context(), w.Pool, `SELECT application_id FROM card_testing_across_merchants`,
		pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

type seenAcross struct {
	ApplicationID int64 `db:"application_id"`
}

// Tokens that were made hours ago at many merchants end when the first are declined, although each address made few at
// each merchant. Payers behind a shared address keep the cards that they saved before the first was declined.
func TestTokensMadeInAdvanceAtManyMerchantsEnd(t *testing.T) {
	t.Parallel()
	w := watching(t)
	merchants, shared := threeOf(w), "198.51.100.77"
	type made struct {
		merchant int64
		id       string
	}
	var all, saved []made
	for n := range 48 { // twelve of each address, four of them at each merchant
		m := merchants[n/4%3]
		all = append(all, made{m, tokenOf(t, w, m, addressOf(n%4), cardOf("4111", n))})
	}
	for n := range 2 {
		saved = append(saved, made{merchants[0], tokenOf(t, w, merchants[0], shared, cardOf("4242", n))})
	}
	w.Clock.Advance(3 * time.Hour)
	saved = append(saved, made{merchants[0], tokenOf(t, w, merchants[0], shared, cardOf("4242", 3))})
	w.Clock.Advance(time.Second)
	for n := range 2 {
		declinedAll(t, w, merchants[2], []string{tokenOf(t, w, merchants[2], shared, cardOf("4111", 100+n))})
	}
	w.Clock.Advance(time.Second)
	after := tokenOf(t, w, merchants[2], shared, cardOf("4242", 4))
	for _, m := range all[:20] {
		declinedAll(t, w, m.merchant, []string{m.id})
	}
	w.Clock.Advance(3 * time.Second)
	watch(t, w)
	if len(across(t, w)) != 1 {
		t.Error("an attack on three merchants is not noticed")
	}
	for _, m := range all[20:] {
		if got := pay(t, w, m.merchant, m.id); got != "token_disabled" {
			t.Errorf("a token that was made in advance: %q", got)
		}
	}
	if got := pay(t, w, merchants[2], after); got != "token_disabled" {
		t.Errorf("a token of the address after its declined ones: %q", got)
	}
	for n, m := range saved {
		if got := pay(t, w, m.merchant, m.id); got != "" {
			t.Errorf("saved card %d of a shared address: %q", n, got)
		}
	}
}
