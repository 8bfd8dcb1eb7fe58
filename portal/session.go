package portal

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/gorilla/sessions"
	"github.com/labstack/echo/v4"

	"svcpay/internal/identity"
)

// cookieName makes browsers insist on Secure, on this very host and on Path=/.
const cookieName = "__Host-svcpay"

// personKey is where a session keeps its identity.Session.
const personKey = "person"

// sessionStore keeps sessions in the database through package identity; the cookie has only the id.
// How long a session lasts is identity's to say.
type sessionStore struct{ people *identity.Service }

var _ sessions.Store = sessionStore{}

// Get returns the request's session, asked for once a request.
func (s sessionStore) Get(r *http.Request, name string) (*sessions.Session, error) {
	return sessions.GetRegistry(r).Get(s, name)
}

// New finds the session that the cookie names, else returns one that is new.
func (s sessionStore) New(r *http.Request, name string) (*sessions.Session, error) {
	session := sessions.NewSession(s, name)
	session.Options = &sessions.Options{Path: "/", Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode}
	session.IsNew = true
	cookie, err := r.Cookie(name)
	if err != nil {
		return session, nil //nolint:nilerr // no cookie, no session
	}
	visit, err := s.people.FindSession(r.Context(), cookie.Value)
	if errors.Is(err, identity.ErrNoSession) {
		return session, nil
	}
	if err != nil {
		return session, err
	}
	session.ID, session.IsNew = cookie.Value, false
	session.Values[personKey] = visit
	return session, nil
}

// Save ends the session under its present id and, unless its MaxAge is negative, starts it again
// for its person under a new one: an id that was known before a sign-in is worth nothing after it.
func (s sessionStore) Save(r *http.Request, w http.ResponseWriter, session *sessions.Session) error {
	if session.ID != "" {
		if err := s.people.EndSession(r.Context(), session.ID); err != nil {
			return err
		}
		session.ID = ""
	}
	if visit, ok := visitOf(session); ok && session.Options.MaxAge >= 0 {
		id, err := s.people.StartSession(r.Context(), visit.ID)
		if err != nil {
			return err
		}
		session.ID = id
	}
	http.SetCookie(w, sessions.NewCookie(session.Name(), session.ID, session.Options))
	return nil
}

func visitOf(session *sessions.Session) (identity.Session, bool) {
	visit, ok := session.Values[personKey].(identity.Session)
	return visit, ok
}

// visitor returns who is signed in, and where they chose to act.
func (p *Portal) visitor(c echo.Context) (identity.Session, bool, error) {
	session, err := p.sessions.Get(c.Request(), cookieName)
	if err != nil {
		return identity.Session{}, false, err
	}
	visit, ok := visitOf(session)
	return visit, ok, nil
}

// person returns who is signed in.
func (p *Portal) person(c echo.Context) (identity.Person, bool, error) {
	visit, ok, err := p.visitor(c)
	return visit.Person, ok, err
}

// admit lets those in who are signed in, and asks others to sign in first.
func (p *Portal) admit(c echo.Context, next echo.HandlerFunc) error {
	_, known, err := p.person(c)
	if err != nil {
		return err
	}
	if known {
		return next(c)
	}
	to := url.Values{}
	if page := pageOf(c.Request()); page != home {
		to.Set("return", page)
	}
	if cookie, err := c.Cookie(cookieName); err == nil && cookie.Value != "" {
		to.Set("notice", "ended")
	}
	return seeOther(c, withQuery(loginPath, to))
}

func withQuery(path string, values url.Values) string {
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}
