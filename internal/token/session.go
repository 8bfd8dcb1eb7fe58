package token

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/pg"
)

const (
	sessionLife     = 30 * time.Minute
	sessionAttempts = 10
	sessionPrefix   = "cs_"
)

var (
	errEnded   = fault.New(fault.KindUnauthenticated, "not_ready", "This payment session has ended. Reload the page.")
	errTooMany = fault.New(fault.KindLimited, "rate_limited", "Too many attempts. Reload the page and try again later.")
)

// Session is a payer's browser, bound to one public key, merchant and page origin.
type Session struct {
	ID        string
	ExpiresAt time.Time
	Merchant  merchant.Merchant
	Livemode  bool
}

// SessionInput is what a browser says of itself. PageOrigin was given to the frame by the
// browser, not by the page.
type SessionInput struct {
	PublicKey  string
	MerchantID int64
	PageOrigin string
	// AncestorOrigins, where the browser tells them, must agree with PageOrigin.
	AncestorOrigins []string
}

// OpenSession starts a session: the key must allow the page, and the merchant must belong to the
// key's application.
func (s *Service) OpenSession(ctx context.Context, in SessionInput) (Session, error) {
	use, err := s.deps.Keys.AuthenticatePublic(ctx, in.PublicKey)
	if err != nil {
		return Session{}, err
	}
	if err := s.deps.Check.Check(use.Actor, authz.TokenCreate); err != nil {
		return Session{}, err
	}
	m, err := s.deps.Merchants.Find(ctx, use.Actor.ApplicationID, in.MerchantID)
	missing := fault.HasCode(err, "resource_missing")
	if err != nil && !missing {
		return Session{}, err
	}
	if use.Domains = m.Domains; !s.originAllowed(use.Pages, in) {
		return Session{}, fault.New(fault.KindForbidden, "origin_not_allowed",
			"This page may not use this public key: its origin is not among the key's allowed origins.")
	}
	if missing {
		return Session{}, fault.New(fault.KindForbidden, "merchant_not_found",
			"There is no such merchant for this public key.")
	}
	return s.insertSession(ctx, use.Actor, m, originOf(in.PageOrigin))
}

func (s *Service) originAllowed(pages apikey.Pages, in SessionInput) bool {
	if !isPageOrigin(in.PageOrigin) ||
		len(in.AncestorOrigins) > 0 && originOf(in.AncestorOrigins[0]) != originOf(in.PageOrigin) {
		return false
	}
	return pages.Allow(in.PageOrigin, s.deps.Livemode)
}

// isPageOrigin reports whether a browser can have given s as a page's origin: "null" is that of a page
// without one, such as a file. Nothing else is kept.
func isPageOrigin(s string) bool { return originOf(s) == "null" || check.IsOrigin(s) }

// originOf is an origin as all browsers write it. Some write "file://" for that of a file.
func originOf(s string) string {
	if s == "file://" {
		return "null"
	}
	return s
}

func (s *Service) insertSession(ctx context.Context, a authz.Actor, m merchant.Merchant,
	origin string) (Session, error) {
	id, now := newSessionID(), s.deps.Now()
	_, err := pg.Exec(ctx, s.deps.Pool, `
		INSERT INTO client_sessions (id_hash, application_id, merchant_id, key_id, page_origin, created_at, expires_at)
		VALUES (@hash, @application_id, @merchant_id, @key_id, @origin, @now, @until)`,
		pg.Args{"hash": hashSession(id), "application_id": m.ApplicationID, "merchant_id": m.ID,
			"key_id": a.KeyID, "origin": origin, "now": now, "until": now.Add(sessionLife)})
	return Session{ID: id, ExpiresAt: now.Add(sessionLife), Merchant: m, Livemode: s.livemode()}, err
}

func newSessionID() string {
	b := make([]byte, 32)
	rand.Read(b) // never fails (crypto/rand)
	return sessionPrefix + base64.RawURLEncoding.EncodeToString(b)
}

func hashSession(id string) []byte {
	sum := sha256.Sum256([]byte(strings.TrimPrefix(id, sessionPrefix)))
	return sum[:]
}

// SessionUse is whose a session is.
type SessionUse struct {
	Hash          []byte          `db:"id_hash"` // SHA-256 of the session's id
	ApplicationID int64           `db:"application_id"`
	MerchantID    int64           `db:"merchant_id"`
	KeyID         ids.Key         `db:"key_id"`
	PageOrigin    string          `db:"page_origin"`
	Attempts      int             `db:"attempts"` // this one included
	Status        merchant.Status `db:"status"`   // of the merchant
}

// typed is the scope's name of what a payer types, as others have those of what was authorized elsewhere.
const typed = "typed"

// scope is within what a retry finds the first attempt: a page's session may have been renewed between the two, its
// key, merchant and origin stay. Within these the name is that of what the payer authorized, or typed.
func (u SessionUse) scope(name string) string {
	return strings.Join([]string{u.KeyID.String(), strconv.FormatInt(u.MerchantID, 10), u.PageOrigin, name}, "\n")
}

// spent refuses an attempt beyond those that a session allows.
func (u SessionUse) spent() error {
	if u.Attempts > sessionAttempts {
		return errTooMany.After(sessionLife)
	}
	return nil
}

var errClosed = fault.Refused("payment_method_disabled", "This merchant is not accepting payments right now.")

// refuse refuses to keep payment data that no one could charge, and an attempt too many.
func (u SessionUse) refuse() error {
	if !merchant.Allows(u.Status, merchant.TakeCharge) {
		return errClosed
	}
	return u.spent()
}

// UseSession counts an attempt against the session and returns whose it is. A session ends with its
// time or with its key: not_ready; and allows ten attempts: rate_limited.
func (s *Service) UseSession(ctx context.Context, id string) (SessionUse, error) {
	row, err := s.CountAttempt(ctx, id)
	if err != nil {
		return row, err
	}
	return row, row.spent()
}

// ofSession completes an update of a session that has not ended, and gives whose it is.
const ofSession = `
		FROM api_keys k, merchants m
		WHERE s.id_hash = @hash AND s.expires_at > @now AND k.id = s.key_id
			AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > @now)
			AND m.application_id = s.application_id AND m.id = s.merchant_id
		RETURNING s.id_hash, s.application_id, s.merchant_id, s.key_id, s.page_origin, s.attempts, m.status`

// CountAttempt is UseSession that leaves it to the caller to refuse one attempt too many: it may be the retry of
// an earlier one, whose token exists.
func (s *Service) CountAttempt(ctx context.Context, id string) (SessionUse, error) {
	row, err := pg.One[SessionUse](ctx, s.deps.Pool, `
		UPDATE client_sessions s SET attempts = s.attempts + 1`+ofSession,
		pg.Args{"hash": hashSession(id), "now": s.deps.Now()})
	return row, pg.Or(err, errEnded)
}

// uncount removes an attempt that ended in a challenge from the session's count.
func (s *Service) uncount(ctx context.Context, u SessionUse) error {
	_, err := pg.Exec(ctx, s.deps.Pool, `
		UPDATE client_sessions SET attempts = attempts - 1 WHERE id_hash = @hash AND attempts > 0`,
		pg.Args{"hash": u.Hash})
	return err
}

// PurgeSessions deletes a batch of the sessions whose time is over and says how many those were.
func (s *Service) PurgeSessions(ctx context.Context) (int64, error) {
	return pg.Exec(ctx, s.deps.Pool, `
		DELETE FROM client_sessions WHERE id_hash IN (
			SELECT id_hash FROM client_sessions WHERE expires_at <= @now LIMIT @batch)`,
		pg.Args{"now": s.deps.Now(), "batch": pg.PurgeBatch})
}
