package identity

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"time"

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

// SessionPerson returns whose session it is and counts this as a sign of life. ErrNoSession when
// there is none.
func (s *Service) SessionPerson(ctx context.Context, id string) (Person, error) {
	now := s.now()
	row, err := pg.One[personRow](ctx, s.pool, `
		UPDATE portal_sessions v SET last_seen_at = @now
		FROM people p
		WHERE v.id_hash = @hash AND v.last_seen_at > @idle AND v.created_at > @oldest AND p.id = v.person_id
		RETURNING p.id, p.email, p.name, p.password_hash`,
		pg.Args{"hash": sessionHash(id), "now": now, "idle": now.Add(-sessionIdle), "oldest": now.Add(-sessionLife)})
	if errors.Is(err, pg.ErrNone) {
		return Person{}, ErrNoSession
	}
	if err != nil {
		return Person{}, err
	}
	return s.person(ctx, row)
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
