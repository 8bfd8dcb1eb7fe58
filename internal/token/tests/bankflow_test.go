package token_test

import (
	"strings"
	"testing"

	"svcpay/internal/check/patch"
	"svcpay/internal/fault"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

func TestBankAccountBecomesToken(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	session, in := w.SessionOf(w.App, w.App.Merchants.US), account("000123456789")
	out, err := w.Tokens.CreateBank(t.Context(), session, "k", in)
	if err != nil || out.Card != nil ||
		*out.BankAccount != (token.BankAccount{Last4: "6789", AccountType: "checking", Status: token.Active,
			BankName: out.BankAccount.BankName}) ||
		out.Billing != in.Billing || out.Livemode {
		t.Fatalf("%+v, %v", out, err)
	}
	saved := get(t, w, out.Token.String())
	if saved.Kind != token.BankUS || saved.Status != token.Active || saved.Card != nil ||
		saved.EntryMode != token.Keyed || saved.Version != 1 ||
		*saved.BankAccount != (token.SavedBank{BankName: saved.BankAccount.BankName, Last4: "6789",
			AccountType: "checking", Scheme: processor.ACH}) ||
		!saved.ExpiresAt.Equal(w.Clock.Now().AddDate(0, 13, 0)) || saved.LastUsedAt != nil ||
		sealed(t, w, saved.ID) != 1 {
		t.Errorf("%+v", saved)
	}
	m, err := w.Tokens.GetMandate(t.Context(), w.Actor(), saved.Mandate.String())
	if err != nil || m.Token != saved.ID || m.Status != "active" || m.TextVersion != token.MandateVersion ||
		m.Scheme != processor.ACH ||
		m.Text != token.MandateText(processor.ACH, "Riverside Food Bank") || m.IP != "192.0.2.7" ||
		m.UserAgent != "Browser/1" ||
		!m.AcceptedAt.Equal(w.Clock.Now()) || m.MerchantID != w.App.Merchants.US || m.Object != "mandate" ||
		m.Livemode || m.Version != 1 {
		t.Errorf("%+v, %v", m, err)
	}
	again, err := w.Tokens.CreateBank(t.Context(), session, "k", in)
	if err != nil || again.Token != out.Token || *again.BankAccount != *out.BankAccount ||
		count(t, w, "mandates") != 1 {
		t.Errorf("a retry gives %+v, %v", again, err)
	}
	in.Number = sensitive.NewAccountNumber("000123456780")
	if _, err := w.Tokens.CreateBank(t.Context(), session, "k", in); code(err) != "idempotency_key_reused" {
		t.Errorf("another account with the same key: %v", err)
	}
}

// Who agreed to a text with a name that the merchant does not have any more has agreed to nothing; what was agreed to
// before stays.
func TestTheMandateThatWasShownIsTheOneThatIsKept(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	us := w.App.Merchants.US
	session, in := w.SessionOf(w.App, us), account("000123456789")
	shown := func(name string) string {
		return token.ShownMandate(token.MandateVersion, token.MandateText(processor.ACH, name))
	}
	in.Mandate.TextVersion = shown("Riverside Food Bank")
	first, err := w.Tokens.CreateBank(t.Context(), session, "before", in)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Merchants.Update(t.Context(), w.Actor(), us,
		merchant.UpdateInput{Name: patch.Set("Lakeside Food Bank")}, nil); err != nil {
		t.Fatal(err)
	}
	_, err = w.Tokens.CreateBank(t.Context(), session, "after", in)
	if f, ok := fault.As(err); !ok || len(f.Fields) != 1 || f.Fields[0].Code != "mandate_not_accepted" ||
		count(t, w, "tokens") != 1 {
		t.Errorf("the old text: %v, %d tokens", err, count(t, w, "tokens"))
	}
	if again, err := w.Tokens.CreateBank(t.Context(), session, "before", in); err != nil || again.Token != first.Token {
		t.Errorf("a retry gives %+v, %v", again, err)
	}
	in.Mandate.TextVersion = shown("Lakeside Food Bank")
	saved := bank(t, w, us, in)
	m, err := w.Tokens.GetMandate(t.Context(), w.Actor(), saved.Mandate.String())
	if err != nil || m.Text != token.MandateText(processor.ACH, "Lakeside Food Bank") ||
		m.TextVersion != token.MandateVersion {
		t.Errorf("%+v, %v", m, err)
	}
	for _, version := range []string{in.Mandate.TextVersion + "0", token.MandateVersion + ".",
		"." + in.Mandate.TextVersion, ""} {
		in.Mandate.TextVersion = version
		if _, err := w.Tokens.CreateBank(t.Context(), session, "other", in); err == nil {
			t.Errorf("%q is taken", version)
		}
	}
}

func TestBankAccountsOfTheMerchantsCountryOnly(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	canadian := account("00012345")
	canadian.Scheme, canadian.Routing = processor.ACSS, "11000000"
	saved := bank(t, w, w.App.Merchants.CA, canadian)
	if saved.Kind != token.BankCA || saved.BankAccount.Scheme != processor.ACSS {
		t.Errorf("%+v", saved)
	}
	if m, err := w.Tokens.GetMandate(t.Context(), w.Actor(), saved.Mandate.String()); err != nil ||
		m.Scheme != processor.ACSS || !strings.Contains(m.Text, "pre-authorized") {
		t.Errorf("%+v, %v", m, err)
	}
	for merchantID, in := range map[int64]token.BankInput{w.App.Merchants.US: canadian,
		w.App.Merchants.CA: account("000123456789")} {
		if _, err := w.Tokens.CreateBank(t.Context(), w.SessionOf(w.App, merchantID), "k",
			in); code(err) != "token_type_mismatch" {
			t.Errorf("a foreign account: %v", err)
		}
	}
	bad := account("1")
	bad.Mandate.Accepted = false
	if _, err := w.Tokens.CreateBank(t.Context(), w.Session(), "k", bad); code(err) != "validation_failed" {
		t.Errorf("%v", err)
	}
	if _, err := w.Tokens.CreateBank(t.Context(), "cs_x", "k", account("000123456789")); code(err) != "not_ready" {
		t.Errorf("%v", err)
	}
	if n := count(t, w, "tokens"); n != 1 {
		t.Errorf("%d tokens", n)
	}
}

// holding lists the tables with a row in which the text stands, as text or as bytes.
func holding(t *testing.T, w *fixture.World, needle string) (hits []string) {
	t.Helper()
	tables, err := pg.All[struct{ Name string }](t.Context(), w.Pool, `SELECT quote_ident(table_name) AS name
		FROM information_schema.tables WHERE table_schema = 'public'`, pg.Args{})
	if err != nil || len(tables) < 15 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	for _, table := range tables {
		n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int
			FROM `+table.Name+` r WHERE strpos(r::text,
			@text) > 0 OR strpos(r::text, encode(@bytes, 'hex')) > 0`,
			pg.Args{"text": needle, "bytes": []byte(needle)})
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			hits = append(hits, table.Name)
		}
	}
	return hits
}

func TestNothingInTheDatabaseShowsTheAccount(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	const number, short = "90817263540", "7391"
	long := bank(t, w, w.App.Merchants.USQ, account(number))
	// not the whole number
	if saved := bank(t, w, w.App.Merchants.US, account(short)); saved.BankAccount.Last4 != "91" {
		t.Errorf("%+v", saved.BankAccount)
	}
	_, err := keepPayout(t, w, w.App.AppID, w.App.Merchants.US, account(number))
	if err != nil {
		t.Fatal(err)
	}
	// events and outcomes, too
	if _, err := w.Tokens.Delete(t.Context(), w.Actor(), long.ID.String(), token.DeleteInput{},
		claim(w, "k", "")); err != nil {
		t.Fatal(err)
	}
	for what, needle := range map[string]string{"number": number, "its head": number[:7], "its middle": number[2:9]} {
		if hits := holding(t, w, needle); len(hits) > 0 {
			t.Errorf("the %s stands in %v", what, hits)
		}
	}
	if len(holding(t, w, "3540")) == 0 || len(holding(t, w, "110000000")) == 0 { // what may be shown is found
		t.Error("the search finds nothing")
	}
}

func TestPayoutAccountsAreNobodysTokens(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	merchant, in := w.App.Merchants.USQ, account("000123456789")
	in.AccountType, in.Mandate = "savings", token.Acceptance{}
	kept, err := keepPayout(t, w, w.App.AppID, merchant, in)
	if err != nil || kept.Last4 != "6789" || count(t, w, "mandates") != 0 {
		t.Fatalf("%s, %v", kept.Last4, err)
	}
	id := kept.Token
	b, err := w.Tokens.OpenPayoutAccount(t.Context(), w.App.AppID, merchant, id)
	if err != nil || b.Number.Reveal() != "000123456789" || b.Routing != "110000000" || b.Scheme != processor.ACH ||
		b.Holder != "Dana Reed" || !b.Savings {
		t.Errorf("%+v, %v", b, err)
	}
	for name, open := range map[string]func() (processor.Bank, error){
		"another merchant": func() (processor.Bank, error) {
			return w.Tokens.OpenPayoutAccount(t.Context(), w.App.AppID, w.App.Merchants.US, id)
		},
		"another application": func() (processor.Bank, error) {
			return w.Tokens.OpenPayoutAccount(t.Context(), w.Other.AppID, merchant, id)
		},
		"a payer's account": func() (processor.Bank, error) {
			return w.Tokens.OpenPayoutAccount(t.Context(), w.App.AppID, w.App.Merchants.US,
				bank(t, w, w.App.Merchants.US, account("000123456789")).ID)
		},
	} {
		if b, err := open(); code(err) != "resource_missing" || !b.Number.IsZero() {
			t.Errorf("%s: %v, %v", name, b, err)
		}
	}
	for name, err := range map[string]error{
		"get":    second(w.Tokens.Get(t.Context(), w.Actor(), id.String())),
		"update": second(w.Tokens.Update(t.Context(), w.Actor(), id.String(), token.UpdateInput{}, nil)),
		"delete": second(w.Tokens.Delete(t.Context(), w.Actor(), id.String(), token.DeleteInput{}, nil)),
		"verify": second(w.Tokens.Verify(t.Context(), w.Actor(), id.String(), token.VerifyInput{Amounts: []int64{32, 45}}, nil)),
	} {
		if code(err) != "resource_missing" {
			t.Errorf("%s: %v", name, err)
		}
	}
	bad := in
	bad.Routing = "1"
	if _, err := keepPayout(t, w, w.App.AppID, merchant, bad); code(err) != "invalid_routing_number" {
		t.Errorf("%v", err)
	}
	if _, err := keepPayout(t, w, w.App.AppID, w.App.Merchants.CA, in); code(err) != "token_type_mismatch" {
		t.Errorf("%v", err)
	}
	if _, err := keepPayout(t, w, w.Other.AppID, merchant, in); code(err) != "resource_missing" {
		t.Errorf("%v", err)
	}
}

// second is the error of a call that gives two things.
func second[T any](_ T, err error) error { return err }
