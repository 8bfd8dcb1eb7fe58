package portal

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/check/patch"
	"svcpay/internal/daf"
	"svcpay/internal/merchant"
	"svcpay/portal/web"
	"svcpay/views/text"
)

func TestAnOrganizationEnrollsItsMerchant(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie, at := w.as(authz.RoleOrganizationAdmin), w.merchantPage("/daf")
	w.send(at, nil, "Cookie", cookie).says(t, "Enroll merchant", `value="04-3567500"`, "Ask support to turn it on.",
		"Managed by: System administrator, Support staff.")
	look := func(ein string) answer { return w.send(at+"/look-up", url.Values{"ein": {ein}}, "Cookie", cookie) }

	a := look("12")
	a.wants(t, http.StatusUnprocessableEntity, "")
	a.says(t, "Merchant not enrolled", "An EIN is written as 04-3567500", `value="12"`)
	a = look("20-2000001")
	a.wants(t, http.StatusUnprocessableEntity, "")
	a.says(t, "The merchant has another EIN.", "Use the merchant’s EIN", "No, use another EIN")

	a = look("043567500") // nine digits are enough
	a.wants(t, http.StatusOK, "")
	a.says(t, "Is this the organization?", "Riverside Food Bank Inc", "Salem, OR, US", "501(c)(3)", "In good standing",
		"Yes, enroll Riverside Food Bank Inc")
	a.lacks(t, "Provider account") // the sandbox's provider has none
	confirm := url.Values{"ein": {a.input(t, "ein")}, "name": {a.input(t, "name")}}
	wrong := w.send(at+"/enroll", url.Values{"ein": confirm["ein"], "name": {"Someone Else"}}, "Cookie", cookie)
	wrong.wants(t, http.StatusUnprocessableEntity, "")
	wrong.says(t, "This is not the name of the organization that was found.")
	for range 2 { // pressed twice it is enrolled once
		w.send(at+"/enroll", confirm, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
	}
	for _, role := range []authz.Role{authz.RoleOrganizationAdmin, authz.RoleOrganizationStaff,
		authz.RoleSupportStaff} {
		w.send(at, nil, "Cookie", w.as(role)).says(t, "Riverside Food Bank Inc is enrolled in DAF Pay.", "conn_",
			"04-3567500")
	}
	b := w.send(at, nil, "Cookie", w.as(authz.RoleSupportStaff))
	b.says(t, "Available to: Organization administrator.", "/daf/switch?to=on")
	if strings.Contains(b.body, "/daf/leave") {
		t.Error("support opts a merchant out")
	}

	w.send(at+"/leave", nil, "Cookie", cookie).says(t, "Opt out of DAF Pay", "stop accepting DAF donations")
	w.send(at+"/leave", url.Values{}, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
	w.send(at, nil, "Cookie", cookie).says(t, "The organization has opted out", "Look up")
}

// Every outcome is told with what to do about it; none is a code.
func TestEveryFailureOfAnEnrollmentIsInPlainWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin := w.as(authz.RoleOrganizationAdmin)
	words := map[string][2]string{
		"13-1313130": {"The organization is not in good standing with the IRS.", "Lapsed Lantern Society"},
		"52-6000400": {"The organization is not registered as a 501(c)(3).", "501(c)(4)"},
		"98-0123456": {"The organization is not in the US.", "Maple Relief Foundation"},
		"93-9999999": {"There is no organization with this EIN.", "Check the number."},
	}
	id := w.App.Merchants.USQ
	if _, err := w.World.Merchants.Update(t.Context(), w.Actor(), id,
		merchant.UpdateInput{EIN: patch.Clear[string](), Nonprofit: patch.Set(true)}, nil); err != nil {
		t.Fatal(err)
	}
	for ein, want := range words {
		a := w.send(web.MerchantAt(id, "/daf/look-up"), url.Values{"ein": {ein}}, "Cookie", admin)
		a.wants(t, http.StatusUnprocessableEntity, "")
		a.says(t, want[0], want[1])
		if strings.Contains(a.body, "Yes, enroll") {
			t.Errorf("%s can be enrolled", ein)
		}
	}
	for _, o := range daf.Meanings() {
		if o.Outcome != daf.Eligible && text.English.Enrollment.Advice[string(o.Outcome)] == "" {
			t.Errorf("nothing is said about what to do when it is %s", o.Outcome)
		}
	}
	w.send(web.MerchantAt(w.App.Merchants.CA, "/daf"), nil, "Cookie", admin).says(t, "Not available",
		"Merchants outside the US can’t accept DAF donations.")
	a := w.send(web.MerchantAt(w.App.Merchants.CA, "/daf/look-up"), url.Values{"ein": {"04-3567500"}}, "Cookie", admin)
	a.wants(t, http.StatusUnprocessableEntity, "")
	a.says(t, "The merchant is not in the US")
}

func TestSupportTurnsDAFPayOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie, at := w.as(authz.RoleSupportStaff), w.merchantPage("/daf")
	w.send(at+"/switch?to=on", url.Values{}, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
	w.send(at, nil, "Cookie", cookie).says(t, "/daf/switch?to=off")
	a := w.send(web.MerchantAt(w.App.Merchants.CA, "/daf/switch?to=on"), url.Values{}, "Cookie", cookie)
	a.wants(t, http.StatusUnprocessableEntity, "")
	a.says(t, "Only US nonprofits can accept DAF donations.")
}
