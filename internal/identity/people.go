package identity

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/security"
)

// Bounds of signing in: an account that fails so often is locked for a while.
const (
	minPassword = 15
	maxPassword = 128
	maxFailures = 10
	lockedFor   = 30 * time.Minute
)

// Person is someone who may sign in to the portal.
type Person struct {
	ID     int64
	Email  string
	Name   string
	Grants []Grant
	// Seen is where they act from, as far as it is known.
	Seen Visitor
	// knownBy is the hash of the password that they had when they were read. Only while it is theirs does a session
	// begin.
	knownBy string
}

// from is the person who acts from somewhere.
func (p Person) from(v Visitor) Person {
	p.Seen = v
	return p
}

// Grant is a role and where it applies.
type Grant struct {
	ID        int64
	Role      string
	Scope     string // system, app or org
	ScopeID   int64  // the application's or organization's id, 0 for system
	ScopeName string // its name, for people to read
}

// actor is a person who acts on their own account, in the first of their roles.
func (p Person) actor() authz.Actor {
	a := authz.Actor{PersonID: p.ID, PersonName: p.Name, Granted: authz.System(), Address: p.Seen.Address,
		RequestID: p.Seen.RequestID}
	if len(p.Grants) > 0 {
		a.Role, a.Granted = authz.Role(p.Grants[0].Role), p.Grants[0].Domain()
	}
	return a
}

// aboutPerson is someone's account as the audit log names it: in the log of the deployment, as people may have
// roles in several applications.
func aboutPerson(p Person) audit.Subject {
	return audit.Subject{Kind: "person", ID: strconv.FormatInt(p.ID, 10), Chain: new(int64)}
}

// Domain is where the grant applies.
func (g Grant) Domain() authz.Domain { return authz.Domain{Scope: authz.Scope(g.Scope), ID: g.ScopeID} }

// NewPerson describes a person to add. Of the grants, Role, Scope and ScopeID count.
type NewPerson struct {
	Email    string
	Name     string
	Password string
	Grants   []Grant
}

// CreatePerson adds a person and returns the id. A password has 15 to 128 characters and is not
// easy to guess; an email address is taken once, whatever its capitals and the form of its domain.
func (s *Service) CreatePerson(ctx context.Context, in NewPerson) (int64, error) {
	in.Email = mailbox.Normal(in.Email)
	hash, err := in.check(ctx)
	if err != nil {
		return 0, err
	}
	var id int64
	err = pg.InTx(ctx, s.pool, func(tx *pg.Tx) (err error) {
		now := s.now()
		id, err = pg.Value[int64](ctx, tx, `
			INSERT INTO people (email, name, password_hash, created_at) VALUES (@email, @name, @hash, @now)
				RETURNING id`,
			pg.Args{"email": in.Email, "name": in.Name, "hash": hash, "now": now})
		if err == nil {
			grantTx(tx, id, in.Grants, now)
		}
		return err
	})
	if pg.Violated(err) == "people_by_email" {
		return 0, fault.New(fault.KindConflict, "email_taken",
			"A user with this email address already exists.").On("email")
	}
	return id, err
}

// ResetPerson gives the person with in's address its password and grants, next to those there are,
// unlocks the account and ends its sessions.
func (s *Service) ResetPerson(ctx context.Context, in NewPerson) error {
	in.Email = mailbox.Normal(in.Email)
	hash, err := in.check(ctx)
	if err != nil {
		return err
	}
	return pg.InTx(ctx, s.pool, func(tx *pg.Tx) error {
		id, err := pg.Value[int64](ctx, tx, `SELECT id FROM people WHERE lower(email) = lower(@email)`,
			pg.Args{"email": in.Email})
		if err = pg.Or(err, fault.Missing()); err != nil {
			return err
		}
		s.keepFormerTx(tx, id)
		tx.Later(`UPDATE people SET password_hash = @hash, failures = 0, locked_until = NULL WHERE id = @id`,
			pg.Args{"id": id, "hash": hash})
		endSessionsTx(tx, id)
		grantTx(tx, id, in.Grants, s.now())
		return nil
	})
}

// check validates a person and hashes the password.
func (in NewPerson) check(ctx context.Context) (hash string, err error) {
	var fs fault.Fields
	checkNewPassword(&fs, in.Password, in.Email, in.Name)
	checkEmail(&fs, in.Email)
	if in.Name == "" || !plain(in.Name) {
		fs.Add("name", "parameter_invalid", "A name has 1 to 255 characters.")
	}
	for _, g := range in.Grants {
		if string(authz.Role(g.Role).Scope()) != g.Scope || g.Scope == "" {
			fs.Add("grants", "parameter_invalid", "A role is granted in its own scope.")
		}
	}
	if err := fs.Err(); err != nil {
		return "", err
	}
	return hashPassword(ctx, in.Password)
}

func checkEmail(fs *fault.Fields, email string) {
	switch {
	case !mailbox.Valid(email):
		fs.Add("email", "parameter_invalid", "This is not an email address.")
	case !mailbox.Deliverable(email):
		fs.Add("email", "parameter_invalid", mailbox.Undeliverable)
	}
}

// plain reports whether a text can be kept: valid, short, no control characters.
func plain(s string) bool {
	return len(s) <= 255 && utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}

func grantTx(tx *pg.Tx, personID int64, grants []Grant, now time.Time) {
	for _, g := range grants {
		args := grantArgs(g.Domain())
		args["person"], args["role"], args["now"] = personID, g.Role, now
		tx.Later(`
			INSERT INTO grants (person_id, role, scope, application_id, organization_id, created_at)
			VALUES (@person, @role, @scope, @application, @organization, @now) ON CONFLICT DO NOTHING`, args)
	}
}

// errSignIn is the one answer to a wrong password, an unknown address and a locked account.
var errSignIn = fault.New(fault.KindUnauthenticated, "sign_in_failed",
	"The email address or the password is wrong, or the account is locked for a while.")

// SignIn returns who has this address and password; who has a second factor too has yet to give it, see
// [Service.StartSecondStep]. It takes as long for an unknown address or a locked account as for any other. Five
// failures from one address keep that address away for a while, and ten in a row lock the account for half an hour.
// Faults: sign_in_failed; too_many_attempts; with the right password only, account_inactive.
func (s *Service) SignIn(ctx context.Context, email, password string, from Visitor) (Person, error) {
	email = mailbox.Normal(email)
	account, network := strings.ToLower(email), from.network()
	err := s.count(ctx, networkBound, network)
	if err == nil { // else there would be a row for each address
		err = s.count(ctx, signInBound, account, network)
	}
	if err != nil {
		s.events.Outcome(ctx, security.SignIn, authz.Actor{}, account, err)
		return Person{}, err
	}
	p, err := s.checkSignIn(ctx, email, password, from)
	if err != nil {
		return p, err
	}
	if err := s.forgetAttempts(ctx, signInBound, account, network); err != nil {
		return p, err
	}
	return p, s.giveBack(ctx, networkBound, network)
}

func (s *Service) checkSignIn(ctx context.Context, email, password string, from Visitor) (Person, error) {
	row, err := s.countAttempt(ctx, email, from)
	open := !errors.Is(err, pg.ErrNone)
	if open && err != nil {
		return Person{}, err
	}
	if !open {
		row.PasswordHash = nobodysHash
	}
	if !row.Known {
		if err := s.slowDown(ctx); err != nil {
			return Person{}, err
		}
	}
	is, err := checkPassword(ctx, row.PasswordHash, password, row.Known)
	if err != nil {
		return Person{}, err
	}
	if !open || !is.right {
		return Person{}, cmp.Or(s.noteWrong(ctx, email, row, open), s.noteLock(ctx, row, from), error(errSignIn))
	}
	if _, err := pg.Exec(ctx, s.pool, `UPDATE people SET failures = 0, locked_until = NULL WHERE id = @id`,
		pg.Args{"id": row.ID}); err != nil {
		return Person{}, err
	}
	if row.Inactive {
		s.events.Outcome(ctx, security.SignIn, authz.Actor{PersonID: row.ID}, "", errInactive)
		return Person{}, errInactive
	}
	if is.former {
		if row.PasswordHash, err = s.rehash(ctx, row, password); err != nil {
			return Person{}, err
		}
	}
	return s.person(ctx, row)
}

// rehash replaces a hash of a password as it was typed, unless the password was changed just now. It returns the hash
// that the sign-in goes on with.
func (s *Service) rehash(ctx context.Context, row attemptRow, password string) (string, error) {
	hash, err := hashPassword(ctx, password)
	if err != nil {
		return "", err
	}
	n, err := pg.Exec(ctx, s.pool, `UPDATE people SET password_hash = @hash WHERE id = @id AND password_hash = @former`,
		pg.Args{"hash": hash, "id": row.ID, "former": row.PasswordHash})
	if n == 0 {
		hash = row.PasswordHash
	}
	return hash, err
}

// countAttempt takes an attempt for a failure before the password is looked at, so that many at
// once cannot outrun the lock; a success forgets it. ErrNone for an address that is unknown or locked.
//
// A browser that its person signed in with before comes past the lock, which others may have brought about; how
// often it may guess is bounded by its network.
func (s *Service) countAttempt(ctx context.Context, email string, from Visitor) (attemptRow, error) {
	if !plain(email) {
		return attemptRow{}, pg.ErrNone
	}
	now := s.now()
	return pg.One[attemptRow](ctx, s.pool, `
		UPDATE people p SET failures = (failures + 1) % @most,
			locked_until = CASE WHEN failures + 1 >= @most THEN @until::timestamptz ELSE locked_until END
		WHERE lower(email) = lower(@email) AND (locked_until IS NULL OR locked_until <= @now
			OR EXISTS (SELECT FROM known_browsers b WHERE b.person_id = p.id AND b.token_hash = @browser))
		RETURNING id, password_hash, coalesce(locked_until > @now, false) AS locked,
			EXISTS (SELECT FROM known_browsers b WHERE b.person_id = p.id AND b.token_hash = @browser) AS known,
			`+lastUsed+` <= @unused AS inactive`,
		pg.Args{"email": email, "most": maxFailures, "now": now, "until": now.Add(lockedFor),
			"browser": digest(from.Browser), "unused": now.Add(-inactiveAfter)})
}

type attemptRow struct {
	ID           int64  `db:"id"`
	PasswordHash string `db:"password_hash"`
	Locked       bool   `db:"locked"` // by this attempt, unless the password is right
	Known        bool   `db:"known"`  // the browser: its person signed in with it before
	Inactive     bool   `db:"inactive"`
}

// noteWrong records that a sign-in failed, and why.
func (s *Service) noteWrong(ctx context.Context, email string, row attemptRow, open bool) (err error) {
	e := security.Event{Kind: security.SignIn, Outcome: "password_wrong"}
	e.Actor.PersonID = row.ID
	switch {
	case !open && !plain(email):
		err = pg.ErrNone
	case !open:
		e.Outcome = "account_locked"
		e.Actor.PersonID, err = pg.Value[int64](ctx, s.pool, `SELECT id FROM people WHERE lower(email) = lower(@email)`,
			pg.Args{"email": email})
	}
	if errors.Is(err, pg.ErrNone) {
		e.Outcome, e.Account, err = "account_unknown", strings.ToLower(email), nil
	}
	s.events.Add(ctx, e)
	return err
}

// noteLock writes down that an attempt locked an account.
func (s *Service) noteLock(ctx context.Context, row attemptRow, from Visitor) error {
	if !row.Locked {
		return nil
	}
	p, err := s.person(ctx, row)
	if err != nil {
		return err
	}
	return pg.InTx(ctx, s.pool, func(tx *pg.Tx) error { return s.accountTx(tx, p.from(from), Locked) })
}

// person reads who signs in by the password whose hash is in the row.
func (s *Service) person(ctx context.Context, row attemptRow) (Person, error) {
	p, err := personByID(ctx, s.pool, row.ID)
	p.knownBy = row.PasswordHash
	return p, err
}

// personOf is the person of an id that was looked up by a secret; missing if there is none.
func (s *Service) personOf(ctx context.Context, id int64, err, missing error) (Person, error) {
	if err = pg.Or(err, missing); err != nil {
		return Person{}, err
	}
	return personByID(ctx, s.pool, id)
}

// personByID reads someone who is there.
func personByID(ctx context.Context, q pg.Querier, id int64) (Person, error) {
	row, err := pg.One[struct {
		ID           int64   `db:"id"`
		Email        string  `db:"email"`
		Name         string  `db:"name"`
		PasswordHash string  `db:"password_hash"`
		Grants       []Grant `db:"grants"`
	}](ctx, q, `SELECT p.id, p.email, p.name, p.password_hash, `+grantsOf+` FROM people p
		WHERE p.id = @person`, pg.Args{"person": id})
	return Person{ID: row.ID, Email: row.Email, Name: row.Name, Grants: row.Grants, knownBy: row.PasswordHash}, err
}

// grantsOf are the grants of a person p as one value, those of the widest domains first.
const grantsOf = `(SELECT coalesce(jsonb_agg(jsonb_build_object('ID', g.id, 'Role', g.role, 'Scope', g.scope,
		'ScopeID', coalesce(g.application_id, g.organization_id, 0), 'ScopeName',
			coalesce(a.name, o.name, 'Whole deployment'))
		ORDER BY array_position(ARRAY['system', 'app', 'org'], g.scope), coalesce(a.name, o.name), g.id), '[]')
	FROM grants g
	LEFT JOIN applications a ON a.id = g.application_id
	LEFT JOIN organizations o ON o.id = g.organization_id
	WHERE g.person_id = p.id) AS grants`
