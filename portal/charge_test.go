package portal

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/processor"
	"svcpay/internal/refund"
	"svcpay/portal/web"
)

func TestAChargeTellsEverything(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	one := w.charged(amexCard, 10_000, func(in *charge.CreateInput) {
		in.Description, in.Metadata = new("Spring appeal"), map[string]string{"campaign": "spring"}
	})
	at := web.ChargesPath + "/" + one.ID.String()
	a := w.send(at, nil, "Cookie", w.as(authz.RoleApplicationAdmin))
	a.says(t, "$100.00 USD", "Dana Reed to Riverside Food Bank", "Captured", "Fees posted", "Authorization",
		"$0.10 each", "AMEX surcharge", "0.5% of base", "$1.85",
		"−$1.85", "$98.15", one.Fees[0].ScheduleID.String(), "&#34;payment_method&#34;", "Security code matches",
		"Spring appeal", "campaign", "Processor ID", "Authorization code", "12 Elm Street, 97301, United States",
		"Unavailable actions", "Already captured. Issue a refund instead.", `href="`+at+`/refund"`,
		"q=dana%40example.org")
	for role, want := range map[authz.Role]int{authz.RoleSupportStaff: 0, authz.RoleOrganizationStaff: 1,
		authz.RoleOrganizationAdmin: 1} {
		cookie := w.as(role)
		if role == authz.RoleSupportStaff {
			cookie = w.working(role)
		}
		if got := strings.Count(w.send(at, nil, "Cookie", cookie).body, at+"/refund\""); got > 2*want ||
			(got == 0) != (want == 0) {
			t.Errorf("%s is offered %d refunds", role, got)
		}
	}
	for _, path := range []string{at, at + "/refund"} {
		w.send(path, nil, "Cookie", w.in(authz.RoleOrganizationAdmin, w.Other)).wants(t, http.StatusNotFound, "")
	}
	w.send(web.ChargesPath+"/ch_none", nil, "Cookie", w.as(authz.RoleApplicationAdmin)).wants(t,
		http.StatusNotFound, "")
}

// working is someone of the whole deployment who has chosen the first application.
func (w *world) working(r authz.Role) string {
	w.t.Helper()
	cookie := w.as(r)
	to := url.Values{"place": {fmt.Sprintf("system/%d", w.App.AppID)}}
	a := w.send(web.SwitchPath, to, "Cookie", cookie)
	a.wants(w.t, http.StatusSeeOther, web.Home)
	return web.CookieName + "=" + a.cookie(w.t, web.CookieName).Value
}

func TestAFailedChargeSaysWhy(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.charged(declined, 700, nil)
	cookie := w.as(authz.RoleOrganizationStaff)
	list := w.send(web.ChargesPath, nil, "Cookie", cookie)
	_, rest, _ := strings.Cut(list.body, `class="row-link" href="`)
	path, _, _ := strings.Cut(rest, `"`)
	w.send(path, nil, "Cookie", cookie).says(t, "This charge failed",
		"The card was declined. The payer can try another card or account.",
		"There’s nothing to refund.", "No fees yet")
}

// A bank sends back all of a debit, whatever was refunded of it before.
func TestAReturnedChargeAddsUpToWhatTheMerchantIsOwed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	refunded := money.Amount(4_000)
	bank := w.charged("", 10_000, func(in *charge.CreateInput) {
		in.Token = new(w.BankToken(w.App.Merchants.US, w.USBank("000123456789")))
	})
	ev := processor.Event{Adapter: "sandbox", Account: processor.MerchantAccount(bank.ApplicationID, bank.MerchantID),
		Reference: bank.Processor.Reference}
	if err := w.World.Charges.SettleNow(t.Context(), ev); err != nil {
		t.Fatal(err)
	}
	if _, err := w.World.Refunds.Create(t.Context(), w.Actor(),
		refund.CreateInput{ChargeID: new(bank.ID.String()), Amount: &refunded}, nil); err != nil {
		t.Fatal(err)
	}
	ev.ReturnCode = "R01"
	if err := w.World.Charges.Return(t.Context(), ev); err != nil {
		t.Fatal(err)
	}
	balance, err := ledger.BalanceOf(t.Context(), w.Pool, bank.ApplicationID, bank.MerchantID)
	if err != nil || balance.Total() > -refunded {
		t.Fatalf("%+v, %v", balance, err)
	}
	w.send(web.ChargesPath+"/"+bank.ID.String(), nil, "Cookie", w.as(authz.RoleOrganizationStaff)).
		says(t, "−$40.00", "−$100.00", strings.Replace((-balance.Total()).Dollars(), "$", "−$", 1))
}

// A network may ask for all of a charge of which a part was refunded.
func TestADisputedChargeAddsUpToWhatTheMerchantIsOwed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	refunded := money.Amount(4_000)
	one := w.charged(visaCard, 10_000, nil)
	if _, err := w.World.Refunds.Create(t.Context(), w.Actor(),
		refund.CreateInput{ChargeID: new(one.ID.String()), Amount: &refunded}, nil); err != nil {
		t.Fatal(err)
	}
	ev := processor.Event{Adapter: "sandbox", Account: processor.MerchantAccount(one.ApplicationID, one.MerchantID),
		Reference: one.Processor.Reference,
		Dispute: &processor.DisputeNotice{ID: "case", Reason: "fraudulent", Amount: 10_000, Currency: money.USD,
			RespondBy: w.Clock.Now()}}
	if err := w.World.Disputes.Open(t.Context(), ev); err != nil {
		t.Fatal(err)
	}
	page, cookie := web.ChargesPath+"/"+one.ID.String(), w.as(authz.RoleOrganizationStaff)
	open, err := ledger.BalanceOf(t.Context(), w.Pool, one.ApplicationID, one.MerchantID)
	if err != nil || open.Reserved != 10_000 {
		t.Fatalf("%+v, %v", open, err)
	}
	w.send(page, nil, "Cookie", cookie).says(t, "Held for open disputes", open.Total().Dollars(), "−$100.00",
		"Net excluding pending amounts", strings.Replace((-(open.Total() - open.Reserved)).Dollars(), "$", "−$", 1))
	if err := w.World.Disputes.Lost(t.Context(), ev); err != nil {
		t.Fatal(err)
	}
	balance, err := ledger.BalanceOf(t.Context(), w.Pool, one.ApplicationID, one.MerchantID)
	if err != nil || balance.Total() > -refunded {
		t.Fatalf("%+v, %v", balance, err)
	}
	w.send(page, nil, "Cookie", cookie).says(t, "Lost disputes", "−$40.00", "−$100.00",
		strings.Replace((-balance.Total()).Dollars(), "$", "−$", 1))
}

func TestAnAuthorizationIsCapturedInPartOrVoided(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	hold := func(in *charge.CreateInput) { in.Capture = new(false) }
	cookie := w.as(authz.RoleApplicationAdmin)
	first := w.charged(visaCard, 10_000, hold)
	at := web.ChargesPath + "/" + first.ID.String()
	w.send(at, nil, "Cookie", cookie).says(t, `href="`+at+`/capture"`, `href="`+at+`/void"`,
		"Not captured yet. Void it instead.")
	w.send(at+"/capture", nil, "Cookie", cookie).says(t, "$100.00 USD is authorized until", `value="100.00"`)
	bad := w.send(at+"/capture", withAmount(w.drawnForm(at+"/capture", cookie), "100.01"), "Cookie", cookie)
	bad.wants(t, http.StatusUnprocessableEntity, "")
	bad.says(t, "Charge not changed", `value="100.01"`)
	w.send(at+"/capture", withAmount(w.drawnForm(at+"/capture", cookie), "ten"), "Cookie", cookie).says(t,
		"Enter an amount")
	form := withAmount(w.drawnForm(at+"/capture", cookie), "60")
	for range 2 {
		w.send(at+"/capture", form, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
	}
	if got, err := w.World.Charges.Get(t.Context(), w.Actor(), first.ID.String()); err != nil ||
		got.Status != charge.Captured || got.AmountCaptured != 6_000 {
		t.Errorf("%+v, %v", got, err)
	}
	late := w.send(at+"/void", w.drawnForm(at+"/void", cookie), "Cookie", cookie)
	late.wants(t, http.StatusUnprocessableEntity, "")
	late.says(t, "this one is captured")

	second := w.charged(visaCard, 5_000, hold)
	at = web.ChargesPath + "/" + second.ID.String()
	form = w.drawnForm(at+"/void", cookie)
	form.Set("reason", "Booked twice")
	w.send(at+"/void", form, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
	w.send(at, nil, "Cookie", cookie).says(t, "Voided", "Booked twice", "Void reason")
	w.send(at+"/void", form, "Cookie", w.as(authz.RoleOrganizationStaff)).wants(t, http.StatusForbidden, "")
}

func TestRefundsAreListedAndThoseThatWaitAreCanceled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie := w.as(authz.RoleOrganizationStaff)
	w.send(web.RefundsPath, nil, "Cookie", cookie).says(t, "No refunds yet", `href="/portal/charges"`)
	card := w.charged(visaCard, 10_000, nil)
	bank := w.charged("", 8_000, func(in *charge.CreateInput) {
		in.Token = new(w.BankToken(w.App.Merchants.US, w.USBank("000123456789")))
	})
	give := func(c charge.Charge, amount money.Amount, reason string) refund.Refund {
		id := c.ID.String()
		out, err := w.World.Refunds.Create(t.Context(), w.Actor(),
			refund.CreateInput{ChargeID: &id, Amount: &amount, Reason: &reason}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return out.Object
	}
	give(card, 2_500, "duplicate")
	waits := give(bank, 1_000, "other")
	w.send(web.RefundsPath, nil, "Cookie", cookie).says(t, "Dana Reed", "$25.00", "Duplicate", "Succeeded",
		"waits for the charge to settle", "2 refunds on this page", "Refunded", "Pending")
	w.send(web.RefundsPath+"?reason=duplicate&status=succeeded&amount_min=25", nil, "Cookie", cookie).says(t,
		"1 refund on this page")
	w.send(web.RefundsPath+"?q="+bank.ID.String(), nil, "Cookie", cookie).says(t, "1 refund on this page", "$10.00")
	w.send(web.RefundsPath+"?status=failed", nil, "Cookie", cookie).says(t, "No results")
	at := web.RefundsPath + "/" + waits.ID.String()
	w.send(web.RefundsPath+"?q="+waits.ID.String(), nil, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
	w.send(at, nil, "Cookie", cookie).says(t, "Waiting for the charge to settle", `href="`+at+`/cancel"`, "Other",
		"Charge of $80.00 USD", "Refund requested", waits.ID.String())
	form := w.drawnForm(at+"/cancel", cookie)
	w.send(at+"/cancel", form, "Cookie", w.working(authz.RoleSupportStaff)).wants(t, http.StatusForbidden, "")
	w.send(at+"/cancel", form, "Cookie", w.in(authz.RoleOrganizationStaff, w.Other)).wants(t, http.StatusNotFound, "")
	for range 2 {
		w.send(at+"/cancel", form, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
	}
	w.send(at, nil, "Cookie", cookie).says(t, "Canceled", "Refund canceled", "Refund again")
	again := w.send(at+"/cancel", w.drawnForm(at+"/cancel", cookie), "Cookie", cookie)
	again.wants(t, http.StatusUnprocessableEntity, "")
	again.says(t, "Refund not canceled", "A refund that is canceled cannot be canceled.")
	w.send(at, nil, "Cookie", w.in(authz.RoleOrganizationAdmin, w.Other)).wants(t, http.StatusNotFound, "")
	sheet := w.send(web.RefundsPath+".csv?status=succeeded", nil, "Cookie", w.as(authz.RoleOrganizationAdmin))
	if lines := strings.Split(strings.TrimSpace(sheet.body), "\n"); len(lines) != 2 ||
		!strings.Contains(lines[1], ",succeeded,25.00,usd,duplicate,") {
		t.Errorf("the sheet is %s", sheet.body)
	}
}
