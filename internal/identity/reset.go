package identity

import (
	"context"
	"errors"
	"strings"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/instant"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/security"
)

const (
	// resetLife is how long a link to choose a new password works.
	resetLife = time.Hour
	// resetTakes is how long asking for a link takes at least: far longer than the work for an address that
	// someone signs in with, so that no one learns from the time which ones there are.
	resetTakes = 400 * time.Millisecond
)

// AskReset sends a link to choose a new password to anyone who signs in with an address. The answer is the same, and
// takes as long, where no one does. Fault: too_many_attempts, also the same for both.
func (s *Service) AskReset(ctx context.Context, email string, from Visitor) error {
	over := time.After(resetTakes)
	email = mailbox.Normal(email)
	err := s.count(ctx, resetNetwork, from.network())
	if err == nil {
		err = s.count(ctx, resetBound, strings.ToLower(email), from.network())
	}
	if err != nil {
		s.events.Outcome(ctx, security.Link, authz.Actor{}, strings.ToLower(email), err)
		return err
	}
	// Who asks from many networks for links to someone's address uses none of theirs up, and floods no mail box.
	flooded := s.count(ctx, resetMailbox, strings.ToLower(email))
	if flooded != nil && !fault.HasCode(flooded, "too_many_attempts") {
		return flooded
	}
	if plain(email) && s.letters != nil && flooded == nil {
		if err := s.sendReset(ctx, email); err != nil {
			return err
		}
	}
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sendReset makes a link and puts it on its way; nothing if no one has the address.
func (s *Service) sendReset(ctx context.Context, email string) error {
	return pg.InTx(ctx, s.pool, func(tx *pg.Tx) error {
		p, token, until, err := s.makeResetTx(ctx, tx, email)
		if errors.Is(err, pg.ErrNone) {
			return nil
		}
		if err != nil {
			return err
		}
		return s.letters.ResetLinkTx(tx, p, token, until)
	})
}

// makeResetTx makes a link for who has an address; ErrNone if no one has.
func (s *Service) makeResetTx(ctx context.Context, tx *pg.Tx, email string) (Person, string, time.Time, error) {
	id, err := pg.Value[int64](ctx, tx, `SELECT id FROM people WHERE lower(email) = lower(@email)`,
		pg.Args{"email": email})
	if err != nil {
		return Person{}, "", time.Time{}, err
	}
	p, err := personByID(ctx, tx, id)
	if err != nil {
		return Person{}, "", time.Time{}, err
	}
	token, now := newSecret(), instant.Of(s.now())
	tx.Later(`INSERT INTO password_resets (token_hash, person_id, created_at, expires_at)
		VALUES (@hash, @person, @now, @until)`,
		pg.Args{"hash": digest(token), "person": p.ID, "now": now, "until": now.Add(resetLife)})
	return p, token, now.Add(resetLife), nil
}

// MakeReset returns the secret of a link to choose a new password, for the deployment's operator to pass on. Wrong
// codes of the person no longer count. Fault: resource_missing.
func (s *Service) MakeReset(ctx context.Context, operator authz.Actor,
	email string) (token string, until time.Time, err error) {
	err = pg.InTx(ctx, s.pool, func(tx *pg.Tx) (err error) {
		var p Person
		if p, token, until, err = s.makeResetTx(ctx, tx, mailbox.Normal(email)); err != nil {
			return err
		}
		allowCodesTx(tx, p.ID)
		return s.audit.DoneTx(tx, operator, accountChange, aboutPerson(p), nil,
			map[string]string{"change": string(ResetMade)})
	})
	return token, until, pg.Or(err, fault.Missing())
}

var errReset = fault.New(fault.KindGone, "reset_ended", "This link has expired or was used already. Ask for a new one.")

// FindReset returns whose password a link changes, if it still does; else the fault reset_ended.
func (s *Service) FindReset(ctx context.Context, token string) (Person, error) {
	id, err := pg.Value[int64](ctx, s.pool, `
		SELECT person_id FROM password_resets WHERE token_hash = @hash AND used_at IS NULL AND expires_at > @now`,
		pg.Args{"hash": digest(token), "now": s.now()})
	p, err := s.personOf(ctx, id, err, errReset)
	if err != nil {
		s.events.Outcome(ctx, security.Link, authz.Actor{}, "", err)
	}
	return p, err
}

// Reset gives someone a new password by their link, once: it unlocks the account and ends its sessions, its other
// links and what was begun with the former password. Faults: the password's; reset_ended.
func (s *Service) Reset(ctx context.Context, token, password string) error {
	p, err := s.FindReset(ctx, token)
	if err != nil {
		return err
	}
	hash, err := s.newPasswordHash(ctx, p, password)
	if err != nil {
		return err
	}
	err = pg.InTx(ctx, s.pool, func(tx *pg.Tx) error {
		n, err := tx.Exec(ctx, `UPDATE password_resets SET used_at = @now WHERE token_hash = @hash AND used_at IS NULL
			AND expires_at > @now`, pg.Args{"hash": digest(token), "now": s.now()})
		if err = pg.Hit(n, err, errReset); err != nil {
			return err
		}
		return s.setPasswordTx(tx, p, hash, "")
	})
	s.events.Outcome(ctx, security.Link, p.actor(), "", err)
	return err
}

// newPasswordHash checks and hashes a person's next password, which is none of their last ones. Fault:
// parameter_invalid.
func (s *Service) newPasswordHash(ctx context.Context, p Person, password string) (string, error) {
	var fs fault.Fields
	checkNewPassword(&fs, password, p.Email, p.Name)
	if err := fs.Err(); err != nil {
		return "", err
	}
	if err := s.checkUnrepeated(ctx, p, password); err != nil {
		return "", err
	}
	return hashPassword(ctx, password)
}

// setPasswordTx queues a new password, and the end of all that the former one began but a session; "" is none. The
// password comes first: what begins a session holds the person's row, so that it is seen below or finds another
// password.
func (s *Service) setPasswordTx(tx *pg.Tx, p Person, hash, but string) error {
	s.keepFormerTx(tx, p.ID)
	// A secret of an app that is not confirmed yet may have been seen by anyone who knew the former password.
	tx.Later(`UPDATE people SET password_hash = @hash, failures = 0, locked_until = NULL,
			totp_sealed = CASE WHEN totp_since IS NOT NULL THEN totp_sealed END, totp_shown_at = CASE
				WHEN totp_since IS NOT NULL THEN totp_shown_at END
		WHERE id = @person`,
		pg.Args{"hash": hash, "person": p.ID})
	endOthersTx(tx, p.ID, but)
	tx.Later(`UPDATE password_resets SET used_at = @now WHERE person_id = @person
		AND used_at IS NULL`, pg.Args{"now": s.now(), "person": p.ID})
	tx.Later(`DELETE FROM started_sign_ins WHERE person_id = @person`, pg.Args{"person": p.ID})
	return s.changedTx(tx, p, PasswordChanged)
}

// ChangePassword gives someone who is signed in another password; their other sessions end. Fault: parameter_invalid.
func (s *Service) ChangePassword(ctx context.Context, p Person, sessionID, password string) error {
	hash, err := s.newPasswordHash(ctx, p, password)
	if err != nil {
		return err
	}
	return pg.InTx(ctx, s.pool, func(tx *pg.Tx) error {
		return s.setPasswordTx(tx, p, hash, sessionID)
	})
}
