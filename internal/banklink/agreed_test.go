package banklink_test

import (
	"testing"

	"svcpay/internal/banklink"
	"svcpay/internal/fixture"
	"svcpay/internal/merchant"
	"svcpay/internal/patch"
	"svcpay/internal/processor"
	"svcpay/internal/token"
)

// Who agreed to a text with a name that the merchant does not have any more is shown it again.
func TestTheMandateThatWasShownIsTheOneThatIsKept(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	ca := w.App.Merchants.CA
	for locale, textOf := range map[string]func(string) string{
		"fr-CA": token.MandateTextFrench,
		"en-CA": func(name string) string { return token.MandateText(processor.ACSS, name) },
	} {
		secret, f := begin(t, w, ca, processor.ACSS, locale), canadian()
		l, err := w.Links.Get(t.Context(), secret)
		if err != nil {
			t.Fatal(err)
		}
		f.Shown = l.Shown()
		name := "Winter Relief " + locale
		if _, err := w.Merchants.Update(t.Context(), w.Actor(), ca, merchant.UpdateInput{Name: patch.Set(name)}, nil); err != nil {
			t.Fatal(err)
		}
		if err := w.Links.Submit(t.Context(), secret, f); code(err) != "mandate_not_accepted" {
			t.Errorf("%s: the old text: %v", locale, err)
		}
		if l, err = w.Links.Get(t.Context(), secret); err != nil || l.State != banklink.Open {
			t.Fatalf("%s: %+v, %v", locale, l, err)
		}
		f.Shown = l.Shown()
		out, err := redeem(t, w, w.App, ca, submitted(t, w, secret, f))
		if err != nil {
			t.Fatal(err)
		}
		saved, err := w.Tokens.Get(t.Context(), w.Actor(), out.Token.String())
		if err != nil {
			t.Fatal(err)
		}
		if m, err := w.Tokens.GetMandate(t.Context(), w.Actor(), saved.Mandate.String()); err != nil || m.Text != textOf(name) {
			t.Errorf("%s: %+v, %v", locale, m, err)
		}
	}
}
