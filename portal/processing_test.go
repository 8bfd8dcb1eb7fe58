package portal

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor/accounts"
	"svcpay/portal/web"
)

const secretWords = "sk_test_violet_horse_9f2c"

// sandboxAccount is the input for an account at the sandbox's processor, of the first application.
func (w *world) sandboxAccount(merchantID *int64, name string, methods ...string) accounts.ConnectInput {
	return accounts.ConnectInput{MerchantID: merchantID, Processor: "sandbox",
		External: fmt.Sprintf("app-%d/%s", w.App.AppID, name),
		Serving:  accounts.ServingOf(methods, nil, 1)}
}

// connected connects an account.
func (w *world) connected(in accounts.ConnectInput) accounts.Account {
	w.t.Helper()
	a, err := w.Accounts.Connect(w.t.Context(), w.Person(authz.RoleApplicationAdmin), in)
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

// external is the external id of an account as a page has it.
func (w *world) external(name string) string { return fmt.Sprintf("app-%d/%s", w.App.AppID, name) }

var (
	acceptance = regexp.MustCompile(`(?s)<tr role="row">.*?</tr>`)
	lineSpace  = regexp.MustCompile(`\s+`)
)

// row is the row of a page's table with a word in it, as one line.
func (a answer) row(word string) string {
	for _, row := range acceptance.FindAllString(a.body, -1) {
		if line := strings.TrimSpace(lineSpace.ReplaceAllString(tag.ReplaceAllString(row, " "),
			" ")); strings.HasPrefix(line, word) {
			return line
		}
	}
	return ""
}

func TestAMerchantsPageSaysWhereItsPaymentsGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin, at := w.as(authz.RoleApplicationAdmin), w.merchantPage(web.ProcessingEnd)
	own := w.external(fmt.Sprint("merchant-", w.App.Merchants.US))
	a := w.send(at, nil, "Cookie", admin)
	if line := "Cards sandbox " + own + " (sandbox)"; !strings.Contains(a.words(), line) {
		t.Errorf("no account is connected, and the page does not say %q: %s", line, a.words())
	}
	a.says(t, "No accounts yet", at+"/connect")

	w.connected(w.sandboxAccount(nil, "own-90", "payout", "acss"))
	cards := w.sandboxAccount(&w.App.Merchants.US, "own-91", "cc")
	cards.Credentials = accounts.CredentialsOf(secretWords)
	one := w.connected(cards)
	if _, err := pg.Exec(t.Context(), w.Pool, `UPDATE processor_accounts SET onboarding = 'pending'
		WHERE merchant_id IS NULL`, pg.Args{}); err != nil {
		t.Fatal(err)
	}
	a = w.send(at, nil, "Cookie", admin)
	for _, line := range []string{"Cards sandbox " + w.external("own-91") + " (this merchant’s account)",
		"Payouts sandbox " + w.external("own-90") + " (the application’s default, onboarding pending)",
		"Credentials ••••9f2c", "Earlier payments stay with their original account."} {
		if !strings.Contains(a.words(), line) {
			t.Errorf("the page does not say %q: %s", line, a.words())
		}
	}
	a.says(t, at+"/"+one.ID.String()+"/test", `href="`+web.ProcessingPath+`"`)
	a.lacks(t, secretWords, web.ProcessingPath+"/pa_")

	if _, err := w.Accounts.SetStatus(t.Context(), w.Person(authz.RoleSystemAdmin), one.ID.String(), accounts.Disabled,
		nil); err != nil {
		t.Fatal(err)
	}
	w.send(at, nil, "Cookie", admin).says(t, "Not connected", at+"/"+one.ID.String()+"/enable")
}

// A merchant without an account for a kind of payment lacks it on its overview, which leads to where it is connected,
// or says who can.
func TestAMissingProcessorAccountIsAGap(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, in := range []accounts.ConnectInput{w.sandboxAccount(nil, "own-90", "payout"),
		w.sandboxAccount(&w.App.Merchants.US, "own-91", "cc")} {
		a := w.connected(in)
		if _, err := w.Accounts.SetStatus(t.Context(), w.Person(authz.RoleSystemAdmin), a.ID.String(),
			accounts.Disabled, nil); err != nil {
			t.Fatal(err)
		}
	}
	page := w.send(w.merchantPage(""), nil, "Cookie", w.as(authz.RoleApplicationAdmin))
	for _, method := range []string{"Cards", "Payouts", "Wallet B"} {
		if row := page.row(method); !strings.Contains(row, "No processor account Connect account") {
			t.Errorf("%s: %q", method, row)
		}
	}
	if row := page.row("US bank accounts"); !strings.HasSuffix(row, " On") {
		t.Errorf("bank debits: %q", row)
	}
	page.says(t, `href="`+w.merchantPage(web.ProcessingEnd)+`">Connect account`)
	for _, role := range []authz.Role{authz.RoleOrganizationAdmin, authz.RoleOrganizationStaff} {
		row := w.send(w.merchantPage(""), nil, "Cookie", w.as(role)).row("Cards")
		if !strings.Contains(row,
			"No processor account Available to: System administrator, Application administrator.") {
			t.Errorf("%s: %q", role, row)
		}
	}
}

func TestAccountsAreConnectedAndChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin := w.as(authz.RoleApplicationAdmin)
	for _, at := range []string{w.merchantPage(web.ProcessingEnd), web.ProcessingPath} {
		number := map[bool]string{true: "own-91", false: "own-92"}[at == web.ProcessingPath]
		w.send(at+"/connect", nil, "Cookie", admin).says(t, `<option value="sandbox" selected`, `type="password"`,
			`autocomplete="off"`, `value="app-`)
		wrong := w.send(at+"/connect",
			url.Values{"processor": {"none"}, "external_account": {" "}, "priority": {"first"},
				"credentials": {secretWords}}, "Cookie", admin)
		wrong.wants(t, http.StatusUnprocessableEntity, "")
		for field, words := range map[string]string{"processor": "Choose a processor.",
			"external_account": "Enter the account’s ID", "methods": "Choose at least one method.",
			"priority": "Enter a number from 1 to 100."} {
			if !regexp.MustCompile(`(?s)id="` + field + `-error".{0,800}` + words).MatchString(wrong.body) {
				t.Errorf("the field %s does not say %q: %s", field, words, wrong.words())
			}
		}
		wrong.lacks(t, secretWords)
		form := url.Values{"processor": {"sandbox"}, "external_account": {"acct_unknown"}, "methods": {"cc", "payout"},
			"currencies": {"usd"}, "priority": {"2"},
			"credentials": {secretWords}}
		unknown := w.send(at+"/connect", form, "Cookie", admin)
		unknown.wants(t, http.StatusUnprocessableEntity, "")
		unknown.says(t, "Account not connected", "The processor has no such account", `value="acct_unknown"`)
		unknown.lacks(t, secretWords)
		form.Set("external_account", w.external(number))
		w.send(at+"/connect", form, "Cookie", admin).wants(t, http.StatusSeeOther, at)
		again := w.send(at+"/connect", form, "Cookie", admin)
		again.wants(t, http.StatusConflict, "")
		again.says(t, "This account is already connected.")
		w.changesAccount(at, admin)
	}
	if n := w.done(authz.ProcessingManage); n != 12 {
		t.Errorf("%d changes in the audit log", n)
	}
	system := w.as(authz.RoleSystemAdmin)
	w.send(web.AuditPath+"?what="+string(authz.ProcessingManage), nil, "Cookie", admin).says(t, "connected", "disabled",
		"enabled", "edited", "tested", "replaced the credentials of", `href="`+web.ProcessingPath+`"`,
		`href="`+w.merchantPage(web.ProcessingEnd)+`"`, "the processor account "+w.external("own-91"))
	w.send(web.ProcessingPath, nil, "Cookie", system).wants(t, http.StatusOK, "")
}

// changesAccount changes the one account of a page: it is edited, tested, disabled and enabled.
func (w *world) changesAccount(at, cookie string) {
	t := w.t
	t.Helper()
	page := w.send(at, nil, "Cookie", cookie)
	one := at + "/" + regexp.MustCompile(`/(pa_[0-9a-z]+)/edit"`).FindStringSubmatch(page.body)[1]
	edit := w.drawnForm(one+"/edit", cookie)
	w.send(one+"/edit", nil, "Cookie", cookie).says(t, `value="cc" checked`, `value="usd" checked`, `name="priority"`,
		`value="2"`)
	edit["methods"] = []string{"ach"}
	edit.Set("priority", "7")
	w.send(one+"/edit", edit, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
	w.send(one+"/edit", edit, "Cookie", cookie).wants(t, http.StatusSeeOther, at) // sent twice
	edit.Del("version")
	w.send(one+"/edit", edit, "Cookie", cookie).wants(t, http.StatusUnprocessableEntity, "")
	page = w.send(at, nil, "Cookie", cookie)
	for _, line := range []string{"Methods ACH", "Currencies All", "Priority 7", "Credentials ••••9f2c"} {
		if !strings.Contains(page.words(), line) {
			t.Errorf("%s does not say %q: %s", at, line, page.words())
		}
	}
	w.pass(time.Minute)
	tested := w.send(one+"/test", url.Values{}, "Cookie", cookie)
	tested.wants(t, http.StatusSeeOther, at)
	w.send(at, nil, "Cookie", cookie+"; "+web.FlashCookie+"="+tested.cookie(t, web.FlashCookie).Value).says(t,
		"Test passed. The account can take payments.")
	if page = w.send(at, nil, "Cookie", cookie); strings.Contains(page.words(), "Credentials replaced") {
		t.Errorf("%s says that credentials were replaced: %s", at, page.words())
	}
	edit = w.drawnForm(one+"/edit", cookie)
	edit["methods"] = []string{"ach"}
	edit.Set("priority", "7")
	edit.Set("credentials", secretWords) // the same
	w.send(one+"/edit", edit, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
	w.send(at, nil, "Cookie", cookie).says(t, "Credentials replaced")
	for _, to := range []struct{ act, status string }{{"/disable", "Disabled"}, {"/enable", "Active"}} {
		form := w.drawnForm(one+to.act, cookie)
		for range 2 { // sent twice
			w.send(one+to.act, form, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
		}
		w.send(at, nil, "Cookie", cookie).says(t, ">"+to.status+"<")
		w.send(one+to.act, url.Values{}, "Cookie", cookie).wants(t, http.StatusUnprocessableEntity, "")
	}
}

// Another account cannot be reached below the address of a merchant that it is not of.
func TestAnAccountHasOneAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin := w.as(authz.RoleApplicationAdmin)
	own, defaults := w.connected(w.sandboxAccount(&w.App.Merchants.US, "own-91", "cc")),
		w.connected(w.sandboxAccount(nil, "own-92", "cc"))
	for at, status := range map[string]int{
		w.merchantPage(web.ProcessingEnd) + "/" + own.ID.String():                     http.StatusOK,
		web.ProcessingPath + "/" + defaults.ID.String():                               http.StatusOK,
		w.merchantPage(web.ProcessingEnd) + "/" + defaults.ID.String():                http.StatusNotFound,
		web.ProcessingPath + "/" + own.ID.String():                                    http.StatusNotFound,
		web.MerchantAt(w.App.Merchants.CA, web.ProcessingEnd) + "/" + own.ID.String(): http.StatusNotFound,
	} {
		w.send(at+"/edit", nil, "Cookie", admin).wants(t, status, "")
		w.send(at+"/disable", nil, "Cookie", admin).wants(t, status, "")
	}
}

func TestWhoSeesProcessorAccounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	own := w.connected(w.sandboxAccount(&w.App.Merchants.US, "own-91", "cc"))
	w.connected(w.sandboxAccount(nil, "own-92", "payout"))
	at := w.merchantPage(web.ProcessingEnd)
	for role, may := range map[authz.Role]struct {
		tab, defaults int
		manages       bool
	}{
		authz.RoleSystemAdmin: {http.StatusOK, http.StatusOK, true}, authz.RoleApplicationAdmin: {
			http.StatusOK, http.StatusOK, true},
		authz.RoleSupportStaff: {http.StatusOK, http.StatusOK, false}, authz.RoleOrganizationAdmin: {
			http.StatusOK, http.StatusNotFound, false},
		authz.RoleOrganizationStaff: {http.StatusForbidden, http.StatusForbidden, false},
	} {
		cookie := w.as(role)
		page := w.send(at, nil, "Cookie", cookie)
		page.wants(t, may.tab, "")
		w.send(web.ProcessingPath, nil, "Cookie", cookie).wants(t, may.defaults, "")
		overview := w.send(w.merchantPage(""), nil, "Cookie", cookie)
		for link, shown := range map[string]bool{at: may.tab == http.StatusOK,
			web.ProcessingPath: may.defaults == http.StatusOK} {
			if strings.Contains(overview.body, `href="`+link+`"`) != shown {
				t.Errorf("%s is led to %s: %v", role, link, !shown)
			}
		}
		if strings.Contains(page.body, own.ID.String()) != may.manages ||
			strings.Contains(page.body, at+"/connect") != may.manages {
			t.Errorf("%s has buttons: %v", role, !may.manages)
		}
		if may.tab == http.StatusOK && !may.manages {
			page.says(t, "Managed by: System administrator, Application administrator.", w.external("own-91"),
				w.external("own-92"))
		}
		if listed := strings.Contains(page.body,
			"The application’s defaults"); listed != (may.defaults == http.StatusOK) {
			t.Errorf("%s sees the list of defaults: %v", role, listed)
		}
	}
}

// Where payments go takes a fresh proof, and no page has the credentials that came without one. A test of an account
// changes nothing of that.
func TestWherePaymentsGoTakesAFreshProof(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	own := w.connected(w.sandboxAccount(&w.App.Merchants.US, "own-91", "cc"))
	admin, at := w.as(authz.RoleApplicationAdmin), w.merchantPage(web.ProcessingEnd)
	one := at + "/" + own.ID.String()
	w.pass(11 * time.Minute)
	before := w.done(authz.ProcessingManage)
	for _, path := range []string{at + "/connect", one + "/edit"} {
		w.send(path, nil, "Cookie", admin).says(t, `name="proof_password"`)
		late := w.send(path, url.Values{"credentials": {secretWords}, "priority": {"3"}}, "Cookie", admin)
		late.wants(t, http.StatusUnauthorized, "")
		late.says(t, `name="proof_password"`, `name="return" value="`+path+`"`)
		late.lacks(t, secretWords)
	}
	disable := w.drawnForm(one+"/disable", admin)
	w.send(one+"/disable", disable, "Cookie", admin).wants(t, http.StatusUnauthorized, "")
	w.send(one+"/enable", disable, "Cookie", admin).wants(t, http.StatusUnauthorized, "")
	if n := w.done(authz.ProcessingManage); n != before {
		t.Errorf("%d changes without a proof", n-before)
	}
	w.send(one+"/test", url.Values{}, "Cookie", admin).wants(t, http.StatusSeeOther, at)
	stale := w.drawnForm(one+"/disable", admin)
	stale.Set("version", "1")
	disable = w.drawnForm(one+"/disable", admin)
	disable.Set("proof_password", password)
	proven := w.send(one+"/disable", disable, "Cookie", admin)
	proven.wants(t, http.StatusSeeOther, at)
	admin = proven.session(t)
	enable := w.drawnForm(one+"/enable", admin)
	enable.Set("version", stale.Get("version"))
	changed := w.send(one+"/enable", enable, "Cookie", admin)
	changed.wants(t, http.StatusConflict, "")
	changed.says(t, "This has changed since you opened it.")
	if n := w.done(authz.ProcessingManage); n != before+2 {
		t.Errorf("%d changes with a proof", n-before)
	}
}

// An account that was connected by mistake is removed by who identifies again; one with payments is not.
func TestAnUnusedAccountIsRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	own, used := w.connected(w.sandboxAccount(&w.App.Merchants.US, "own-91", "ach")),
		w.connected(w.sandboxAccount(&w.App.Merchants.US, "own-92", "cc"))
	w.charged(visaCard, 1_000, nil)
	admin, at := w.as(authz.RoleApplicationAdmin), w.merchantPage(web.ProcessingEnd)
	one, other := at+"/"+own.ID.String()+"/remove", at+"/"+used.ID.String()+"/remove"
	w.send(at, nil, "Cookie", admin).lacks(t, one, other)
	early := w.send(one, w.drawnForm(one, admin), "Cookie", admin)
	early.wants(t, http.StatusConflict, "")
	early.says(t, "Disable this account and wait a minute before you remove it.")
	for _, a := range []accounts.Account{own, used} {
		if _, err := w.Accounts.SetStatus(t.Context(), w.Person(authz.RoleSystemAdmin), a.ID.String(),
			accounts.Disabled, nil); err != nil {
			t.Fatal(err)
		}
	}
	w.pass(11 * time.Minute)
	w.send(at, nil, "Cookie", admin).says(t, one, other)
	form := w.drawnForm(one, admin)
	w.send(one, form, "Cookie", admin).wants(t, http.StatusUnauthorized, "")
	form = w.drawnForm(one, admin)
	form.Set("proof_password", password)
	removed := w.send(one, form, "Cookie", admin)
	removed.wants(t, http.StatusSeeOther, at)
	admin = removed.session(t)
	w.send(one, url.Values{}, "Cookie", admin).wants(t, http.StatusNotFound, "")
	w.send(other, url.Values{}, "Cookie", admin).wants(t, http.StatusUnprocessableEntity, "") // not of the form
	refused := w.send(other, w.drawnForm(other, admin), "Cookie", admin)
	refused.wants(t, http.StatusConflict, "")
	refused.says(t, "has payments, payouts, verifications or connected accounts")
	page := w.send(at, nil, "Cookie", admin)
	page.says(t, w.external("own-92"))
	page.lacks(t, w.external("own-91"))
	w.send(web.AuditPath+"?what="+string(authz.ProcessingManage), nil, "Cookie", admin).says(t, "removed",
		"the processor account "+w.external("own-91"))
}

// Failover is turned on and off by those who manage accounts, with a fresh proof, and each time once.
func TestFailoverIsTurnedOnAndOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin, at := w.as(authz.RoleApplicationAdmin), web.ProcessingPath+"/failover"
	w.pass(11 * time.Minute)
	w.send(at, w.drawnForm(at, admin), "Cookie", admin).wants(t, http.StatusUnauthorized, "")
	proof := w.drawnForm(at, admin)
	proof.Set("proof_password", password)
	proven := w.send(at, proof, "Cookie", admin)
	proven.wants(t, http.StatusSeeOther, web.ProcessingPath)
	admin = proven.session(t)
	w.send(web.ProcessingPath, nil, "Cookie", admin).says(t, "Turn off", `href="`+at+`"`)
	// sent again
	w.send(at, url.Values{"failover": {"on"}}, "Cookie", admin).wants(t, http.StatusSeeOther, web.ProcessingPath)
	w.send(at, url.Values{"failover": {"perhaps"}}, "Cookie", admin).wants(t, http.StatusUnprocessableEntity, "")
	if n := w.done(authz.ProcessingManage); n != 1 {
		t.Errorf("%d changes in the audit log", n)
	}
	off := w.drawnForm(at, admin)
	if off.Get("failover") != "off" {
		t.Errorf("the dialog sends %v", off)
	}
	w.send(at, off, "Cookie", admin).wants(t, http.StatusSeeOther, web.ProcessingPath)
	log := w.send(web.AuditPath+"?what="+string(authz.ProcessingManage), nil, "Cookie", admin)
	log.says(t, `href="`+web.ProcessingPath+`"`)
	for _, words := range []string{"turned failover on for the application",
		"turned failover off for the application"} {
		if !strings.Contains(log.words(), words) {
			t.Errorf("the audit log does not say %q: %s", words, log.words())
		}
	}
	support := w.as(authz.RoleSupportStaff)
	page := w.send(web.ProcessingPath, nil, "Cookie", support)
	page.says(t, "Failover", "Off")
	page.lacks(t, at)
	w.send(at, off, "Cookie", support).wants(t, http.StatusForbidden, "")
	w.send(at, nil, "Cookie", w.as(authz.RoleOrganizationAdmin)).wants(t, http.StatusForbidden, "")
}
