package account

import (
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"svcpay/internal/fault"
	"svcpay/internal/identity"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
)

// notice is why a visitor may be on the sign-in page.
func notice(t text.Login, name string) string {
	switch name {
	case "ended":
		return t.Ended
	case "signed_out":
		return t.Out
	case "accepted":
		return t.Accepted
	}
	return ""
}

// loginNotice is a notice of the catalogue's by its name in the address.
func loginNotice(t *text.Catalogue, name string) string {
	if name == "reset" {
		return t.Reset.Done
	}
	return notice(t.Login, name)
}

func (p *Pages) showLogin(c *web.Request) error {
	to := web.LocalPath(c.QueryParam("return"))
	_, known, err := p.Person(c)
	switch {
	case err != nil:
		return err
	case known:
		return web.ContinueTo(c, to).Answer(c)
	}
	return p.loginPage(c, http.StatusOK, views.Login{Return: to, Notice: loginNotice(c.Text(), c.QueryParam("notice"))})
}

// loginForm signs a person in by their password.
func (p *Pages) loginForm() web.Form[struct{}] {
	return web.Form[struct{}]{Draw: p.drawLogin, Do: p.signIn,
		Title: func(t *text.Catalogue) string { return t.Login.NotIn }, Shows: refusesSignIn}
}

// refusesSignIn reports whether a fault is shown in a sign-in form.
func refusesSignIn(f *fault.Error) bool {
	return f.Kind == fault.KindUnauthenticated || f.Kind == fault.KindLimited
}

func (p *Pages) drawLogin(c *web.Request, _ struct{}, in web.Input) error {
	if web.KindOf(in.Refused) == fault.KindInvalid {
		in.Problems.Title = c.Text().Login.Missing
	}
	return p.loginPage(c, in.Status,
		views.Login{Email: strings.TrimSpace(in.Get("email")), Return: web.LocalPath(in.Get("return")),
			EmailError: in.Errors["email"], PasswordError: in.Errors["password"], Problems: in.Problems})
}

func (p *Pages) signIn(c *web.Request, _ struct{}, in web.Input) (done web.Done, err error) {
	email, back := strings.TrimSpace(in.Get("email")), web.LocalPath(in.Get("return"))
	if err = checkLogin(c.Text().Login, email, in.Get("password")); err != nil {
		return done, err
	}
	person, err := p.Identity.SignIn(c.Ctx(), email, in.Get("password"), web.Origin(c))
	if err != nil {
		return done, err
	}
	factors, err := p.Identity.Factors(c.Ctx(), person.ID)
	if err != nil {
		return done, err
	}
	if factors.Any() {
		return p.startSecondStep(c, person, back)
	}
	return p.entered(c, person, back)
}

// entered begins a session, and leads on.
func (p *Pages) entered(c *web.Request, person identity.Person, back string) (web.Done, error) {
	if err := p.StartSession(c, person); err != nil {
		return web.Done{Page: func(*web.Request) error { return p.beginAgain(c, err, back) }}, nil
	}
	return web.ContinueTo(c, back), nil
}

// checkLogin finds what is missing before anybody is looked up.
func checkLogin(t text.Login, email, password string) error {
	var fs fault.Fields
	if !isAddress(email) {
		fs.Add("email", web.CodeForm, t.MissingEmail)
	}
	if password == "" {
		fs.Add("password", web.CodeForm, t.MissingPassword)
	}
	return fs.Err()
}

// isAddress reports whether this could be an e-mail address, and is text that a database takes.
func isAddress(s string) bool {
	strange := func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }
	return len(s) <= 255 && strings.Contains(s, "@") && utf8.ValidString(s) && !strings.ContainsFunc(s, strange)
}

// loginPage shows the form, and in a sandbox that keeps its mails, as the demo does, where its sign-ins are.
func (p *Pages) loginPage(c *web.Request, status int, login views.Login) error {
	login.Demo = p.Sandbox && p.Mail.Keeps()
	return web.Render(c, status, views.LoginPage(c.Page(c.Text().Login.Title), login))
}

func (p *Pages) signOut(c *web.Request) error {
	if err := p.EndSession(c); err != nil {
		return err
	}
	return web.SeeOther(c, web.WithQuery(web.LoginPath, url.Values{"notice": {"signed_out"}}))
}
