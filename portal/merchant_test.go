package portal

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/audit"
	"svcpay/portal/web"
)

// merchantPage is the address of a page of the first application's merchant in the US.
func (w *world) merchantPage(end string) string { return web.MerchantAt(w.App.Merchants.US, end) }

func TestOverviewTellsWhatIsMissingAndWhoCanChangeIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	a := w.send(w.merchantPage(""), nil, "Cookie", w.as(authz.RoleApplicationAdmin))
	a.wants(t, http.StatusOK, "")
	a.says(t, "Payment methods", "DAF donations", "DAF Pay is off",
		"Available to: System administrator, Support staff.",
		"Canadian merchants only", "Not available", "No bank account for payouts",
		`&#34;object&#34;: &#34;merchant&#34;`)
	w.send(web.MerchantAt(w.App.Merchants.CA, ""), nil, "Cookie", w.as(authz.RoleSupportStaff)).says(t,
		"Canadian pre-authorized debit", "US merchants only")
}

func TestMerchantsOfOthersAreMissing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, role := range []authz.Role{authz.RoleApplicationAdmin, authz.RoleOrganizationAdmin,
		authz.RoleOrganizationStaff} {
		cookie := w.in(role, w.Other)
		for _, id := range []string{fmt.Sprint(w.App.Merchants.US), "0", "-1", "999999", "x", "1e3"} {
			for _, r := range w.merchants.Routes() {
				if r.Method != http.MethodGet || !strings.HasPrefix(r.Path, web.MerchantPath) || !w.allowed(role, r) {
					continue
				}
				if a := w.send(strings.ReplaceAll(r.Path, ":id", id), nil, "Cookie",
					cookie); a.StatusCode != http.StatusNotFound {
					t.Errorf("%s of %s sees %s: %d", role, id, r.Path, a.StatusCode)
				}
			}
		}
	}
}

// allowed reports whether a role's people may open a route at all.
func (w *world) allowed(role authz.Role, r web.Route) bool {
	return w.Audit.Check(web.Holder(role), r.Needs) == nil
}

func TestClosedMerchantHasNoWayBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	if _, err := w.World.Merchants.SetStatus(t.Context(), w.Admin(),
		merchant.StatusInput{MerchantID: w.App.Merchants.US, Status: merchant.Closed,
			Reason: "They moved on"}); err != nil {
		t.Fatal(err)
	}
	a := w.send(w.merchantPage(""), nil, "Cookie", w.as(authz.RoleSystemAdmin))
	a.says(t, "They moved on", "Closed permanently.", "Merchant is not active")
	if strings.Contains(a.body, "status?to=") || strings.Contains(a.body, "Requires one of these roles") {
		t.Error("a closed merchant can be changed")
	}
}

func TestAMerchantsPeopleAndWhatTheyDid(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	if _, err := w.World.Merchants.SetStatus(t.Context(), w.Admin(),
		merchant.StatusInput{MerchantID: w.App.Merchants.CA, Status: merchant.Suspended,
			Reason: "Looked into"}); err != nil {
		t.Fatal(err)
	}
	support := w.as(authz.RoleSupportStaff)
	w.send(w.merchantPage("/wallets/switch?to=off"), url.Values{}, "Cookie", support).wants(t, http.StatusSeeOther,
		w.merchantPage("/wallets"))
	admin := w.as(authz.RoleOrganizationAdmin)
	a := w.send(w.merchantPage("/activity"), nil, "Cookie", admin)
	a.says(t, "turned Wallet A off for", "Support staff")
	if strings.Contains(a.body, "suspended") {
		t.Error("another merchant's activity is shown")
	}
	a = w.send(w.merchantPage("/team"), nil, "Cookie", admin)
	a.says(t, " team", "Organization administrator", "Invite member")
	if strings.Contains(a.body, "support_staff.") {
		t.Error("people of the service are shown")
	}
}

func TestMerchantsAreAddedAndEdited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie := w.as(authz.RoleApplicationAdmin)
	a := w.send(web.MerchantsPath+"/new", nil, "Cookie", cookie)
	form := url.Values{"once": {a.input(t, "once")}, "name": {""}, "country": {"CA"}, "ein": {"04-3567500"},
		"organization_name": {"New Trust"}}
	a = w.send(web.MerchantsPath+"/new", form, "Cookie", cookie)
	a.wants(t, http.StatusUnprocessableEntity, "")
	a.says(t, "Check the highlighted fields", "An EIN is for merchants in the US.", `value="New Trust"`)
	form = url.Values{"once": {a.input(t, "once")}, "name": {"Lighthouse Fund"}, "country": {"US"}, "nonprofit": {"on"},
		"organization_name": {"New Trust"}, "external_id": {"crm-7"}}
	made := w.send(web.MerchantsPath+"/new", form, "Cookie", cookie)
	again := w.send(web.MerchantsPath+"/new", form, "Cookie", cookie)
	at := made.Header.Get("Location")
	if made.StatusCode != http.StatusSeeOther || again.Header.Get("Location") != at {
		t.Fatalf("%d to %s, then %d to %s", made.StatusCode, at, again.StatusCode, again.Header.Get("Location"))
	}
	w.send(at, nil, "Cookie", cookie).says(t, "Lighthouse Fund", "New Trust", "crm-7", "LIGHTHOUSE FUND")
	w.send(web.MerchantsPath+"?q=lighthouse&country=US", nil, "Cookie", cookie).says(t, "Lighthouse Fund", "1 merchant")
	w.send(web.MerchantsPath+"?q=nobody", nil, "Cookie", cookie).says(t, "No results")
	sheet := w.send(web.MerchantsPath+".csv?q=crm-7", nil, "Cookie", cookie)
	if lines := strings.Split(strings.TrimSpace(sheet.body), "\n"); len(lines) != 2 ||
		!strings.Contains(lines[1], "Lighthouse Fund,active,New Trust,US,usd") {
		t.Errorf("the sheet is %s", sheet.body)
	}
	w.send(web.MerchantsPath+".csv", nil, "Cookie", w.as(authz.RoleSupportStaff)).wants(t, http.StatusForbidden, "")

	a = w.send(at+"/edit", nil, "Cookie", cookie)
	edit := func(a answer, name string) url.Values {
		return url.Values{"once": {a.input(t, "once")}, "version": {a.input(t, "version")}, "name": {name},
			"nonprofit": {"on"}, "time_zone": {"America/Chicago"}, "bank_processor": {"p"}, "external_id": {"crm-7"}}
	}
	w.send(at+"/edit", edit(a, "Lighthouse Trust"), "Cookie", cookie).wants(t, http.StatusSeeOther, at)
	stale := edit(a, "Lighthouse Society")
	stale.Set("once", web.NewOnce())
	b := w.send(at+"/edit", stale, "Cookie", cookie)
	b.wants(t, http.StatusConflict, "")
	b.says(t, "Someone else just edited this merchant", "Lighthouse Trust", "Lighthouse Society")
	w.send(at+"/edit", edit(b, "Lighthouse Society"), "Cookie", cookie).wants(t, http.StatusSeeOther, at)
	w.send(at, nil, "Cookie", cookie).says(t, "Lighthouse Society")

	here, owner := w.merchantPage("/edit"), w.as(authz.RoleOrganizationAdmin)
	mine := w.send(here, nil, "Cookie", owner)
	mine.lacks(t, `name="bank_processor"`)
	own := edit(mine, "Riverside Pantry")
	own.Del("bank_processor")
	own.Set("external_id", "crm-8")
	w.send(here, own, "Cookie", owner).wants(t, http.StatusSeeOther, w.merchantPage(""))
	w.send(here, nil, "Cookie", cookie).says(t, `name="bank_processor"`, `value="p" checked`, "Riverside Pantry")
	beyond := edit(w.send(here, nil, "Cookie", owner), "Riverside Larder") // the form has no such input for them
	beyond.Set("bank_processor", "q")
	beyond.Set("external_id", "crm-8")
	w.send(here, beyond, "Cookie", owner).wants(t, http.StatusForbidden, "")
	w.send(here, nil, "Cookie", cookie).says(t, `value="p" checked`, "Riverside Pantry")
	all := slices.DeleteFunc(w.entries(authz.MerchantCreate),
		func(e audit.Entry) bool { return e.Outcome != audit.Denied })
	if len(all) != 1 || all[0].Role != authz.RoleOrganizationAdmin {
		t.Errorf("the log has %+v", all)
	}

	admin := w.as(authz.RoleSystemAdmin)
	b = w.send(at+"/status", url.Values{"to": {"suspended"}, "reason": {" "}}, "Cookie", admin)
	b.wants(t, http.StatusUnprocessableEntity, "")
	b.says(t, "Enter a reason.")
	w.send(at+"/status", url.Values{"to": {"suspended"}, "reason": {"Asked for"}}, "Cookie", admin).wants(t,
		http.StatusSeeOther, at)
	w.send(at, nil, "Cookie", cookie).says(t, "Asked for", "Suspended")
}

// Who may edit a merchant changes how often it is paid out; of two who do it at once the second sees what the first
// did.
func TestThePayoutScheduleIsChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin, staff := w.as(authz.RoleOrganizationAdmin), w.as(authz.RoleOrganizationStaff)
	at := web.MerchantAt(w.App.Merchants.US, web.PayoutsEnd)
	w.send(at, nil, "Cookie", staff).lacks(t, at+"/schedule")
	w.send(at+"/schedule", nil, "Cookie", staff).wants(t, http.StatusForbidden, "")
	w.send(at+"/schedule", nil, "Cookie", w.in(authz.RoleOrganizationAdmin, w.Other)).wants(t, http.StatusNotFound, "")
	w.send(at, nil, "Cookie", admin).says(t, "Every business day", at+"/schedule")
	draw := func() url.Values {
		form := w.drawnForm(at+"/schedule", admin)
		form.Set("payout_weekday", "5")
		form.Set("payout_day_of_month", "31")
		return form
	}
	weekly, late := draw(), draw()
	weekly.Set("payout_schedule", "weekly")
	for range 2 { // sent twice
		w.send(at+"/schedule", weekly, "Cookie", admin).wants(t, http.StatusSeeOther, at)
	}
	w.send(at, nil, "Cookie", admin).says(t, "Every Friday")
	if n := w.done(authz.MerchantUpdate); n != 1 {
		t.Errorf("%d changes in the audit log", n)
	}
	late.Set("payout_schedule", "monthly")
	conflict := w.send(at+"/schedule", late, "Cookie", admin)
	conflict.wants(t, http.StatusConflict, "")
	conflict.says(t, "Every Friday", "Monthly, on day 31", `value="monthly" checked`)
	for _, input := range drawnInputs.FindAllStringSubmatch(conflict.body, -1) {
		if input[1] == "once" || input[1] == "version" {
			late.Set(input[1], input[2])
		}
	}
	w.send(at+"/schedule", late, "Cookie", admin).wants(t, http.StatusSeeOther, at)
	w.send(at, nil, "Cookie", admin).says(t, "Monthly, on day 31")
	for name, value := range map[string]string{"payout_day_of_month": "32", "payout_schedule": "hourly"} {
		wrong := draw()
		wrong.Set("payout_schedule", "monthly")
		wrong.Set(name, value)
		a := w.send(at+"/schedule", wrong, "Cookie", admin)
		a.wants(t, http.StatusUnprocessableEntity, "")
		a.says(t, "Schedule not saved")
	}
}
