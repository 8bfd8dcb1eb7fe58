package banklink_test

import (
	"strings"
	"testing"

	"svcpay/internal/banklink"
	banksandbox "svcpay/internal/banklink/institution/sandbox"
	"svcpay/internal/check/patch"
	"svcpay/internal/merchant"
	"svcpay/internal/processor"
	"svcpay/internal/testing/fixture"
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
		if _, err := w.Merchants.Update(t.Context(), w.Actor(), ca, merchant.UpdateInput{Name: patch.Set(name)},
			nil); err != nil {
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
		if m, err := w.Tokens.GetMandate(t.Context(), w.Actor(), saved.Mandate.String()); err != nil ||
			m.Text != textOf(name) {
			t.Errorf("%s: %+v, %v", locale, m, err)
		}
	}
}

// chosen is what the page that a payer sees names as the account.
func chosen(t *testing.T, w *fixture.World, secret string) string {
	t.Helper()
	l, err := w.Links.Get(t.Context(), secret)
	if err != nil {
		t.Fatal(err)
	}
	return l.Chosen()
}

// shows has a payer show the accounts of a bank, and choose one.
func shows(t *testing.T, w *fixture.World, secret, bank, account string) {
	t.Helper()
	address, err := w.Links.Choose(t.Context(), secret, bank, "back")
	if err != nil {
		t.Fatal(err)
	}
	visit := strings.TrimPrefix(address, banksandbox.PagesPath)
	for _, err := range []error{w.Banks.SignIn(t.Context(), visit, "good@bank.example", banksandbox.Password),
		w.Banks.Show(t.Context(), visit), w.Links.ChooseAccount(t.Context(), secret, account)} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Anyone who chose another account in another tab, be it of the same name at another bank, has not agreed to debits of
// that one.
func TestAnAgreementIsToDebitsOfTheAccountThatWasShown(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	secret := begin(t, w, w.App.Merchants.USQ, processor.ACH, "")
	accept := func(account string) error {
		return w.Links.Accept(t.Context(), secret, account, banklink.Agreed{Accepted: true}, banklink.Connection{})
	}
	shows(t, w, secret, "bank_alder", "everyday")
	first := chosen(t, w, secret)
	for _, next := range []func(){
		func() {
			if err := w.Links.ChooseAccount(t.Context(), secret, "rainy-day"); err != nil {
				t.Fatal(err)
			}
		},
		func() { shows(t, w, secret, "bank_cascade", "everyday") },
	} {
		next()
		for _, other := range []string{first, "", "everyday"} {
			if err := accept(other); code(err) != "account_missing" {
				t.Errorf("%q while %q is chosen: %v", other, chosen(t, w, secret), err)
			}
		}
	}
	if err := accept(chosen(t, w, secret)); err != nil {
		t.Error(err)
	}
}

// An account that is typed is not the one that was chosen before.
func TestATypedAccountTakesThePlaceOfAChosenOne(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	secret := begin(t, w, w.App.Merchants.USQ, processor.ACH, "")
	shows(t, w, secret, "bank_alder", "everyday")
	submitted(t, w, secret, american())
	if got := chosen(t, w, secret); got != "" {
		t.Errorf("%s is chosen still", got)
	}
}
