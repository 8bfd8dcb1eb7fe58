package portal

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/check/patch"
	"svcpay/internal/daf"
	"svcpay/internal/dispute"
	"svcpay/internal/ids"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/payout"
	"svcpay/internal/platform/calendar"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/spreadsheet"
	"svcpay/internal/refund"
	"svcpay/internal/sandbox/simulate"
	"svcpay/portal/web"
)

// later moves the first application's clock, which does what becomes due by then.
func (w *world) later(d time.Duration) {
	w.t.Helper()
	by := d.String()
	if _, err := w.Simulate.Advance(w.t.Context(), w.Actor(), simulate.AdvanceInput{Advance: &by}, nil); err != nil {
		w.t.Fatal(err)
	}
}

// paidOut makes a payout of two charges, a refund and a chargeback of the US merchant.
func (w *world) paidOut() payout.Payout {
	w.t.Helper()
	w.BankAccount(w.App, w.App.Merchants.US)
	one, back := w.taken(w.App, 30_000), money.Amount(2_500)
	w.taken(w.App, 12_500)
	if _, err := w.Refunds.Create(w.t.Context(), w.Actor(),
		refund.CreateInput{ChargeID: ptrTo(one.ID.String()), Amount: &back}, nil); err != nil {
		w.t.Fatal(err)
	}
	w.questioned(w.App, dispute.Chargeback, 4_000)
	w.later(7 * 24 * time.Hour)
	all, err := w.Payouts.List(w.t.Context(), w.Actor(), payout.ListInput{Page: page.Input[ids.Payout]{Limit: 9}})
	if err != nil || len(all.Items) == 0 {
		w.t.Fatalf("%+v, %v", all, err)
	}
	return all.Items[len(all.Items)-1]
}

func ptrTo[T any](v T) *T { return &v }

func TestPayouts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	staff, admin, other := w.as(authz.RoleOrganizationStaff), w.as(authz.RoleOrganizationAdmin),
		w.in(authz.RoleOrganizationAdmin, w.Other)
	w.send(web.PayoutsPath, nil, "Cookie", staff).says(t, "No payouts yet")
	zone, err := calendar.Zone("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	charged := w.Clock.Now().In(zone).Format("2006-01") // which the payout may be a month later than
	one := w.paidOut()
	at := web.PayoutsPath + "/" + one.ID.String()
	t.Run("list", func(t *testing.T) {
		a := w.send(web.PayoutsPath, nil, "Cookie", staff)
		a.says(t, one.ID.String(), "Riverside Food Bank", "···· ", "Balances and statements")
		a.lacks(t, "Export CSV")
		w.send(web.PayoutsPath+"?status=returned", nil, "Cookie", staff).says(t, "No results")
		w.send(web.PayoutsPath+"?arrives_until=2020-01-01", nil, "Cookie", staff).says(t, "No results")
		w.send(web.PayoutsPath+"?merchant="+fmt.Sprint(one.MerchantID), nil, "Cookie", staff).says(t, one.ID.String())
		w.send(web.PayoutsPath, nil, "Cookie", other).says(t, "No payouts yet")
		sheet := w.send(web.PayoutsPath+".csv", nil, "Cookie", admin)
		sheet.says(t, one.ID.String(), web.Units(one.Amount)+",usd,"+string(one.ArrivalOn))
	})
	t.Run("equation", func(t *testing.T) {
		parts, err := w.Payouts.Parts(t.Context(), w.Actor(), one.ID.String())
		sum := money.Amount(0)
		for _, part := range parts {
			sum += part.Amount
		}
		if err != nil || sum != one.Amount {
			t.Errorf("%+v add up to %d, not %d; %v", parts, sum, one.Amount, err)
		}
		a := w.send(at, nil, "Cookie", staff)
		a.says(t, "Payout breakdown", "Charges", "Refunds", "Disputes", "Fees", "−$25.00", "Card charges",
			"Show these entries", "Sent to the processor", "Our reference",
			one.Processor.Reference)
		a.lacks(t, "Reconciliation CSV")
		fees := w.send(at+"?group=fees", nil, "Cookie", staff)
		fees.says(t, "Entries: Fees")
		if strings.Contains(fees.body[strings.Index(fees.body, "<tbody role"):], "Card charges") {
			t.Error("other entries than fees are shown")
		}
		w.send(at, nil, "Cookie", other).wants(t, http.StatusNotFound, "")
		sheet := w.send(at+"/entries.csv", nil, "Cookie", admin)
		if lines := strings.Count(sheet.body, "\n"); lines != one.EntryCount+1 {
			t.Errorf("%d lines for %d entries", lines, one.EntryCount)
		}
		w.send(at+"/entries.csv", nil, "Cookie", other).wants(t, http.StatusNotFound, "")
	})
	t.Run("balances", func(t *testing.T) {
		w.send(web.BalancesPath, nil, "Cookie", staff).says(t, "Riverside Food Bank", "Riverside Animal Shelter",
			"In transit")
		w.send(web.BalancesPath, nil, "Cookie", other).lacks(t, "Riverside")
		own := web.BalancesPath + "/" + fmt.Sprint(one.MerchantID)
		a := w.send(own, nil, "Cookie", staff)
		a.says(t, "Included in the next payout", own+"/statement?month=")
		w.send(own, nil, "Cookie", other).wants(t, http.StatusNotFound, "")
	})
	t.Run("months", func(t *testing.T) {
		own, month := web.BalancesPath+"/"+fmt.Sprint(one.MerchantID), one.CreatedAt.Format("2006-01")
		for _, path := range []string{"/statement", "/daf_invoice"} {
			w.send(own+path+"?month="+month, nil, "Cookie", staff).wants(t, http.StatusOK, "")
			w.send(own+path+"?month=2020-13", nil, "Cookie", staff).wants(t, http.StatusUnprocessableEntity, "")
			w.send(own+path+"?month="+month, nil, "Cookie", other).wants(t, http.StatusNotFound, "")
			csv := w.send(own+path+".csv?month="+month, nil, "Cookie", admin)
			csv.says(t, spreadsheet.BOM+"created_at,")
			w.send(own+path+".csv?month=soon", nil, "Cookie", admin).wants(t, http.StatusUnprocessableEntity, "")
			w.send(own+path+".csv?month="+month, nil, "Cookie", staff).wants(t, http.StatusForbidden, "")
			if pdf := w.send(own+path+".pdf?month="+month, nil, "Cookie", staff); !strings.HasPrefix(pdf.body,
				"%PDF-") || pdf.Header.Get("Content-Type") != "application/pdf" {
				t.Errorf("%s: %v", path, pdf.Header)
			}
			w.send(own+path+".pdf?month="+month, nil, "Cookie", other).wants(t, http.StatusNotFound, "")
		}
		w.send(own+"/statement?month="+charged, nil, "Cookie", staff).says(t, "Opening balance",
			"Closing balance", "Fees")
	})
}

func TestInvoiceOfDonations(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	d, staff := w.donate(w.App, daf.Integrated, 12_500), w.as(authz.RoleOrganizationStaff)
	if _, err := w.DAF.Update(t.Context(), w.Actor(), d.ID.String(), daf.UpdateInput{Status: patch.Set("completed")},
		nil); err != nil {
		t.Fatal(err)
	}
	own := web.BalancesPath + "/" + fmt.Sprint(d.MerchantID)
	w.send(own, nil, "Cookie", staff).says(t, "DAF invoice")
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	a := w.send(own+"/daf_invoice?month="+w.Clock.Now().In(zone).Format("2006-01"), nil, "Cookie", staff)
	a.says(t, *d.TrackingID, "$2.50", "2%", "Due to SvcPay", web.DonationsPath+"/"+d.ID.String())
}

func TestWhereAMerchantsMoneyGoes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	one := w.Merchant(merchant.CreateInput{}).ID
	admin, staff := w.as(authz.RoleOrganizationAdmin), w.as(authz.RoleOrganizationStaff) // with the new merchant
	at := web.MerchantAt(one, web.PayoutsEnd)
	w.send(at, nil, "Cookie", staff).says(t, "No bank account yet", "Only organization administrators")
	w.send(at, nil, "Cookie", admin).says(t, "No bank account yet", at+"/account")
	form := url.Values{"first_name": {"Riverside"}, "last_name": {"Trust"}, "routing": {"110000001"},
		"number": {"000123456789"}, "type": {"savings"}}
	wrong := w.send(at+"/account", form, "Cookie", admin)
	wrong.wants(t, http.StatusUnprocessableEntity, "")
	wrong.says(t, "The routing number is not valid.", `value="110000001"`, `value="savings" checked`)
	wrong.lacks(t, "000123456789")
	form.Set("routing", "110000000")
	w.send(at+"/account", form, "Cookie", admin).wants(t, http.StatusSeeOther, at)
	w.send(at, nil, "Cookie", admin).says(t, "···· 6789", "Not verified", "Replace", at+"/verify")
	bad := w.send(at+"/verify", url.Values{"one": {"0.31"}, "two": {"0.45"}}, "Cookie", admin)
	bad.wants(t, http.StatusUnprocessableEntity, "")
	bad.says(t, "9 attempts left", `value="0.31"`)
	w.send(at+"/verify", url.Values{"one": {"x"}, "two": {"1.00"}}, "Cookie", admin).says(t,
		"Enter an amount below one dollar")
	w.send(at+"/verify", url.Values{"one": {"0.45"}, "two": {"$0.32"}}, "Cookie", admin).wants(t,
		http.StatusSeeOther, at)
	w.send(at, nil, "Cookie", admin).says(t, "Payouts go to this account.")
	w.send(at+"/account", nil, "Cookie", admin).says(t, "Replace bank account")
	for _, path := range []string{"", "/account", "/verify"} {
		w.send(at+path, nil, "Cookie", w.in(authz.RoleOrganizationAdmin, w.Other)).wants(t, http.StatusNotFound, "")
	}
	w.send(at+"/account", form, "Cookie", w.in(authz.RoleOrganizationAdmin, w.Other)).wants(t, http.StatusNotFound, "")
	ca := web.MerchantAt(w.App.Merchants.CA, web.PayoutsEnd)
	canadian := url.Values{"first_name": {"Winter"}, "last_name": {"Relief"}, "transit": {"11000"},
		"institution": {"000"}, "number": {"000123456789"}, "type": {"checking"}}
	w.send(ca+"/account", nil, "Cookie", admin).says(t, "Transit number")
	w.send(ca+"/account", canadian, "Cookie", admin).wants(t, http.StatusSeeOther, ca)
}

// A form puts an account only in the place of the one that it was drawn for: sent again, or after someone else's, it
// replaces nothing.
func TestAnAccountReplacesTheOneThatWasSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	one := w.Merchant(merchant.CreateInput{}).ID
	admin := w.as(authz.RoleOrganizationAdmin)
	at := web.MerchantAt(one, web.PayoutsEnd)
	draw := func(number string) url.Values {
		a := w.send(at+"/account", nil, "Cookie", admin)
		return url.Values{"seen": {a.input(t, "seen")}, "first_name": {"Riverside"}, "last_name": {"Trust"},
			"routing": {"110000000"}, "number": {number}, "type": {"checking"}}
	}
	accounts := func() (all, replaced int) {
		t.Helper()
		n, err := pg.Value[[]int](t.Context(), w.Pool, `
			SELECT ARRAY[count(*), count(*) FILTER (WHERE status = 'replaced')]::int[] FROM merchant_bank_accounts
				WHERE merchant_id = @id`,
			pg.Args{"id": one})
		if err != nil {
			t.Fatal(err)
		}
		return n[0], n[1]
	}
	refused := func(form url.Values, says string) {
		t.Helper()
		a := w.send(at+"/account", form, "Cookie", admin)
		a.wants(t, http.StatusConflict, "")
		a.says(t, says, "Replace bank account")
		a.lacks(t, form.Get("number"))
	}
	add, beside := draw("000123456789"), draw("000987654321")
	w.send(at+"/account", add, "Cookie", admin).wants(t, http.StatusSeeOther, at)
	w.send(at+"/verify", url.Values{"one": {"0.45"}, "two": {"0.32"}}, "Cookie", admin).wants(t,
		http.StatusSeeOther, at)
	for _, form := range []url.Values{add, beside} {
		refused(form, "This merchant has a bank account for payouts.")
	}
	w.send(at, nil, "Cookie", admin).says(t, "···· 6789", "Payouts go to this account.")
	if all, replaced := accounts(); all != 1 || replaced != 0 {
		t.Errorf("%d accounts, %d of which were replaced", all, replaced)
	}
	first, second := draw("000555555555"), draw("000444444444")
	w.send(at+"/account", first, "Cookie", admin).wants(t, http.StatusSeeOther, at)
	for _, form := range []url.Values{first, second} {
		refused(form, "was replaced")
	}
	w.send(at, nil, "Cookie", admin).says(t, "···· 5555")
	if all, replaced := accounts(); all != 2 || replaced != 1 {
		t.Errorf("%d accounts, %d of which were replaced", all, replaced)
	}
	w.send(at+"/account", draw("000444444444"), "Cookie", admin).wants(t, http.StatusSeeOther, at)
}

func TestPausedPayoutsAreResumed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	one := w.paidOut()
	outcome, code := "returned", "R02"
	if _, err := w.Simulate.Payout(t.Context(), w.Actor(), one.ID.String(),
		simulate.PayoutInput{Outcome: ptrTo("paid")}, nil); err != nil {
		t.Logf("it was paid before: %v", err)
	}
	if _, err := w.Simulate.Payout(t.Context(), w.Actor(), one.ID.String(),
		simulate.PayoutInput{Outcome: &outcome, ReturnCode: &code}, nil); err != nil {
		t.Fatal(err)
	}
	at, admin := web.MerchantAt(one.MerchantID, web.PayoutsEnd), w.as(authz.RoleOrganizationAdmin)
	w.send(web.PayoutsPath+"/"+one.ID.String(), nil, "Cookie", admin).says(t, "The bank returned it",
		"Return code: R02.", "Returned", at, "Payouts are paused")
	w.send(at, nil, "Cookie", w.as(authz.RoleOrganizationStaff)).says(t, "Payouts are paused: A payout was returned",
		"can resume payouts")
	w.send(at, nil, "Cookie", admin).says(t, `href="`+at+`/resume"`)
	w.send(at+"/resume", nil, "Cookie", admin).says(t, "Resume payouts", "Payouts will go to", `action="`+at+`/resume"`)
	w.send(at+"/resume", nil, "Cookie", w.in(authz.RoleOrganizationAdmin, w.Other)).wants(t, http.StatusNotFound, "")
	w.send(at+"/resume", url.Values{}, "Cookie", w.in(authz.RoleOrganizationAdmin, w.Other)).wants(t,
		http.StatusNotFound, "")
	w.send(at+"/resume", url.Values{}, "Cookie", admin).wants(t, http.StatusSeeOther, at)
	w.send(at, nil, "Cookie", admin).lacks(t, "Payouts are paused")
	resumed := w.send(web.PayoutsPath+"/"+one.ID.String(), nil, "Cookie", admin)
	resumed.says(t, "The bank returned it", "The funds are back in the available balance.")
	resumed.lacks(t, "are paused")
	w.send(at+"/resume", nil, "Cookie", admin).wants(t, http.StatusSeeOther, at)
}

// In production the processor verifies bank accounts, so the page asks for no deposits.
func TestBankAccountsAreOnFileInProduction(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.Sandbox = false })
	_, _, admin := w.withApp(w.as(authz.RoleOrganizationAdmin))
	at := web.MerchantAt(w.App.Merchants.US, web.PayoutsEnd)
	w.send(at+"/account", nil, "Cookie", admin).says(t, "Use the account that your payment processor has on file.")
	form := url.Values{"first_name": {"Riverside"}, "last_name": {"Trust"}, "routing": {"110000000"},
		"number": {"000123456789"}, "type": {"checking"}}
	w.send(at+"/account", form, "Cookie", admin).wants(t, http.StatusSeeOther, at)
	a := w.send(at, nil, "Cookie", admin)
	a.says(t, "Payouts begin once your payment processor confirms that it has this account on file.")
	a.lacks(t, "deposits", at+"/verify", "Attempts left")
}
