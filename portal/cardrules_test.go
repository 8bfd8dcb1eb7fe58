package portal

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/charge/rule"
	"svcpay/internal/money"
	"svcpay/portal/web"
)

// cardRules are those of the first application's merchant in the US.
func (w *world) cardRules() rule.Rules {
	w.t.Helper()
	out, err := w.World.CardRules.Get(w.t.Context(), w.Actor(), w.App.Merchants.US)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// listed adds values to a list of that merchant.
func (w *world) listed(list rule.List, kind rule.Kind, values ...string) {
	w.t.Helper()
	l, k := string(list), string(kind)
	if _, err := w.World.CardRules.Add(w.t.Context(), w.Actor(), w.App.Merchants.US,
		rule.Additions{List: &l, Kind: &k, Values: values}, nil); err != nil {
		w.t.Fatal(err)
	}
}

// with is a form with other values.
func with(form url.Values, pairs ...string) url.Values {
	out := maps.Clone(form)
	for i := 0; i < len(pairs); i += 2 {
		out.Set(pairs[i], pairs[i+1])
	}
	return out
}

func TestCardRulesArePreviewedAndSaved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	small := w.charged(visaCard, 300, nil)
	w.charged(declined, 400, nil)
	w.charged(amexCard, 10_000, nil)
	cookie, at := w.as(authz.RoleOrganizationAdmin), w.merchantPage(web.CardRulesEnd)
	w.send(w.merchantPage(""), nil, "Cookie", cookie).says(t, `href="`+at+`"`)
	page := w.send(at, nil, "Cookie", cookie)
	page.says(t, "Minimum amount", "Payments per billing address", "Save rules", "0 entries")
	page.lacks(t, `id="rule-preview"`)
	form := url.Values{"version": {page.input(t, "version")}, "saw": {page.input(t, "saw")}}
	typed := with(form, "minimum_amount", "on", "minimum", "$5.00", "country", "on", "country_list", "block",
		"countries", "us; canada, US", "card_charges", "none") // of a rule that is off

	preview := w.send(at+"/preview", typed, "Cookie", cookie)
	preview.wants(t, http.StatusOK, "")
	preview.says(t, "These rules would have blocked 3 of 3 card payments in the last 30 days ($107.00).", "All rules",
		"Newest examples", `href="`+web.ChargesPath+"/"+small.ID.String()+`"`, `value="$5.00"`,
		">us; canada, US</textarea>", `value="`+form.Get("version")+`"`)
	part := w.send(at+"/preview", with(typed, "country", ""), "Cookie", cookie, "HX-Request", "true", "HX-Target",
		"card-rules")
	part.says(t, "2 of 3 card payments in the last 30 days ($7.00)")
	if !strings.HasPrefix(part.body, `<div id="card-rules"`) {
		t.Errorf("a part begins with %.60s", part.body)
	}
	if now := w.cardRules(); now.Version != 0 {
		t.Errorf("a preview saved %+v", now)
	}

	w.send(at, typed, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
	now := w.cardRules()
	if *now.MinimumAmount != 500 || fmt.Sprint(now.BlockedCountries) != "[CA US]" || now.CardVelocity != nil {
		t.Errorf("saved are %+v", now.Settings)
	}
	w.send(at, typed, "Cookie", cookie).wants(t, http.StatusSeeOther, at) // sent twice
	w.send(at, nil, "Cookie", cookie).says(t, `value="5.00"`, ">Canada, United States</textarea>")
	if w.done(authz.CardRuleManage) != 1 {
		t.Error("the audit log has not one change")
	}
}

func TestEachMistakeInCardRulesIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie, at := w.as(authz.RoleApplicationAdmin), w.merchantPage(web.CardRulesEnd)
	wrong := with(w.drawnForm(at, cookie), "minimum_amount", "on", "minimum", "five", "country", "on", "country_list",
		"block", "countries", "US, Canadia, QQ", "card_velocity", "on", "card_charges", "0", "card_hours", "24",
		"email_velocity", "on", "email_charges", "3", "email_hours", "169")
	for _, end := range []string{"", "/preview"} {
		a := w.send(at+end, wrong, "Cookie", cookie)
		a.wants(t, http.StatusUnprocessableEntity, "")
		a.says(t, "Enter an amount, such as 5.00.", "Unknown: Canadia, QQ.", `id="minimum-error"`,
			`id="countries-error"`, `id="card_charges-error"`, `id="email_hours-error"`, "Use a number from 1 to 1000.",
			"Use a number from 1 to 168.")
		a.lacks(t, `id="card_hours-error"`)
	}
	a := w.send(at, with(wrong, "minimum", "0", "country_list", "none", "countries", " "), "Cookie", cookie)
	a.says(t, "Enter an amount of 0.01 or more.", "Choose which countries to block.", "Enter at least one country.")
	w.send(at, url.Values{"minimum_amount": {""}}, "Cookie", cookie).wants(t, http.StatusUnprocessableEntity, "")
	if now := w.cardRules(); now.Version != 0 {
		t.Errorf("saved are %+v", now)
	}
}

// A change of the lists makes a version of the rules, and is no conflict with a form that has the rules alone.
func TestCardRulesOfTwoEditors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie, at := w.as(authz.RoleOrganizationAdmin), w.merchantPage(web.CardRulesEnd)
	page := w.send(at, nil, "Cookie", cookie)
	mine := url.Values{"version": {page.input(t, "version")}, "saw": {page.input(t, "saw")}, "cvc_mismatch": {"on"}}
	w.listed(rule.Block, rule.Email, "eve@example.org")
	w.send(at, mine, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
	stale := w.send(at, with(mine, "cvc_mismatch", "", "minimum_amount", "on", "minimum", "5"), "Cookie", cookie)
	stale.wants(t, http.StatusConflict, "")
	stale.says(t, "Someone else just changed these rules", "$5.00", "Wrong security code")
	again := url.Values{"version": {stale.input(t, "version")}, "saw": {stale.input(t, "saw")},
		"minimum_amount": {"on"}, "minimum": {"5"}}
	w.send(at, again, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
	if now := w.cardRules(); now.CVCMismatch || *now.MinimumAmount != 500 || now.Version != 4 {
		t.Errorf("saved are %+v", now)
	}
}

func TestOthersReadCardRules(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.charged(amexCard, 300, nil)
	least := money.Amount(500)
	if _, err := w.World.CardRules.Set(t.Context(), w.Actor(), w.App.Merchants.US,
		rule.Proposed(rule.Settings{MinimumAmount: &least, CardVelocity: &rule.Window{Charges: 1, Hours: 24}}),
		nil); err != nil {
		t.Fatal(err)
	}
	w.listed(rule.Allow, rule.BIN, "424242")
	at := w.merchantPage(web.CardRulesEnd)
	for _, r := range []authz.Role{authz.RoleSupportStaff, authz.RoleOrganizationStaff} {
		cookie := w.as(r)
		a := w.send(at, nil, "Cookie", cookie)
		a.says(t, "$5.00", "Up to 1 payment in 24 hours", "Managed by: System administrator, Application "+
			"administrator, Organization administrator.", "1 entry")
		a.lacks(t, "Save rules", `action="`+at+`"`)
		seen := url.Values{"minimum_amount": {a.input(t, "minimum_amount")}, "minimum": {a.input(t, "minimum")}}
		w.send(at+"/preview", seen, "Cookie", cookie).says(t, "1 of 1 card payment in the last 30 days ($3.00)")
		w.send(at, seen, "Cookie", cookie).wants(t, http.StatusForbidden, "")
		lists := w.send(at+"/entries", nil, "Cookie", cookie)
		lists.says(t, "424242", "First six digits", "Allow list")
		lists.lacks(t, "Add entries", "/entries/remove")
	}
}
