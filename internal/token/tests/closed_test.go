package token_test

import (
	"context"
	"testing"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

// Payment data that no one could charge is not kept; a retry finds what was made before.
func TestAMerchantThatTakesNoPaymentsGetsNoTokens(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	id := w.App.Merchants.US
	session := func() string { return w.SessionOf(w.App, id) }
	ways := map[string]func(key string) (token.Created, error){
		"card": func(key string) (token.Created, error) {
			return w.Tokens.CreateCard(t.Context(), session(), key, w.Card("4242424242424242"))
		},
		"bank": func(key string) (token.Created, error) {
			return w.Tokens.CreateBank(t.Context(), session(), key, account("000123456789"))
		},
		"bank by the modal": func(key string) (token.Created, error) {
			use, err := w.Tokens.UseSession(t.Context(), session())
			if err != nil {
				return token.Created{}, err
			}
			in := token.LinkedInput{BankInput: account("000123456789"), Text: "I agree.",
				AcceptedAt: instant.Of(w.Clock.Now())}
			return w.Tokens.CreateLinked(t.Context(), use, "ba_1", key, in,
				func(context.Context, *pg.Tx, ids.Token) error { return nil })
		},
	}
	made := map[string]token.Created{}
	for name, way := range ways {
		out, err := way("before " + name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		made[name] = out
	}
	for _, status := range []merchant.Status{merchant.Suspended, merchant.Closed} {
		if _, err := w.Merchants.SetStatus(t.Context(), w.Admin(),
			merchant.StatusInput{MerchantID: id, Status: status, Reason: "asked for"}); err != nil {
			t.Fatal(err)
		}
		for name, way := range ways {
			if _, err := way(string(status) + name); code(err) != "payment_method_disabled" {
				t.Errorf("%s of a %s merchant: %v", name, status, err)
			}
			if out, err := way("before " + name); err != nil || out.Token != made[name].Token {
				t.Errorf("the retry of %s of a %s merchant: %v, %v", name, status, out.Token, err)
			}
		}
	}
	if n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM tokens WHERE merchant_id = @id`,
		pg.Args{"id": id}); err != nil || n != len(ways) {
		t.Errorf("%d tokens, %v", n, err)
	}
}
