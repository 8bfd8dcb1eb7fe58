package portal

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/money"
	"svcpay/internal/sandbox/demo"
	"svcpay/portal/web"
)

const (
	visaCard = "4242424242424242"
	amexCard = "378282246310005"
	declined = "4000000000000002"
)

// charged makes a charge of the first application's merchant in the US; a declined one too.
func (w *world) charged(number string, amount money.Amount, change func(*charge.CreateInput)) charge.Charge {
	w.t.Helper()
	return w.chargedBy(w.App, number, amount, change)
}

// chargedBy makes a charge of one of the two applications.
func (w *world) chargedBy(app demo.Application, number string, amount money.Amount,
	change func(*charge.CreateInput)) charge.Charge {
	w.t.Helper()
	in := charge.CreateInput{MerchantID: &app.Merchants.US, Amount: &amount}
	if number != "" {
		in.Token = new(w.TokenIn(w.SessionOf(app, app.Merchants.US), number))
	}
	if change != nil {
		change(&in)
	}
	out, err := w.World.Charges.Create(w.t.Context(), w.ActorOf(app), in, nil)
	if err != nil && number != declined {
		w.t.Fatal(err)
	}
	return out.Object
}

func TestChargesAreListedFilteredAndAddedUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie := w.as(authz.RoleApplicationAdmin)
	w.send(web.ChargesPath, nil, "Cookie", cookie).says(t, "No charges yet")
	amex := w.charged(amexCard, 10_000,
		func(in *charge.CreateInput) { in.Metadata = map[string]string{"campaign": "spring"} })
	w.charged(visaCard, 2_500, func(in *charge.CreateInput) { in.ExternalID = new("gift-7"); in.Recurring = new(true) })
	w.charged(declined, 700, nil)
	foreign := w.chargedBy(w.Other, visaCard, 99_900, nil)
	all := w.send(web.ChargesPath, nil, "Cookie", cookie)
	all.says(t, "Dana Reed", "dana@example.org", "Amex ···· 0005", "Visa ···· 4242", "$100.00", "Riverside Food Bank",
		"Captured", "Failed", "3 charges on this page",
		"$125.00", web.ChargesPath+"/"+amex.ID.String(), `href="/portal/charges.csv"`)
	if strings.Contains(all.body, "$999.00") || strings.Contains(all.body, foreign.ID.String()) {
		t.Error("another application's charge is shown")
	}
	for query, want := range map[string]int{
		"status=failed": 1, "status=captured&status=failed": 3, "method=cc": 3, "method=ach": 0,
		"amount_min=25&amount_max=25.00": 1, "recurring=yes": 1,
		"recurring=no": 2, "metadata=" + url.QueryEscape("campaign: spring"): 1, "q=0005": 1, "q=DANA%40example.org": 3,
		"q=gift-7": 1, "q=other": 0,
		"currency=cad": 0, fmt.Sprintf("merchant=%d", w.App.Merchants.US): 3, fmt.Sprintf("merchant=%d",
			w.App.Merchants.CA): 0,
		"created_from=" + w.Clock.Now().UTC().Format(time.DateOnly): 3, "created_until=2020-01-01": 0,
	} {
		a := w.send(web.ChargesPath+"?"+query, nil, "Cookie", cookie)
		if got := strings.Count(a.body, `class="row-link" href="/portal/charges/ch_`); got != want {
			t.Errorf("%s shows %d charges, want %d", query, got, want)
		}
		if want == 0 {
			a.says(t, "No results")
		}
	}
	w.send(web.ChargesPath+"?q="+amex.ID.String(), nil, "Cookie", cookie).wants(t, http.StatusSeeOther,
		web.ChargesPath+"/"+amex.ID.String())
	w.send(web.ChargesPath+"?amount_min=ten&metadata=odd", nil, "Cookie", cookie).says(t, "Enter an amount, such as",
		"Enter a name, a colon, and a value.")
	w.send(web.ChargesPath+"/totals?status=captured", nil, "Cookie", cookie).says(t, "$125.00",
		`href="/portal/charges?status=captured"`)
}

func TestChargesAsCSVAreTheView(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.charged(visaCard, 123_456, func(in *charge.CreateInput) { in.Description = new("=1+1") })
	w.charged(declined, 700, nil)
	a := w.send(web.ChargesPath+".csv?status=captured", nil, "Cookie", w.as(authz.RoleOrganizationAdmin))
	lines := strings.Split(strings.TrimSpace(a.body), "\n")
	if a.StatusCode != http.StatusOK || len(lines) != 2 ||
		!strings.Contains(lines[1], ",captured,1234.56,1234.56,0.00,") || !strings.Contains(lines[1], ",'=1+1,") {
		t.Errorf("%d: %s", a.StatusCode, a.body)
	}
	w.send(web.ChargesPath+".csv", nil, "Cookie", w.as(authz.RoleOrganizationStaff)).wants(t, http.StatusForbidden, "")
	if page := w.send(web.ChargesPath, nil, "Cookie", w.as(authz.RoleOrganizationStaff)); strings.Contains(page.body,
		"charges.csv") {
		t.Error("who may not export is offered it")
	}
}

// An organization's people see the charges of their merchants alone.
func TestChargesOfOtherOrganizationsAreNotThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	mine, theirs := w.charged(visaCard, 100, nil), w.chargedBy(w.Other, visaCard, 200, nil)
	for _, role := range authz.PeopleRoles() {
		if role.Scope() == authz.ScopeSystem {
			continue
		}
		cookie := w.in(role, w.Other)
		a := w.send(web.ChargesPath, nil, "Cookie", cookie)
		a.says(t, theirs.ID.String())
		if strings.Contains(a.body, mine.ID.String()) {
			t.Errorf("%s sees a foreign charge", role)
		}
	}
}

// A page of 50 charges takes no more queries than one of two.
func TestAPageOfChargesHasAQueryBudget(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for range 2 {
		w.charged(visaCard, 100, nil)
	}
	cookie := w.as(authz.RoleOrganizationAdmin)
	asked := func() int64 {
		before := w.Pool.Stat().AcquireCount()
		w.send(web.ChargesPath, nil, "Cookie", cookie).wants(t, http.StatusOK, "")
		return w.Pool.Stat().AcquireCount() - before
	}
	two := asked()
	for range 50 {
		w.charged(visaCard, 100, nil)
	}
	if many := asked(); many != two || many > 6 {
		t.Errorf("two charges take %d queries, fifty %d", two, many)
	}
}
