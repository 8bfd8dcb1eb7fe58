package identity

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base32"
	"encoding/base64"
	"errors"
	"fmt"
	"image/png"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"

	"svcpay/internal/fault"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/platform/pg"
)

const (
	// totpPeriod is how long an app shows one code (RFC 6238).
	totpPeriod = 30 * time.Second
	// totpDrift is how many codes before and after the present one are right, as clocks differ.
	totpDrift = 1
	// totpSecretSize is the length of a secret in bytes, that of SHA-1's output (RFC 4226).
	totpSecretSize = 20
	// recoveryCodes is how many codes someone gets at once.
	recoveryCodes = 10
	// recoveryBytes is the entropy of each: more than enough for a plain hash.
	recoveryBytes = 10
	qrSize        = 208 // pixels
)

var codeText = base32.StdEncoding.WithPadding(base32.NoPadding)

// Authenticator is what someone types or scans into an app that shows codes.
type Authenticator struct {
	Secret string // in groups, to be typed
	Image  string // a picture to be scanned, as an address of the kind data:
}

func totpPurpose(personID int64) string { return "totp:" + strconv.FormatInt(personID, 10) }

// setUpLife is how long a secret that was shown can become someone's own.
const setUpLife = 10 * time.Minute

// SetUpAuthenticator returns the secret for someone's app, the same for ten minutes or until
// [Service.ConfirmAuthenticator]. Fault: authenticator_set for who has one.
func (s *Service) SetUpAuthenticator(ctx context.Context, p Person) (Authenticator, error) {
	secret := make([]byte, totpSecretSize)
	rand.Read(secret) // never fails (crypto/rand)
	sealed, err := s.box.Seal([]byte(codeText.EncodeToString(secret)), totpPurpose(p.ID))
	if err != nil {
		return Authenticator{}, err
	}
	kept, err := pg.Value[[]byte](ctx, s.pool, `
		UPDATE people SET totp_sealed = CASE WHEN totp_shown_at > @old THEN totp_sealed ELSE @sealed END,
			totp_shown_at = CASE WHEN totp_shown_at > @old THEN totp_shown_at ELSE @now END
		WHERE id = @person AND totp_since IS NULL RETURNING totp_sealed`,
		pg.Args{"sealed": sealed, "person": p.ID, "now": s.now(), "old": s.now().Add(-setUpLife)})
	if err = pg.Or(err, errAuthenticator); err != nil {
		return Authenticator{}, err
	}
	text, err := s.box.Open(kept, totpPurpose(p.ID))
	if err != nil {
		return Authenticator{}, err
	}
	return authenticatorOf(mailbox.Shown(p.Email), string(text))
}

var errAuthenticator = fault.New(fault.KindConflict, "authenticator_set",
	"You have an authenticator app already. Remove it first.")

// authenticatorOf draws a secret.
func authenticatorOf(email, secret string) (Authenticator, error) {
	u := url.URL{Scheme: "otpauth", Host: "totp", Path: "/SvcPay:" + email,
		RawQuery: "secret=" + secret + "&issuer=SvcPay&algorithm=SHA1&digits=6&period=30"}
	key, err := otp.NewKeyFromURL(u.String())
	if err != nil {
		return Authenticator{}, fmt.Errorf("identity: %w", err)
	}
	picture, err := key.Image(qrSize, qrSize)
	if err != nil {
		return Authenticator{}, fmt.Errorf("identity: %w", err)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		return Authenticator{}, fmt.Errorf("identity: %w", err)
	}
	return Authenticator{Secret: grouped(secret),
		Image: "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())}, nil
}

// grouped puts a space after every four characters.
func grouped(text string) string {
	var b strings.Builder
	for i, r := range text {
		if i > 0 && i%4 == 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// ConfirmAuthenticator has an app count from its first right code on. Who had no recovery codes gets some, which are
// shown this once. Faults: code_wrong, too_many_attempts, authenticator_set.
func (s *Service) ConfirmAuthenticator(ctx context.Context, p Person, code string) (codes []string, err error) {
	if err := s.count(ctx, codeBound, strconv.FormatInt(p.ID, 10)); err != nil {
		return nil, err
	}
	step, err := s.stepOf(ctx, p.ID, false, tidyCode(code))
	if err = pg.Or(err, errAuthenticator); err != nil {
		return nil, err
	}
	if step == 0 {
		return nil, errCode
	}
	err = pg.InTx(ctx, s.pool, func(tx *pg.Tx) error {
		n, err := tx.Exec(ctx, `UPDATE people SET totp_since = @now, totp_step = @step
			WHERE id = @person AND totp_since IS NULL AND totp_shown_at > @old`,
			pg.Args{"now": s.now(), "step": step, "person": p.ID, "old": s.now().Add(-setUpLife)})
		if err = pg.Hit(n, err, errAuthenticator); err != nil {
			return err
		}
		if codes, err = s.firstCodesTx(ctx, tx, p); err != nil {
			return err
		}
		return s.changedTx(tx, p, AuthenticatorAdded)
	})
	if err != nil {
		return nil, err
	}
	return codes, s.forgetAttempts(ctx, codeBound, strconv.FormatInt(p.ID, 10))
}

// RemoveAuthenticator ends an app; without another factor the recovery codes end too. Someone who has none is no error.
func (s *Service) RemoveAuthenticator(ctx context.Context, p Person) error {
	return pg.InTx(ctx, s.pool, func(tx *pg.Tx) error {
		n, err := tx.Exec(ctx, `UPDATE people SET totp_since = NULL, totp_sealed = NULL, totp_shown_at = NULL
			WHERE id = @person AND totp_since IS NOT NULL`,
			pg.Args{"person": p.ID})
		if err != nil || n == 0 {
			return err
		}
		endCodesTx(tx, p.ID)
		return s.changedTx(tx, p, AuthenticatorRemoved)
	})
}

// tidyCode reads a code as people type it.
func tidyCode(code string) string {
	return strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(code))
}

// stepOf tells in which time step an app shows a code; 0 if in none that is near. ErrNone for who has no app, or
// has confirmed it or not, other than asked for.
func (s *Service) stepOf(ctx context.Context, personID int64, confirmed bool, code string) (int64, error) {
	sealed, err := pg.Value[[]byte](ctx, s.pool, `
		SELECT totp_sealed FROM people WHERE id = @person AND totp_sealed IS NOT NULL
			AND (totp_since IS NOT NULL) = @confirmed::boolean`,
		pg.Args{"person": personID, "confirmed": confirmed})
	if err != nil {
		return 0, err
	}
	secret, err := s.box.Open(sealed, totpPurpose(personID))
	if err != nil {
		return 0, err
	}
	now := s.now().Unix() / int64(totpPeriod/time.Second)
	found := int64(0)
	for step := now - totpDrift; step <= now+totpDrift; step++ {
		right, err := totp.GenerateCode(string(secret), time.Unix(step*int64(totpPeriod/time.Second), 0))
		if err != nil {
			return 0, fmt.Errorf("identity: %w", err)
		}
		if subtle.ConstantTimeCompare([]byte(right), []byte(code)) == 1 {
			found = step
		}
	}
	return found, nil
}

// takeAuthenticatorCode takes a code once: neither it nor one before it is right again.
func (s *Service) takeAuthenticatorCode(ctx context.Context, personID int64, code string) (bool, error) {
	step, err := s.stepOf(ctx, personID, true, code)
	if errors.Is(err, pg.ErrNone) {
		return false, nil
	}
	if err != nil || step == 0 {
		return false, err
	}
	n, err := pg.Exec(ctx, s.pool, `UPDATE people SET totp_step = @step WHERE id = @person AND totp_step < @step
		AND totp_since IS NOT NULL`, pg.Args{"step": step, "person": personID})
	return n == 1, err
}

// takeRecoveryCode takes a recovery code once, and tells its person of it.
func (s *Service) takeRecoveryCode(ctx context.Context, p Person, code string) (right bool, err error) {
	err = pg.InTx(ctx, s.pool, func(tx *pg.Tx) error {
		n, err := tx.Exec(ctx, `UPDATE recovery_codes SET used_at = @now WHERE person_id = @person AND code_hash = @hash
			AND used_at IS NULL`, pg.Args{"now": s.now(), "person": p.ID, "hash": digest(code)})
		if right = n == 1; err != nil || !right {
			return err
		}
		return s.changedTx(tx, p, RecoveryCodeUsed)
	})
	return right, err
}

// NewRecoveryCodes gives someone new codes, which are shown this once; the former ones end.
func (s *Service) NewRecoveryCodes(ctx context.Context, p Person) (codes []string, err error) {
	err = pg.InTx(ctx, s.pool, func(tx *pg.Tx) error {
		codes = s.makeCodesTx(tx, p.ID)
		return s.changedTx(tx, p, RecoveryCodesMade)
	})
	return codes, err
}

// firstCodesTx gives codes to who has none.
func (s *Service) firstCodesTx(ctx context.Context, tx *pg.Tx, p Person) ([]string, error) {
	has, err := pg.Value[bool](ctx, tx, `SELECT EXISTS (SELECT FROM recovery_codes WHERE person_id = @person
		AND used_at IS NULL)`, pg.Args{"person": p.ID})
	if err != nil || has {
		return nil, err
	}
	return s.makeCodesTx(tx, p.ID), nil
}

// makeCodesTx queues new codes in the place of all others.
func (s *Service) makeCodesTx(tx *pg.Tx, personID int64) (codes []string) {
	tx.Later(`DELETE FROM recovery_codes WHERE person_id = @person`, pg.Args{"person": personID})
	for range recoveryCodes {
		b := make([]byte, recoveryBytes)
		rand.Read(b) // never fails (crypto/rand)
		code := codeText.EncodeToString(b)
		tx.Later(`INSERT INTO recovery_codes (person_id, code_hash, created_at) VALUES (@person, @hash, @now)`,
			pg.Args{"person": personID, "hash": digest(code), "now": s.now()})
		codes = append(codes, strings.ReplaceAll(grouped(code), " ", "-"))
	}
	return codes
}

// endCodesTx ends the recovery codes of someone who has nothing left to recover.
func endCodesTx(tx *pg.Tx, personID int64) {
	tx.Later(`
		DELETE FROM recovery_codes r USING people p
		WHERE r.person_id = @person AND p.id = r.person_id AND p.totp_since IS NULL AND NOT EXISTS (SELECT
			FROM passkeys k WHERE k.person_id = p.id)`,
		pg.Args{"person": personID})
}
