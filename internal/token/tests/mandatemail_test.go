package token_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/mail"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

func inbox(t *testing.T, w *fixture.World) []mail.Letter {
	t.Helper()
	letters, err := w.Mail.Inbox(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return letters
}

// dayAt is the day that it is where a merchant is.
func dayAt(t *testing.T, w *fixture.World, merchantID int64) time.Time {
	t.Helper()
	name, err := pg.Value[string](t.Context(), w.Pool, `SELECT time_zone FROM merchants
		WHERE id = @id`, pg.Args{"id": merchantID})
	if err != nil {
		t.Fatal(err)
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return w.Clock.Now().In(zone)
}

// The payer has a copy of the mandate by mail, once for each however often the request is sent.
func TestThePayerGetsTheMandateByMail(t *testing.T) {
	t.Parallel()
	w := fixture.New(t, fixture.SendsMail)
	session := w.SessionOf(w.App, w.App.Merchants.US)
	var out token.Created
	for range 2 {
		var err error
		if out, err = w.Tokens.CreateBank(t.Context(), session, "k", account("000123456789")); err != nil {
			t.Fatal(err)
		}
	}
	letters := inbox(t, w)
	if len(letters) != 1 {
		t.Fatalf("%d mails", len(letters))
	}
	l, saved := letters[0], get(t, w, out.Token.String())
	if l.Kind != token.MandateMail || l.To != out.Billing.Email ||
		l.Subject != "Your authorization of debits by Riverside Food Bank" {
		t.Errorf("%s to %s: %s", l.Kind, l.To, l.Subject)
	}
	for _, want := range []string{token.MandateText(processor.ACH, "Riverside Food Bank"),
		"ending in 6789 at " + out.BankAccount.BankName,
		dayAt(t, w, w.App.Merchants.US).Format("January 2, 2006"), saved.Mandate.String(), "no real money"} {
		if !strings.Contains(l.Plain(), want) {
			t.Errorf("the mail does not say %q:\n%s", want, l.Plain())
		}
	}
	if strings.Contains(l.Plain(), "000123456789") {
		t.Error("the mail tells the account's number")
	}
}

// linked is an account in Canada whose holder agreed in French.
func linked() token.LinkedInput {
	in := account("00012345")
	in.Scheme, in.Routing, in.Mandate.TextVersion = processor.ACSS, "11000000", token.MandateVersionFrench
	return token.LinkedInput{BankInput: in, Text: token.MandateTextFrench("Riverside Winter Relief")}
}

// Anyone who agreed in French is told in French; what is not kept is not notified of; who has no address gets no mail.
func TestMandatesByMailGoWithTheirTransaction(t *testing.T) {
	t.Parallel()
	w := fixture.New(t, fixture.SendsMail)
	use, err := w.Tokens.UseSession(t.Context(), w.SessionOf(w.App, w.App.Merchants.CA))
	if err != nil {
		t.Fatal(err)
	}
	in, broken := linked(), errors.New("broken")
	in.AcceptedAt = instant.Of(w.Clock.Now())
	nameless := in
	nameless.Billing.Email = ""
	for _, c := range []struct {
		in    token.LinkedInput
		err   error
		mails int
	}{{in, broken, 0}, {nameless, nil, 0}, {in, nil, 1}, {in, nil, 1}} {
		key := "k"
		if c.in.Billing.Email == "" {
			key = "nameless"
		}
		_, err := w.Tokens.CreateLinked(t.Context(), use, "ba_1", key, c.in,
			func(context.Context, *pg.Tx, ids.Token) error { return c.err })
		if !errors.Is(err, c.err) || len(inbox(t, w)) != c.mails {
			t.Errorf("%v; %d mails, want %d", err, len(inbox(t, w)), c.mails)
		}
	}
	l := inbox(t, w)[0]
	if l.Subject != "Votre autorisation de débits par Riverside Winter Relief" ||
		!strings.Contains(l.Plain(), in.Text) ||
		!strings.Contains(l.Plain(), dayAt(t, w, w.App.Merchants.CA).Format("2006-01-02")) {
		t.Errorf("%s\n%s", l.Subject, l.Plain())
	}
}

// Anybody can give a bank account with anybody's address.
func TestMandatesFloodNoBox(t *testing.T) {
	t.Parallel()
	w := fixture.New(t, fixture.SendsMail)
	in := account("000123456789")
	for range 7 {
		bank(t, w, w.App.Merchants.US, in)
	}
	if n := len(inbox(t, w)); n != 5 {
		t.Errorf("%d mails to one address", n)
	}
	in.Billing.Email = strings.ToUpper(in.Billing.Email)
	bank(t, w, w.App.Merchants.US, in)
	if n := len(inbox(t, w)); n != 5 {
		t.Errorf("%d mails to one address, written otherwise", n)
	}
	in.Billing.Email = "another@example.org"
	bank(t, w, w.App.Merchants.US, in)
	if n := len(inbox(t, w)); n != 6 {
		t.Errorf("%d mails to two addresses", n)
	}
	for _, l := range inbox(t, w) {
		if strings.Contains(l.Plain(), in.Billing.FirstName) {
			t.Errorf("the mail says what anybody typed:\n%s", l.Plain())
		}
	}
	if err := w.Clocks.Advance(t.Context(), w.App.AppID, 48*time.Hour); err != nil {
		t.Fatal(err)
	}
	in.Billing.Email = account("000123456789").Billing.Email
	bank(t, w, w.App.Merchants.US, in)
	if n := len(inbox(t, w)); n != 6 {
		t.Errorf("%d mails once a sandbox moved its clock", n)
	}
	w.Clock.Advance(61 * time.Minute)
	bank(t, w, w.App.Merchants.US, in)
	if n := len(inbox(t, w)); n != 7 {
		t.Errorf("%d mails an hour later", n)
	}
}

// Many bank accounts that are given at once bring no more mails than one after the other.
func TestMandatesAtOnceFloodNoBox(t *testing.T) {
	t.Parallel()
	w := fixture.New(t, fixture.SendsMail)
	sessions := make([]string, 12)
	for i := range sessions {
		sessions[i] = w.SessionOf(w.App, w.App.Merchants.US)
	}
	var all sync.WaitGroup
	for _, session := range sessions {
		all.Go(func() {
			if _, err := w.Tokens.CreateBank(t.Context(), session, retry(w), account("000123456789")); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n, kept := len(inbox(t, w)), count(t, w, "mandates"); n != 5 || kept != 12 {
		t.Errorf("%d mails of %d mandates", n, kept)
	}
}

func TestADeploymentWithoutMailsKeepsMandates(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	saved := bank(t, w, w.App.Merchants.US, account("000123456789"))
	if n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM mails`, pg.Args{}); err != nil ||
		n != 0 || saved.Mandate == nil {
		t.Errorf("%d mails, %v", n, err)
	}
}
