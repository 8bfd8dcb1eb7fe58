package portal

import (
	"bytes"
	"fmt"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/dispute"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/sandbox/simulate"
	"svcpay/portal/web"
)

// taken makes a captured charge of the US merchant of one of the two applications.
func (w *world) taken(app demo.Application, amount money.Amount) charge.Charge {
	w.t.Helper()
	token := w.TokenIn(w.SessionOf(app, app.Merchants.US), "4242424242424242")
	out, err := w.Charges.Create(w.t.Context(), w.ActorOf(app),
		charge.CreateInput{MerchantID: &app.Merchants.US, Amount: &amount, Token: &token}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return out.Object
}

// questioned has a payer's bank open a dispute of a new charge.
func (w *world) questioned(app demo.Application, kind dispute.Kind, amount money.Amount) dispute.Dispute {
	w.t.Helper()
	c, outcome := w.taken(app, amount), string(kind)
	if _, err := w.Simulate.Charge(w.t.Context(), w.ActorOf(app), c.ID.String(),
		simulate.ChargeInput{Outcome: &outcome}, nil); err != nil {
		w.t.Fatal(err)
	}
	all, err := w.Disputes.List(w.t.Context(), w.ActorOf(app),
		dispute.ListInput{Page: page.Input[ids.Dispute]{Limit: 1}, ChargeID: &c.ID})
	if err != nil || len(all.Items) != 1 {
		w.t.Fatalf("%+v, %v", all, err)
	}
	return all.Items[0]
}

func (w *world) dispute(d dispute.Dispute) dispute.Dispute {
	w.t.Helper()
	out, err := w.Disputes.Get(w.t.Context(), w.Actor(), d.ID.String())
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func TestDisputesAreListedByTheirDueDate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	staff := w.as(authz.RoleOrganizationStaff)
	w.send(web.DisputesPath, nil, "Cookie", staff).says(t, "No disputes")
	first := w.questioned(w.App, dispute.Chargeback, 4_000)
	w.questioned(w.Other, dispute.Chargeback, 7_700)
	w.pass(30 * time.Hour)
	second := w.questioned(w.App, dispute.Retrieval, 5_000)
	staff = w.as(authz.RoleOrganizationStaff)
	a := w.send(web.DisputesPath, nil, "Cookie", staff)
	a.says(t, "Needs response", "$40.00", "$50.00", "Dana Reed", "Visa ···· 4242", "2 disputes", "Fraudulent")
	a.lacks(t, "$77.00")
	sooner, later := first, second
	if second.RespondBy.Before(first.RespondBy.Time) {
		sooner, later = second, first
	}
	if strings.Index(a.body, sooner.ID.String()) > strings.Index(a.body, later.ID.String()) {
		t.Error("what is due first does not stand first")
	}
	for query, want := range map[string]string{"kind=retrieval": second.ID.String(), "amount_max=45": first.ID.String(),
		"q=" + first.ChargeID.String(): first.ID.String()} {
		w.send(web.DisputesPath+"?"+query, nil, "Cookie", staff).says(t, "1 dispute", want)
	}
	for _, none := range []string{"q=something", "status=won", "merchant=1", "due_until=2020-01-01"} {
		if a := w.send(web.DisputesPath+"?"+none, nil, "Cookie", staff); !strings.Contains(a.body, "No results") {
			t.Errorf("%s matches", none)
		}
	}
	w.send(web.DisputesPath+"?q="+second.ID.String(), nil, "Cookie", staff).wants(t, http.StatusSeeOther,
		web.DisputesPath+"/"+second.ID.String())
	sheet := w.send(web.DisputesPath+".csv?kind=retrieval", nil, "Cookie", w.as(authz.RoleOrganizationAdmin))
	sheet.says(t, second.ID.String(), ",50.00,usd,")
	sheet.lacks(t, first.ID.String())
}

func TestDaysUntilADisputeIsDue(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	d := w.questioned(w.App, dispute.Chargeback, 4_000)
	at, staff := web.DisputesPath+"/"+d.ID.String(), w.as(authz.RoleOrganizationStaff)
	left := d.RespondBy.Sub(w.Clock.Now())
	w.send(at, nil, "Cookie", staff).says(t, fmt.Sprintf("Response due in %d days", int(left.Hours()/24)))
	w.pass(left - time.Minute)
	w.send(at, nil, "Cookie", w.as(authz.RoleOrganizationStaff)).says(t, "Response due today")
	w.pass(2 * time.Minute)
	over := w.send(at, nil, "Cookie", w.as(authz.RoleOrganizationStaff))
	over.says(t, "The deadline has passed")
	over.lacks(t, `id="evidence"`)
}

// upload sends a form of evidence with a file.
func (w *world) upload(path string, fields map[string]string, name string, content []byte, cookie string) answer {
	w.t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	fields = maps.Clone(fields)
	fields[web.PlaceField] = w.placeOf(cookie)
	for key, value := range fields {
		if err := form.WriteField(key, value); err != nil {
			w.t.Fatal(err)
		}
	}
	part, err := form.CreateFormFile("file", name)
	if err == nil {
		_, err = part.Write(content)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	form.Close()
	r := httptest.NewRequest(http.MethodPost, "http://localhost:8080"+path, &b)
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("Cookie", cookie)
	return w.do(r)
}

var receipt = []byte("%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n")

func TestEvidenceIsKeptAndHandedInOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	d, staff := w.questioned(w.App, dispute.Chargeback, 4_000), w.as(authz.RoleOrganizationStaff)
	at := web.DisputesPath + "/" + d.ID.String()
	version := w.send(at, nil, "Cookie", staff).hidden(t, "version")
	by := []string{"Cookie", staff, "HX-Request", "true", "HX-Target", "saved"}
	saved := w.send(at+"/evidence",
		url.Values{"version": {version}, "uncategorized_text": {"They came\r\nto the gala."}}, by...)
	saved.wants(t, http.StatusOK, "")
	saved.says(t, "Saved")
	saved.lacks(t, "<html")
	w.send(at+"/evidence", url.Values{"version": {version}, "uncategorized_text": {"Somebody else"}}, by...).says(t,
		"Someone else edited this draft")
	w.send(at+"/evidence",
		url.Values{"version": {saved.hidden(t, "version")}, "uncategorized_text": {strings.Repeat("x", 20_001)}},
		by...).says(t, "20000")
	if got := w.dispute(d); got.Evidence["uncategorized_text"] != "They came\nto the gala." {
		t.Errorf("%q", got.Evidence)
	}
	fields := map[string]string{"version": saved.hidden(t, "version"), "uncategorized_text": "They came\nto the gala.",
		"payer_name": "Dana Reed", "next": "file"}
	w.upload(at+"/evidence", fields, "receipt.pdf", receipt, staff).wants(t, http.StatusSeeOther, at)
	page := w.send(at, nil, "Cookie", staff)
	page.says(t, "receipt.pdf", "PDF, 1 KB", `value="Dana Reed"`)
	fields["version"], fields["receipt_description"] = page.hidden(t, "version"), "One ticket"
	today := w.Clock.Now().UTC().Format("Jan 2, 2006")
	refused := w.upload(at+"/evidence", fields, "letter.txt", []byte("hello"), staff)
	refused.says(t, "is not a complete PDF", "The draft was saved, but no file was added")
	if !strings.Contains(refused.words(), "Add file Saved "+today) {
		t.Error("the page does not say when the draft was saved")
	}
	refused.lacks(t, "Couldn’t save the draft")
	if got := w.dispute(d); got.Evidence["receipt_description"] != "One ticket" {
		t.Errorf("a file that was refused kept a text from being saved: %q", got.Evidence)
	}
	fields["version"], fields["uncategorized_text"] = refused.hidden(t, "version"), strings.Repeat("x", 20_001)
	long := w.upload(at+"/evidence", fields, "receipt.pdf", nil, staff)
	long.says(t, "Couldn’t save the draft")
	if !strings.Contains(long.words(), "Add file Last saved "+today) {
		t.Error("what is shown as saved is not the draft that was refused")
	}
	got := w.dispute(d)
	if len(got.EvidenceFiles) != 1 {
		t.Fatalf("%+v", got)
	}
	form := url.Values{"version": {fmt.Sprint(got.Version)}, "payer_name": {"Dana Reed"}, "next": {"review"}}
	w.send(at+"/evidence", form, "Cookie", staff).wants(t, http.StatusSeeOther, at+"/review")
	review := w.send(at+"/review", nil, "Cookie", staff)
	review.says(t, "You can only submit once", "Dana Reed", "receipt.pdf")
	review.lacks(t, "to the gala")
	answer := url.Values{"once": {review.hidden(t, "once")}, "version": {review.hidden(t, "version")}}
	w.send(at+"/review", url.Values{"once": {web.NewOnce()}, "version": {"1"}}, "Cookie", staff).wants(t,
		http.StatusConflict, "")
	w.send(at+"/review", answer, "Cookie", staff).wants(t, http.StatusSeeOther, at)
	w.send(at+"/review", answer, "Cookie", staff).wants(t, http.StatusSeeOther, at)
	done := w.send(at, nil, "Cookie", staff)
	done.says(t, "Under review by the payer’s bank", "Evidence submitted", "receipt.pdf", "It can’t be changed.")
	done.lacks(t, `id="evidence"`)
	w.send(at+"/evidence", form, "Cookie", staff).wants(t, http.StatusConflict, "")
}

func TestFilesOfEvidence(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	d, staff := w.questioned(w.App, dispute.Chargeback, 4_000), w.as(authz.RoleOrganizationStaff)
	at := web.DisputesPath + "/" + d.ID.String()
	w.send(at+"/evidence", url.Values{"next": {"file"}, "version": {"1"}}, "Cookie", staff).says(t, "Choose a file.")
	w.upload(at+"/evidence", map[string]string{"version": "1"}, "big.pdf", make([]byte, 5<<20+1), staff).says(t,
		"Files can be up to 5 MB.")
	huge := w.upload(at+"/evidence", map[string]string{"version": "1"}, "huge.pdf", make([]byte, 8<<20), staff)
	huge.wants(t, http.StatusRequestEntityTooLarge, "")
	huge.says(t, "This file is too large", "Files can be up to 5 MB. Go back")
	w.upload(at+"/evidence", map[string]string{"version": "1"}, "a.pdf", receipt, staff).wants(t,
		http.StatusSeeOther, at)
	got := w.dispute(d)
	form := url.Values{"version": {fmt.Sprint(got.Version)}, "remove": {got.EvidenceFiles[0].String()},
		"payer_name": {"Dana"}}
	w.send(at+"/evidence", form, "Cookie", staff).wants(t, http.StatusSeeOther, at)
	if got = w.dispute(d); len(got.EvidenceFiles) != 0 || got.Evidence["payer_name"] != "Dana" {
		t.Errorf("%+v", got)
	}
	theirs := url.Values{"version": {"1"}, "payer_name": {"Eve"}, "uncategorized_text": {"Mine"}}
	both := w.send(at+"/evidence", theirs, "Cookie", staff)
	both.wants(t, http.StatusConflict, "")
	both.says(t, "Someone else edited this draft", "<del>Dana", "<ins>Eve", "Mine")
	theirs.Set("version", both.hidden(t, "version"))
	w.send(at+"/evidence", theirs, "Cookie", staff).wants(t, http.StatusSeeOther, at)
}

// What was typed next to a file that is refused is saved, and the page says so.
func TestARefusedFileLeavesTheDraftSaved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	staff := w.as(authz.RoleOrganizationStaff)
	for name, content := range map[string][]byte{"note.txt": []byte("hello"), "cut.pdf": receipt[:len(receipt)/2],
		"big.pdf": make([]byte, 5<<20+1)} {
		d := w.questioned(w.App, dispute.Chargeback, 4_000)
		a := w.upload(web.DisputesPath+"/"+d.ID.String()+"/evidence",
			map[string]string{"version": "1", "payer_name": "Dana"}, name, content, staff)
		a.says(t, "The draft was saved, but no file was added", "Saved ")
		a.lacks(t, "Couldn’t save the draft", "No draft yet")
		if got := w.dispute(d); got.Evidence["payer_name"] != "Dana" || len(got.EvidenceFiles) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// The networks' reasons are chosen in words; the address has their codes.
func TestDisputesAreFilteredByReason(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	d, staff := w.questioned(w.App, dispute.Chargeback, 4_000), w.as(authz.RoleOrganizationStaff)
	w.send(web.DisputesPath, nil, "Cookie", staff).says(t, `value="product_not_received"`, "Not received",
		"Not as described")
	row := `class="row-link" href="` + web.DisputesPath + "/" + d.ID.String()
	// once among those to answer
	for query, listed := range map[string]int{"reason=" + d.Reason: 2, "reason=none_such": 1,
		"q=" + d.ChargeID.String(): 2} {
		if a := w.send(web.DisputesPath+"?"+query, nil, "Cookie", staff); strings.Count(a.body, row) != listed {
			t.Errorf("%s lists it %d times, want %d", query, strings.Count(a.body, row), listed)
		}
	}
}

// Nothing is tried in production.
func TestHintsOfTheSandboxStayThere(t *testing.T) {
	t.Parallel()
	for _, sandbox := range []bool{true, false} {
		w := mailWorld(t, func(c *Config) { c.Sandbox = sandbox })
		login := w.send(web.LoginPath, nil)
		if strings.Contains(login.body, "credentials.json") != sandbox {
			t.Errorf("the demo's people in a sandbox (%v)", sandbox)
		}
		staff := w.as(authz.RoleOrganizationStaff)
		if !sandbox {
			_, _, staff = w.withApp(staff)
		}
		if list := w.send(web.DisputesPath, nil, "Cookie", staff); strings.Contains(list.body,
			"How to test disputes") != sandbox {
			t.Errorf("how to try disputes in a sandbox (%v)", sandbox)
		}
	}
	without := newWorld(t, nil) // a sandbox that is no demo
	without.send(web.LoginPath, nil).lacks(t, "credentials.json")
}

func TestChargebackIsAccepted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	d, asked, staff := w.questioned(w.App, dispute.Chargeback, 4_000), w.questioned(w.App, dispute.Retrieval,
		5_000), w.as(authz.RoleOrganizationStaff)
	at := web.DisputesPath + "/" + d.ID.String()
	w.send(web.DisputesPath+"/"+asked.ID.String(), nil, "Cookie", staff).says(t, "No money moves",
		"Submit the documents")
	dialog := w.send(at+"/accept", nil, "Cookie", staff)
	dialog.says(t, "The payer keeps $40.00 USD, and it won’t be returned to the merchant.", "You agree with the payer",
		"can’t be undone")
	form := url.Values{"once": {dialog.hidden(t, "once")}, "version": {dialog.hidden(t, "version")}}
	for range 2 {
		w.send(at+"/accept", form, "Cookie", staff).wants(t, http.StatusSeeOther, at)
	}
	a := w.send(at, nil, "Cookie", staff)
	a.says(t, "You accepted", "−$40.00")
	w.send(at+"/accept", url.Values{"once": {web.NewOnce()}}, "Cookie", staff).wants(t, http.StatusConflict, "")
	w.send(at+"/accept", url.Values{}, "Cookie", staff).wants(t, http.StatusUnprocessableEntity, "")
	for _, cookie := range []string{w.in(authz.RoleOrganizationStaff, w.Other),
		w.in(authz.RoleOrganizationAdmin, w.Other)} {
		for _, path := range []string{at, at + "/review", at + "/accept"} {
			w.send(path, nil, "Cookie", cookie).wants(t, http.StatusNotFound, "")
		}
		w.send(at+"/evidence", url.Values{"payer_name": {"x"}}, "Cookie", cookie).wants(t, http.StatusNotFound, "")
	}
	reader := w.send(web.DisputesPath+"/"+asked.ID.String(), nil, "Cookie", w.as(authz.RoleSupportStaff))
	reader.says(t, "Waiting for Riverside Community Trust", "Your role can view disputes but not respond to them.",
		"No evidence has been submitted yet.")
	reader.lacks(t, `id="evidence"`)
}
