package identity

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/pg"
)

// How long a portal session lasts without a request, and at most.
const (
	sessionIdle = 15 * time.Minute
	sessionLife = 12 * time.Hour
)

// ErrNoSession says that a session is unknown, has ended or was revoked.
var ErrNoSession = errors.New("identity: no such portal session")

// StartSession begins a session of a person and returns its id, which only the cookie keeps.
func (s *Service) StartSession(ctx context.Context, personID int64) (string, error) {
	b := make([]byte, 32)
	rand.Read(b) // never fails (crypto/rand)
	id := base64.RawURLEncoding.EncodeToString(b)
	_, err := pg.Exec(ctx, s.pool, `
		INSERT INTO portal_sessions (id_hash, person_id, created_at, last_seen_at) VALUES (@hash, @person, @now, @now)`,
		pg.Args{"hash": sessionHash(id), "person": personID, "now": s.now()})
	return id, err
}

// Session is who is signed in, and where they chose to act.
type Session struct {
	Person
	Domain        authz.Domain // none: they did not choose
	ApplicationID int64        // that people of the deployment chose to work in; 0: they did not
}

type sessionRow struct {
	personRow
	Grants        []Grant `db:"grants"`
	Domain        string  `db:"domain"`
	ApplicationID *int64  `db:"application_id"`
}

// FindSession returns whose session it is and counts this as a sign of life. ErrNoSession when there is
// none.
func (s *Service) FindSession(ctx context.Context, id string) (Session, error) {
	now := s.now()
	row, err := pg.One[sessionRow](ctx, s.pool, `
		UPDATE portal_sessions v SET last_seen_at = @now
		FROM people p
		WHERE v.id_hash = @hash AND v.last_seen_at > @idle AND v.created_at > @oldest AND p.id = v.person_id
		RETURNING p.id, p.email, p.name, p.password_hash, v.domain, v.application_id, `+grantsOf,
		pg.Args{"hash": sessionHash(id), "now": now, "idle": now.Add(-sessionIdle), "oldest": now.Add(-sessionLife)})
	if errors.Is(err, pg.ErrNone) {
		return Session{}, ErrNoSession
	}
	if err != nil {
		return Session{}, err
	}
	out := Session{Person: Person{ID: row.ID, Email: row.Email, Name: row.Name, Grants: row.Grants}}
	out.Domain, _ = authz.ParseDomain(row.Domain)
	if row.ApplicationID != nil {
		out.ApplicationID = *row.ApplicationID
	}
	return out, nil
}

// EndSession revokes a session. One that does not exist is no error.
func (s *Service) EndSession(ctx context.Context, id string) error {
	_, err := pg.Exec(ctx, s.pool, `DELETE FROM portal_sessions WHERE id_hash = @hash`, pg.Args{"hash": sessionHash(id)})
	return err
}

// PurgeSessions deletes a batch of the sessions that have ended and tells how many there were.
func (s *Service) PurgeSessions(ctx context.Context) (int64, error) {
	now := s.now()
	return pg.Exec(ctx, s.pool, `
		DELETE FROM portal_sessions WHERE id_hash IN (
			SELECT id_hash FROM portal_sessions WHERE last_seen_at <= @idle OR created_at <= @oldest LIMIT @batch)`,
		pg.Args{"batch": pg.PurgeBatch, "idle": now.Add(-sessionIdle), "oldest": now.Add(-sessionLife)})
}

func sessionHash(id string) []byte {
	sum := sha256.Sum256([]byte(id))
	return sum[:]
}
