package identity

import (
	"context"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/security"
)

// proofLife is how long someone who proved who they are may do what asks for that.
const proofLife = 10 * time.Minute

// Fresh reports whether the session's person proved lately enough who they are.
func (v Session) Fresh(now time.Time) bool { return now.Before(v.ProvenAt.Add(proofLife)) }

// Entered is a session that has begun: the secrets that the browser keeps.
type Entered struct {
	SessionID string
	Browser   string // by which the browser is known again
}

// Enter begins a session of someone who has proven who they are. Of a browser that they had not used before they are
// told by mail, unless it is their first or they do not want to know. The browser gets another secret each time, so
// that one that someone else knows, or put there, is worth nothing. Fault: sign_in_again if their password has changed
// since.
func (s *Service) Enter(ctx context.Context, p Person, from Visitor) (Entered, error) {
	out := Entered{SessionID: newSecret(), Browser: newSecret()}
	err := pg.InTx(ctx, s.pool, func(tx *pg.Tx) error {
		type row struct {
			Known  bool `db:"known"`
			Others bool `db:"others"`
			Muted  bool `db:"muted"`
		}
		r, err := pg.One[row](ctx, tx, `
			SELECT EXISTS (SELECT FROM known_browsers b WHERE b.person_id = p.id AND b.token_hash = @hash) AS known,
				EXISTS (SELECT FROM known_browsers b WHERE b.person_id = p.id AND b.token_hash <> @hash) AS others,
				@kind = ANY (p.muted_mails) AS muted
			FROM people p WHERE p.id = @person AND p.password_hash = @known_by FOR SHARE`,
			pg.Args{"hash": digest(from.Browser), "person": p.ID, "known_by": p.knownBy, "kind": NewSignInMail})
		if err = pg.Or(err, errSecondStep); err != nil {
			return err
		}
		s.startSessionTx(tx, out.SessionID, p.ID, from)
		if err := s.accountTx(tx, p.from(from), SignedIn); err != nil {
			return err
		}
		tx.Later(`UPDATE known_browsers SET token_hash = @next WHERE token_hash = @former`,
			pg.Args{"next": digest(out.Browser), "former": digest(from.Browser)})
		tx.Later(`
			INSERT INTO known_browsers (person_id, token_hash, last_seen_at) VALUES (@person, @hash, @now)
			ON CONFLICT (person_id, token_hash) DO UPDATE SET last_seen_at = excluded.last_seen_at`,
			pg.Args{"person": p.ID, "hash": digest(out.Browser), "now": s.now()})
		if r.Known || !r.Others || r.Muted || s.letters == nil {
			return nil
		}
		return s.letters.NewSignInTx(tx, p, from, s.now())
	})
	s.events.Outcome(ctx, security.SignIn, p.from(from).actor(), "", err)
	return out, err
}

// NewSignInMail is the kind of mails about sign-ins in browsers that someone had not used before.
const NewSignInMail = "new_sign_in"

// RenewSession gives a session another id, as its rights have changed: anyone who knew the former one has nothing.
// proven says that its person has just proven who they are.
func (s *Service) RenewSession(ctx context.Context, id string, proven bool) (string, error) {
	next := newSecret()
	n, err := pg.Exec(ctx, s.pool, `
		UPDATE portal_sessions SET id_hash = @next, proven_at = CASE WHEN @proven::boolean THEN @now ELSE proven_at END
			WHERE id_hash = @hash`,
		pg.Args{"next": digest(next), "proven": proven, "now": s.now(), "hash": digest(id)})
	return next, pg.Hit(n, err, ErrNoSession)
}

// Proof is what someone who is signed in shows again; one of the two.
type Proof struct {
	Password string
	Code     string // of the authenticator app, or a recovery code
}

var errProof = fault.New(fault.KindUnauthenticated, "password_wrong", "The password is wrong.").On("password")

// Prove checks that a session's person is there themselves: of who has a second factor, a password is no proof, but
// only the app's code, a recovery code or a passkey ([Service.ProveByPasskey]). Who keeps an account locked from
// outside keeps no one who is inside from this. Faults: password_wrong, code_wrong, too_many_attempts.
func (s *Service) Prove(ctx context.Context, p Person, proof Proof) error {
	if proof.Code != "" {
		return s.takeCode(ctx, p, proofBound, proof.Code)
	}
	err := s.proveByPassword(ctx, p, proof)
	s.events.Outcome(ctx, security.Proof, p.actor(), "", err)
	return err
}

func (s *Service) proveByPassword(ctx context.Context, p Person, proof Proof) error {
	id := strconv.FormatInt(p.ID, 10)
	if err := s.count(ctx, proofBound, id); err != nil {
		return err
	}
	type row struct {
		PasswordHash string `db:"password_hash"`
		SecondFactor bool   `db:"second_factor"`
	}
	r, err := pg.One[row](ctx, s.pool, `
		SELECT password_hash, totp_since IS NOT NULL OR EXISTS (SELECT FROM passkeys k
			WHERE k.person_id = p.id) AS second_factor
		FROM people p WHERE id = @person`, pg.Args{"person": p.ID})
	if err != nil {
		return err
	}
	is, err := checkPassword(ctx, r.PasswordHash, proof.Password, true)
	if err != nil {
		return err
	}
	if !is.right || r.SecondFactor {
		return errProof
	}
	return s.forgetAttempts(ctx, proofBound, id)
}

// OpenSession is one of someone's sessions, as they see it.
type OpenSession struct {
	Number     int64       `db:"id"`
	Address    *netip.Addr `db:"address"`
	UserAgent  string      `db:"user_agent"`
	CreatedAt  time.Time   `db:"created_at"`
	LastSeenAt time.Time   `db:"last_seen_at"`
}

// mostSessions bounds the list of someone's sessions.
const mostSessions = 50

// Sessions lists a person's open sessions, the latest first.
func (s *Service) Sessions(ctx context.Context, personID int64) ([]OpenSession, error) {
	now := s.now()
	return pg.All[OpenSession](ctx, s.pool, `
		SELECT id, address, user_agent, created_at, last_seen_at FROM portal_sessions
		WHERE person_id = @person AND last_seen_at > @idle AND created_at > @oldest ORDER BY last_seen_at DESC, id DESC
			LIMIT @most`,
		pg.Args{"person": personID, "idle": now.Add(-sessionIdle), "oldest": now.Add(-sessionLife),
			"most": mostSessions})
}

// RevokeSession ends one of a person's own sessions. Fault: resource_missing.
func (s *Service) RevokeSession(ctx context.Context, personID, number int64) error {
	n, err := pg.Exec(ctx, s.pool, `DELETE FROM portal_sessions WHERE person_id = @person
		AND id = @number`, pg.Args{"person": personID, "number": number})
	return pg.Hit(n, err, fault.Missing())
}

// RevokeOthers ends all of a person's sessions but one.
func (s *Service) RevokeOthers(ctx context.Context, personID int64, sessionID string) error {
	return pg.InTx(ctx, s.pool, func(tx *pg.Tx) error {
		endOthersTx(tx, personID, sessionID)
		return nil
	})
}

func endOthersTx(tx *pg.Tx, personID int64, sessionID string) {
	tx.Later(`DELETE FROM portal_sessions WHERE person_id = @person
		AND id_hash <> @hash`, pg.Args{"person": personID, "hash": digest(sessionID)})
}

// SetTheme keeps how a person wants the portal to look, for the browsers that they sign in with.
func (s *Service) SetTheme(ctx context.Context, personID int64, theme string) error {
	_, err := pg.Exec(ctx, s.pool, `UPDATE people SET theme = @theme
		WHERE id = @person`, pg.Args{"theme": theme, "person": personID})
	return err
}

// SetZone keeps the time zone of a person, by its name in the list of time zones; "" is none in particular. Fault:
// parameter_invalid.
func (s *Service) SetZone(ctx context.Context, personID int64, zone string) error {
	if _, err := time.LoadLocation(zone); err != nil || zone == "Local" || len(zone) > 64 {
		return fault.Invalid("parameter_invalid", "There is no such time zone.").On("zone")
	}
	_, err := pg.Exec(ctx, s.pool, `UPDATE people SET time_zone = @zone
		WHERE id = @person`, pg.Args{"zone": zone, "person": personID})
	return err
}

// Muted lists the kinds of mails that a person does not want.
func (s *Service) Muted(ctx context.Context, personID int64) ([]string, error) {
	return pg.Value[[]string](ctx, s.pool, `SELECT muted_mails FROM people
		WHERE id = @person`, pg.Args{"person": personID})
}

// Mute keeps which kinds of mails a person does not want: those of known that they did not choose.
func (s *Service) Mute(ctx context.Context, personID int64, known, wanted []string) error {
	muted := slices.DeleteFunc(slices.Clone(known), func(kind string) bool { return slices.Contains(wanted, kind) })
	_, err := pg.Exec(ctx, s.pool, `UPDATE people SET muted_mails = @muted
		WHERE id = @person`, pg.Args{"muted": muted, "person": personID})
	return err
}
