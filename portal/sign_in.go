package portal

import (
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"svcpay/internal/fault"
	"svcpay/internal/identity"
	"svcpay/internal/ids"
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

func (p *Portal) showLogin(c *web.Request) error {
	to := web.LocalPath(c.QueryParam("return"))
	_, known, err := p.person(c)
	switch {
	case err != nil:
		return err
	case known:
		return continueTo(c, to).Answer(c)
	}
	return p.loginPage(c, http.StatusOK, views.Login{Return: to, Notice: loginNotice(c.Text(), c.QueryParam("notice"))})
}

// loginForm signs a person in by their password.
func (p *Portal) loginForm() web.Form[struct{}] {
	return web.Form[struct{}]{Draw: p.drawLogin, Do: p.signIn,
		Title: func(t *text.Catalogue) string { return t.Login.NotIn }, Shows: refusesSignIn}
}

// refusesSignIn reports whether a fault is shown in a sign-in form.
func refusesSignIn(f *fault.Error) bool {
	return f.Kind == fault.KindUnauthenticated || f.Kind == fault.KindLimited
}

func (p *Portal) drawLogin(c *web.Request, _ struct{}, in web.Input) error {
	if web.KindOf(in.Refused) == fault.KindInvalid {
		in.Problems.Title = c.Text().Login.Missing
	}
	return p.loginPage(c, in.Status, views.Login{Email: strings.TrimSpace(in.Get("email")), Return: web.LocalPath(in.Get("return")),
		EmailError: in.Errors["email"], PasswordError: in.Errors["password"], Problems: in.Problems})
}

func (p *Portal) signIn(c *web.Request, _ struct{}, in web.Input) (done web.Done, err error) {
	email, back := strings.TrimSpace(in.Get("email")), web.LocalPath(in.Get("return"))
	if err = checkLogin(c.Text().Login, email, in.Get("password")); err != nil {
		return done, err
	}
	person, err := p.Identity.SignIn(c.Ctx(), email, in.Get("password"), from(c))
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
func (p *Portal) entered(c *web.Request, person identity.Person, back string) (web.Done, error) {
	if err := p.startSession(c, person); err != nil {
		return web.Done{Page: func(*web.Request) error { return p.beginAgain(c, err, back) }}, nil
	}
	return continueTo(c, back), nil
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

// isAddress reports whether this could be an email address, and is text that a database takes.
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
	if err := p.endVisit(c); err != nil {
		return err
	}
	return web.SeeOther(c, web.WithQuery(loginPath, url.Values{"notice": {"signed_out"}}))
}

// endVisit ends the session of the browser, if there is one.
func (p *Portal) endVisit(c *web.Request) error {
	session, err := p.sessions.Get(c.Request(), cookieName)
	if err != nil {
		return err
	}
	session.Options.MaxAge = -1
	return session.Save(c.Request(), c.Response())
}

const (
	// browserCookie is by what a browser is known again, whoever signs in with it.
	browserCookie = "__Host-svcpay-browser"
	browserAge    = 365 * 24 * 60 * 60 // seconds
)

// hostCookie is a cookie that this host alone sets and reads; an age of 0 ends it with the browser, a negative one now.
func hostCookie(name, value string, age int) *http.Cookie {
	return &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: age, Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode}
}

// from is where a request comes from.
func from(c *web.Request) identity.Visitor {
	v := identity.Visitor{UserAgent: c.Request().UserAgent()}
	v.Address, _ = netip.ParseAddr(c.RealIP())
	v.RequestID, _ = ids.ParseRequest(c.Response().Header().Get("Request-Id"))
	if cookie, err := c.Cookie(browserCookie); err == nil {
		v.Browser = cookie.Value
	}
	return v
}

// startSession begins a session of a person who has verified their identity, and ends the one that the browser had.
func (p *Portal) startSession(c *web.Request, person identity.Person) error {
	session, err := p.sessions.Get(c.Request(), cookieName)
	if err != nil {
		return err
	}
	ctx := c.Ctx()
	if session.ID != "" {
		if err := p.Identity.EndSession(ctx, session.ID); err != nil {
			return err
		}
	}
	in, err := p.Identity.Enter(ctx, person, from(c))
	if err != nil {
		return err
	}
	session.ID = in.SessionID
	if err := session.Save(c.Request(), c.Response()); err != nil {
		return err
	}
	c.SetCookie(hostCookie(browserCookie, in.Browser, browserAge))
	visit, err := p.Identity.FindSession(ctx, in.SessionID)
	if err != nil {
		return err
	}
	session.Values[personKey] = visit
	if knownTheme(visit.Theme) {
		c.SetCookie(hostCookie(themeCookie, visit.Theme, themeAge))
	}
	return nil
}

// errRenewed refuses a form that was sent twice at once: the first sending has replaced the session.
var errRenewed = fault.New(fault.KindUnauthenticated, "session_renewed", "This form was already submitted. Reload the page.")

// renew gives the session another id, as its rights have changed.
func (p *Portal) renew(c *web.Request, proven bool) error {
	session, err := p.sessions.Get(c.Request(), cookieName)
	if err != nil {
		return err
	}
	session.ID, err = p.Identity.RenewSession(c.Ctx(), session.ID, proven)
	if errors.Is(err, identity.ErrNoSession) {
		return errRenewed.Because(err)
	}
	if err != nil {
		return err
	}
	if visit, ok := visitOf(session); ok && proven {
		visit.ProvenAt = p.Now()
		session.Values[personKey] = visit
	}
	return session.Save(c.Request(), c.Response())
}

// useZone has a request's pages show times as the clock of who is signed in does.
func useZone(c *web.Request, visit identity.Session) {
	zone, err := time.LoadLocation(visit.Zone)
	if err != nil { // of a list that this machine does not have
		zone = time.UTC
	}
	viewer := c.Viewer()
	viewer.Zone = zone
	c.SetRequest(c.Request().WithContext(text.With(c.Ctx(), viewer)))
}
