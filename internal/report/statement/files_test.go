package statement_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/payout"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/report/statement"
	"svcpay/internal/testing/pdftest"
)

var pageOfOne = page.Input[ids.Payout]{Limit: 1}

// printed is a PDF file and what it says.
func printed(t *testing.T, write func(io.Writer) error) (file []byte, text string) {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), pdftest.Text(t, out.Bytes())
}

func statementPDF(st statement.Statement, paper statement.Paper) func(io.Writer) error {
	return func(to io.Writer) error { return statement.PDF(st, paper, to) }
}

func invoicePDF(in statement.DAFInvoice, paper statement.Paper) func(io.Writer) error {
	return func(to io.Writer) error { return statement.DAFInvoicePDF(in, paper, to) }
}

func TestStatementAsPDF(t *testing.T) {
	t.Parallel()
	w := open(t)
	march(t, w)
	st := w.statement(t, "2025-03")
	file, text := printed(t, statementPDF(st, statement.Letter))
	if !bytes.HasPrefix(file, []byte("%PDF-")) || !bytes.Contains(file, []byte("/MediaBox [0 0 612.00 792.00]")) ||
		!bytes.HasSuffix(bytes.TrimSpace(file), []byte("%%EOF")) {
		t.Errorf("%d bytes", len(file))
	}
	for _, want := range []string{
		"Riverside Food Bank", "Statement for March 2025", "Merchant " + fmt.Sprint(w.us) +
			", Riverside Community Trust",
		"Opening balance", " 50.00", "Charges", "Capture", "125.00", "Fees", "Chargeback fee", "-15.00", "-16.98",
		"Chargebacks", "Closing balance", "33.02", "Page 1 of 1", "Sandbox: test data only",
		"March 1, 2025 to March 31, 2025 (America/New_York), amounts in USD",
		"Available: in the next payout",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the file:\n%s", want, text)
		}
	}
	for _, not := range []string{"Interim statement", "Adjustments", "Payouts", "cannot display"} {
		if strings.Contains(text, not) {
			t.Errorf("%q is in the file", not)
		}
	}
	if again, _ := printed(t, statementPDF(st, statement.Letter)); !bytes.Equal(again, file) {
		t.Error("the same statement is another file")
	}
	if file, _ := printed(t, statementPDF(st, statement.A4)); !bytes.Contains(file,
		[]byte("/MediaBox [0 0 595.28 841.89]")) {
		t.Error("the other paper has the same size")
	}
}

func TestLongStatementsHaveNumberedPages(t *testing.T) {
	t.Parallel()
	at := instant.Of(time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC))
	st := statement.Statement{
		Period: statement.Period{MerchantName: "Café Łódź – «Ñandú» (Nord)", Month: "2026-02",
			TimeZone: "America/Toronto", Currency: money.CAD,
			From: at, Until: at, CreatedAt: at}, ClosingBalance: -123_456_789}
	for range 60 {
		st.Payouts = append(st.Payouts,
			statement.PayoutLine{ID: ids.NewPayout(at.Time), Amount: 5, Status: payout.Returned, BankLast4: "6789",
				PaidAt: at, ReturnedAt: &at})
	}
	_, text := printed(t, statementPDF(st, statement.Letter))
	for _, want := range []string{"Page 1 of 3", "Page 3 of 3", "Café Łódź – «Ñandú» (Nord)", "-1,234,567.89",
		"Interim statement", "…6789, returned Feb 3", " Feb 3"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the file:\n%s", want, text)
		}
	}
	if strings.Contains(text, "Page 4 of") || strings.Contains(text, "cannot display") {
		t.Error("there is something too many")
	}
}

// Names of merchants and organizations are in statements and invoices as they are written, and what the font lacks is
// noted.
func TestNamesInPDF(t *testing.T) {
	t.Parallel()
	at := instant.Of(time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC))
	for name, shown := range map[string]bool{"Quỹ Từ thiện Nguyễn": true, "Fundacja Łączność": true,
		"Ίδρυμα Παπαδοπούλου": true, "Фонд Ёлкина": true,
		"Fondation K̲wak̲waka": true, "赤十字 Japan": false} {
		period := statement.Period{MerchantName: name, Month: "2026-02", TimeZone: "America/Toronto",
			Currency: money.CAD, From: at, Until: at, CreatedAt: at}
		period.Organization.Name = name
		for kind, write := range map[string]func(io.Writer) error{
			"statement": statementPDF(statement.Statement{Period: period}, statement.Letter),
			"invoice":   invoicePDF(statement.DAFInvoice{Period: period}, statement.A4),
		} {
			_, text := printed(t, write)
			if strings.Count(text, norm.NFC.String(name)) != 3 || strings.Contains(text, "cannot display") == shown {
				t.Errorf("the %s of %s says:\n%s", kind, name, text)
			}
		}
	}
}

func TestPayoutAsCSV(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.BankAccount(w.App, w.us)
	external := "=1+1"
	at := time.Date(2025, 3, 3, 15, 0, 0, 0, time.UTC)
	w.post(t, at, ledger.KindCapture, ledger.MerchantPending, ledger.MerchantAvailable, 12_500)
	w.post(t, at.Add(time.Minute), "capture_fee", ledger.MerchantAvailable, ledger.MerchantPending, 20)
	w.post(t, at.Add(time.Hour), ledger.KindRefund, ledger.MerchantAvailable, ledger.ProcessorReceivable, 4_000)
	m, err := w.Merchants.Find(t.Context(), w.App.AppID, w.us)
	if err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(m.NextPayoutAt.Sub(w.Clock.Now()))
	v, err := w.Clocks.Of(t.Context(), w.App.AppID)
	if err == nil {
		_, err = w.Payouts.Run(t.Context(), v)
	}
	if err != nil {
		t.Fatal(err)
	}
	list, err := w.Payouts.List(t.Context(), w.Actor(), payout.ListInput{Page: pageOfOne})
	if err != nil || len(list.Items) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	p := list.Items[0]
	var out bytes.Buffer
	if err := w.Statements.PayoutCSV(t.Context(), w.Actor(), p.ID.String(), &out); err != nil {
		t.Fatal(err)
	}
	golden(t, "payout.csv", out.Bytes())
	lines, err := csv.NewReader(bytes.NewReader(out.Bytes())).ReadAll()
	var sum money.Amount
	for _, l := range lines[1:] {
		sum += number(t, l[6])
	}
	if err != nil || sum != p.Amount || sum != 8_480 {
		t.Errorf("%d, the payout is %d, %v", sum, p.Amount, err)
	}
	for _, actor := range []authz.Actor{w.ActorOf(w.Other), {}} {
		out.Reset()
		if err := w.Statements.PayoutCSV(t.Context(), actor, p.ID.String(), &out); err == nil || out.Len() > 0 {
			t.Errorf("%s reads %s", actor.Role, out.String())
		}
	}
	if err := w.Statements.PayoutCSV(t.Context(), w.Actor(), "po_x", &out); !fault.HasCode(err, "resource_missing") {
		t.Errorf("%v", err)
	}
	for _, formula := range []string{external, "\n=1+1", "\r=1+1", "\t=1+1"} {
		if got := statement.Text(formula); got != "'"+formula {
			t.Errorf("the formula %q is written %q", formula, got)
		}
	}
	for _, same := range []string{"", "gift-88213", "a=b", "ümlaut"} {
		if got := statement.Text(same); got != same {
			t.Errorf("%q is written %q", same, got)
		}
	}
	if n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int
		FROM payout_entries`, pg.Args{}); err != nil || n != len(lines)-1 {
		t.Errorf("%d entries, %d lines", n, len(lines)-1)
	}
}
