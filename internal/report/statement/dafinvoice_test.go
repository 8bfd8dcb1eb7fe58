package statement_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/authz"
	"svcpay/internal/daf"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/platform/calendar"
	"svcpay/internal/platform/pg"
	"svcpay/internal/report/statement"
)

// donate makes an integrated donation to the first application's US merchant.
func (w place) donate(amount money.Amount, externalID string) daf.Donation {
	w.T.Helper()
	session := w.Authorized(w.App, w.us, daf.Integrated, amount)
	out, err := w.DAF.Create(w.T.Context(), w.Actor(),
		daf.CreateInput{MerchantID: &w.us, WorkflowSessionID: &session, Amount: &amount, Anonymous: new(true),
			ExternalID: &externalID}, nil)
	if err != nil {
		w.T.Fatal(err)
	}
	return out.Object
}

// mark gives a donation a status by hand.
func (w place) mark(d daf.Donation, to daf.Status) {
	w.T.Helper()
	var in daf.UpdateInput
	word := string(to)
	in.Status.Given, in.Status.Value = true, &word
	if _, err := w.DAF.Update(w.T.Context(), w.Actor(), d.ID.String(), in, nil); err != nil {
		w.T.Fatal(err)
	}
}

func (w place) invoice(t fatal, month string) statement.DAFInvoice {
	t.Helper()
	d, err := w.Statements.DAFInvoice(w.T.Context(), w.Actor(), statement.MonthInput{MerchantID: w.us, Month: month})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// here is the present month of the merchant.
func (w place) here() string {
	zone, _ := calendar.Zone("America/New_York")
	return w.Clock.Now().In(zone).Format("2006-01")
}

// next goes on to the middle of the next month.
func (w place) next() {
	now := w.Clock.Now()
	w.Clock.Advance(time.Date(now.Year(), now.Month()+1, 15, 12, 0, 0, 0, time.UTC).Sub(now))
}

func TestDAFInvoice(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.TakesDAF(w.us)
	w.next()
	first := w.here()
	kept, corrected, waiting := w.donate(12_500, "=gift"), w.donate(10_000, "gift-2"), w.donate(700, "gift-3")
	for _, d := range []daf.Donation{kept, corrected} {
		w.Clock.Advance(time.Minute)
		w.mark(d, daf.Completed)
	}
	in := w.invoice(t, first)
	if in.Donations != 2 || in.Fees != 450 || in.Corrections != 0 || in.Total != 450 || in.Complete ||
		in.Currency != money.USD || in.Object != "daf_invoice" ||
		len(in.Lines) != 2 || in.Lines[0].DonationID != kept.ID || in.Lines[0].Amount != 250 ||
		in.Lines[0].Rate != 2000 || in.Lines[0].DonationAmount != 12_500 {
		t.Errorf("%+v", in)
	}
	w.Clock.Advance(time.Minute)
	w.mark(corrected, daf.Initiated)
	if in := w.invoice(t, first); in.Donations != 2 || in.Fees != 450 || in.Corrections != -200 || in.Total != 250 ||
		in.Lines[2].Kind != "daf_percentage_reversed" {
		t.Errorf("%+v", in)
	}
	w.next()
	w.mark(kept, daf.Initiated)
	w.Clock.Advance(time.Minute)
	w.mark(waiting, daf.Completed)
	if in := w.invoice(t, first); in.Total != 250 || !in.Complete {
		t.Errorf("what happens later changes %+v", in)
	}
	if in := w.invoice(t, w.here()); in.Donations != 1 || in.Fees != 14 || in.Corrections != -250 || in.Total != -236 {
		t.Errorf("%+v", in)
	}
	if _, text := printed(t, invoicePDF(w.invoice(t, w.here()), statement.Letter)); !strings.Contains(text,
		"Credited to the merchant") || !strings.Contains(text, "-2.36") {
		t.Error("the merchant is not credited")
	}
	empty := w.invoice(t, "2025-01")
	if _, text := printed(t, invoicePDF(empty, statement.Letter)); empty.Lines == nil || len(empty.Lines) != 0 ||
		empty.Total != 0 || !strings.Contains(text, "None in this month") {
		t.Errorf("%+v", empty)
	}
	var out bytes.Buffer
	if err := w.Statements.DAFInvoiceCSV(t.Context(), w.Actor(), statement.MonthInput{MerchantID: w.us, Month: first},
		&out); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(lines) != 5 || lines[1][5] != "'=gift" || lines[1][4] != *kept.TrackingID ||
		lines[1][7] != "2" || lines[1][8] != "250" || lines[3][8] != "-200" ||
		lines[4][2] != "total" || lines[4][8] != "250" {
		t.Errorf("%v, %v", lines, err)
	}
}

func TestDAFInvoicesRefused(t *testing.T) {
	t.Parallel()
	w := open(t)
	for name, c := range map[string]struct {
		actor       authz.Actor
		month, code string
	}{
		"nobody":                         {authz.Actor{}, "2025-03", "permission_denied"},
		"another application's merchant": {w.ActorOf(w.Other), "2025-03", "resource_missing"},
		"no month":                       {w.Actor(), "2025-13", "parameter_invalid"},
		"a month to come":                {w.Actor(), w.Clock.Now().AddDate(0, 2, 0).Format("2006-01"), "parameter_invalid"},
	} {
		var out bytes.Buffer
		in := statement.MonthInput{MerchantID: w.us, Month: c.month}
		if err := w.Statements.DAFInvoiceCSV(t.Context(), c.actor, in, &out); !fault.HasCode(err, c.code) ||
			out.Len() > 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever is completed and corrected when, each month's invoice is what the ledger's account has of it, and
// all together are the account.
func TestDAFInvoicesAddUpToTheirAccount(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.TakesDAF(w.us)
	w.next()
	var all []daf.Donation
	for i := range 6 {
		all = append(all, w.donate(money.Amount(100*(i*i*37+1)), fmt.Sprint("gift-", i)))
	}
	zone, _ := calendar.Zone("America/New_York")
	at := w.Clock.Now().In(zone)
	first := time.Date(at.Year(), at.Month()+1, 1, 0, 0, 0, 0, zone)
	months := map[string]bool{}
	rapid.Check(t, func(rt *rapid.T) {
		if end := first.Add(-time.Second); w.Clock.Now().Before(end) {
			w.Clock.Advance(end.Sub(w.Clock.Now()))
		}
		w.Clock.Advance(time.Duration(rapid.Int64Range(1, 600).Draw(rt, "pause")) * 10 * time.Millisecond)
		if rapid.IntRange(0, 30).Draw(rt, "leap") == 0 {
			w.Clock.Advance(31 * 24 * time.Hour)
		}
		months[w.here()] = true
		to := rapid.SampledFrom([]daf.Status{daf.Completed, daf.Initiated}).Draw(rt, "status")
		w.mark(rapid.SampledFrom(all).Draw(rt, "donation"), to)
	})
	var sum money.Amount
	for month := range months {
		in := w.invoice(t, month)
		booked, err := pg.Value[money.Amount](t.Context(), w.Pool, `
			SELECT coalesce(sum(CASE WHEN debit = 'daf_invoice' THEN amount ELSE -amount END), 0)::bigint
				FROM ledger_entries
			WHERE merchant_id = @merchant_id AND 'daf_invoice' IN (debit, credit)
				AND to_char(created_at AT TIME ZONE 'America/New_York', 'YYYY-MM') = @month`,
			pg.Args{"merchant_id": w.us, "month": month})
		if err != nil || in.Total != booked || in.Fees+in.Corrections != in.Total {
			t.Errorf("%s: %d is invoiced, %d booked, %v", month, in.Total, booked, err)
		}
		sum += in.Total
	}
	var open money.Amount
	for _, d := range all {
		now, err := w.DAF.Get(t.Context(), w.Actor(), d.ID.String())
		if err != nil {
			t.Fatal(err)
		}
		if now.Status == daf.Completed {
			open += now.Fees[0].Amount
		}
	}
	if sum != open || len(months) < 2 {
		t.Errorf("%d is invoiced over %d months, %d is owed", sum, len(months), open)
	}
}

func TestLongDAFInvoices(t *testing.T) {
	t.Parallel()
	at := instant.Of(time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC))
	tracking, external := "K7MPX2QRTA", "Café "+strings.Repeat("long ", 12)
	in := statement.DAFInvoice{
		Period: statement.Period{MerchantName: "Riverside Food Bank", Month: "2026-02", TimeZone: "America/New_York",
			Currency: money.USD,
			From:     at, Until: at, CreatedAt: at, Complete: true}, Donations: 90, Fees: 90 * 250, Total: 90 * 250}
	for i := range 90 {
		l := statement.DAFInvoiceLine{EntryID: ids.NewEntry(at.Time), TrackingID: &tracking, DonationAmount: 1_234_500,
			Rate: 2125, Amount: 250, CreatedAt: at}
		if i%3 == 0 {
			l.ExternalID = &external
		}
		in.Lines = append(in.Lines, l)
	}
	_, text := printed(t, invoicePDF(in, statement.A4))
	text = regexp.MustCompile(" +").ReplaceAllString(text, " ")
	for _, want := range []string{"DAF invoice for February 2026", "Feb 3 K7MPX2QRTA 2.125 %", "12,345.00", " 2.50",
		" 225.00", "Due to SvcPay", "Café long", "… ", "Page 3 of 3"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the file", want)
		}
	}
	if n := strings.Count(text, "Donations completed"); n != 3 {
		t.Errorf("the table has its head %d times", n)
	}
}

// A gift from a fund is in no total of what payers paid: neither in a month's statement nor in its rows. Only the
// invoice of its fees names it.
func TestStatementsLeaveOutGiftsFromFunds(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.TakesDAF(w.us)
	before, rows := w.statement(t, w.here()), w.table(t, w.here())
	d := w.donate(250_00, "a-gift")
	w.mark(d, daf.Completed)
	after := w.statement(t, w.here())
	if len(after.Lines) != len(before.Lines) || after.ClosingBalance != before.ClosingBalance ||
		len(w.table(t, w.here())) != len(rows) {
		t.Errorf("%+v, %+v", before, after)
	}
	if invoice := w.invoice(t, w.here()); len(invoice.Lines) != 1 {
		t.Errorf("%+v", invoice)
	}
}
