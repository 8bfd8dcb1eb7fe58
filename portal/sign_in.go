package portal

import (
	"errors"
	"net/http"
	"net/netip"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/identity"
	"svcpay/internal/ids"
	"svcpay/portal/web"
	"svcpay/views/text"
)

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

// startSession begins a session of somebody who has proven who they are, in the place of the one that the browser had.
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

// errRenewed is what a form is told that was sent twice at once: the first has put another session in its place.
var errRenewed = fault.New(fault.KindUnauthenticated, "session_renewed", "This form was sent twice. Load its page again.")

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
