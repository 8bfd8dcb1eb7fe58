package portal

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/check/patch"
	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/identity"
	"svcpay/internal/ids"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/spreadsheet"
	"svcpay/internal/sandbox/demo"
	"svcpay/portal/web"
)

// entries are those of some permissions in the log.
func (w *world) entries(of ...authz.Permission) []audit.Entry {
	w.t.Helper()
	in := audit.ListInput{Page: page.Input[ids.AuditEntry]{Limit: 100}}
	for _, p := range of {
		in.Permissions = append(in.Permissions, string(p))
	}
	out, err := w.Audit.List(w.t.Context(), w.Person(authz.RoleSystemAdmin), in)
	if err != nil {
		w.t.Fatal(err)
	}
	return out.Items
}

func TestTheAuditLogSaysWhoDidWhat(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin, staff := w.as(authz.RoleOrganizationAdmin), w.as(authz.RoleOrganizationStaff)
	at := w.member("remy@example.org", "Remy Castel", authz.RoleOrganizationStaff, w.App)
	w.send(at+"/role", url.Values{"role": {"organization_admin"}}, "Cookie", admin).wants(t, http.StatusSeeOther,
		web.TeamPath)
	refused := w.send(web.TeamPath, nil, "Cookie", staff)
	refused.wants(t, http.StatusForbidden, "")

	list := w.send(web.AuditPath+"?what=team:manage&what=team:read", nil, "Cookie", admin)
	list.says(t, "manage the team", "see the team", "Denied", "Succeeded", "Kim Vale", "2 entries",
		web.AuditPath+".csv")
	w.send(web.AuditPath, nil, "Cookie", admin).says(t, "add merchants", "Key")
	only := w.send(web.AuditPath+"?outcome=denied", nil, "Cookie", admin)
	only.says(t, "1 entry", "was not allowed to see the team")
	only.lacks(t, "page=2")
	request := refused.Header.Get("Request-Id")
	w.send(web.AuditPath+"?q="+request, nil, "Cookie", admin).says(t, "1 entry", "Denied")
	w.send(web.AuditPath+"?q=kim", nil, "Cookie", admin).says(t, "2 entries")
	w.send(web.AuditPath+"?q=nobody", nil, "Cookie", admin).says(t, "Clear")
	w.send(web.AuditPath+"?what=team:manage&at_from=2001-01-01&at_until=2001-01-02", nil, "Cookie",
		admin).says(t, "Clear")

	for _, e := range w.entries(authz.TeamManage, authz.TeamRead) {
		a := w.send(web.AuditPath+"/"+e.ID.String(), nil, "Cookie", admin)
		a.wants(t, http.StatusOK, "")
		a.says(t, e.ID.String(), e.RequestID.String(), string(e.Permission))
		if e.Outcome == audit.Done {
			a.says(t, "organization_staff", "organization_admin") // before and after
		} else {
			a.says(t, "No object was changed.")
		}
	}
}

// Who ran a command is named to the deployment's people, in the list, its file and the entry's page.
func TestTheAuditLogNamesOperators(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	const who = "jane as root on pay-1 (pts/3)"
	if _, _, err := w.Identity.MakeReset(t.Context(), authz.Actor{Role: authz.RoleSystemAdmin, Operator: who},
		dana); err != nil {
		t.Fatal(err)
	}
	admin := w.as(authz.RoleSystemAdmin)
	e := w.entries("account:change")[0]
	for _, page := range []string{web.AuditPath + "?q=pay", web.AuditPath + "/" + e.ID.String()} {
		w.send(page, nil, "Cookie", admin).says(t, "Operator "+who)
	}
}

// An entry leads to what it reports, for who may see that.
func TestEntriesLeadToWhatTheyTellOf(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	app, us := w.as(authz.RoleApplicationAdmin), w.App.Merchants.US
	k := w.Issue(apikey.CreateInput{Kind: apikey.Secret, Name: "Server"})
	if _, err := w.Merchants.Update(t.Context(), w.Person(authz.RoleApplicationAdmin), us,
		merchant.UpdateInput{Name: patch.Set("Riverside")}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Fees.SetDAFPercentage(t.Context(), w.Person(authz.RoleApplicationAdmin), us,
		fee.DAFChange{Percent: 2500}, nil); err != nil {
		t.Fatal(err)
	}
	w.BankAccount(w.App, us)
	for needed, path := range map[authz.Permission]string{authz.KeyManage: web.APIKeysPath + "/" + k.ID.String(),
		authz.MerchantUpdate: web.MerchantAt(us, ""),
		authz.FeeWriteDAF:    web.MerchantAt(us, web.FeesEnd), authz.MerchantBank: web.MerchantAt(us, web.PayoutsEnd)} {
		all := w.entries(needed)
		i := slices.IndexFunc(all, func(e audit.Entry) bool {
			return e.SubjectID == k.ID.String() || e.MerchantID != nil && *e.MerchantID == us
		})
		if i < 0 {
			t.Fatalf("nothing of %s is in the log", needed)
		}
		w.send(web.AuditPath+"/"+all[i].ID.String(), nil, "Cookie", app).says(t, `href="`+path+`">View object`)
		w.send(path, nil, "Cookie", app).wants(t, http.StatusOK, "")
	}
	w.send(web.TeamPath, nil, "Cookie", w.as(authz.RoleOrganizationStaff)).wants(t, http.StatusForbidden, "")
	w.send(web.AuditPath+"/"+w.entries(authz.TeamRead)[0].ID.String(), nil, "Cookie", app).lacks(t, "View object")
}

// A system administrator sees the entries of all applications. Pages of another one would not open.
func TestEntriesOfAnotherApplicationHaveNoLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	system := w.as(authz.RoleSystemAdmin)
	for _, app := range []demo.Application{w.App, w.Other} {
		admin := w.Person(authz.RoleApplicationAdmin)
		admin.ApplicationID, admin.Granted = app.AppID, authz.Domain{Scope: authz.ScopeApplication, ID: app.AppID}
		if _, err := w.Merchants.Update(t.Context(), admin, app.Merchants.US,
			merchant.UpdateInput{Name: patch.Set("Riverside")}, nil); err != nil {
			t.Fatal(err)
		}
	}
	all := w.entries(authz.MerchantUpdate)
	if len(all) != 2 {
		t.Fatalf("%+v", all)
	}
	opened := 0
	for _, e := range all {
		a := w.send(web.AuditPath+"/"+e.ID.String(), nil, "Cookie", system)
		a.wants(t, http.StatusOK, "")
		page := web.MerchantAt(*e.MerchantID, "")
		if w.send(page, nil, "Cookie", system).StatusCode != http.StatusOK {
			a.lacks(t, `href="`+page+`"`)
			continue
		}
		a.says(t, `href="`+page+`"`)
		opened++
	}
	if opened != 1 {
		t.Errorf("%d of the two merchants can be opened", opened)
	}
}

// Who tries to give a wider role than their own is refused, and it is written down.
func TestATooWideRoleIsWrittenDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	application := authz.Domain{Scope: authz.ScopeApplication, ID: w.App.AppID}
	wide := identity.NewInvitation{Email: "new@example.org", Role: authz.RoleApplicationAdmin, Domain: application}
	if _, err := w.World.Identity.Invite(t.Context(), w.Person(authz.RoleOrganizationAdmin), wide); !fault.HasCode(err,
		"role_too_wide") {
		t.Fatal(err)
	}
	all := w.entries(authz.TeamManage)
	if len(all) != 1 || all[0].Outcome != audit.Denied || all[0].SubjectID != application.String() ||
		all[0].ActorName != "Kim Vale" {
		t.Errorf("%+v", all)
	}
}

// People of another organization and application see nothing of it, under any address.
func TestOthersEntriesAreMissing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.send(web.TeamPath, nil, "Cookie", w.as(authz.RoleOrganizationStaff)).wants(t, http.StatusForbidden, "")
	at := web.AuditPath + "/" + w.entries(authz.TeamRead)[0].ID.String()
	w.send(at, nil, "Cookie", w.as(authz.RoleOrganizationAdmin)).wants(t, http.StatusOK, "")
	w.send(at, nil, "Cookie", w.as(authz.RoleSupportStaff)).wants(t, http.StatusOK, "")
	for _, role := range []authz.Role{authz.RoleOrganizationAdmin, authz.RoleApplicationAdmin} {
		foreign := w.in(role, w.Other)
		w.send(at, nil, "Cookie", foreign).wants(t, http.StatusNotFound, "")
		w.send(web.AuditPath+"?what=team:read", nil, "Cookie", foreign).says(t, "Clear")
		if rows := w.sheet(web.AuditPath+".csv?what=team:read", foreign); len(rows) != 1 {
			t.Errorf("%s: %q", role, rows)
		}
	}
	for _, id := range []string{"x", "ae_1", "999999"} {
		w.send(web.AuditPath+"/"+id, nil, "Cookie", w.as(authz.RoleSystemAdmin)).wants(t, http.StatusNotFound, "")
	}
}

// sheet reads a list as CSV.
func (w *world) sheet(path, cookie string) [][]string {
	w.t.Helper()
	a := w.send(path, nil, "Cookie", cookie)
	a.wants(w.t, http.StatusOK, "")
	if got := a.Header.Get("Content-Type"); got != "text/csv; charset=utf-8" {
		w.t.Errorf("%s is %s", path, got)
	}
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(a.body, spreadsheet.BOM))).ReadAll()
	if err != nil {
		w.t.Fatal(err)
	}
	return rows
}

func TestTheAuditLogAsCSVIsThisView(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin, at := w.as(authz.RoleOrganizationAdmin), w.member("remy@example.org", "Remy Castel",
		authz.RoleOrganizationStaff, w.App)
	w.send(at+"/role", url.Values{"role": {"organization_admin"}}, "Cookie", admin).wants(t, http.StatusSeeOther,
		web.TeamPath)
	w.member("eve@example.org", "=HYPERLINK(1)", authz.RoleOrganizationStaff, w.App)
	eve := w.send(web.LoginPath, login("eve@example.org", password)).cookie(t, web.CookieName).Value
	for range web.RowsPerPage + 10 {
		w.send(web.TeamPath, nil, "Cookie", web.CookieName+"="+eve).wants(t, http.StatusForbidden, "")
	}
	all, refused := w.sheet(web.AuditPath+".csv?what=team:manage&what=team:read",
		admin), w.sheet(web.AuditPath+".csv?outcome=denied", admin)
	if len(all) != web.RowsPerPage+12 || len(refused) != web.RowsPerPage+11 {
		t.Fatalf("%d and %d rows", len(all), len(refused))
	}
	name := map[string]int{}
	for i, column := range all[0] {
		name[column] = i
	}
	done := all[1:][slices.IndexFunc(all[1:], func(row []string) bool { return row[name["outcome"]] == "done" })]
	if done[name["permission"]] != "team:manage" || !strings.Contains(done[name["after"]], "organization_admin") ||
		done[name["actor"]] != "Kim Vale" {
		t.Errorf("%q", done)
	}
	if row := refused[1]; row[name["actor"]] != "'=HYPERLINK(1)" || row[name["permission"]] != "team:read" ||
		row[name["subject_id"]] != "team" {
		t.Errorf("%q", row)
	}
	w.send(web.AuditPath+".csv", nil, "Cookie", w.as(authz.RoleOrganizationStaff)).wants(t, http.StatusForbidden, "")
}

func TestTheChainIsChecked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin := w.as(authz.RoleApplicationAdmin)
	staff := w.as(authz.RoleOrganizationStaff)
	for range 3 {
		w.send(web.TeamPath, nil, "Cookie", staff).wants(t, http.StatusForbidden, "")
	}
	w.send(web.ChainPath, nil, "Cookie", admin).says(t, "Log integrity verified", "entries verified",
		"Riverside Giving")
	if _, err := pg.Exec(t.Context(), w.Pool, `ALTER TABLE audit_entries DISABLE TRIGGER USER`, pg.Args{}); err != nil {
		t.Fatal(err)
	}
	if _, err := pg.Exec(t.Context(), w.Pool, `UPDATE audit_entries SET actor_name = 'Somebody else'
		WHERE position = 2`, pg.Args{}); err != nil {
		t.Fatal(err)
	}
	w.send(web.ChainPath, nil, "Cookie", admin).says(t, "Log integrity verified") // as it was looked at just now
	w.pass(time.Minute)
	w.send(web.ChainPath, nil, "Cookie", admin).says(t, "Log integrity check failed", "Entry 2 was changed")
}

func TestTheRolesPageIsThePolicy(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, role := range authz.PeopleRoles() {
		a := w.send(web.RolesPath, nil, "Cookie", w.as(role))
		a.wants(t, http.StatusOK, "")
		a.says(t, "your role", "charge:void", "void charges")
	}
}

// Everything that people did in a history is a sentence about something with a name.
func TestTheAuditLogOfAHistoryNamesWhatItIsAbout(t *testing.T) {
	t.Parallel()
	w := lived(t)
	admin := w.as(authz.RoleSystemAdmin)
	a := w.send(web.AuditPath, nil, "Cookie", admin)
	a.wants(t, http.StatusOK, "")
	a.lacks(t, "used the permission", "fee_schedule fs_", "dispute dp_",
		"<td role=\"cell\" data-place=\"\" data-label=\"On\"")
	disputes := w.send(web.AuditPath+"?what="+string(authz.DisputeAnswer), nil, "Cookie", admin)
	if found := regexp.MustCompile(
		`submitted evidence for\s*<a class="link relative" href="/portal/disputes/[^"]+">the \$[0-9.,]+ dispute</a>`).
		FindString(disputes.body); found == "" {
		t.Errorf("no dispute is named: %s", disputes.words())
	}
	w.signedIn()
	w.send(web.AuditPath+"?what=account:change", nil, "Cookie", admin).says(t, "Dana Reed", "signed in")
}
