package portal

import (
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"svcpay/internal/fault"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// notice is why somebody may find themselves at the sign-in page.
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

func (p *Portal) showLogin(c *web.Request) error {
	to := web.LocalPath(c.QueryParam("return"))
	_, known, err := p.person(c)
	switch {
	case err != nil:
		return err
	case known:
		return onward(c, to)
	}
	login := views.Login{Return: to, Notice: loginNotice(c.Text(), c.QueryParam("notice"))}
	return p.loginPage(c, http.StatusOK, login)
}

func (p *Portal) signIn(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	login := views.Login{Email: strings.TrimSpace(form.Get("email")), Return: web.LocalPath(form.Get("return"))}
	checkLogin(c.Text().Login, &login, form.Get("password"))
	if len(login.Problems.List) > 0 {
		return p.loginPage(c, http.StatusUnprocessableEntity, login)
	}
	ctx := c.Ctx()
	person, err := p.Identity.SignIn(ctx, login.Email, form.Get("password"), from(c))
	if f, ok := fault.As(err); ok && (f.Kind == fault.KindUnauthenticated || f.Kind == fault.KindLimited) {
		login.Problems = ui.Problems{Title: c.Text().Login.NotIn, List: []ui.Problem{{Text: f.Message}}}
		web.RetryAfter(c, f)
		return p.loginPage(c, web.StatusOf(f.Kind), login)
	}
	if err != nil {
		return err
	}
	factors, err := p.Identity.Factors(ctx, person.ID)
	if err != nil {
		return err
	}
	if factors.Any() {
		return p.startSecondStep(c, person, login.Return)
	}
	if err := p.enter(c, person); err != nil {
		return p.beginAgain(c, err, login.Return)
	}
	return onward(c, login.Return)
}

// checkLogin notes what is missing before anybody is looked up.
func checkLogin(t text.Login, l *views.Login, password string) {
	if !isAddress(l.Email) {
		l.EmailError = t.MissingEmail
		l.Problems.List = append(l.Problems.List, ui.Problem{Field: "email", Text: l.EmailError})
	}
	if password == "" {
		l.PasswordError = t.MissingPassword
		l.Problems.List = append(l.Problems.List, ui.Problem{Field: "password", Text: l.PasswordError})
	}
	l.Problems.Title = t.Missing
}

// isAddress tells whether this could be an e-mail address, and is text that a database takes.
func isAddress(s string) bool {
	strange := func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }
	return len(s) <= 255 && strings.Contains(s, "@") && utf8.ValidString(s) && !strings.ContainsFunc(s, strange)
}

// loginPage shows the form, and in a sandbox that keeps its mails, as the demo does, where its sign-ins are.
func (p *Portal) loginPage(c *web.Request, status int, login views.Login) error {
	login.Demo = p.Sandbox && p.Mail.Keeps()
	return web.Render(c, status, views.LoginPage(c.Page(c.Text().Login.Title), login))
}

func (p *Portal) signOut(c *web.Request) error {
	session, err := p.sessions.Get(c.Request(), cookieName)
	if err != nil {
		return err
	}
	session.Options.MaxAge = -1
	if err := session.Save(c.Request(), c.Response()); err != nil {
		return err
	}
	return web.SeeOther(c, web.WithQuery(loginPath, url.Values{"notice": {"signed_out"}}))
}
