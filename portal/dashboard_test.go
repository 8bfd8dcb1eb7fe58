package portal

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/money"
	"svcpay/internal/refund"
)

// The numbers of the home page are those of the lists that they lead to.
func TestHomeAddsUpToItsLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie := w.as(authz.RoleApplicationAdmin)
	w.send(home, nil, "Cookie", cookie).says(t, "Hello, Kim Vale", "Riverside Giving, the last 30 days.", "Nothing waits for you", "Getting started", "Take a first payment", "0 of 0 failed")
	one := w.charged(visaCard, 10_000, nil)
	w.charged(amexCard, 2_500, nil)
	w.charged(declined, 700, nil)
	w.charged(visaCard, 5_000, func(in *charge.CreateInput) { in.MerchantID = nil; w.inCanada(in) })
	back, id := money.Amount(1_000), one.ID.String()
	if _, err := w.World.Refunds.Create(t.Context(), w.Actor(), refund.CreateInput{ChargeID: &id, Amount: &back}, nil); err != nil {
		t.Fatal(err)
	}
	a := w.send(home, nil, "Cookie", cookie)
	a.says(t, "$125.00", "66.6%", "1 of 3 failed", "$10.00", "1 refund", "Show CAD", "Volume a day", "currency=cad")
	lists := 0
	for _, rest := range strings.Split(a.body, `class="row-link" href="`)[1:] {
		path, _, _ := strings.Cut(strings.ReplaceAll(rest, "&amp;", "&"), `"`)
		if !strings.HasPrefix(path, chargesPath+"?") && !strings.HasPrefix(path, refundsPath+"?") {
			continue
		}
		lists++
		list := w.send(path, nil, "Cookie", cookie)
		list.wants(t, http.StatusOK, "")
		switch {
		case strings.Contains(path, "status=failed"):
			list.says(t, "1 charge on this page")
		case strings.HasPrefix(path, refundsPath):
			list.says(t, "$10.00", "1 refund on this page")
		default:
			list.says(t, "$125.00", "3 charges on this page")
		}
	}
	if lists != 4 {
		t.Errorf("%d numbers lead to lists", lists)
	}
	w.send(home+"?currency=cad", nil, "Cookie", cookie).says(t, "$50.00", "Show USD")
}

// inCanada has a charge be of the merchant in Canada.
func (w *world) inCanada(in *charge.CreateInput) {
	in.MerchantID = &w.App.Merchants.CA
	in.Token = ptr(w.TokenIn(w.SessionOf(w.App, w.App.Merchants.CA), visaCard))
}

// What waits for somebody stands first, for those who see it.
func TestHomeNamesWhatWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.charged("4000000000000259", 48_000, nil)
	w.pass(2 * time.Hour) // the payer's bank asks an hour after the capture
	if _, err := w.Inbound.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, role := range []authz.Role{authz.RoleApplicationAdmin, authz.RoleOrganizationStaff} {
		w.send(home, nil, "Cookie", w.as(role)).says(t, "Needs attention", "Answer the dispute of $480.00 USD", "Riverside Food Bank", "1 dispute to answer")
	}
	foreign := w.send(home, nil, "Cookie", w.in(authz.RoleOrganizationAdmin, w.Other))
	if strings.Contains(foreign.body, "$480.00") {
		t.Error("another application's dispute is shown")
	}
}
