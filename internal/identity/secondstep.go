package identity

import (
	"context"
	"strconv"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/security"
)

// secondStepLife is how long someone who gave the right password has for the second factor.
const secondStepLife = 10 * time.Minute

// Factors are someone's ways in next to the password.
type Factors struct {
	Authenticator bool // an app that shows codes
	Passkeys      int
	Codes         int // recovery codes that are left
}

// Any reports whether a password alone is not enough.
func (f Factors) Any() bool { return f.Authenticator || f.Passkeys > 0 }

// Factors reads a person's ways in.
func (s *Service) Factors(ctx context.Context, personID int64) (Factors, error) {
	type row struct {
		Authenticator bool `db:"authenticator"`
		Passkeys      int  `db:"passkeys"`
		Codes         int  `db:"codes"`
	}
	r, err := pg.One[row](ctx, s.pool, `
		SELECT totp_since IS NOT NULL AS authenticator, (SELECT count(*) FROM passkeys k
			WHERE k.person_id = p.id) AS passkeys,
			(SELECT count(*) FROM recovery_codes r WHERE r.person_id = p.id AND r.used_at IS NULL) AS codes
		FROM people p WHERE p.id = @person`, pg.Args{"person": personID})
	return Factors(r), err
}

// StartSecondStep notes that someone gave the right password, and returns the text by which they go on. Fault:
// sign_in_again if it has changed since.
func (s *Service) StartSecondStep(ctx context.Context, p Person) (string, error) {
	token := newSecret()
	n, err := pg.Exec(ctx, s.pool, `
		INSERT INTO started_sign_ins (token_hash, person_id, created_at)
		SELECT @hash, id, @now FROM people WHERE id = @person AND password_hash = @known_by FOR SHARE`,
		pg.Args{"hash": digest(token), "person": p.ID, "known_by": p.knownBy, "now": s.now()})
	return token, pg.Hit(n, err, errSecondStep)
}

var errSecondStep = fault.New(fault.KindUnauthenticated, "sign_in_again",
	"This sign-in has taken too long. Begin again.")

// SecondStep returns who still owes the second factor; the fault sign_in_again if no one does by this text.
func (s *Service) SecondStep(ctx context.Context, token string) (Person, error) {
	id, err := pg.Value[int64](ctx, s.pool, `SELECT person_id FROM started_sign_ins
		WHERE token_hash = @hash AND created_at > @oldest`,
		pg.Args{"hash": digest(token), "oldest": s.now().Add(-secondStepLife)})
	return s.personOf(ctx, id, err, errSecondStep)
}

var errCode = fault.New(fault.KindUnauthenticated, "code_wrong", "This code is wrong, or was used already.").On("code")

// FinishSecondStep takes a code of the authenticator app, or a recovery code. Faults: sign_in_again, code_wrong,
// too_many_attempts.
func (s *Service) FinishSecondStep(ctx context.Context, token, code string) (Person, error) {
	p, err := s.SecondStep(ctx, token)
	if err != nil {
		return p, err
	}
	if err := s.takeCode(ctx, p, codeBound, code); err != nil {
		return p, err
	}
	return p, s.endSecondStep(ctx, token)
}

func (s *Service) endSecondStep(ctx context.Context, token string) error {
	n, err := pg.Exec(ctx, s.pool, `DELETE FROM started_sign_ins WHERE token_hash = @hash`,
		pg.Args{"hash": digest(token)})
	return pg.Hit(n, err, errSecondStep) // another request was first
}

// takeCode takes either kind of code of a person, within a bound. Faults: code_wrong, too_many_attempts.
func (s *Service) takeCode(ctx context.Context, p Person, b bound, code string) error {
	err := s.tryCode(ctx, p, b, code)
	switch {
	case b == proofBound:
		s.events.Outcome(ctx, security.Proof, p.actor(), "", err)
	case err != nil: // the session that follows records a success
		s.events.Outcome(ctx, security.SignIn, p.actor(), "", err)
	}
	return err
}

func (s *Service) tryCode(ctx context.Context, p Person, b bound, code string) error {
	id, at := strconv.FormatInt(p.ID, 10), s.now()
	code = tidyCode(code)
	bounded := !isRecoveryCode(code)
	if bounded { // before the count of the last minutes, whose fault would promise too much
		if err := s.wrongCodesLeft(ctx, p.ID); err != nil {
			return err
		}
	}
	tried, err := s.counted(ctx, b, id)
	if err != nil {
		return err
	}
	if bounded {
		if err := s.countWrong(ctx, p.ID, at); err != nil {
			return err
		}
	}
	right, err := s.takeAuthenticatorCode(ctx, p.ID, code)
	if err == nil && !right {
		right, err = s.takeRecoveryCode(ctx, p, code)
	}
	if err != nil {
		return err
	}
	if right && bounded {
		if err := s.uncountWrong(ctx, p.ID, at); err != nil {
			return err
		}
	}
	if right {
		return s.forgetAttempts(ctx, b, id)
	}
	if tried == b.most {
		if err := s.warnOfCodes(ctx, p); err != nil {
			return err
		}
	}
	return errCode
}

// warnOfCodes records that the last code that a person may try for a while was wrong, and mails them at most once a
// day.
func (s *Service) warnOfCodes(ctx context.Context, p Person) error {
	o := security.OriginOf(ctx)
	p = p.from(Visitor{Address: o.Address, RequestID: o.RequestID})
	due := s.count(ctx, wrongCodesBound, strconv.FormatInt(p.ID, 10))
	if due != nil && !fault.HasCode(due, "too_many_attempts") {
		return due
	}
	return pg.InTx(ctx, s.pool, func(tx *pg.Tx) error {
		if s.letters != nil && due == nil {
			if err := s.letters.WrongCodesTx(tx, p, s.now()); err != nil {
				return err
			}
		}
		return s.accountTx(tx, p, WrongCodes)
	})
}
