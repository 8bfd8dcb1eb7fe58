package web

import (
	"errors"
	"net/http"
	"net/netip"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/identity"
	"svcpay/internal/ids"
	"svcpay/views/text"
)

// Session is the visitor's session, with who they are.
func (d *Desk) Session(c *Request) (id string, visit identity.Session, err error) {
	session, err := d.sessions.Get(c.Request(), CookieName)
	if err != nil {
		return "", visit, err
	}
	visit, _ = visitOf(session)
	return session.ID, visit, nil
}

// Me is who is signed in.
func (d *Desk) Me(c *Request) (identity.Session, error) {
	_, visit, err := d.Session(c)
	return visit, err
}

// EndSession ends the session of the browser, if there is one.
func (d *Desk) EndSession(c *Request) error {
	session, err := d.sessions.Get(c.Request(), CookieName)
	if err != nil {
		return err
	}
	session.Options.MaxAge = -1
	return session.Save(c.Request(), c.Response())
}

const (
	// BrowserCookie identifies a browser, whichever person signs in with it.
	BrowserCookie = "__Host-svcpay-browser"
	browserAge    = 365 * 24 * 60 * 60 // seconds
)

// HostCookie is a cookie that this host alone sets and reads; an age of 0 ends it with the browser, a negative one now.
func HostCookie(name, value string, age int) *http.Cookie {
	return &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: age, Secure: true, HttpOnly: true,
		SameSite: http.SameSiteLaxMode}
}

// Origin is where a request comes from.
func Origin(c *Request) identity.Visitor {
	v := identity.Visitor{UserAgent: c.Request().UserAgent()}
	v.Address, _ = netip.ParseAddr(c.RealIP())
	v.RequestID, _ = ids.ParseRequest(c.Response().Header().Get("Request-Id"))
	if cookie, err := c.Cookie(BrowserCookie); err == nil {
		v.Browser = cookie.Value
	}
	return v
}

// StartSession begins a session of a person who has verified their identity, and ends the one that the browser had.
func (d *Desk) StartSession(c *Request, person identity.Person) error {
	session, err := d.sessions.Get(c.Request(), CookieName)
	if err != nil {
		return err
	}
	ctx := c.Ctx()
	if session.ID != "" {
		if err := d.identity.EndSession(ctx, session.ID); err != nil {
			return err
		}
	}
	in, err := d.identity.Enter(ctx, person, Origin(c))
	if err != nil {
		return err
	}
	session.ID = in.SessionID
	if err := session.Save(c.Request(), c.Response()); err != nil {
		return err
	}
	c.SetCookie(HostCookie(BrowserCookie, in.Browser, browserAge))
	visit, err := d.identity.FindSession(ctx, in.SessionID)
	if err != nil {
		return err
	}
	session.Values[personKey] = visit
	if KnownTheme(visit.Theme) {
		c.SetCookie(HostCookie(ThemeCookie, visit.Theme, ThemeAge))
	}
	return nil
}

// errRenewed refuses a form that was sent twice at once: the first sending has replaced the session.
var errRenewed = fault.New(fault.KindUnauthenticated, "session_renewed",
	"This form was already submitted. Reload the page.")

// Renew gives the session another id, as its rights have changed.
func (d *Desk) Renew(c *Request, proven bool) error {
	session, err := d.sessions.Get(c.Request(), CookieName)
	if err != nil {
		return err
	}
	session.ID, err = d.identity.RenewSession(c.Ctx(), session.ID, proven)
	if errors.Is(err, identity.ErrNoSession) {
		return errRenewed.Because(err)
	}
	if err != nil {
		return err
	}
	if visit, ok := visitOf(session); ok && proven {
		visit.ProvenAt = d.Now()
		session.Values[personKey] = visit
	}
	return session.Save(c.Request(), c.Response())
}

// useZone has a request's pages show times as the clock of who is signed in does.
func useZone(c *Request, visit identity.Session) {
	zone, err := time.LoadLocation(visit.Zone)
	if err != nil { // of a list that this machine does not have
		zone = time.UTC
	}
	viewer := c.Viewer()
	viewer.Zone = zone
	c.SetRequest(c.Request().WithContext(text.With(c.Ctx(), viewer)))
}
