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
	"svcpay/internal/identity"
	"svcpay/internal/webhook"
	"svcpay/portal/web"
)

// What matters most is asked for again ten minutes after the last proof: keys, fees, files, and refunds of much. The
// form is kept, and does its work with the proof.
func TestWhatMattersTakesAFreshProof(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	small, large := w.charged(visaCard, 99_999, nil), w.charged(visaCard, 100_000, nil)
	cookie := w.as(authz.RoleApplicationAdmin)
	at := func(id string) string { return web.ChargesPath + "/" + id + "/refund" }
	forms := map[string]url.Values{}
	for _, path := range []string{at(small.ID.String()), at(large.ID.String()), web.APIKeysPath + "/new"} {
		forms[path] = w.drawnForm(path, cookie)
	}
	forms[at(large.ID.String())].Set("amount", "1,000.00")
	w.pass(11 * time.Minute)
	for path, asked := range map[string]bool{at(small.ID.String()): false, at(large.ID.String()): true,
		web.APIKeysPath + "/new": true} {
		a := w.send(path, forms[path], "Cookie", cookie)
		if proof := a.StatusCode == http.StatusUnauthorized || a.StatusCode == http.StatusOK; proof != asked {
			t.Errorf("%s is answered %d: %s", path, a.StatusCode, a.words())
		}
		if asked {
			a.says(t, `name="proof_password"`)
		}
	}
	w.send(web.ChargesPath+".csv", nil, "Cookie", cookie).says(t, `name="proof_password"`)
	if n := len(w.refundsOf(large)); n != 0 {
		t.Fatalf("%d refunds without a proof", n)
	}
	form := forms[at(large.ID.String())]
	form.Set("proof_password", "not "+password)
	w.send(at(large.ID.String()), form, "Cookie", cookie).says(t, `name="proof_password"`, `name="once"`,
		`value="1,000.00"`)
	form.Set("proof_password", password)
	w.send(at(large.ID.String()), form, "Cookie", cookie).wants(t, http.StatusSeeOther,
		web.ChargesPath+"/"+large.ID.String())
	if n := len(w.refundsOf(large)); n != 1 {
		t.Errorf("%d refunds with a proof", n)
	}
}

// A proof that is sent twice at once is taken once, and the other is no failure of ours.
func TestAProofSentTwiceIsNoFailure(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie := w.as(authz.RoleApplicationAdmin)
	w.pass(11 * time.Minute)
	answers := make(chan answer, 2)
	for range cap(answers) {
		go func() {
			answers <- w.send(web.ProofPath, url.Values{"proof_password": {password}, "return": {web.APIKeysPath}},
				"Cookie", cookie)
		}()
	}
	taken := 0
	for range cap(answers) {
		switch a := <-answers; a.StatusCode {
		case http.StatusSeeOther:
			taken++
		case http.StatusUnauthorized:
			a.says(t, "already submitted")
		default:
			t.Errorf("answered %d: %s", a.StatusCode, a.words())
		}
	}
	if taken == 0 {
		t.Error("nobody is proven")
	}
}

// What is returned of one charge counts together: many small refunds take the proof that one of all would.
func TestManySmallRefundsAreOneOfMuch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	one := w.charged(visaCard, 150_000, nil)
	cookie, at := w.as(authz.RoleApplicationAdmin), web.ChargesPath+"/"+one.ID.String()+"/refund"
	w.pass(11 * time.Minute)
	give := func() answer {
		form := w.drawnForm(at, cookie)
		form.Set("amount", "600.00")
		return w.send(at, form, "Cookie", cookie)
	}
	give().wants(t, http.StatusSeeOther, web.ChargesPath+"/"+one.ID.String())
	give().says(t, `name="proof_password"`)
	if n := len(w.refundsOf(one)); n != 1 {
		t.Errorf("%d refunds", n)
	}
}

// What a person refunds within 24 hours counts together, per currency and of any charges; what others refunded doesn't.
func TestManyRefundsOfADayTakeAProof(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	id := w.invent("pat@example.org", "Pat Vale",
		identity.Grant{Role: "application_admin", Scope: "app", ScopeID: w.App.AppID})
	session := func() string { // whose proof is too old
		id, err := w.World.Identity.StartSession(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		w.pass(11 * time.Minute)
		return web.CookieName + "=" + id
	}
	give := func(cookie, amount string, merchant int64) (int, int) {
		one := w.charged(visaCard, 99_900, func(in *charge.CreateInput) {
			in.MerchantID, in.Token = &merchant, new(w.TokenIn(w.SessionOf(w.App, merchant), visaCard))
		})
		at := web.ChargesPath + "/" + one.ID.String() + "/refund"
		form := w.drawnForm(at, cookie)
		form.Set("amount", amount)
		a := w.send(at, form, "Cookie", cookie)
		if a.StatusCode != http.StatusSeeOther {
			a.says(t, `name="proof_password"`)
		}
		return a.StatusCode, len(w.refundsOf(one))
	}
	us, ca := w.App.Merchants.US, w.App.Merchants.CA
	for _, step := range []struct {
		amount   string
		merchant int64
		pass     time.Duration
		asked    bool
	}{{"999.00", us, 0, false}, {"1.00", us, 0, true}, {"0.99", us, 0, false}, {"0.01", us, 0, true},
		{"999.00", ca, 0, false}, {"1.00", ca, 0, true}, {"0.01", us, 22 * time.Hour, true},
		{"999.00", us, 2 * time.Hour, false}, {"999.00", us, 0, true}} {
		w.pass(step.pass)
		status, refunds := give(session(), step.amount, step.merchant)
		if asked := status != http.StatusSeeOther; asked != step.asked || (refunds == 0) != step.asked {
			t.Errorf("%+v is answered %d, %d refunds", step, status, refunds)
		}
	}
	other := w.as(authz.RoleOrganizationStaff)
	w.pass(11 * time.Minute)
	if status, refunds := give(other, "999.00", us); status != http.StatusSeeOther || refunds != 1 {
		t.Errorf("another person is answered %d, %d refunds", status, refunds)
	}
}

// Who takes a list as a file is written down, by the names of their filters; who is refused or sees a list is not.
func TestDownloadsAreWrittenDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	taken := func() (after string) {
		t.Helper()
		if err := w.Pool.QueryRow(t.Context(), `SELECT coalesce(string_agg(after::text, ' '), '') FROM audit_entries
			WHERE subject_kind = 'download' AND outcome = 'done'`).Scan(&after); err != nil {
			t.Fatal(err)
		}
		return after
	}
	w.send(web.ChargesPath, nil, "Cookie", w.as(authz.RoleApplicationAdmin)).wants(t, http.StatusOK, "")
	w.send(web.ChargesPath+".csv", nil, "Cookie", w.as(authz.RoleSupportStaff))
	if got := taken(); got != "" {
		t.Errorf("without a file: %s", got)
	}
	w.send(web.ChargesPath+".csv?status=captured&email=dana%40example.org", nil, "Cookie",
		w.as(authz.RoleApplicationAdmin)).wants(t, http.StatusOK, "")
	if got := taken(); got != `{"filters":["email","status"],"page":"`+web.ChargesPath+`.csv"}` {
		t.Errorf("written down: %s", got)
	}
}

// Forms with something secret are shown to who has proven who they are; sent later, nothing of them is kept, in no
// page.
func TestSecretsDoNotPassThroughTheProof(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	const number, wanted = "000123456789", "violet horse battery staple"
	admin, at := w.as(authz.RoleOrganizationAdmin), fmt.Sprint(web.MerchantsPath, "/", w.App.Merchants.US,
		web.PayoutsEnd, "/account")
	forms := map[string]url.Values{
		at: {"first_name": {"Quillon"}, "last_name": {"Zephyr"},
			"routing": {"110000000"}, "number": {number}, "type": {"checking"}},
		web.SettingsPath + "/password":      {"password": {wanted}},
		web.SettingsPath + "/authenticator": {"code": {"123456"}},
	}
	w.pass(11 * time.Minute)
	for path, form := range forms {
		w.send(path, nil, "Cookie", admin).says(t, `name="proof_password"`)
		late := w.send(path, form, "Cookie", admin)
		late.wants(t, http.StatusUnauthorized, "")
		late.says(t, "Re-enter your details", `name="proof_password"`, `name="return" value="`+path+`"`,
			`action="`+web.ProofPath+`"`)
		form.Set("proof_password", password) // a proof that comes with it lets none of it through either
		for _, a := range []answer{late, w.send(path, form, "Cookie", admin)} {
			for name, values := range form {
				if name != "type" && strings.Contains(a.body, values[0]) {
					t.Errorf("%s: the answer has %q", path, values[0])
				}
			}
		}
		form.Del("proof_password")
	}
	if n := w.done(authz.MerchantBank); n != 0 {
		t.Fatalf("%d bank accounts without a proof", n)
	}
	proof := w.send(web.ProofPath, url.Values{"return": {at}, "proof_password": {password}}, "Cookie", admin)
	proof.wants(t, http.StatusSeeOther, at)
	admin = proof.session(t)
	w.send(at, nil, "Cookie", admin).says(t, `name="number"`)
	wrong := w.send(at, url.Values{"routing": {"1"}, "number": {number}}, "Cookie", admin)
	wrong.wants(t, http.StatusUnprocessableEntity, "")
	if strings.Contains(wrong.body, number) {
		t.Error("the form shows the account number again")
	}
	w.send(at, forms[at], "Cookie", admin).wants(t, http.StatusSeeOther, strings.TrimSuffix(at, "/account"))
	if n := w.done(authz.MerchantBank); n != 1 {
		t.Errorf("%d bank accounts with a proof", n)
	}
}

// Where webhooks go and what signs them, deposits that verify an account, and payouts that go on take a fresh proof,
// and nothing is done without.
func TestWhereDataAndMoneyGoTakesAFreshProof(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	app, admin := w.as(authz.RoleApplicationAdmin), w.as(authz.RoleOrganizationAdmin)
	url1 := "https://hooks.example/take"
	e, err := w.Webhooks.Create(t.Context(), w.Actor(), webhook.CreateInput{URL: &url1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.pass(11 * time.Minute)
	at, money := web.WebhooksPath+"/"+e.Object.ID.String(), web.MerchantAt(w.App.Merchants.US, web.PayoutsEnd)
	before := w.done(authz.WebhookManage)
	for _, path := range []string{web.WebhooksPath + "/new", at + "/edit", at + "/rotate", at + "/delete",
		at + "/replay"} {
		a := w.send(path, url.Values{"url": {"https://evil.example"}}, "Cookie", app)
		a.wants(t, http.StatusUnauthorized, "")
		a.says(t, `name="proof_password"`, `value="https://evil.example"`)
	}
	for _, path := range []string{money + "/verify", money + "/resume"} {
		w.send(path, url.Values{"one": {"0.32"}}, "Cookie", admin).says(t, `name="proof_password"`)
	}
	if now := w.done(authz.WebhookManage); now != before || w.done(authz.PayoutResume)+w.done(authz.MerchantBank) != 0 {
		t.Error("something was done without a proof")
	}
	for _, role := range []authz.Role{authz.RoleSupportStaff, authz.RoleOrganizationStaff} { // the right comes first
		w.send(at+"/rotate", url.Values{}, "Cookie", w.as(role)).wants(t, http.StatusForbidden, "")
	}
}

// In production who has no second factor sets one up, however long ago they signed in: the proof is not out of reach.
func TestASecondFactorIsSetUpAfterAProof(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.Sandbox = false })
	cookie := w.as(authz.RoleOrganizationAdmin)
	w.send(web.ChargesPath, nil, "Cookie", cookie).wants(t, http.StatusSeeOther, web.SettingsPath)
	w.pass(11 * time.Minute)
	w.send(web.SettingsPath, nil, "Cookie", cookie).wants(t, http.StatusOK, "")
	at := web.SettingsPath + "/authenticator"
	asked := w.send(at, nil, "Cookie", cookie)
	asked.says(t, `action="`+web.ProofPath+`"`, `value="`+at+`"`)
	proof := w.send(web.ProofPath, url.Values{"return": {at}, "proof_password": {password}}, "Cookie", cookie)
	proof.wants(t, http.StatusSeeOther, at)
	cookie = proof.session(t)
	w.send(at, nil, "Cookie", cookie).says(t, "App secret")
	w.send(web.ChargesPath, nil, "Cookie", cookie).wants(t, http.StatusSeeOther, web.SettingsPath)
}

// What a page asks on its own keeps no one signed in.
func TestPollsAreNoSignOfLife(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	quiet, lively := w.as(authz.RoleApplicationAdmin), w.as(authz.RoleApplicationAdmin)
	for range 4 {
		w.pass(4 * time.Minute)
		w.send(web.EventsPath, nil, "Cookie", quiet, web.PollHeader, "1")
		w.send(web.EventsPath, nil, "Cookie", lively).wants(t, http.StatusOK, "")
	}
	w.send(web.EventsPath, nil, "Cookie", quiet).wants(t, http.StatusSeeOther,
		web.LoginPath+"?"+url.Values{"return": {web.EventsPath}, "notice": {"ended"}}.Encode())
	w.send(web.EventsPath, nil, "Cookie", lively, web.PollHeader, "1").wants(t, http.StatusOK, "")
}

// After a file no page comes: who is asked who they are first is led to the page that offers it, from where it is
// fetched.
func TestAFileIsFetchedFromThePageThatOffersIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie := w.as(authz.RoleApplicationAdmin)
	file, list := web.ChargesPath+".csv?status=captured", web.ChargesPath+"?status=captured"
	w.pass(11 * time.Minute)
	asked := w.send(file, nil, "Cookie", cookie)
	wrong := w.send(web.ProofPath, url.Values{"return": {file}, "proof_password": {"not " + password}},
		"Cookie", cookie)
	for _, a := range []answer{asked, wrong} { // who would rather not is led there, too
		a.says(t, `name="return" value="`+file+`"`, `href="`+list+`"`)
	}
	proof := w.send(web.ProofPath, url.Values{"return": {file}, "proof_password": {password}}, "Cookie", cookie)
	proof.wants(t, http.StatusSeeOther, list)
	w.send(list, nil, "Cookie", proof.cookies("")).says(t, "Your file is ready.", `href="`+file+`" data-fetch`)
	if a := w.send(file, nil, "Cookie", proof.session(t)); !strings.HasPrefix(a.Header.Get("Content-Disposition"),
		"attachment") {
		t.Errorf("the file is answered %d", a.StatusCode)
	}
	late := login(dana, password)
	late.Set("return", file)
	w.send(web.LoginPath, late).wants(t, http.StatusSeeOther, list)
}

func TestEveryFileIsOfferedByAPage(t *testing.T) {
	t.Parallel()
	w, pages := newWorld(t, nil), map[string]bool{}
	for _, r := range w.routes() {
		pages[r.Path] = pages[r.Path] || r.Method == http.MethodGet
	}
	for _, r := range w.routes() {
		page, file := web.Offering(r.Path)
		if file && !pages[page] || !file && r.Needs == authz.ExportCreate {
			t.Errorf("%s is offered by %s", r.Path, page)
		}
	}
}
