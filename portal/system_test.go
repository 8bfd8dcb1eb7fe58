package portal

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
	"svcpay/portal/web"
)

func TestTheSystemPageTellsWhatIsBehind(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin := w.as(authz.RoleSystemAdmin)
	a := w.send(web.SystemPath, nil, "Cookie", admin)
	a.wants(t, http.StatusOK, "")
	a.says(t, "Riverside Giving", "Harbor Donations", "Current", "Switch", "Webhook deliveries", "No file yet",
		"No jobs yet")
	w.paid("order-1") // its event has no number, as no server numbers it here
	w.send(web.SystemPath, nil, "Cookie", admin).lacks(t, "Some work is delayed")
	w.pass(3 * time.Minute)
	late := w.send(web.SystemPath, nil, "Cookie", admin)
	late.says(t, "Some work is delayed", "Behind")
	late.lacks(t, "All systems operational")
	for n := 1; n > 0; {
		var err error
		if n, err = w.Events.Number(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	w.send(web.SystemPath, nil, "Cookie", admin).says(t, "All systems operational")
	if _, err := pg.Exec(t.Context(), w.Pool, `
		INSERT INTO river.river_job (args, kind, max_attempts, state, finalized_at, queue, priority)
		VALUES ('{"name":"send_mails"}', 'sweep', 1, 'completed', now(), 'default', 1),
			('{"name":"fold_ledger"}', 'sweep', 1, 'discarded', now(), 'default', 1)`, pg.Args{}); err != nil {
		t.Fatal(err)
	}
	w.send(web.SystemPath, nil, "Cookie", admin).says(t, "send_mails", "fold_ledger", "Not yet", "Some work is delayed")
}

// The service's own rates are one step away, of every application.
func TestTheSystemPageLeadsToTheServiceRates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin := w.as(authz.RoleSystemAdmin)
	w.send(web.SystemPath, nil, "Cookie", admin).says(t, "See rates", `name="return" value="`+web.ServiceFeesPath+`"`)
	other := fmt.Sprint("system/", w.Other.AppID)
	there := w.send(web.SwitchPath, url.Values{"place": {other}, "return": {web.ServiceFeesPath}}, "Cookie", admin)
	there.wants(t, http.StatusSeeOther, web.ServiceFeesPath)
	admin = there.session(t)
	w.send(web.ServiceFeesPath, nil, "Cookie", admin).wants(t, http.StatusOK, "")
	w.send(web.SystemPath, nil, "Cookie", admin).says(t, `href="`+web.ServiceFeesPath+`"`)
}

func TestAnApplicationIsAdded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin := w.as(authz.RoleSystemAdmin)
	for _, name := range []string{"", "  ", strings.Repeat("n", 101)} {
		a := w.send(web.NewApplicationPath, url.Values{"name": {name}, web.OnceField: {web.NewOnce()}}, "Cookie", admin)
		a.wants(t, http.StatusUnprocessableEntity, "")
		a.says(t, "Check the highlighted fields", `aria-invalid="true"`)
	}
	once := w.send(web.NewApplicationPath, nil, "Cookie", admin).input(t, web.OnceField)
	for range 2 { // sent twice it makes one
		w.send(web.NewApplicationPath, url.Values{"name": {" Parish Pay "}, web.OnceField: {once}}, "Cookie",
			admin).wants(t, http.StatusSeeOther, web.SystemPath)
	}
	w.send(web.SystemPath, nil, "Cookie", admin).says(t, "Parish Pay")
	if n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM applications WHERE name = 'Parish Pay'`,
		pg.Args{}); err != nil || n != 1 {
		t.Errorf("%d applications, %v", n, err)
	}
	made := w.entries(authz.ApplicationManage)
	if len(made) != 1 || !strings.Contains(string(made[0].After), "Parish Pay") || made[0].ApplicationID != 0 {
		t.Errorf("%+v", made)
	}
}

// Where there is no application yet, no one's key can be kept: the first is added all the same.
func TestTheFirstApplicationIsAdded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	system := w.Person(authz.RoleSystemAdmin)
	system.ApplicationID = 0
	claim := &idempotency.Claim{Key: "portal-first", Method: http.MethodPost, Path: web.NewApplicationPath,
		Params: map[string]string{}, RequestID: system.RequestID}
	made, err := web.Settled(w.World.APIKeys.AddApplication(t.Context(), system, "Parish Pay", claim))
	if err != nil || made.ID == 0 || made.Name != "Parish Pay" {
		t.Errorf("%+v, %v", made, err)
	}
}

// installed is the association file that a world has.
func (w *world) installed() string {
	w.t.Helper()
	file, err := w.Portal.Merchants.Association(w.t.Context())
	if err != nil && !fault.HasCode(err, "resource_missing") {
		w.t.Fatal(err)
	}
	return file.Content
}

// Nothing that is no association file is taken, nothing is replaced before it was compared, and a replacement asks who
// one is and can be undone.
func TestTheAssociationFileIsReplacedWithAReview(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin := w.as(authz.RoleSystemAdmin)
	for _, content := range []string{"", strings.Repeat("7", 17<<10), "zzz not hex", "7B22", "<html>", "{}", "[1]"} {
		for _, path := range []string{web.AssociationPath, web.AssociationPath + "/install"} {
			a := w.send(path, url.Values{"content": {content}, "over": {"0"}}, "Cookie", admin)
			a.wants(t, http.StatusUnprocessableEntity, "")
			a.says(t, "association file", `aria-invalid="true"`)
		}
	}
	// {"pspId":"two","version":1}
	one, two := `{"pspId":"one","version":1}`, "7B227073704964223A2274776F222C2276657273696F6E223A317D"
	first := w.send(web.AssociationPath, url.Values{"content": {one}}, "Cookie", admin)
	first.says(t, "No verified domain serves the current file", "Install file", "pspId")
	if got := w.installed(); got != "" {
		t.Fatalf("a review installed %q", got)
	}
	w.send(web.AssociationPath+"/install", url.Values{"content": {one}, "over": {first.hidden(t, "over")}}, "Cookie",
		admin).wants(t, http.StatusSeeOther, web.SystemPath)
	if _, err := pg.Exec(t.Context(), w.Pool, `
		INSERT INTO merchant_domains (application_id, merchant_id, domain, status, checked_at, verified_at)
		SELECT @app, @merchant, 'give' || n || '.example.org', 'verified', now(), now() FROM generate_series(1, 3) n`,
		pg.Args{"app": w.App.AppID, "merchant": w.App.Merchants.US}); err != nil {
		t.Fatal(err)
	}
	review := w.send(web.AssociationPath, url.Values{"content": {two}}, "Cookie", admin)
	review.says(t, "3 verified domains of 1 merchant serve the current file", "Replace file", "<ins>two</ins>",
		"54 bytes")
	review.lacks(t, "<dt>version")
	form := url.Values{"content": {two}, "over": {review.hidden(t, "over")}}
	w.pass(11 * time.Minute)
	w.send(web.AssociationPath+"/install", form, "Cookie", admin).says(t, `name="proof_password"`)
	if got := w.installed(); got != one {
		t.Fatalf("%q was installed without a proof", got)
	}
	form.Set("proof_password", password)
	done := w.send(web.AssociationPath+"/install", form, "Cookie", admin)
	done.wants(t, http.StatusSeeOther, web.SystemPath)
	admin = done.session(t)
	form.Del("proof_password")
	// sent twice
	w.send(web.AssociationPath+"/install", form, "Cookie", admin).wants(t, http.StatusSeeOther, web.SystemPath)
	if n := w.done(authz.AssociationWrite); n != 2 {
		t.Errorf("%d entries", n)
	}
	told := w.send(web.SystemPath, nil, "Cookie", admin+"; "+web.FlashCookie+"="+done.cookie(t, web.FlashCookie).Value)
	told.says(t, two, `action="`+web.AssociationPath+`/undo/2"`, "Undo")
	other := w.send(web.AssociationPath+"/install", url.Values{"content": {`{"pspId":"three"}`}, "over": {"1"}},
		"Cookie", admin)
	other.wants(t, http.StatusConflict, "")
	other.says(t, "Another file was installed in the meantime", `name="over" value="2"`)
	w.send(web.AssociationPath+"/undo/2", url.Values{}, "Cookie", admin).wants(t, http.StatusSeeOther, web.SystemPath)
	if got := w.installed(); got != one {
		t.Errorf("undone to %q", got)
	}
	again := w.send(web.AssociationPath+"/undo/2", url.Values{}, "Cookie", admin)
	again.wants(t, http.StatusSeeOther, web.SystemPath)
	w.send(web.AssociationPath, nil, "Cookie", admin).says(t, "Previous files", "Restore version 2")
	w.send(web.AssociationPath+"?restore=2", nil, "Cookie", admin).says(t, "Review association file",
		`name="content" value="`+two+`"`)
	for _, support := range []string{web.AssociationPath, web.AssociationPath + "/install",
		web.AssociationPath + "/undo/2"} {
		w.send(support, url.Values{"content": {one}, "over": {"3"}}, "Cookie", w.as(authz.RoleSupportStaff)).wants(t,
			http.StatusForbidden, "")
	}
}
