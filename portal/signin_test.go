package portal

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"svcpay/internal/authz"
	"svcpay/internal/identity"
	"svcpay/internal/platform/mail"
	"svcpay/portal/web"
)

// of returns the newest letter of a kind, and how many of it there are.
func (w *world) of(kind mail.Kind, to string) (newest mail.Letter, n int) {
	w.t.Helper()
	for _, l := range w.letters() {
		if l.Kind == kind && l.To == to {
			if n == 0 {
				newest = l
			}
			n++
		}
	}
	return newest, n
}

// cookies are the Cookie header of what an answer sets, next to what there was.
func (a answer) cookies(before string) string {
	out := []string{}
	if before != "" {
		out = append(out, before)
	}
	for _, c := range a.Cookies() {
		if c.Value != "" {
			out = append(out, c.Name+"="+c.Value)
		}
	}
	return strings.Join(out, "; ")
}

// session is the Cookie header of the session that an answer begins or renews.
func (a answer) session(t *testing.T) string {
	t.Helper()
	return web.CookieName + "=" + a.cookie(t, web.CookieName).Value
}

const another = "violet horse battery staple"

func TestAForgottenPasswordIsReset(t *testing.T) {
	t.Parallel()
	w := mailWorld(t, nil)
	in := w.signedIn()
	w.send(web.ForgotPath, nil).says(t, "Forgot your password?", "Send reset link")
	w.send(web.LoginPath, nil).says(t, `href="/portal/forgot"`)
	w.send(web.ForgotPath, url.Values{"email": {"dana"}}).says(t, "Enter your full email address.")

	known, unknown := w.send(web.ForgotPath, url.Values{"email": {"DANA@example.org"}}), w.send(web.ForgotPath,
		url.Values{"email": {"NONE@example.org"}})
	known.wants(t, http.StatusOK, "")
	id := regexp.MustCompile(`nonce="[^"]*"`)
	if got, want := id.ReplaceAllString(unknown.body,
		""), id.ReplaceAllString(strings.ReplaceAll(known.body, "DANA@", "NONE@"), ""); got != want {
		t.Error("the answer tells who signs in here")
	}
	l, n := w.of("reset_link", dana)
	if _, other := w.of("reset_link", "none@example.org"); n != 1 || other != 0 {
		t.Fatalf("%d mails, %d to nobody", n, other)
	}
	link := w.path(l)
	w.send(link, nil).says(t, "Choose a new password", dana)
	a := w.send(link, url.Values{"password": {"short"}})
	a.wants(t, http.StatusUnprocessableEntity, "")
	a.says(t, "A password has 15 to 128 characters")
	w.send(link, url.Values{"password": {another}}).wants(t, http.StatusSeeOther, "/portal/login?notice=reset")
	w.send("/portal/login?notice=reset", nil).says(t, "Password updated.")
	w.send(link, nil).wants(t, http.StatusGone, "")
	w.send(link, url.Values{"password": {password}}).wants(t, http.StatusGone, "")
	w.send("/portal", nil, "Cookie", in).wants(t, http.StatusSeeOther, "/portal/login?notice=ended")
	w.send(web.LoginPath, login(dana, password)).wants(t, http.StatusUnauthorized, "")
	w.send(web.LoginPath, login(dana, another)).wants(t, http.StatusSeeOther, web.Home)
	if l, n := w.of("account_change", dana); n != 1 || l.Subject != "Your password was changed" {
		t.Errorf("%d mails: %+v", n, l)
	}

	w.send(web.ForgotPath, url.Values{"email": {dana}})
	late, _ := w.of("reset_link", dana)
	w.pass(61 * time.Minute)
	w.send(w.path(late), nil).wants(t, http.StatusGone, "")
}

func TestLinksToOneAddressAreFew(t *testing.T) {
	t.Parallel()
	w := mailWorld(t, nil)
	for _, email := range []string{dana, "nobody@example.org"} {
		for range 3 {
			w.send(web.ForgotPath, url.Values{"email": {email}}).wants(t, http.StatusOK, "")
		}
		w.send(web.ForgotPath, url.Values{"email": {email}}).wants(t, http.StatusTooManyRequests, "")
	}
	if _, n := w.of("reset_link", dana); n != 3 {
		t.Errorf("%d mails", n)
	}
}

func TestWithoutMailsNoLinkIsPromised(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.send(web.ForgotPath, nil).says(t, "Email isn’t set up here.")
	w.send(web.ForgotPath, url.Values{"email": {dana}}).says(t, "Email isn’t set up here.")
}

var (
	secretOf = regexp.MustCompile(`aria-label="App secret">([A-Z2-7 ]+)<`)
	codesOf  = regexp.MustCompile(`[A-Z2-7]{4}(-[A-Z2-7]{4}){3}`)
)

// code is what an app shows now, or that many codes later.
func (w *world) code(secret string, later int) string {
	w.t.Helper()
	code, err := totp.GenerateCode(secret, w.Clock.Now().Add(time.Duration(later)*30*time.Second))
	if err != nil {
		w.t.Fatal(err)
	}
	return code
}

// withApp sets an authenticator app up and returns its secret, the recovery codes and the session after.
func (w *world) withApp(in string) (secret string, codes []string, session string) {
	w.t.Helper()
	a := w.send("/portal/settings/authenticator", nil, "Cookie", in)
	a.says(w.t, "data:image/png;base64,")
	match := secretOf.FindStringSubmatch(a.body)
	if match == nil {
		w.t.Fatalf("there is no secret: %s", a.body)
	}
	secret = strings.ReplaceAll(match[1], " ", "")
	w.send("/portal/settings/authenticator", nil, "Cookie", in).says(w.t, match[1]) // the same until it is confirmed
	wrong := w.send("/portal/settings/authenticator", url.Values{"code": {"000000"}}, "Cookie", in)
	wrong.wants(w.t, http.StatusUnprocessableEntity, "")
	done := w.send("/portal/settings/authenticator", url.Values{"code": {w.code(secret, 0)}}, "Cookie", in)
	done.says(w.t, "Save your recovery codes")
	codes = codesOf.FindAllString(done.body, -1)
	if len(codes) != 10 {
		w.t.Fatalf("%d recovery codes", len(codes))
	}
	return secret, codes, done.session(w.t)
}

func TestASecondFactorIsAskedFor(t *testing.T) {
	t.Parallel()
	w := mailWorld(t, nil)
	before := w.signedIn()
	secret, codes, in := w.withApp(before)
	// the session has another id
	w.send("/portal", nil, "Cookie", before).wants(t, http.StatusSeeOther, "/portal/login?notice=ended")
	w.send("/portal/settings", nil, "Cookie", in).says(t, "10 codes left")
	w.send("/portal/settings/authenticator", nil, "Cookie", in).wants(t, http.StatusConflict, "")

	start := func() string {
		a := w.send(web.LoginPath, login(dana, password))
		a.wants(t, http.StatusSeeOther, "/portal/2fa?return=%2Fportal")
		return a.cookies("")
	}
	try := func(step, code string) answer {
		return w.send(web.SecondStepPath, url.Values{"code": {code}}, "Cookie", step)
	}
	step := start()
	// the password alone is no session
	w.send("/portal", nil, "Cookie", step).wants(t, http.StatusSeeOther, web.LoginPath)
	w.send(web.SecondStepPath, nil, "Cookie", step).says(t, "Two-step verification", `autocomplete="one-time-code"`,
		"Use a recovery code")
	w.send(web.SecondStepPath+"?by=recovery", nil, "Cookie", step).says(t, "Recovery code")
	try(step, "").wants(t, http.StatusUnprocessableEntity, "")
	try(step, w.code(secret, 0)).wants(t, http.StatusUnauthorized, "") // taken when the app was set up
	try(step, w.code(secret, 3)).wants(t, http.StatusUnauthorized, "")
	w.pass(30 * time.Second)
	good := w.code(secret, 0)
	try(step, good[:3]+" "+good[3:]).wants(t, http.StatusSeeOther, web.Home)
	try(step, good).wants(t, http.StatusUnauthorized, "") // the step is over

	step = start()
	a := try(step, good)
	a.wants(t, http.StatusUnauthorized, "")
	a.says(t, "This code is wrong, or was used already.")
	try(step, strings.ToLower(codes[3])).wants(t, http.StatusSeeOther, web.Home)
	if l, n := w.of("account_change", dana); n != 2 ||
		l.Subject != "A recovery code was used to sign in to your account" {
		t.Errorf("%d mails: %+v", n, l)
	}
	step = start()
	try(step, codes[3]).wants(t, http.StatusUnauthorized, "")
	for range 4 {
		try(step, "123123").wants(t, http.StatusUnauthorized, "")
	}
	try(step, codes[4]).wants(t, http.StatusTooManyRequests, "")
	w.pass(11 * time.Minute)
	try(step, codes[4]).says(t, "Two-step verification timed out.")
}

func TestSecretsOfSecondFactorsAreKeptSealed(t *testing.T) {
	t.Parallel()
	w := mailWorld(t, nil)
	secret, codes, in := w.withApp(w.signedIn())
	for _, sql := range []string{`SELECT string_agg(t::text, '')
		FROM people t`, `SELECT string_agg(t::text, '')
		FROM recovery_codes t`} {
		var text string
		if err := w.Pool.QueryRow(t.Context(), sql).Scan(&text); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(text, secret) || strings.Contains(text, codes[0]) ||
			strings.Contains(text, strings.ReplaceAll(codes[0], "-", "")) {
			t.Errorf("%s has a secret in clear", sql)
		}
	}
	asks := w.send("/portal/settings/codes", nil, "Cookie", in)
	asks.says(t, "Your current codes stop working immediately", `action="/portal/settings/codes"`)
	asks.lacks(t, `hx-post="/portal/settings/codes"`)
	made := w.send("/portal/settings/codes", url.Values{}, "Cookie", in)
	fresh := codesOf.FindAllString(made.body, -1)
	// another way in, another session
	w.send("/portal", nil, "Cookie", in).wants(t, http.StatusSeeOther, web.LoginPath+"?notice=ended")
	in = made.cookies("")
	if len(fresh) != 10 || fresh[0] == codes[0] {
		t.Errorf("new codes are %v", fresh)
	}
	step := w.send(web.LoginPath, login(dana, password)).cookies("")
	w.send(web.SecondStepPath, url.Values{"code": {codes[0]}}, "Cookie", step).wants(t, http.StatusUnauthorized, "")
	w.send("/portal/settings/authenticator/remove", nil, "Cookie", in).says(t, "Remove the authenticator app",
		`hx-post="/portal/settings/authenticator/remove"`)
	w.send("/portal/settings/authenticator/remove", url.Values{}, "Cookie", in).wants(t, http.StatusSeeOther,
		web.SettingsPath)
	w.send("/portal/settings/codes", nil, "Cookie", w.signedIn()).wants(t, http.StatusSeeOther, web.SettingsPath)
	w.send(web.LoginPath, login(dana, password)).wants(t, http.StatusSeeOther, web.Home)
}

func TestWhatMattersTakesAProof(t *testing.T) {
	t.Parallel()
	w := mailWorld(t, nil)
	in := w.as(authz.RoleApplicationAdmin)
	ask := url.Values{"email": {"new@example.org"}, "place": {"nowhere"}, "odd": {"a", "b"}}
	w.send(web.InvitePath, ask, "Cookie", in).wants(t, http.StatusUnprocessableEntity, "") // just signed in
	w.pass(9 * time.Minute)
	w.send("/portal", nil, "Cookie", in)
	w.pass(time.Minute)

	a := w.send(web.InvitePath, ask, "Cookie", in)
	a.wants(t, http.StatusUnauthorized, "")
	a.says(t, "Confirm it’s you", `name="email" value="new@example.org"`, `name="odd" value="a"`,
		`name="odd" value="b"`, `action="`+web.InvitePath+`"`, `name="proof_password"`)
	wrong := url.Values{"proof_password": {"wrong"}}
	right := url.Values{"proof_password": {password}}
	for name, values := range ask {
		wrong[name], right[name] = values, values
	}
	a = w.send(web.InvitePath, wrong, "Cookie", in)
	a.wants(t, http.StatusUnauthorized, "")
	a.says(t, "The password is wrong.", `value="new@example.org"`)
	if strings.Contains(a.body, `value="wrong"`) {
		t.Error("the page repeats the password")
	}
	a = w.send(web.InvitePath, right, "Cookie", in)
	a.wants(t, http.StatusUnprocessableEntity, "") // the form itself, as it was typed
	a.says(t, `value="new@example.org"`)
	after := a.session(t)
	w.send("/portal", nil, "Cookie", in).wants(t, http.StatusSeeOther, "/portal/login?notice=ended")
	w.send(web.InvitePath, ask, "Cookie", after).wants(t, http.StatusUnprocessableEntity, "")

	w.pass(11 * time.Minute)
	page := w.send("/portal/settings/password", nil, "Cookie", after)
	page.wants(t, http.StatusOK, "")
	page.says(t, "Confirm it’s you", `name="return" value="/portal/settings/password"`)
	back := w.send(web.ProofPath, url.Values{"return": {"/portal/settings/password"}, "proof_password": {password}},
		"Cookie", after)
	back.wants(t, http.StatusSeeOther, "/portal/settings/password")
	w.send("/portal/settings/password", nil, "Cookie", back.session(t)).says(t, "New password")
	w.send(web.ProofPath, url.Values{"return": {"//evil.example"}, "proof_password": {password}}, "Cookie",
		back.session(t)).wants(t, http.StatusSeeOther, web.Home)
}

func TestProofsByAnAppAndTheirBound(t *testing.T) {
	t.Parallel()
	w := mailWorld(t, nil)
	secret, _, in := w.withApp(w.signedIn())
	w.pass(11 * time.Minute)
	w.send("/portal/settings/password", nil, "Cookie", in).says(t, `name="proof_code"`)
	for range 5 {
		w.send(web.ProofPath, url.Values{"proof_code": {"000000"}}, "Cookie", in).wants(t, http.StatusUnauthorized, "")
	}
	w.send(web.ProofPath, url.Values{"proof_code": {w.code(secret, 0)}}, "Cookie", in).wants(t,
		http.StatusTooManyRequests, "")
	w.pass(8 * time.Minute)
	w.send("/portal", nil, "Cookie", in)
	w.pass(8 * time.Minute)
	w.send(web.ProofPath, url.Values{"proof_code": {w.code(secret, 0)}}, "Cookie", in).wants(t,
		http.StatusSeeOther, web.Home)
}

func TestOutsideASandboxAPasswordAloneIsNotEnough(t *testing.T) {
	t.Parallel()
	w := mailWorld(t, func(c *Config) { c.Sandbox = false })
	in := w.signedIn()
	w.send("/portal", nil, "Cookie", in).wants(t, http.StatusSeeOther, web.SettingsPath)
	w.send(web.SettingsPath, nil, "Cookie", in).says(t, "Set up two-step verification to continue")
	_, _, in = w.withApp(in)
	w.send("/portal", nil, "Cookie", in).wants(t, http.StatusOK, "")
}

func TestPasskeysThatAreNoneLetNobodyIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	in := w.signedIn()
	a := w.send("/portal/passkey/ask", url.Values{})
	a.wants(t, http.StatusOK, "")
	a.says(t, `"userVerification":"required"`, `"rpId":"localhost"`, `"token":"`)
	for _, form := range []url.Values{{}, {"challenge": {"x"}, "passkey": {"{}"}},
		{"challenge": {regexp.MustCompile(`"token":"([^"]+)"`).FindStringSubmatch(a.body)[1]},
			"passkey": {`{"id":"AA"}`}}} {
		refused := w.send(web.LoginPath+"/passkey", form)
		refused.wants(t, http.StatusUnauthorized, "")
		refused.says(t, "This passkey was not accepted.")
	}
	w.send("/portal/settings/passkeys/ask", url.Values{}, "Cookie", in).says(t, `"residentKey":"required"`,
		`"displayName":"Dana Reed"`)
	w.send("/portal/settings/passkeys", url.Values{"name": {"Phone"}, "passkey": {"{}"}}, "Cookie", in).wants(t,
		http.StatusUnprocessableEntity, "")
	w.send("/portal/settings/passkeys", url.Values{"passkey": {"{}"}}, "Cookie", in).says(t,
		"A name has 1 to 100 characters.")
	w.send("/portal/settings/passkeys/9/remove", nil, "Cookie", in).wants(t, http.StatusNotFound, "")
	w.send("/portal/settings/passkeys/9/remove", url.Values{}, "Cookie", in).wants(t, http.StatusNotFound, "")
}

func TestSwitchingThePlaceGivesTheSessionAnotherID(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	id := w.invent("both@example.org", "Bo Both",
		identity.Grant{Role: "application_admin", Scope: "app", ScopeID: w.App.AppID},
		identity.Grant{Role: "organization_staff", Scope: "org", ScopeID: w.App.OrganizationID})
	session, err := w.World.Identity.StartSession(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	in := web.CookieName + "=" + session
	a := w.send(web.SwitchPath,
		url.Values{"place": {authz.Domain{Scope: authz.ScopeOrganization, ID: w.App.OrganizationID}.String()}},
		"Cookie", in)
	a.wants(t, http.StatusSeeOther, web.Home)
	w.send("/portal", nil, "Cookie", in).wants(t, http.StatusSeeOther, "/portal/login?notice=ended")
	w.send("/portal", nil, "Cookie", a.session(t)).says(t, "Organization staff")
}
