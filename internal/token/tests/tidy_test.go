package token_test

import (
	"reflect"
	"strings"
	"testing"

	"svcpay/internal/ids"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

// pasted is text as people paste it: with line ends and other white space around and inside.
func pasted(text string) string {
	return "\u00a0\t" + strings.ReplaceAll(text, " ", " \r\n\u2003") + "\u3000 \r\n"
}

// textMembers calls do for every text of a billing: all members but the country, which is a code.
func textMembers(t *testing.T, do func(name string, of func(any) reflect.Value, clean string)) {
	t.Helper()
	n, all := 0, reflect.TypeFor[token.Billing]()
	for i := range all.NumField() {
		f := all.Field(i)
		if f.Name == "AddressCountry" {
			continue
		}
		clean := "12 Elm Street"
		if f.Name == "Email" {
			clean = "dana@example.org"
		}
		n++
		do(f.Name, func(of any) reflect.Value { return reflect.ValueOf(of).Elem().FieldByName(f.Name) }, clean)
	}
	if n != 10 {
		t.Errorf("%d members", n)
	}
}

// White space around and inside of every text is tidied, of a card, of a bank account and of a change.
func TestWhiteSpaceOfBillingIsTidied(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	updated := w.Token("4242424242424242")
	textMembers(t, func(name string, member func(any) reflect.Value, clean string) {
		read := func(way string, b token.Billing, err error) {
			if err != nil || member(&b).String() != clean {
				t.Errorf("%s of a %s: %+v, %v", name, way, b, err)
			}
		}
		card := w.Card("4242424242424242")
		member(&card.Billing).SetString(pasted(clean))
		out, err := w.Tokens.CreateCard(t.Context(), w.Session(), ids.NewRequest(w.Clock.Now()).String(), card)
		read("card", out.Billing, err)

		bank := account("000123456789")
		member(&bank.Billing).SetString(pasted(clean))
		out, err = w.Tokens.CreateBank(t.Context(), w.SessionOf(w.App, w.App.Merchants.US),
			ids.NewRequest(w.Clock.Now()).String(), bank)
		read("bank account", out.Billing, err)

		change, text := token.BillingChange{}, pasted(clean)
		member(&change).Set(reflect.ValueOf(&text))
		after, err := w.Tokens.Update(t.Context(), w.Actor(), updated, token.UpdateInput{Billing: &change}, nil)
		read("change", after.Object.Billing, err)
	})
}
