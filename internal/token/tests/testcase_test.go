package token_test

import (
	"encoding/json"
	"testing"

	"svcpay/internal/charge"
	"svcpay/internal/money"
	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

// withCases is a service whose sandbox has a card and a bank account to test with.
func withCases(w *fixture.World) *token.Service {
	d := w.Tokens.Deps()
	d.TestCase = func(name string) (token.TestCase, bool) {
		c, ok := map[string]token.TestCase{
			"approved_amex": {Card: sensitive.NewPAN("378282246310005")},
			"ach_settles":   {Bank: processor.Bank{Scheme: processor.ACH, Routing: "110000000", Number: sensitive.NewAccountNumber("000123456789")}},
		}[name]
		return c, ok
	}
	return token.New(d)
}

func testInput(name string, merchantID int64) token.TestInput {
	return token.TestInput{TestCase: &name, MerchantID: &merchantID}
}

func TestCasesBecomeTokens(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	s := withCases(w)
	card, err := s.CreateTest(t.Context(), w.Actor(), testInput("approved_amex", w.App.Merchants.US), claim(w, "k", ""))
	if err != nil || card.Object.Card.Brand != "amex" || card.Object.Object != "token" || card.Object.Version != 1 ||
		sealed(t, w, card.Object.ID) != 1 || count(t, w, "vault_cvcs") != 1 {
		t.Fatalf("%+v, %v", card, err)
	}
	var stored token.Token
	again, err := s.CreateTest(t.Context(), w.Actor(), testInput("approved_amex", w.App.Merchants.US),
		claim(w, "k", ""))
	if err != nil || again.Prior == nil || json.Unmarshal(again.Prior.Outcome.Result, &stored) != nil ||
		stored.ID != card.Object.ID || count(t, w, "tokens") != 1 {
		t.Errorf("%+v, %v", again, err)
	}
	bank, err := s.CreateTest(t.Context(), w.Actor(), testInput("ach_settles", w.App.Merchants.USQ), nil)
	if err != nil || bank.Object.Status != token.Active || bank.Object.BankAccount.Last4 != "6789" ||
		bank.Object.Mandate == nil {
		t.Errorf("%+v, %v", bank, err)
	}
	amount, text := money.Amount(1000), card.Object.ID.String()
	out, err := w.Charges.Create(t.Context(), w.Actor(),
		charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount, Token: &text}, nil)
	if err != nil || out.Object.Status != charge.Captured || out.Object.PaymentMethod.Brand != "amex" {
		t.Errorf("%+v, %v", out, err)
	}
	if used := get(t, w, text); used.LastUsedAt == nil || used.Version != 1 {
		t.Errorf("%+v", used)
	}
}

func TestCasesAreRefused(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	s := withCases(w)
	browser := w.Actor()
	browser.Role = "public_key"
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"unheard":            {second(s.CreateTest(t.Context(), w.Actor(), testInput("x", w.App.Merchants.US), nil)), "parameter_invalid"},
		"another's merchant": {second(s.CreateTest(t.Context(), w.Actor(), testInput("approved_amex", w.Other.Merchants.US), nil)), "merchant_not_associated"},
		"foreign account":    {second(s.CreateTest(t.Context(), w.Actor(), testInput("ach_settles", w.App.Merchants.CA), nil)), "token_type_mismatch"},
		"nothing":            {second(s.CreateTest(t.Context(), w.Actor(), token.TestInput{}, nil)), "validation_failed"},
		"merchant 0":         {second(s.CreateTest(t.Context(), w.Actor(), testInput("approved_amex", 0), nil)), "parameter_invalid"},
		"a browser":          {second(s.CreateTest(t.Context(), browser, testInput("approved_amex", w.App.Merchants.US), nil)), "permission_denied"},
	} {
		if code(c.err) != c.want {
			t.Errorf("%s: %v, want %s", name, c.err, c.want)
		}
	}
	d := w.Tokens.Deps()
	d.TestCase = nil // as in production
	if _, err := token.New(d).CreateTest(t.Context(), w.Actor(), testInput("approved_amex", w.App.Merchants.US),
		nil); code(err) != "resource_missing" {
		t.Errorf("%v", err)
	}
	if count(t, w, "tokens") != 0 {
		t.Error("tokens were made")
	}
}

func TestBrowsersMayNotTouchSavedTokens(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	saved := bank(t, w, w.App.Merchants.US, account("000123456789"))
	browser, id := w.Actor(), saved.ID.String()
	browser.Role = "public_key"
	for name, err := range map[string]error{
		"get":     second(w.Tokens.Get(t.Context(), browser, id)),
		"list":    second(w.Tokens.List(t.Context(), browser, token.ListInput{})),
		"update":  second(w.Tokens.Update(t.Context(), browser, id, token.UpdateInput{}, nil)),
		"delete":  second(w.Tokens.Delete(t.Context(), browser, id, token.DeleteInput{}, nil)),
		"verify":  second(w.Tokens.Verify(t.Context(), browser, id, amounts(32, 45), nil)),
		"mandate": second(w.Tokens.GetMandate(t.Context(), browser, saved.Mandate.String())),
		"revoke":  second(w.Tokens.RevokeMandate(t.Context(), browser, saved.Mandate.String(), nil)),
	} {
		if code(err) != "permission_denied" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if get(t, w, id).Version != 1 {
		t.Error("something changed")
	}
}
