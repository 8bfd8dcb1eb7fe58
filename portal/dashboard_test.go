package portal

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/refund"
	"svcpay/internal/sandbox/demo"
	"svcpay/portal/web"
	"svcpay/views/text"
)

// The numbers of the home page are those of the lists that they lead to.
func TestHomeAddsUpToItsLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie := w.as(authz.RoleApplicationAdmin)
	w.send(web.Home, nil, "Cookie", cookie).says(t, "Hello, Kim Vale", "Riverside Giving · Last 30 days",
		"You’re all caught up", "Getting started", "Take your first payment", "No charges yet")
	one := w.charged(visaCard, 10_000, nil)
	w.charged(amexCard, 2_500, nil)
	w.charged(declined, 700, nil)
	w.charged(visaCard, 5_000, func(in *charge.CreateInput) { in.MerchantID = nil; w.inCanada(in) })
	back, id := money.Amount(1_000), one.ID.String()
	if _, err := w.World.Refunds.Create(t.Context(), w.Actor(), refund.CreateInput{ChargeID: &id, Amount: &back},
		nil); err != nil {
		t.Fatal(err)
	}
	a := w.send(web.Home, nil, "Cookie", cookie)
	a.says(t, "$125.00", "66.6%", "1 of 3 failed", "$10.00", "1 refund", "Show CAD", "Daily volume", "currency=cad")
	lists := 0
	for _, rest := range strings.Split(a.body, `class="row-link" href="`)[1:] {
		path, _, _ := strings.Cut(strings.ReplaceAll(rest, "&amp;", "&"), `"`)
		if !strings.HasPrefix(path, web.ChargesPath+"?") && !strings.HasPrefix(path, web.RefundsPath+"?") {
			continue
		}
		lists++
		list := w.send(path, nil, "Cookie", cookie)
		list.wants(t, http.StatusOK, "")
		switch {
		case strings.Contains(path, "status=failed"):
			list.says(t, "1 charge on this page")
		case strings.HasPrefix(path, web.RefundsPath):
			list.says(t, "$10.00", "1 refund on this page")
		default:
			list.says(t, "$125.00", "3 charges on this page")
		}
	}
	if lists != 4 {
		t.Errorf("%d numbers lead to lists", lists)
	}
	w.send(web.Home+"?currency=cad", nil, "Cookie", cookie).says(t, "$50.00", "Show USD")
}

// What someone new does first is what they can do, ticked by what there is.
func TestFirstStepsAreTheVisitorsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin := w.as(authz.RoleOrganizationAdmin)
	page := w.send(web.Home, nil, "Cookie", admin)
	page.says(w.t, "See your first payment", "Payments from your application show up under Charges.",
		"Enroll in DAF Pay", `href="`+web.MerchantAt(w.App.Merchants.US, "/daf")+`"`, "0 of 4 steps complete")
	page.lacks(w.t, "Take your first payment")
	w.charged(visaCard, 10_000, nil)
	if _, err := pg.Exec(w.t.Context(), w.Pool, `UPDATE merchants SET daf_provider_connect_id = 'conn_1'
		WHERE id = @id`, pg.Args{"id": w.App.Merchants.US}); err != nil {
		w.t.Fatal(err)
	}
	w.send(web.Home, nil, "Cookie", admin).says(w.t, "2 of 4 steps complete")
	w.send(web.Home, nil, "Cookie", w.as(authz.RoleOrganizationStaff)).lacks(w.t, "Enroll in DAF Pay")
}

// inCanada has a charge be of the merchant in Canada.
func (w *world) inCanada(in *charge.CreateInput) {
	in.MerchantID = &w.App.Merchants.CA
	in.Token = new(w.TokenIn(w.SessionOf(w.App, w.App.Merchants.CA), visaCard))
}

// What waits for someone is first, for those who see it.
func TestHomeNamesWhatWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.charged("4000000000000259", 48_000, nil)
	w.pass(2 * time.Hour) // the payer's bank asks an hour after the capture
	if _, err := w.Inbound.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, role := range []authz.Role{authz.RoleApplicationAdmin, authz.RoleOrganizationStaff} {
		w.send(web.Home, nil, "Cookie", w.as(role)).says(t, "Needs attention", "$480.00 USD dispute",
			"Riverside Food Bank", "1 dispute needs a response")
	}
	foreign := w.send(web.Home, nil, "Cookie", w.in(authz.RoleOrganizationAdmin, w.Other))
	if strings.Contains(foreign.body, "$480.00") {
		t.Error("another application's dispute is shown")
	}
}

// Where there are more merchants than a filter offers, the home page still knows all of them, and the filter takes an
// id.
func TestMoreMerchantsThanAFilterOffers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	rates := demo.Rates()
	for range web.Offered {
		w.Merchant(merchant.CreateInput{Rates: &rates})
	}
	last := w.Merchant(merchant.CreateInput{Rates: &rates, Name: new("Zephyr Shelter"), Country: new("CA")})
	cookie := w.as(authz.RoleApplicationAdmin)
	w.send(web.Home, nil, "Cookie", cookie).says(t, "You’re all caught up", "Show CAD")
	if _, err := pg.Exec(t.Context(), w.Pool, `UPDATE merchants SET payouts_paused_reason = 'payout_failed'
		WHERE id = @id`, pg.Args{"id": last.ID}); err != nil {
		t.Fatal(err)
	}
	w.send(web.Home, nil, "Cookie", cookie).says(t, "Payouts to Zephyr Shelter are paused")
	w.send(web.MerchantsPath+"?paused=on", nil, "Cookie", cookie).says(t, "1 merchant", "Zephyr Shelter")
	w.send(web.MerchantsPath+"?paused=off", nil, "Cookie", cookie).lacks(t, "Zephyr Shelter")
	for _, list := range []string{web.ChargesPath, web.RefundsPath, web.DisputesPath, web.DonationsPath,
		web.PayoutsPath} {
		a := w.send(list+"?merchant="+strconv.FormatInt(last.ID, 10), nil, "Cookie", cookie)
		a.says(t, "Zephyr Shelter", "You can find it on the Merchants page.",
			`value="`+strconv.FormatInt(last.ID, 10)+`"`)
	}
	w.send(web.StartPath+"?merchant="+strconv.FormatInt(last.ID, 10), nil, "Cookie", cookie).says(t, "Zephyr Shelter")
}

// The next payout is what is available of every merchant that is paid on that day, unless its payouts are paused.
func TestHomeForetellsTheNextPayout(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.taken(w.App, 30_000)
	w.later(7 * 24 * time.Hour) // nothing leaves: there is no bank account
	m, err := w.Merchants.Get(t.Context(), w.Actor(), w.App.Merchants.US)
	if err != nil {
		t.Fatal(err)
	}
	balances, err := w.Ledger.Several(t.Context(), w.Actor(), []int64{m.ID})
	sum := balances[m.ID].Available
	if err != nil || sum <= 0 {
		t.Fatalf("%+v, %v", balances, err)
	}
	cookie := w.as(authz.RoleApplicationAdmin)
	w.send(web.Home, nil, "Cookie", cookie).says(t, "$"+sum.Decimal(),
		"On "+text.English.Day(m.NextPayoutAt.UTC().Format(time.DateOnly)))
	w.send(web.Home, nil, "Cookie", w.in(authz.RoleApplicationAdmin, w.Other)).says(t, "No funds available yet")
	if _, err := pg.Exec(t.Context(), w.Pool, `UPDATE merchants SET payouts_paused_reason = 'payout_failed'
		WHERE id = @id`, pg.Args{"id": m.ID}); err != nil {
		t.Fatal(err)
	}
	w.send(web.Home, nil, "Cookie", cookie).says(t, "No funds available yet")
}

// The days before are whole once charges go back to the first of them.
func TestTheHomePageComparesWholeDays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.charged(visaCard, 10_000, nil)
	later := func(days int) answer {
		w.pass(time.Duration(days) * 24 * time.Hour)
		return w.send(web.Home, nil, "Cookie", w.as(authz.RoleOrganizationStaff))
	}
	later(0).lacks(t, "vs. previous 30 days")
	later(40).says(t, "Not enough earlier data to compare")
	w.charged(visaCard, 15_000, nil)
	half := w.send(web.Home, nil, "Cookie", w.as(authz.RoleOrganizationStaff))
	half.says(t, "Not enough earlier data to compare")
	half.lacks(t, "vs. previous 30 days")
	whole := later(19) // the first charge is on the first of the days before
	whole.says(t, "50%", "vs. previous 30 days")
	whole.lacks(t, "Not enough earlier data")
	w.charged(visaCard, 5_000, nil)
	later(31).says(t, "vs. previous 30 days") // the first charges are before them all
}
