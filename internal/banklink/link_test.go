package banklink_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"svcpay/internal/banklink"
	"svcpay/internal/banklink/institution"
	banksandbox "svcpay/internal/banklink/institution/sandbox"
	"svcpay/internal/fault"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

func code(err error) string {
	if f, ok := fault.As(err); ok {
		return f.Code
	}
	return fmt.Sprint(err)
}

func begin(t *testing.T, w *fixture.World, merchantID int64, scheme processor.Scheme, locale string) string {
	t.Helper()
	secret, err := w.Links.Begin(t.Context(),
		banklink.BeginInput{SessionID: w.SessionOf(w.App, merchantID), Scheme: scheme, Locale: locale})
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// canadian is a complete form.
func canadian() banklink.Form {
	return banklink.Form{FirstName: "Léa", LastName: "Roy", Email: "lea@example.org", AccountType: "savings",
		Institution: "000", Transit: "11000", Account: "000 123-456 789",
		Agreed: banklink.Agreed{Accepted: true}, From: banklink.Connection{IP: "192.0.2.7", UserAgent: "Browser/1"}}
}

// american is a complete form.
func american() banklink.Form {
	f := canadian()
	f.Institution, f.Transit, f.AccountType, f.Routing = "", "", "checking", "110000000"
	return f
}

// submitted has a payer authorize, and returns the id.
func submitted(t *testing.T, w *fixture.World, secret string, f banklink.Form) string {
	t.Helper()
	if err := w.Links.Submit(t.Context(), secret, f); err != nil {
		t.Fatal(err)
	}
	l, err := w.Links.Get(t.Context(), secret)
	if err != nil || l.State != banklink.Authorized || !strings.HasPrefix(l.AuthorizationID, "ba_") {
		t.Fatalf("%+v, %v", l, err)
	}
	return l.AuthorizationID
}

func redeem(t *testing.T, w *fixture.World, a demo.Application, merchantID int64, id string) (token.Created, error) {
	t.Helper()
	return w.Links.Redeem(t.Context(),
		banklink.RedeemInput{SessionID: w.SessionOf(a, merchantID), RetryKey: "k", Authorization: id})
}

func TestTheMandateIsWhatThePayerSaw(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	ca := w.App.Merchants.CA
	for locale, want := range map[string][2]string{
		"fr-CA": {token.MandateTextFrench("Riverside Winter Relief"), token.MandateVersionFrench},
		"en-CA": {token.MandateText(processor.ACSS, "Riverside Winter Relief"), token.MandateVersion},
	} {
		id := submitted(t, w, begin(t, w, ca, processor.ACSS, locale), canadian())
		accepted := w.Clock.Now()
		w.Clock.Advance(time.Minute)
		out, err := redeem(t, w, w.App, ca, id)
		if err != nil || out.BankAccount.Status != token.Active || out.BankAccount.AccountType != "savings" ||
			out.BankAccount.Last4 != "6789" || out.Billing.LastName != "Roy" {
			t.Fatalf("%+v, %v", out, err)
		}
		saved, err := w.Tokens.Get(t.Context(), w.Actor(), out.Token.String())
		if err != nil {
			t.Fatal(err)
		}
		m, err := w.Tokens.GetMandate(t.Context(), w.Actor(), saved.Mandate.String())
		if err != nil || m.Text != want[0] || m.TextVersion != want[1] || m.IP != "192.0.2.7" ||
			m.UserAgent != "Browser/1" || !m.AcceptedAt.Equal(accepted) {
			t.Errorf("%s: %+v, %v", locale, m, err)
		}
	}
}

func TestAnAuthorizationDoesOnceForItsMerchant(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	ca := w.App.Merchants.CA
	secret := begin(t, w, ca, processor.ACSS, "")
	id := submitted(t, w, secret, canadian())
	for what, at := range map[string]struct {
		app      demo.Application
		merchant int64
		id       string
	}{
		"another merchant": {w.App, w.App.Merchants.US, id}, "another application": {w.Other, w.Other.Merchants.CA, id},
		"a forged id": {w.App, ca, "ba_forged"}, "no id": {w.App, ca, ""},
	} {
		if _, err := redeem(t, w, at.app, at.merchant, at.id); code(err) != "field_not_authorized" {
			t.Errorf("%s: %v", what, err)
		}
	}
	in := banklink.RedeemInput{SessionID: w.SessionOf(w.App, ca), RetryKey: "k", Authorization: id, Country: "US"}
	if _, err := w.Links.Redeem(t.Context(), in); code(err) != "invalid_token_data" {
		t.Errorf("another country: %v", err)
	}
	in.Country = "CA"
	first, err := w.Links.Redeem(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	for _, session := range []string{in.SessionID, w.SessionOf(w.App, ca)} { // the first, and one that follows it
		in.SessionID = session
		if again, err := w.Links.Redeem(t.Context(), in); err != nil || again.Token != first.Token {
			t.Errorf("a retry gives %+v, %v", again, err)
		}
	}
	for range 9 { // as many as a session has left
		if again, err := w.Links.Redeem(t.Context(), in); err != nil || again.Token != first.Token {
			t.Errorf("a retry gives %+v, %v", again, err)
		}
	}
	if again, err := w.Links.Redeem(t.Context(), in); err != nil || again.Token != first.Token {
		t.Errorf("a retry beyond the attempts of its session gives %+v, %v", again, err)
	}
	in.RetryKey = "another"
	if _, err := w.Links.Redeem(t.Context(), in); code(err) != "rate_limited" {
		t.Errorf("a second time, beyond the attempts of its session: %v", err)
	}
	in.SessionID = w.SessionOf(w.App, ca)
	if _, err := w.Links.Redeem(t.Context(), in); code(err) != "field_not_authorized" {
		t.Errorf("a second time: %v", err)
	}
	if n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM tokens`, pg.Args{}); err != nil ||
		n != 1 {
		t.Errorf("%d tokens, %v", n, err)
	}
	if err := w.Links.Submit(t.Context(), secret, canadian()); code(err) != "link_ended" {
		t.Errorf("submitting again: %v", err)
	}
	if err := w.Links.Cancel(t.Context(), secret); err != nil {
		t.Error(err)
	}
	if l, err := w.Links.Get(t.Context(), secret); err != nil || l.State != banklink.Authorized {
		t.Errorf("canceled after the end: %+v, %v", l, err)
	}
}

func TestTimeEndsAWayAndAnAuthorization(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	ca := w.App.Merchants.CA
	late, id := begin(t, w, ca, processor.ACSS, ""), submitted(t, w, begin(t, w, ca, processor.ACSS, ""), canadian())
	w.Clock.Advance(15 * time.Minute)
	if _, err := redeem(t, w, w.App, ca, id); code(err) != "authorization_expired" {
		t.Errorf("%v", err)
	}
	w.Clock.Advance(15 * time.Minute)
	if err := w.Links.Submit(t.Context(), late, canadian()); code(err) != "link_expired" {
		t.Errorf("%v", err)
	}
	if n, err := w.Links.Purge(t.Context()); err != nil || n != 1 {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM bank_links
		WHERE num_nonnulls(sealed, wrapped_key, number, details, email) > 0`, pg.Args{}); err != nil || n != 0 {
		t.Errorf("%d accounts lie there still, %v", n, err)
	}
	w.Clock.Advance(25 * time.Hour)
	if n, err := w.Links.Purge(t.Context()); err != nil || n != 2 {
		t.Errorf("%d, %v", n, err)
	}
}

func TestWhoMayOpenTheModal(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	for _, c := range []struct {
		merchant int64
		scheme   processor.Scheme
	}{{w.App.Merchants.US, processor.ACH}, {w.App.Merchants.US, processor.ACSS}, {w.App.Merchants.CA, processor.ACH},
		{w.App.Merchants.USQ, "sepa"}} {
		in := banklink.BeginInput{SessionID: w.SessionOf(w.App, c.merchant), Scheme: c.scheme}
		if _, err := w.Links.Begin(t.Context(), in); code(err) != "payment_method_disabled" {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if _, err := w.Links.Begin(t.Context(), banklink.BeginInput{SessionID: "cs_forged", Scheme: processor.ACSS}); code(
		err) != "not_ready" {
		t.Errorf("%v", err)
	}
	if _, err := w.Links.Get(t.Context(), "forged"); code(err) != "resource_missing" {
		t.Errorf("%v", err)
	}
}

func TestTypedAccountsMustBeVerifiedShownOnesNot(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	q, ctx := w.App.Merchants.USQ, t.Context()
	out, err := redeem(t, w, w.App, q, submitted(t, w, begin(t, w, q, processor.ACH, "fr"), american()))
	if err != nil || out.BankAccount.Status != token.PendingVerification {
		t.Fatalf("%+v, %v", out, err)
	}
	secret := begin(t, w, q, processor.ACH, "")
	if err := w.Links.Accept(ctx, secret, "", banklink.Agreed{Accepted: true},
		banklink.Connection{}); code(err) != "account_missing" {
		t.Errorf("no account is chosen: %v", err)
	}
	if _, err := w.Links.Choose(ctx, secret, "bank_none", "back"); code(err) != "institution_missing" {
		t.Errorf("%v", err)
	}
	address, err := w.Links.Choose(ctx, secret, "bank_alder", "back")
	if err != nil {
		t.Fatal(err)
	}
	visit := strings.TrimPrefix(address, banksandbox.PagesPath)
	if err := w.Links.ChooseAccount(ctx, secret, "everyday"); code(err) != "account_missing" {
		t.Errorf("nothing is shown yet: %v", err)
	}
	for _, err := range []error{w.Banks.SignIn(ctx, visit, "single@bank.example", banksandbox.Password),
		w.Banks.Show(ctx, visit), w.Links.ChooseAccount(ctx, secret, "everyday")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Links.ChooseAccount(ctx, secret, "rainy-day"); code(err) != "account_missing" {
		t.Errorf("an account that was not shown: %v", err)
	}
	if err := w.Links.Accept(ctx, secret, chosen(t, w, secret), banklink.Agreed{},
		banklink.Connection{}); code(err) != "mandate_not_accepted" {
		t.Errorf("without agreement: %v", err)
	}
	if err := w.Links.Accept(ctx, secret, chosen(t, w, secret), banklink.Agreed{Accepted: true},
		banklink.Connection{IP: "192.0.2.9", UserAgent: "Browser/2"}); err != nil {
		t.Fatal(err)
	}
	l, err := w.Links.Get(ctx, secret)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := redeem(t, w, w.App, q, l.AuthorizationID)
	if err != nil || shown.BankAccount.Status != token.Active || shown.Billing.LastName != "Okafor" {
		t.Fatalf("%+v, %v", shown, err)
	}
	for of, want := range map[token.Created]string{out: token.Keyed, shown: token.FromBank} {
		if saved, err := w.Tokens.Get(ctx, w.Actor(), of.Token.String()); err != nil || saved.EntryMode != want {
			t.Errorf("%s, %v; want %s", saved.EntryMode, err, want)
		}
	}
}

func TestVisitsOfTheSandboxsBanks(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	ctx := t.Context()
	visit := func(reference string) string {
		pages, err := w.Banks.Visit(ctx,
			institution.Visit{Reference: reference, InstitutionID: "bank_alder", Return: "back"})
		if err != nil {
			t.Fatal(err)
		}
		return pages.VisitID
	}
	first := visit("one")
	if visit("one") != first {
		t.Error("the same reference is another visit")
	}
	for i, want := range []string{"sign_in_wrong", "sign_in_wrong", "<nil>"} {
		if err := w.Banks.SignIn(ctx, first, "good@bank.example", "wrong"); code(err) != want {
			t.Errorf("try %d: %v", i, err)
		}
	}
	old := visit("two")
	w.Clock.Advance(time.Hour)
	for _, id := range []string{first, old} {
		if err := w.Banks.SignIn(ctx, id, "good@bank.example", banksandbox.Password); err != nil {
			t.Error(err)
		}
		if r, err := w.Banks.Result(ctx, id); err != nil || r.State != institution.VisitFailed || r.Accounts != nil {
			t.Errorf("%+v, %v", r, err)
		}
	}
	if _, err := w.Banks.Details(ctx, first, "everyday"); err != institution.ErrNotFound {
		t.Errorf("%v", err)
	}
}

func TestNothingInTheDatabaseShowsTheAccount(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	f := canadian()
	f.Account = "908172635"
	submitted(t, w, begin(t, w, w.App.Merchants.CA, processor.ACSS, ""), f)
	for needle, want := range map[string]bool{"908172635": false, "Roy": false, "ba_": true} {
		n, err := pg.Value[int](t.Context(), w.Pool, `
			SELECT count(*)::int FROM bank_links l WHERE strpos(l::text, @text) > 0
				OR strpos(l::text, encode(@bytes, 'hex')) > 0`,
			pg.Args{"text": needle, "bytes": []byte(needle)})
		if err != nil || n > 0 != want {
			t.Errorf("%s: %d, %v", needle, n, err)
		}
	}
}

// What a payer authorized opens for that merchant alone, whatever happens to the row.
func TestASealedAccountOpensForItsMerchantAlone(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	ca := w.App.Merchants.CA
	other := w.Merchant(merchant.CreateInput{Country: new("CA"), Currency: new("cad")})
	id := submitted(t, w, begin(t, w, ca, processor.ACSS, ""), canadian())
	if _, err := pg.Exec(t.Context(), w.Pool, `UPDATE bank_links SET merchant_id = @other`,
		pg.Args{"other": other.ID}); err != nil {
		t.Fatal(err)
	}
	if out, err := redeem(t, w, w.App, other.ID, id); err == nil {
		t.Errorf("opened: %+v", out)
	}
	if _, err := pg.Exec(t.Context(), w.Pool, `UPDATE bank_links SET merchant_id = @own`,
		pg.Args{"own": ca}); err != nil {
		t.Fatal(err)
	}
	if _, err := redeem(t, w, w.App, ca, id); err != nil {
		t.Error(err)
	}
}

// When the token is deleted, its way keeps nothing of the account.
func TestADeletedTokenLeavesItsWay(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	ca := w.App.Merchants.CA
	out, err := redeem(t, w, w.App, ca, submitted(t, w, begin(t, w, ca, processor.ACSS, ""), canadian()))
	if err != nil {
		t.Fatal(err)
	}
	sealed := func() int {
		n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM bank_links
			WHERE num_nonnulls(sealed, wrapped_key, number, details, email) > 0`, pg.Args{})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := sealed(); n != 1 { // or what is not found below was never there
		t.Fatalf("%d accounts lie sealed", n)
	}
	if _, err := w.Tokens.Delete(t.Context(), w.Actor(), out.Token.String(), token.DeleteInput{}, nil); err != nil {
		t.Fatal(err)
	}
	if n := sealed(); n != 0 {
		t.Errorf("%d accounts lie there still", n)
	}
}
