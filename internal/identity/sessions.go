package identity

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"svcpay/internal/authz"
	"svcpay/internal/platform/pg"
)

// How long a portal session lasts without a request, and at most. A request so soon after the last that was
// noted is not noted itself: a page that only reads should not have to write.
const (
	sessionIdle  = 15 * time.Minute
	sessionLife  = 12 * time.Hour
	sessionNoted = 15 * time.Second
)

// ErrNoSession says that a session is unknown, has ended or was revoked.
var ErrNoSession = errors.New("identity: no such portal session")

// StartSession begins a session of a person and returns its id, which only the cookie keeps.
func (s *Service) StartSession(ctx context.Context, personID int64) (string, error) {
	id := newSecret()
	err := pg.InTx(ctx, s.pool, func(tx *pg.Tx) error {
		s.startSessionTx(tx, id, personID, Visitor{})
		return nil
	})
	return id, err
}

// mostUserAgent is how much is kept of what a browser says of itself, in bytes.
const mostUserAgent = 300

func (s *Service) startSessionTx(tx *pg.Tx, id string, personID int64, from Visitor) {
	agent := from.UserAgent
	if len(agent) > mostUserAgent {
		agent = agent[:mostUserAgent]
	}
	var address *netip.Addr
	if from.Address.IsValid() {
		address = new(from.Address.Unmap().WithZone(""))
	}
	tx.Later(`
		INSERT INTO portal_sessions (id_hash, person_id, created_at, last_seen_at, address, user_agent)
		VALUES (@hash, @person, @now, @now, @address, @agent)`,
		pg.Args{"hash": digest(id), "person": personID, "now": s.now(), "address": address, "agent": printable(agent)})
}

// printable is what can be kept and shown of a text that anybody may have written.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
}

// Session is who is signed in, and where they chose to act.
type Session struct {
	Person
	Number        int64        // names the session in lists
	Domain        authz.Domain // none: they did not choose
	ApplicationID int64        // that people of the deployment chose to work in; 0: they did not
	ProvenAt      time.Time    // when they last proved who they are
	EndsAt        time.Time    // when it ends unless something is asked for before
	LastsUntil    time.Time    // when it ends whatever is asked for
	SecondFactor  bool         // a password alone does not let them in
	Zone          string       // of their clock, as in the list of time zones; "": they did not say
	Theme         string       // "": they did not say
}

type sessionRow struct {
	ID            int64     `db:"id"`
	Email         string    `db:"email"`
	Name          string    `db:"name"`
	Grants        []Grant   `db:"grants"`
	Number        int64     `db:"number"`
	Domain        string    `db:"domain"`
	ApplicationID *int64    `db:"application_id"`
	CreatedAt     time.Time `db:"created_at"`
	LastSeenAt    time.Time `db:"last_seen_at"`
	ProvenAt      time.Time `db:"proven_at"`
	SecondFactor  bool      `db:"second_factor"`
	Zone          string    `db:"time_zone"`
	Theme         string    `db:"theme"`
}

// FindSession returns whose session it is and counts this as a sign of life. ErrNoSession when there is
// none.
func (s *Service) FindSession(ctx context.Context, id string) (Session, error) {
	return s.findSession(ctx, id, true)
}

// PeekSession is FindSession for what a page asks on its own: it is no sign of life.
func (s *Service) PeekSession(ctx context.Context, id string) (Session, error) {
	return s.findSession(ctx, id, false)
}

func (s *Service) findSession(ctx context.Context, id string, alive bool) (Session, error) {
	now := s.now()
	args := pg.Args{"hash": digest(id), "idle": now.Add(-sessionIdle), "oldest": now.Add(-sessionLife)}
	row, err := pg.One[sessionRow](ctx, s.pool, `
		SELECT p.id, p.email, p.name, v.id AS number, v.domain, v.application_id, v.created_at, v.last_seen_at,
			coalesce(v.proven_at, v.created_at) AS proven_at, p.time_zone, p.theme,
			(p.totp_since IS NOT NULL OR EXISTS (SELECT FROM passkeys k WHERE k.person_id = p.id)) AS second_factor,
				`+grantsOf+`
		FROM portal_sessions v JOIN people p ON p.id = v.person_id
		WHERE v.id_hash = @hash AND v.last_seen_at > @idle AND v.created_at > @oldest`, args)
	if err = pg.Or(err, ErrNoSession); err != nil {
		return Session{}, err
	}
	if noted := now.Add(-sessionNoted); alive && !row.LastSeenAt.After(noted) {
		if _, err := pg.Exec(ctx, s.pool, `
			UPDATE portal_sessions SET last_seen_at = @now WHERE id_hash = @hash AND last_seen_at > @idle
				AND last_seen_at <= @noted`,
			pg.Args{"hash": args["hash"], "idle": args["idle"], "now": now, "noted": noted}); err != nil {
			return Session{}, err
		}
		row.LastSeenAt = now
	}
	out := Session{Person: Person{ID: row.ID, Email: row.Email, Name: row.Name, Grants: row.Grants}, Number: row.Number,
		ProvenAt: row.ProvenAt, SecondFactor: row.SecondFactor, Zone: row.Zone, Theme: row.Theme,
		EndsAt: row.LastSeenAt.Add(sessionIdle), LastsUntil: row.CreatedAt.Add(sessionLife)}
	out.Domain, _ = authz.ParseDomain(row.Domain)
	if row.ApplicationID != nil {
		out.ApplicationID = *row.ApplicationID
	}
	return out, nil
}

// EndSession revokes a session. One that does not exist is no error.
func (s *Service) EndSession(ctx context.Context, id string) error {
	_, err := pg.Exec(ctx, s.pool, `DELETE FROM portal_sessions WHERE id_hash = @hash`, pg.Args{"hash": digest(id)})
	return err
}

// PurgeSessions deletes a batch of the sessions that have ended and says how many there were.
func (s *Service) PurgeSessions(ctx context.Context) (int64, error) {
	now := s.now()
	return pg.Exec(ctx, s.pool, `
		DELETE FROM portal_sessions WHERE id_hash IN (
			SELECT id_hash FROM portal_sessions WHERE last_seen_at <= @idle OR created_at <= @oldest LIMIT @batch)`,
		pg.Args{"batch": pg.PurgeBatch, "idle": now.Add(-sessionIdle), "oldest": now.Add(-sessionLife)})
}
