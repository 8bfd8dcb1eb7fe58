package charge_test

import (
	"encoding/json"
	"net/netip"
	"slices"
	"testing"
	"time"

	"svcpay/internal/assembly"
	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/security"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

func TestFirstChargesOfRecentCards(t *testing.T) {
	t.Parallel()
	w := fixture.New(t, func(d *assembly.Deps) { d.WatchCards, d.Exempt = true, nil })
	ctx := security.From(t.Context(), security.Origin{Address: netip.MustParseAddr("192.0.2.7")})
	made := func(number string) string {
		t.Helper()
		out, err := w.Tokens.CreateCard(ctx, w.Session(), ids.NewRequest(w.Clock.Now()).String(), w.Card(number))
		if err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(time.Second)
		return out.Token.String()
	}
	pay := func(tok string) {
		t.Helper()
		amount, us := 5*money.Dollar, w.App.Merchants.US
		in := charge.CreateInput{MerchantID: &us, Amount: &amount, Token: &tok}
		if _, err := w.Charges.Create(t.Context(), w.Actor(), in, nil); err != nil && code(err) != "card_declined" {
			t.Fatal(err)
		}
	}
	const declined, other = "4000000000000002", "4000000000009995"
	for _, number := range []string{declined, good, declined} { // a card counts once, with its last outcome
		pay(made(number))
	}
	second := made(other)
	pay(second)
	pay(second)                   // only a token's first charge counts
	pay(made("4000000000000119")) // says nothing about the card
	made("5555555555554444")
	w.Clock.Advance(time.Minute)
	made("378282246310005")
	address, err := pg.Value[[]byte](t.Context(), w.Pool, `SELECT DISTINCT address FROM card_attempts`, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	now := w.Clock.Now()
	of := token.Group{ApplicationID: w.App.AppID, Since: now.Add(-time.Hour), Charged: now.Add(-time.Hour),
		Hour: now.Add(-time.Hour), Waited: now.Add(-20 * time.Second), Most: 60}
	want := token.Firsts{Declines: []bool{true, true, false}, Made: 7, Unused: 1, Cards: 6, Addresses: 1, Merchants: 1}
	is := func(what string, of token.Group, want token.Firsts) {
		t.Helper()
		got, err := w.Charges.Firsts(t.Context(), of)
		if err != nil || !slices.Equal(got.Declines, want.Declines) || got.Made != want.Made ||
			got.Unused != want.Unused || got.Cards != want.Cards || got.Addresses != want.Addresses ||
			got.Merchants != want.Merchants {
			t.Errorf("%s: %+v, %v; want %+v", what, got, err, want)
		}
	}
	is("all", of, want)
	of.MerchantID = w.App.Merchants.US
	is("the merchant's", of, want)
	of.MerchantID, of.Address = 0, address
	is("the address's", of, want)
	of.MerchantID, of.Address = w.App.Merchants.CA, nil
	is("another merchant's", of, token.Firsts{})
	is("another application's", token.Group{ApplicationID: w.Other.AppID, Since: of.Since, Charged: of.Charged,
		Hour: of.Hour, Waited: of.Waited, Most: 60}, token.Firsts{})
	of.MerchantID, of.Most = 0, 2
	is("the last two", of, token.Firsts{Declines: []bool{true, true}, Made: 2, Unused: 1, Cards: 2, Addresses: 1,
		Merchants: 1})
}

// Outcomes are found behind newer tokens that are not charged, and count in the order of their charges. A charge that a
// rule blocked before the card's issuer was asked says nothing about the card.
func TestOutcomesBehindUnchargedTokens(t *testing.T) {
	t.Parallel()
	w := fixture.New(t, func(d *assembly.Deps) { d.WatchCards, d.Exempt = true, nil })
	ctx := security.From(t.Context(), security.Origin{Address: netip.MustParseAddr("192.0.2.7")})
	made := func(number string) string {
		t.Helper()
		out, err := w.Tokens.CreateCard(ctx, w.Session(), ids.NewRequest(w.Clock.Now()).String(), w.Card(number))
		if err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(time.Second)
		return out.Token.String()
	}
	first, second, third := made(good), made("4000000000000002"), made("4000000000009995")
	for _, number := range []string{"5555555555554444", "378282246310005", "6011111111111117"} {
		made(number)
	}
	for _, tok := range []string{third, second, first} {
		amount, us := 5*money.Dollar, w.App.Merchants.US
		in := charge.CreateInput{MerchantID: &us, Amount: &amount, Token: &tok}
		if _, err := w.Charges.Create(t.Context(), w.Actor(), in, nil); err != nil && code(err) != "card_declined" {
			t.Fatal(err)
		}
		w.Clock.Advance(time.Second)
	}
	is := func(what string, declines ...bool) {
		t.Helper()
		now := w.Clock.Now()
		got, err := w.Charges.Firsts(t.Context(), token.Group{ApplicationID: w.App.AppID, Since: now.Add(-time.Hour),
			Charged: now.Add(-time.Hour), Hour: now.Add(-time.Hour), Waited: now, Most: 3})
		if err != nil || !slices.Equal(got.Declines, declines) || got.Made != 3 || got.Unused != 3 || got.Cards != 3 {
			t.Errorf("%s: %+v, %v; want %v", what, got, err, declines)
		}
		if len(declines) > 1 && got.FirstDeclined.String() != second {
			t.Errorf("%s: the first declined token is %s", what, got.FirstDeclined)
		}
	}
	is("behind three tokens", false, true, true)
	readsCharges(t, w, false)
	others := make([]ids.Token, 1001) // as many as are searched, and one
	for i := range others {
		others[i] = ids.NewToken(w.Clock.Now())
	}
	if _, err := pg.Exec(t.Context(), w.Pool, `
		INSERT INTO card_attempts (token_id, application_id, merchant_id, session, page_origin, fingerprint, proven,
			known)
		SELECT id, @application_id, @merchant_id, '', '', id::text::bytea, false, false FROM unnest(@ids::uuid[]) id`,
		pg.Args{"application_id": w.App.AppID, "merchant_id": w.App.Merchants.US, "ids": others}); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Second)
	is("behind all that are searched", false, true, true)
	readsCharges(t, w, true)
	for failure, declines := range map[string][]bool{
		`{"code": "blocked_by_rule"}`:                                 {false},
		`{"code": "blocked_by_rule", "rule": "minimum_amount"}`:       {false},
		`{"code": "blocked_by_rule", "rule": "cvc_mismatch"}`:         {false, true, true},
		`{"code": "blocked_by_rule", "rule": "postal_code_mismatch"}`: {false, true, true},
	} {
		set(t, w, `UPDATE charges SET failure = '`+failure+`' WHERE status = 'failed'`)
		is(failure, declines...)
	}
}

// readsCharges checks whether the last charges are read for each kind of group.
func readsCharges(t *testing.T, w *fixture.World, want bool) {
	t.Helper()
	conn, err := w.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	q, now := &explained{Conn: conn}, w.Clock.Now()
	for what, of := range map[string]token.Group{"all": {}, "a merchant's": {MerchantID: w.App.Merchants.US},
		"an address's": {Address: []byte("address")}} {
		of.ApplicationID, of.Since, of.Charged, of.Hour, of.Waited, of.Most = w.App.AppID, now.Add(-time.Hour),
			now.Add(-time.Hour), now, now, 3
		if _, err := charge.FirstsOf(t.Context(), q, of); err != nil {
			t.Fatal(err)
		}
		var plans []any
		if err := json.Unmarshal([]byte(q.plan), &plans); err != nil {
			t.Fatal(err)
		}
		// the tokens that were inserted come from no address
		if runs, found := conditional(plans); !found || runs != (want && of.Address == nil) {
			t.Errorf("%s: charges are read: %v, of a condition: %v\n%s", what, runs, found, q.plan)
		}
	}
}

// conditional finds the part of a plan that runs only under a condition, and whether it ran.
func conditional(plan any) (runs, found bool) {
	var inside []any
	switch p := plan.(type) {
	case []any:
		inside = p
	case map[string]any:
		if _, ok := p["One-Time Filter"]; ok {
			return p["Plans"].([]any)[0].(map[string]any)["Actual Loops"].(float64) > 0, true
		}
		inside = []any{p["Plan"], p["Plans"]}
	}
	for _, part := range inside {
		if runs, found = conditional(part); found {
			return runs, found
		}
	}
	return false, false
}

// Tokens that were made long ago count when they are charged, and not after.
func TestFirstChargesOfOldTokens(t *testing.T) {
	t.Parallel()
	w := fixture.New(t, func(d *assembly.Deps) { d.WatchCards, d.Exempt = true, nil })
	ctx := security.From(t.Context(), security.Origin{Address: netip.MustParseAddr("192.0.2.7")})
	merchants := []int64{w.App.Merchants.US, w.App.Merchants.USQ}
	var made []string
	for n, number := range []string{"4000000000000002", "4000000000009995"} {
		out, err := w.Tokens.CreateCard(ctx, w.SessionOf(w.App, merchants[n]), ids.NewRequest(w.Clock.Now()).String(),
			w.Card(number))
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, out.Token.String())
	}
	w.Clock.Advance(29 * 24 * time.Hour)
	for n, tok := range made {
		amount := 5 * money.Dollar
		in := charge.CreateInput{MerchantID: &merchants[n], Amount: &amount, Token: &tok}
		if _, err := w.Charges.Create(t.Context(), w.Actor(), in, nil); code(err) != "card_declined" {
			t.Fatal(err)
		}
	}
	for after, declines := range map[time.Duration]int{0: 2, 2 * time.Hour: 0} {
		now := w.Clock.Now().Add(after)
		got, err := w.Charges.Firsts(t.Context(), token.Group{ApplicationID: w.App.AppID,
			Since: now.Add(-30 * 24 * time.Hour), Charged: now.Add(-time.Hour), Hour: now.Add(-time.Hour), Waited: now,
			Most: 60})
		if err != nil || len(got.Declines) != declines || got.Merchants != declines || got.Made != 0 ||
			got.Unused != 0 {
			t.Errorf("%s after the charges: %+v, %v", after, got, err)
		}
	}
}
