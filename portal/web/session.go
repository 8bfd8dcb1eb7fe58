package web

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gorilla/sessions"

	"svcpay/internal/fault"
	"svcpay/internal/identity"
	"svcpay/internal/platform/ratelimit"
)

// CookieName makes browsers insist on Secure, on this very host and on Path=/.
const CookieName = "__Host-svcpay"

// SessionHeader comes with answers to who is signed in: see [Desk.sessionEnds].
const SessionHeader = "Portal-Session"

// PollHeader comes with requests that a page repeats automatically: they are no sign that a person is there.
const PollHeader = "Portal-Poll"

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
	find := s.people.FindSession
	if r.Header.Get(PollHeader) != "" {
		find = s.people.PeekSession
	}
	visit, err := find(r.Context(), cookie.Value)
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

// Save writes the cookie with the session's id; a negative MaxAge ends the session first. Ids are made by
// package identity: [Desk.StartSession] and [Desk.Renew] put another one in when rights begin or change.
func (s sessionStore) Save(r *http.Request, w http.ResponseWriter, session *sessions.Session) error {
	if session.Options.MaxAge < 0 && session.ID != "" {
		if err := s.people.EndSession(r.Context(), session.ID); err != nil {
			return err
		}
		session.ID = ""
	}
	http.SetCookie(w, sessions.NewCookie(session.Name(), session.ID, session.Options))
	return nil
}

func visitOf(session *sessions.Session) (identity.Session, bool) {
	visit, ok := session.Values[personKey].(identity.Session)
	return visit, ok
}

// Visitor returns who is signed in, and where they chose to act.
func (d *Desk) Visitor(c *Request) (identity.Session, bool, error) {
	session, err := d.sessions.Get(c.Request(), CookieName)
	if err != nil {
		return identity.Session{}, false, err
	}
	visit, ok := visitOf(session)
	visit.Seen = Origin(c)
	return visit, ok, nil
}

// Person returns who is signed in.
func (d *Desk) Person(c *Request) (identity.Person, bool, error) {
	visit, ok, err := d.Visitor(c)
	return visit.Person, ok, err
}

// admit lets those in who are signed in, and asks others to sign in first. Outside of a sandbox a password alone is
// not enough: who has no second factor sets one up first.
func (d *Desk) admit(c *Request, next Handler) error {
	visit, known, err := d.Visitor(c)
	if err != nil {
		return err
	}
	if known {
		if err := d.limitRate(visit); err != nil {
			return err
		}
		useZone(c, visit)
		c.Response().Header().Set(SessionHeader, d.sessionEnds(visit))
		// which the settings ask for
		if !d.Sandbox && !visit.SecondFactor && !strings.HasPrefix(c.Path(), SettingsPath) && c.Path() != ProofPath {
			return SeeOther(c, SettingsPath)
		}
		return next(c)
	}
	if err := d.limitStranger(c); err != nil {
		return err
	}
	to := url.Values{}
	if page := d.cameFrom(c); page != Home {
		to.Set("return", page)
	}
	if cookie, err := c.Cookie(CookieName); err == nil && cookie.Value != "" {
		to.Set("notice", "ended")
	}
	return SeeOther(c, WithQuery(LoginPath, to))
}

// sessionEnds is in how many seconds a session ends: if nothing more is asked for, and whatever is asked for.
func (d *Desk) sessionEnds(visit identity.Session) string {
	seconds := func(at time.Time) string { return strconv.Itoa(int(at.Sub(d.Now()).Seconds())) }
	return seconds(visit.EndsAt) + " " + seconds(visit.LastsUntil)
}

// stay has nothing more to do: [Desk.admit] has noted that a person is there.
func stay(c *Request) error { return c.NoContent(http.StatusNoContent) }

// limitRate refuses a visitor who requests more pages than a person reads: each costs several queries of the database
// that payments share.
func (d *Desk) limitRate(v identity.Session) error {
	if d.people == nil {
		return nil
	}
	return tooMany(d.people.Take(v.Person.ID, d.Now()))
}

// limitStranger is limitRate for pages of visitors without a session, by their address.
func (d *Desk) limitStranger(c *Request) error {
	if d.strangers == nil {
		return nil
	}
	return tooMany(d.strangers.Take(c.RealIP(), d.Now()))
}

func tooMany(s ratelimit.State) error {
	if s.Allowed {
		return nil
	}
	return fault.New(fault.KindLimited, "rate_limited", "Too many requests. Try again in a moment.").After(s.Next)
}
