package portal

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/portal/merchants"
	"svcpay/portal/web"
)

// feeForm is the form of a page, as it is drawn, with what is changed in it.
func (w *world) feeForm(cookie, at string, change url.Values) url.Values {
	w.t.Helper()
	a := w.send(at+"/change", nil, "Cookie", cookie)
	a.wants(w.t, http.StatusOK, "")
	now, err := w.World.Fees.Current(w.t.Context(), w.Actor(), w.App.Merchants.US)
	if err != nil {
		w.t.Fatal(err)
	}
	out := merchants.TypedRates(now.Rates)
	for name, value := range map[string]string{"base": a.input(w.t, "base"), "saw": a.input(w.t, "saw"), "start": "now",
		"day": "", "time": "00:00", "reason": "A new contract"} {
		out.Set(name, value)
	}
	for name, values := range change {
		out[name] = values
	}
	return out
}

func (w *world) feeHistory() []fee.Record {
	w.t.Helper()
	p, err := w.World.Fees.History(w.t.Context(), w.Actor(), w.App.Merchants.US, page.Input[ids.FeeSchedule]{Limit: 50})
	if err != nil {
		w.t.Fatal(err)
	}
	return p.Items
}

func TestFeesAreReviewedAndConfirmed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie, at := w.as(authz.RoleApplicationAdmin), w.merchantPage("/fees")
	w.pass(time.Minute)
	w.send(at, nil, "Cookie", cookie).says(t, "Change fees", "Default", "The merchant was created.", "AMEX surcharge",
		"2%", "Off")
	form := w.feeForm(cookie, at,
		url.Values{"capture_fee": {"$0.30"}, "platform_percentage": {"1.5%"}, "amex_surcharge_percentage": {"0.5"}})

	wrong := url.Values{}
	for name, values := range form {
		wrong[name] = values
	}
	wrong.Set("capture_fee", "thirty")
	wrong.Set("daf_percentage", "101")
	wrong.Set("retrieval_fee", "")
	wrong.Set("start", "later")
	wrong.Set("reason", " ")
	a := w.send(at+"/review", wrong, "Cookie", cookie)
	a.wants(t, http.StatusUnprocessableEntity, "")
	a.says(t, `value="thirty"`, "Capture: Enter an amount in dollars and cents", "DAF donation: Enter a percentage",
		"Retrieval fee: Enter an amount", "Enter a day and a time.", "Enter a reason.")

	a = w.send(at+"/review", form, "Cookie", cookie)
	a.wants(t, http.StatusOK, "")
	a.says(t, "Review change", "$0.30", "1.5%", "A new contract", "No payments or disputes in the last 30 days",
		"Sample payment", "1.5% of $100.00 = $1.50", "American Express", "Change fees")
	if len(w.feeHistory()) != 1 {
		t.Error("a review has changed something")
	}
	w.send(at+"/change", form, "Cookie", cookie).says(t, `value="$0.30"`, "A new contract</textarea>")
	for range 2 { // pressed twice it changes once
		w.send(at+"/confirm", form, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
	}
	past := w.feeHistory()
	if len(past) != 2 || past[0].CaptureFee != 30 || past[0].CreatedBy.User != "Kim Vale" ||
		past[0].Status != fee.InForce {
		t.Fatalf("%+v", past)
	}
	w.send(at, nil, "Cookie", w.as(authz.RoleOrganizationStaff)).says(t, "$0.30", "A new contract", "Kim Vale")
	if b := w.send(at, nil, "Cookie", w.as(authz.RoleOrganizationAdmin)); strings.Contains(b.body, "/fees/change") ||
		strings.Contains(b.body, ">Default<") {
		t.Error("an organization changes its fees, or sees defaults")
	}
	a = w.send(at+"/review", w.feeForm(cookie, at, nil), "Cookie", cookie)
	a.says(t, "No changes", "disabled")
}

// A review warns if the fees of a charge of the merchant's smallest amount are more than the charge.
func TestAReviewWarnsOfFeesThatExceedASmallCharge(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie, at := w.as(authz.RoleApplicationAdmin), w.merchantPage("/fees")
	w.pass(time.Minute)
	minimum := func(typed string) {
		t.Helper()
		edit := w.merchantPage("/edit")
		page := w.send(edit, nil, "Cookie", cookie)
		form := url.Values{"minimum_charge": {typed}, "name": {"Riverside Food Bank"},
			"time_zone": {"America/New_York"}, "nonprofit": {"on"},
			"once": {page.input(t, "once")}, "version": {page.input(t, "version")}}
		w.send(edit, form, "Cookie", cookie).wants(t, http.StatusSeeOther, w.merchantPage(""))
	}
	review := func(change url.Values) answer {
		return w.send(at+"/review", w.feeForm(cookie, at, change), "Cookie", cookie)
	}
	warning := "Fees can exceed a small charge"
	minimum("0.50")
	w.send(w.merchantPage(""), nil, "Cookie", cookie).says(t, "Minimum charge", "$0.50")
	// 0.10 + 0.34 + 0.05 + 1 % are 0.50 at most
	if a := review(url.Values{"capture_fee": {"0.34"}}); strings.Contains(a.body, warning) {
		t.Error("a charge that costs what it brings in is warned of")
	}
	review(url.Values{"capture_fee": {"0.35"}}).says(t, warning, "On the merchant’s minimum charge of $0.50",
		"Card, captured, Visa: $0.51 in fees")
	review(url.Values{"ach_transfer_flat_fee": {"0.60"}}).says(t, warning, "Bank payment, settled: $0.66 in fees")
	minimum("20")
	if a := review(url.Values{"capture_fee": {"0.35"}}); strings.Contains(a.body, warning) {
		t.Error("the warning does not look at the merchant's minimum")
	}
	a := w.send(w.merchantPage("/edit"), url.Values{"minimum_charge": {"fifty"}, "once": {web.NewOnce()}},
		"Cookie", cookie)
	a.wants(t, http.StatusUnprocessableEntity, "")
	a.says(t, "Enter an amount in dollars and cents, such as 0.50.", `value="fifty"`)
}

func TestAScheduledChangeIsTakenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie, at := w.as(authz.RoleSystemAdmin), w.merchantPage("/fees")
	w.pass(time.Minute)
	day := w.Clock.Now().AddDate(0, 0, 7).UTC()
	form := w.feeForm(cookie, at,
		url.Values{"capture_fee": {"0.45"}, "start": {"later"}, "day": {day.Format(time.DateOnly)}, "time": {"06:30"}})
	a := w.send(at+"/review", form, "Cookie", cookie)
	a.says(t, "Schedule change", day.Format("Jan 2, 2006")+", 6:30 AM")
	past := url.Values{}
	for name, values := range form {
		past[name] = values
	}
	past.Set("day", w.Clock.Now().AddDate(0, 0, -2).Format(time.DateOnly))
	b := w.send(at+"/confirm", past, "Cookie", cookie)
	b.wants(t, http.StatusUnprocessableEntity, "")
	b.says(t, "Rates change now or later, never in the past.")
	a = w.send(at+"/confirm", form, "Cookie", cookie)
	a.wants(t, http.StatusSeeOther, at)
	made := w.feeHistory()[0]
	if made.Status != fee.Scheduled || made.CaptureFee != 45 {
		t.Fatalf("%+v", made)
	}
	cancel := at + "/" + made.ID.String() + "/cancel"
	w.send(at, nil, "Cookie", cookie).says(t, cancel, "$0.45", "Cancel change")
	w.send(web.FeesPath, nil, "Cookie", cookie).says(t, "Scheduled changes", "A new contract", "Riverside Food Bank")
	w.send(at+"/change", nil, "Cookie", cookie).says(t, "Other changes are scheduled.")
	w.send(cancel, url.Values{}, "Cookie", w.as(authz.RoleSupportStaff)).wants(t, http.StatusForbidden, "")
	w.send(cancel, url.Values{}, "Cookie", w.in(authz.RoleApplicationAdmin, w.Other)).wants(t, http.StatusNotFound, "")
	w.send(cancel, url.Values{}, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
	if gone := w.feeHistory()[0]; gone.Status != fee.Canceled {
		t.Errorf("%+v", gone)
	}
	w.send(at, nil, "Cookie", cookie).says(t, "Canceled by Kim Vale")
	w.send(at+"/"+w.feeHistory()[1].ID.String()+"/cancel", url.Values{}, "Cookie", cookie).wants(t,
		http.StatusConflict, "")
	w.send(at+"/fs_x/cancel", url.Values{}, "Cookie", cookie).wants(t, http.StatusNotFound, "")
}

// A change that begins before a scheduled one stays when that begins: the review lists what each sets, and marks what
// is set again.
func TestAReviewListsTheScheduledChangesAfterIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie, at := w.as(authz.RoleSystemAdmin), w.merchantPage("/fees")
	w.pass(time.Minute)
	later := func(days int, set url.Values) url.Values {
		set.Set("start", "later")
		set.Set("day", w.Clock.Now().AddDate(0, 0, days).UTC().Format(time.DateOnly))
		return w.feeForm(cookie, at, set)
	}
	send := func(form url.Values) answer {
		a := w.send(at+"/review", form, "Cookie", cookie)
		a.wants(t, http.StatusOK, "")
		for range 2 { // pressed twice it changes once
			w.send(at+"/confirm", form, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
		}
		return a
	}
	if a := send(later(30, url.Values{"capture_fee": {"0.45"}, "reason": {"Only capture"}})); strings.Contains(a.body,
		"Scheduled changes after") {
		t.Error("nothing is scheduled")
	}
	a := send(later(9, url.Values{"platform_percentage": {"1.5"}, "capture_fee": {"0.33"}, "reason": {"Platform"}}))
	a.says(t, "Scheduled changes after this one", "Only capture", "$0.45", "Also changes a fee")
	if strings.Count(a.body, "1.5%") == 0 || strings.Count(a.body, ">Only capture<") != 1 {
		t.Error("the review does not list both")
	}
	now, err := w.World.Fees.Current(t.Context(), w.Actor(), w.App.Merchants.US)
	if err != nil || len(now.Scheduled) != 2 {
		t.Fatalf("%+v, %v", now.Scheduled, err)
	}
	if last := now.Scheduled[1]; last.CaptureFee != 45 || last.PlatformPercentage.String() != "1.5" ||
		last.Reason != "Only capture" {
		t.Errorf("the later change undoes the earlier one: %+v", last)
	}
}

// The second of two editors sees what the first saved next to their own, and loses neither.
func TestTwoEditorsOfFeesSeeBothVersions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	at := w.merchantPage("/fees")
	one, two := w.as(authz.RoleApplicationAdmin), w.as(authz.RoleSystemAdmin)
	w.pass(time.Minute)
	first := w.feeForm(one, at, url.Values{"capture_fee": {"0.25"}, "reason": {"First of two"}})
	second := w.feeForm(two, at,
		url.Values{"authorization_fee": {"0.11"}, "capture_fee": {"0.26"}, "reason": {"Second of two"}})
	w.send(at+"/confirm", first, "Cookie", one).wants(t, http.StatusSeeOther, at)
	w.pass(time.Minute)
	for _, end := range []string{"/review", "/confirm"} {
		a := w.send(at+end, second, "Cookie", two)
		a.wants(t, http.StatusConflict, "")
		a.says(t, "Someone else just changed these fees", "First of two", "$0.25", "Second of two", "$0.26", "$0.11",
			"Both of you changed this.")
	}
	if past := w.feeHistory(); past[0].Reason != "First of two" {
		t.Fatalf("something was overwritten: %+v", past[0])
	}
	a := w.send(at+"/confirm", second, "Cookie", two)
	merged := url.Values{}
	for name := range second {
		merged.Set(name, a.input(t, name))
	}
	w.send(at+"/review", merged, "Cookie", two).wants(t, http.StatusOK, "")
	w.send(at+"/confirm", merged, "Cookie", two).wants(t, http.StatusSeeOther, at)
	if now := w.feeHistory()[0]; now.Reason != "Second of two" || now.AuthorizationFee != 11 || now.CaptureFee != 26 {
		t.Errorf("%+v", now)
	}
}

// So does the second of two who make the service's first rates.
func TestTwoEditorsOfTheFirstServiceRatesSeeBothVersions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	one, two := w.as(authz.RoleSystemAdmin), w.as(authz.RoleSystemAdmin)
	form := func(cookie, reason string, r fee.Rates) url.Values {
		a := w.send(web.ServiceFeesPath+"/change", nil, "Cookie", cookie)
		out := merchants.TypedRates(r)
		for name, value := range map[string]string{"base": a.input(t, "base"), "saw": a.input(t, "saw"), "start": "now",
			"reason": reason} {
			out.Set(name, value)
		}
		return out
	}
	first, second := form(one, "First of two", fee.Rates{CaptureFee: 3}), form(two, "Second of two",
		fee.Rates{CaptureFee: 4, AuthorizationFee: 2})
	w.send(web.ServiceFeesPath+"/confirm", first, "Cookie", one).wants(t, http.StatusSeeOther, web.ServiceFeesPath)
	w.send(web.ServiceFeesPath+"/confirm", first, "Cookie", one).wants(t, http.StatusSeeOther, web.ServiceFeesPath)
	w.pass(time.Minute)
	for _, end := range []string{"/review", "/confirm"} {
		a := w.send(web.ServiceFeesPath+end, second, "Cookie", two)
		a.wants(t, http.StatusConflict, "")
		a.says(t, "Someone else just changed these fees", "First of two", "$0.03", "Second of two", "$0.04", "$0.02",
			"Both of you changed this.")
	}
}

// What the other editor did not touch of mine stays theirs.
func TestMergedFeesKeepTheOthersChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	at := w.merchantPage("/fees")
	one := w.as(authz.RoleApplicationAdmin)
	w.pass(time.Minute)
	mine := w.feeForm(one, at, url.Values{"authorization_fee": {"0.11"}})
	w.send(at+"/confirm", w.feeForm(one, at, url.Values{"capture_fee": {"0.25"}, "reason": {"Theirs"}}), "Cookie",
		one).wants(t, http.StatusSeeOther, at)
	a := w.send(at+"/confirm", mine, "Cookie", one)
	if got := a.input(t, "capture_fee") + " " + a.input(t, "authorization_fee"); got != "0.25 0.11" {
		t.Errorf("merged: %s", got)
	}
}

func TestDefaultsAreForNewMerchants(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie := w.as(authz.RoleApplicationAdmin)
	w.send(web.FeesPath, nil, "Cookie", cookie).says(t, "Defaults", "No scheduled changes")
	if b := w.send(web.FeesPath, nil, "Cookie", cookie); strings.Contains(b.body, web.ServiceFeesPath) {
		t.Error("an application sees the page of the service's rates")
	}
	at := web.FeesPath + "/defaults"
	form := func() url.Values {
		a := w.send(at, nil, "Cookie", cookie)
		d, err := w.World.Fees.Defaults(t.Context(), w.Actor())
		if err != nil {
			t.Fatal(err)
		}
		out := merchants.TypedRates(d.Rates)
		out.Set("version", a.input(t, "version"))
		return out
	}
	mine, theirs := form(), form()
	mine.Set("capture_fee", "x")
	a := w.send(at, mine, "Cookie", cookie)
	a.wants(t, http.StatusUnprocessableEntity, "")
	a.says(t, "Capture: Enter an amount", `value="x"`)
	mine.Set("capture_fee", "0.20")
	w.send(at, mine, "Cookie", cookie).wants(t, http.StatusSeeOther, web.FeesPath)
	w.send(at, mine, "Cookie", cookie).wants(t, http.StatusSeeOther, web.FeesPath) // twice is once
	theirs.Set("capture_fee", "0.99")
	a = w.send(at, theirs, "Cookie", cookie)
	a.wants(t, http.StatusConflict, "")
	a.says(t, "Someone else just changed the defaults", "$0.20", "$0.99")
	w.send(web.FeesPath, nil, "Cookie", cookie).says(t, "$0.20", "Riverside Food Bank")
	w.send(web.FeesPath, nil, "Cookie", w.as(authz.RoleSupportStaff)).wants(t, http.StatusForbidden, "")
}

func TestServiceRatesAreTheSystemsAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie := w.as(authz.RoleSystemAdmin)
	w.send(web.FeesPath, nil, "Cookie", cookie).says(t, web.ServiceFeesPath)
	w.send(web.ServiceFeesPath, nil, "Cookie", cookie).says(t, "Service rates", "Changes show up here.")
	w.send(web.ServiceFeesPath, nil, "Cookie", w.as(authz.RoleApplicationAdmin)).wants(t, http.StatusForbidden, "")
	a := w.send(web.ServiceFeesPath+"/change", nil, "Cookie", cookie)
	form := merchants.TypedRates(fee.Rates{CaptureFee: 3})
	for name, value := range map[string]string{"base": a.input(t, "base"), "saw": a.input(t, "saw"), "start": "now",
		"reason": "As agreed"} {
		form.Set(name, value)
	}
	w.send(web.ServiceFeesPath+"/review", form, "Cookie", cookie).says(t, "$0.03", "As agreed")
	w.send(web.ServiceFeesPath+"/confirm", form, "Cookie", cookie).wants(t, http.StatusSeeOther, web.ServiceFeesPath)
	w.send(web.ServiceFeesPath, nil, "Cookie", cookie).says(t, "$0.03", "As agreed")
}
