package receipt_test

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/daf"
	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/receipt"
	"svcpay/internal/refund"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/testing/pdftest"
)

// paid makes a charge of the US merchant.
func paid(w *fixture.World, number string, amount money.Amount) charge.Charge {
	w.T.Helper()
	token, what := w.Token(number), "Winter appeal"
	out, err := w.Charges.Create(w.T.Context(), w.Actor(),
		charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount, Token: &token, Description: &what}, nil)
	if err != nil {
		w.T.Fatal(err)
	}
	return out.Object
}

// spaces are between the two columns.
var spaces = regexp.MustCompile(` {3,}`)

// stable writes what is another each time the same way.
func stable(text string, c charge.Charge) string {
	text = strings.ReplaceAll(text, c.ID.String(), "ch_0")
	return regexp.MustCompile(`[A-Z][a-z]+ \d{1,2}, \d{4}`).ReplaceAllString(text, "that day")
}

// The payer is told who was paid, how much, when and with what, in the mail and in the file with it.
func TestAReceiptSaysWhatWasPaid(t *testing.T) {
	t.Parallel()
	w := fixture.New(t, fixture.SendsMail)
	c, back := paid(w, "378282246310005", 123_456), money.Amount(23_456)
	id := c.ID.String()
	if _, err := w.Refunds.Create(t.Context(), w.Actor(), refund.CreateInput{ChargeID: &id, Amount: &back},
		nil); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Receipts.Send(t.Context(), w.Person(authz.RoleOrganizationStaff),
		receipt.SendInput{ChargeID: id, Email: "dana@example.org"}, nil); err != nil {
		t.Fatal(err)
	}
	letters, err := w.Mail.Inbox(t.Context())
	if err != nil || len(letters) != 1 {
		t.Fatalf("%d mails, %v", len(letters), err)
	}
	l := letters[0]
	if l.Kind != receipt.Kind || l.To != "dana@example.org" || len(l.Files) != 1 ||
		l.Files[0].Type != "application/pdf" {
		t.Fatalf("%s to %s with %d files", l.Kind, l.To, len(l.Files))
	}
	if got := stable("Subject: "+l.Subject+"\n\n"+l.Plain(), c); got != mailed {
		t.Errorf("the mail says\n%s\nnot\n%s", got, mailed)
	}
	if got := stable(spaces.ReplaceAllString(pdftest.Text(t, l.Files[0].Content), ": "), c); got != filed {
		t.Errorf("the file says\n%s\nnot\n%s", got, filed)
	}
	r, err := w.Receipts.Of(t.Context(), w.Person(authz.RoleOrganizationStaff), id)
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := r.PDF(&again); err != nil || !bytes.Equal(again.Bytes(), l.Files[0].Content) {
		t.Errorf("the same receipt is another file (%v)", err)
	}
}

// A receipt goes out five times within an hour of the machine's, however many ask at once and wherever the
// application's clock is.
func TestReceiptsFloodNoBox(t *testing.T) {
	t.Parallel()
	w := fixture.New(t, fixture.SendsMail)
	one, other := paid(w, "4242424242424242", 500), paid(w, "4242424242424242", 500)
	send := func(c charge.Charge) error {
		_, err := w.Receipts.Send(t.Context(), w.Person(authz.RoleOrganizationStaff),
			receipt.SendInput{ChargeID: c.ID.String(), Email: "dana@example.org"}, nil)
		return err
	}
	var sent atomic.Int64
	var all sync.WaitGroup
	for range 12 {
		all.Go(func() {
			err := send(one)
			if err == nil {
				sent.Add(1)
			} else if !fault.HasCode(err, "too_many_attempts") {
				t.Error(err)
			}
		})
	}
	all.Wait()
	letters, err := w.Mail.Inbox(t.Context())
	kept, keptErr := w.Receipts.SentOf(t.Context(), w.Actor(), one.ID)
	if sent.Load() != 5 || len(letters) != 5 || len(kept) != 5 || err != nil || keptErr != nil {
		t.Errorf("%d are told of as sent, there are %d mails and %d receipts, %v, %v", sent.Load(), len(letters),
			len(kept), err, keptErr)
	}
	if err := send(other); err != nil {
		t.Errorf("of another charge: %v", err)
	}
	if err := w.Clocks.Advance(t.Context(), w.App.AppID, 48*time.Hour); err != nil {
		t.Fatal(err)
	}
	if err := send(one); !fault.HasCode(err, "too_many_attempts") {
		t.Errorf("once a sandbox moved its clock: %v", err)
	}
	w.Clock.Advance(time.Hour)
	if err := send(one); err != nil {
		t.Errorf("an hour later: %v", err)
	}
}

// Of what took nothing there is no receipt, and of what others took none for a stranger.
func TestWhereThereIsNoReceipt(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	no := false
	token, amount := w.Token("4242424242424242"), money.Amount(500)
	held, err := w.Charges.Create(t.Context(), w.Actor(),
		charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount, Token: &token, Capture: &no}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Receipts.Of(t.Context(), w.Actor(), held.Object.ID.String()); !fault.HasCode(err,
		"receipt_impossible") {
		t.Errorf("a receipt of what was not taken: %v", err)
	}
	c := paid(w, "4242424242424242", 500)
	if _, err := w.Receipts.Of(t.Context(), w.PersonOf(authz.RoleOrganizationAdmin, w.Other),
		c.ID.String()); !fault.HasCode(err, "resource_missing") {
		t.Errorf("a stranger's receipt: %v", err)
	}
	in := receipt.SendInput{ChargeID: c.ID.String(), Email: "dana@example.org"}
	if _, err := w.Receipts.Send(t.Context(), w.Person(authz.RoleOrganizationStaff), in, nil); !fault.HasCode(err,
		"mail_unavailable") {
		t.Errorf("a mail where none are sent: %v", err)
	}
	for _, wrong := range []string{"", "dana", "Dana <dana@example.org>", "dana@example.org, eve@example.org",
		"dana@example.org\r\nBcc: eve@example.org"} {
		in.Email = wrong
		if _, err := w.Receipts.Send(t.Context(), w.Person(authz.RoleOrganizationStaff), in, nil); !fault.HasCode(err,
			"validation_failed") && !fault.HasCode(err, "parameter_invalid") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

const mailed = `Subject: Your receipt from Riverside Food Bank

Thank you! Riverside Food Bank received your $1,000.00 USD payment.

Date: that day

Paid with: Amex ···· 0005

Paid by: Dana Reed

Description: Winter appeal

Receipt number: ch_0

Your receipt is attached as a PDF.

--
You’re receiving this email because Riverside Food Bank sent you a receipt. ` +
	`The payment appears on your statement as RIVERSIDE FOOD.
`

const filed = `Riverside Food Bank
Receipt
$1,000.00 USD
Date: that day
Paid with: Amex ···· 0005
Paid by: Dana Reed
Description: Winter appeal
Receipt number: ch_0
Paid: $1,234.56 USD
Refunded: −$234.56 USD
Total: $1,000.00 USD
On your statement: RIVERSIDE FOOD
Riverside Food Bank is a nonprofit organization, EIN 04-3567500.
Sandbox receipt: no money was moved.`

// Payers read their names, and what they paid for, as they wrote them; what the font lacks is replaced visibly.
func TestReceiptsShowNames(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	c := paid(w, "4242424242424242", 500)
	r, err := w.Receipts.Of(t.Context(), w.Person(authz.RoleOrganizationStaff), c.ID.String())
	if err != nil {
		t.Fatal(err)
	}
	for name, shown := range map[string]bool{"Nguyễn Thị Hòa": true, norm.NFD.String("Łukasz Żółć"): true,
		"Παπαδόπουλος": true, "Ђорђе Їжак": true, "M̄ārī K̲wak": true, "王小明": false, "Zoë 👩‍👩‍👧": false} {
		r.Charge.Billing.FirstName, r.Charge.Billing.MiddleName, r.Charge.Billing.LastName = name, "", ""
		r.Charge.Description, r.Merchant.Name = &name, name
		var file bytes.Buffer
		if err := r.PDF(&file); err != nil {
			t.Fatal(err)
		}
		text := pdftest.Text(t, file.Bytes())
		if strings.Count(text, norm.NFC.String(name)) != 4 || strings.Contains(text, "cannot display") == shown {
			t.Errorf("the receipt of %s says:\n%s", name, text)
		}
	}
}

// A gift from a donor-advised fund has no receipt: the donor's deduction was for the gift to the fund.
func TestGiftsFromFundsHaveNoReceipt(t *testing.T) {
	t.Parallel()
	w := fixture.New(t, fixture.SendsMail)
	us, amount := w.App.Merchants.US, money.Amount(500_00)
	w.TakesDAF(us)
	session := w.Authorized(w.App, us, daf.Integrated, amount)
	d, err := w.DAF.Create(t.Context(), w.Actor(),
		daf.CreateInput{MerchantID: &us, WorkflowSessionID: &session, Amount: &amount, Anonymous: new(true)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	in := receipt.SendInput{ChargeID: d.Object.ID.String(), Email: "dana@example.org"}
	if _, err := w.Receipts.Send(t.Context(), w.Person(authz.RoleOrganizationStaff), in, nil); !fault.HasCode(err,
		"resource_missing") {
		t.Errorf("a receipt of %s: %v", in.ChargeID, err)
	}
	if letters, err := w.Mail.Inbox(t.Context()); len(letters) > 0 || err != nil {
		t.Errorf("%+v, %v", letters, err)
	}
}
