package portal

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/daf"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/spreadsheet"
	"svcpay/internal/sandbox/demo"
	"svcpay/portal/web"
)

// donate records a donation of a kind to a merchant of one of the two applications.
func (w *world) donate(app demo.Application, kind daf.Kind, amount money.Amount) daf.Donation {
	w.t.Helper()
	merchantID := app.Merchants.US
	w.TakesDAF(merchantID)
	id := w.Authorized(app, merchantID, kind, amount)
	first, last, email := "Ada", "Okafor", "ada@example.org"
	in := daf.CreateInput{MerchantID: &merchantID, Amount: &amount,
		User: &daf.UserInput{FirstName: &first, LastName: &last, Email: &email}}
	if kind == daf.Integrated {
		in.WorkflowSessionID = &id
	} else {
		in.GrantID = &id
	}
	out, err := w.DAF.Create(w.t.Context(), w.ActorOf(app), in, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return out.Object
}

func (w *world) donation(d daf.Donation) daf.Donation {
	w.t.Helper()
	out, err := w.DAF.Get(w.t.Context(), w.Actor(), d.ID.String())
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// lacks checks that the page does not contain the texts.
func (a answer) lacks(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(a.body, text) {
			t.Errorf("the page says %q:\n%s", text, a.body)
		}
	}
}

// hidden is the value of a form's hidden input.
func (a answer) hidden(t *testing.T, name string) string {
	t.Helper()
	found := regexp.MustCompile(`<input type="hidden" name="` + name + `" value="([^"]*)"`).FindStringSubmatch(a.body)
	if found == nil {
		t.Fatalf("the page has no hidden input %s:\n%s", name, a.body)
	}
	return found[1]
}

func TestDonationsAreListedAndFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	staff := w.as(authz.RoleOrganizationStaff)
	w.send(web.DonationsPath, nil, "Cookie", staff).says(t, "No donations yet")
	one, two, theirs := w.donate(w.App, daf.Integrated, 12_500), w.donate(w.App, daf.Nonintegrated,
		5_000), w.donate(w.Other, daf.Integrated, 7_700)
	a := w.send(web.DonationsPath, nil, "Cookie", staff)
	a.says(t, "Ada Okafor", "$125.00", "$50.00", *one.TrackingID, "Not integrated", "2 donations",
		`name="id" value="`+two.ID.String()+`"`, "Set status")
	a.lacks(t, "$77.00", "Export CSV")
	for query, want := range map[string]string{
		"q=" + *one.TrackingID: "$125.00", "q=" +
			strings.ToLower(*one.TrackingID): "$125.00", "kind=nonintegrated": "$50.00", "status=unknown": "$50.00",
		"amount_min=100": "$125.00", "amount_max=99.50": "$50.00",
	} {
		a := w.send(web.DonationsPath+"?"+query, nil, "Cookie", staff)
		a.says(t, want, "1 donation")
	}
	for _, none := range []string{"q=nobody@example.org", "q=AAAAAAAAAA", "q=gift-1", "q=" + *theirs.TrackingID,
		"merchant=999", "merchant=x", "created_until=2020-01-01"} {
		w.send(web.DonationsPath+"?"+none, nil, "Cookie", staff).says(t, "No results")
	}
	w.send(web.DonationsPath+"?q="+one.ID.String(), nil, "Cookie", staff).wants(t, http.StatusSeeOther,
		web.DonationsPath+"/"+one.ID.String())
	w.send(web.DonationsPath+"?q=&kind=integrated", nil, "Cookie", staff).wants(t, http.StatusSeeOther,
		web.DonationsPath+"?kind=integrated")
	if _, err := pg.Exec(t.Context(), w.Pool, `UPDATE daf_donations SET external_id = 'spring2026'
		WHERE id = @id`, pg.Args{"id": two.ID}); err != nil {
		t.Fatal(err)
	}
	// it looks like a tracking id
	w.send(web.DonationsPath+"?q=spring2026", nil, "Cookie", staff).says(t, "$50.00", "1 donation")
	reader := w.send(web.DonationsPath, nil, "Cookie", w.as(authz.RoleSupportStaff))
	reader.says(t, "$125.00")
	reader.lacks(t, "Set status", `name="id"`)
}

func TestDonationsAsCSV(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	one := w.donate(w.App, daf.Integrated, 12_500)
	w.donate(w.App, daf.Nonintegrated, 5_000)
	a := w.send(web.DonationsPath+".csv?kind=integrated", nil, "Cookie", w.as(authz.RoleOrganizationAdmin))
	a.wants(t, http.StatusOK, "")
	lines := strings.Split(strings.TrimSpace(a.body), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], spreadsheet.BOM+"id,created_at") ||
		!strings.Contains(lines[1], one.ID.String()) ||
		!strings.Contains(lines[1], ",125.00,usd,6.13,118.87,"+*one.TrackingID) {
		t.Errorf("%s", a.body)
	}
	w.send(web.DonationsPath+".csv", nil, "Cookie", w.as(authz.RoleOrganizationStaff)).wants(t,
		http.StatusForbidden, "")
}

func TestDonationIsShownWithItsFees(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	d := w.donate(w.App, daf.Integrated, 12_500)
	at := web.DonationsPath + "/" + d.ID.String()
	a := w.send(at, nil, "Cookie", w.as(authz.RoleOrganizationStaff))
	a.wants(t, http.StatusOK, "")
	a.says(t, "$125.00", "2% of the donation", "2.9% of the donation", "−$3.63", "$118.87", *d.TrackingID, "Initiated",
		"Sent to the provider", "&#34;tracking_id&#34;",
		`name="status" value="completed"`)
	a.lacks(t, `name="status" value="canceled"`, `name="status" value="unknown"`)
	w.send(at, nil, "Cookie", w.as(authz.RoleApplicationAdmin)).says(t, "You can view the status but not change it.")
	for _, cookie := range []string{w.in(authz.RoleOrganizationStaff, w.Other),
		w.in(authz.RoleApplicationAdmin, w.Other)} {
		w.send(at, nil, "Cookie", cookie).wants(t, http.StatusNotFound, "")
	}
	w.send(web.DonationsPath+"/daf_1", nil, "Cookie", w.as(authz.RoleOrganizationStaff)).wants(t,
		http.StatusNotFound, "")
}

func TestStatusOfADonationIsSetOnceAndTakenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	d, staff := w.donate(w.App, daf.Nonintegrated, 5_000), w.as(authz.RoleOrganizationStaff)
	at := web.DonationsPath + "/" + d.ID.String()
	list := web.DonationsPath + "?status=unknown"
	dialog := w.send(at+"/status?"+url.Values{"return": {list}}.Encode(), nil, "Cookie", staff)
	dialog.says(t, "update the status yourself", `value="unknown" checked`)
	form := url.Values{"status": {"completed"}, "received_on": {"2026-03-02"}, "check_number": {"1042"},
		"note":    {"With the spring mailing"},
		"version": {dialog.hidden(t, "version")}, "once": {dialog.hidden(t, "once")}, "return": {list}}
	done := w.send(at+"/status", form, "Cookie", staff)
	done.wants(t, http.StatusSeeOther, list)
	twice := w.send(at+"/status", form, "Cookie", staff) // a double click
	twice.wants(t, http.StatusSeeOther, list)
	got := w.donation(d)
	if got.Version != 2 || got.Status != daf.Completed || got.Metadata["check_number"] != "1042" ||
		got.Metadata["received_on"] != "2026-03-02" || web.Deref(got.Note) != "With the spring mailing" {
		t.Errorf("%+v", got)
	}
	a := w.send(at, nil, "Cookie", staff)
	a.says(t, "1042", "Mar 2, 2026", "With the spring mailing", "Kim Vale", "Completed")
	told := w.send(list, nil, "Cookie", staff+"; "+web.FlashCookie+"="+twice.cookie(t, web.FlashCookie).Value)
	undo := regexp.MustCompile(`action="(/portal/donations/undo/[^"]+)"`).FindStringSubmatch(told.body)
	if undo == nil {
		t.Fatalf("nothing to undo: %s", told.body)
	}
	path := strings.ReplaceAll(undo[1], "&amp;", "&")
	w.send(path, url.Values{}, "Cookie", w.in(authz.RoleOrganizationAdmin, w.Other)).wants(t, http.StatusNotFound, "")
	w.send(path, url.Values{}, "Cookie", staff).wants(t, http.StatusSeeOther, list)
	if got := w.donation(d); got.Status != daf.Unknown || len(got.Metadata) != 0 || got.Note != nil {
		t.Errorf("%+v", got)
	}
}

func TestStatusFormKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	d, staff := w.donate(w.App, daf.Nonintegrated, 5_000), w.as(authz.RoleOrganizationStaff)
	at := web.DonationsPath + "/" + d.ID.String()
	page := w.send(at, nil, "Cookie", staff)
	form := url.Values{"status": {"completed"}, "received_on": {"soon"}, "check_number": {"77"}, "version": {"1"},
		"once": {page.hidden(t, "once")}, "return": {at}}
	a := w.send(at+"/status", form, "Cookie", staff)
	a.wants(t, http.StatusUnprocessableEntity, "")
	a.says(t, "Status not changed", "Enter a day", `value="77"`, `value="soon"`, "Timeline")
	form.Set("received_on", "")
	form.Set("check_number", strings.Repeat("7", 501))
	w.send(at+"/status", form, "Cookie", staff).wants(t, http.StatusUnprocessableEntity, "")
	form.Set("check_number", "77")
	form.Set("version", "9")
	changed := w.send(at+"/status", form, "Cookie", staff)
	changed.wants(t, http.StatusConflict, "")
	changed.says(t, "Someone else just updated this donation", `value="77"`, `name="version" value="1"`)
	form.Del("once")
	w.send(at+"/status", form, "Cookie", staff).wants(t, http.StatusUnprocessableEntity, "")
	if got := w.donation(d); got.Version != 1 {
		t.Errorf("%+v", got)
	}
}

// The form lists what was selected, with its sum and a check number for each row. Integrated donations, whose provider
// reports their status, are left out unless someone ticks them.
func TestStatusesOfSeveralDonations(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	one, two, fixed, theirs := w.donate(w.App, daf.Nonintegrated, 5_000), w.donate(w.App, daf.Nonintegrated,
		6_000), w.donate(w.App, daf.Integrated, 7_000), w.donate(w.Other, daf.Nonintegrated, 8_000)
	staff := w.as(authz.RoleOrganizationStaff)
	w.send(web.DonationsPath+"/statuses?return=/portal/donations", url.Values{}, "Cookie", staff).wants(t,
		http.StatusSeeOther, web.DonationsPath)
	chosen := []string{one.ID.String(), two.ID.String(), fixed.ID.String(), theirs.ID.String()}
	asked := w.send(web.DonationsPath+"/statuses?return=/portal/donations", url.Values{"id": chosen}, "Cookie", staff)
	asked.says(t, "Set the status of 3 donations", "2 donations · $110.00", "$50.00 from Ada Okafor",
		"$60.00 from Ada Okafor", "1 integrated donation is skipped · $70.00",
		`name="id" value="`+one.ID.String()+`" checked`, `name="check_number_`+two.ID.String()+`"`)
	asked.lacks(t, `value="`+fixed.ID.String()+`" checked`, "$80.00", theirs.ID.String())
	form := url.Values{"row": chosen, "id": chosen[:2], "return": {web.DonationsPath},
		"check_number_" + chosen[0]: {"1042"}, "check_number_" + chosen[1]: {"1043"},
		"version_" + chosen[0]: {"1"}, "version_" + chosen[1]: {"1"}}
	again := w.send(web.DonationsPath+"/statuses/set", form, "Cookie", staff)
	again.says(t, "Choose a status.", `value="1042"`, `value="1043"`, "1 integrated donation is skipped")
	again.lacks(t, `value="`+fixed.ID.String()+`" checked`)
	form.Set("status", "completed")
	done := w.send(web.DonationsPath+"/statuses/set", form, "Cookie", staff)
	done.wants(t, http.StatusSeeOther, web.DonationsPath)
	// sent twice
	w.send(web.DonationsPath+"/statuses/set", form, "Cookie", staff).wants(t, http.StatusSeeOther, web.DonationsPath)
	for d, number := range map[*daf.Donation]string{&one: "1042", &two: "1043"} {
		if got := w.donation(*d); got.Status != daf.Completed || got.Metadata["check_number"] != number ||
			got.Version != 2 {
			t.Errorf("%+v", got)
		}
	}
	if got := w.donation(fixed); got.Status != daf.Initiated {
		t.Errorf("the integrated donation is %s", got.Status)
	}
	told := w.send(web.DonationsPath, nil, "Cookie",
		staff+"; "+web.FlashCookie+"="+done.cookie(t, web.FlashCookie).Value)
	undo := regexp.MustCompile(`action="(/portal/donations/undo/[^"]+)"`).FindStringSubmatch(told.body)
	if undo == nil {
		t.Fatalf("nothing to undo: %s", told.words())
	}
	w.send(strings.ReplaceAll(undo[1], "&amp;", "&"), url.Values{}, "Cookie", staff).wants(t, http.StatusSeeOther,
		web.DonationsPath)
	if got := w.donation(one); got.Status != daf.Unknown || len(got.Metadata) != 0 {
		t.Errorf("%+v", got)
	}
}

// What one donation is refused keeps no other, and is shown as it is now: one that changed in the meantime, one that no
// one may cancel by hand, and one that is not there.
func TestSomeOfSeveralDonationsAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	one, two, fixed, theirs := w.donate(w.App, daf.Nonintegrated, 5_000), w.donate(w.App, daf.Nonintegrated,
		6_000), w.donate(w.App, daf.Integrated, 7_000), w.donate(w.Other, daf.Nonintegrated, 8_000)
	staff := w.as(authz.RoleOrganizationStaff)
	chosen := []string{one.ID.String(), two.ID.String(), fixed.ID.String(), theirs.ID.String()}
	form := url.Values{"row": chosen, "id": chosen, "return": {web.DonationsPath}, "status": {"canceled"},
		"version_" + chosen[0]: {"1"}, "version_" + chosen[1]: {"7"},
		"check_number_" + chosen[1]: {"1043"}}
	a := w.send(web.DonationsPath+"/statuses/set", form, "Cookie", staff)
	a.wants(t, http.StatusUnprocessableEntity, "")
	a.says(t, "The donation is marked as canceled.", "3 donations weren’t changed",
		"One of these donations no longer exists.", "$70.00 from Ada Okafor", "$60.00 from Ada Okafor", "Undo",
		`name="version_`+chosen[1]+`" value="1"`, `value="1043"`, `value="`+chosen[2]+`" checked`)
	a.lacks(t, "$80.00", `name="id" value="`+chosen[0])
	if got := w.donation(two); got.Status != daf.Unknown {
		t.Errorf("%+v", got)
	}
	form.Set("version_"+chosen[1], "1")
	form.Set("check_number_"+chosen[1], strings.Repeat("7", 501))
	form["id"] = chosen[1:2]
	long := w.send(web.DonationsPath+"/statuses/set", form, "Cookie", staff)
	long.wants(t, http.StatusUnprocessableEntity, "")
	long.says(t, `id="check_number_`+chosen[1]+`-error"`)
	for _, none := range [][]string{nil, make([]string, 51)} {
		form["id"] = none
		w.send(web.DonationsPath+"/statuses/set", form, "Cookie", staff).says(t, "Select 1 to 50 donations.")
	}
	for _, cookie := range []string{w.as(authz.RoleSupportStaff), w.as(authz.RoleApplicationAdmin)} {
		w.send(web.DonationsPath+"/statuses/set", form, "Cookie", cookie).wants(t, http.StatusForbidden, "")
	}
}
