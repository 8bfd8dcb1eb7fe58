// Package banklink guides a payer through the bank account modal: sign in at the bank or type the account numbers, then
// accept the mandate.
//
// Invariants: a session goes from open to authorized or canceled and no further; an authorization becomes one token, of
// the merchant whose page opened the modal; account numbers are sealed until then, and kept only while a token can be
// made.
package banklink

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/apikey"
	"svcpay/internal/banklink/institution"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/seal"
	"svcpay/internal/processor"
	"svcpay/internal/token"
	"svcpay/views/text"
)

const (
	// wayLife is how long a payer may take until he authorizes.
	wayLife = 30 * time.Minute
	// authorizationLife is how long what a payer authorized can become a token.
	authorizationLife = 15 * time.Minute
	// keepFor is how long a way is kept after its end: an authorization that comes too late is told apart from a
	// forged one.
	keepFor = 24 * time.Hour
)

// State is how far a way got.
type State string

// The states.
const (
	Open       State = "open"
	Authorized State = "authorized"
	Canceled   State = "canceled"
)

// Language is that of the mandate.
type Language string

// The languages.
const (
	English Language = "en"
	French  Language = "fr"
)

// Link is a payer's way, as its pages see it.
type Link struct {
	SecretHash      []byte           `db:"secret_hash"`
	ApplicationID   int64            `db:"application_id"`
	MerchantID      int64            `db:"merchant_id"`
	KeyID           ids.Key          `db:"key_id"`
	PageOrigin      string           `db:"page_origin"`
	Merchant        string           `db:"merchant_name"`
	Scheme          processor.Scheme `db:"scheme"`
	Language        Language         `db:"language"`
	Locale          text.Language    `db:"locale"`       // of the pages
	ColorScheme     string           `db:"color_scheme"` // light, dark or system
	State           State            `db:"state"`
	InstitutionID   string           `db:"institution_id"`   // "": none is chosen
	InstitutionName string           `db:"institution_name"` // "" likewise
	VisitID         string           `db:"visit_id"`         // "" likewise
	VisitAddress    string           `db:"visit_address"`
	AccountKey      string           `db:"account_key"`      // "": no account of the visit is chosen
	AuthorizationID string           `db:"authorization_id"` // "" until the payer authorizes
	WrappedKey      []byte           `db:"wrapped_key"`
	Number          []byte           `db:"number"`
	Details         []byte           `db:"details"` // nil: there is nothing of which a token can be made
	Used            bool             `db:"used"`    // a token was made
	apikey.Pages                     // that may show the modal
	ExpiresAt       time.Time        `db:"expires_at"` // by the machine's time
	KeyEnded        bool             `db:"key_ended"`  // the public key does not work any more
}

// Deps are what the service works with. Now is the machine's time.
type Deps struct {
	Pool         *pgxpool.Pool
	Tokens       *token.Service
	Merchants    *merchant.Service
	Institutions institution.Institutions
	Box          *seal.Box
	Clock        *clock.Clock
	Now          func() time.Time
}

// Service holds the use-cases of the modal.
type Service struct{ deps Deps }

// New makes the service.
func New(d Deps) *Service { return &Service{d} }

// PagesOrigin is where the banks' own pages are; "" where they are ours.
func (s *Service) PagesOrigin() string { return s.deps.Institutions.PagesOrigin() }

var (
	// ErrExpired is of a way that took too long, or whose public key was revoked.
	ErrExpired = fault.New(fault.KindGone, "link_expired", "This form is no longer valid. Close it and start again.")
	// ErrEnded is of a way that is not open any more.
	ErrEnded = fault.New(fault.KindConflict, "link_ended", "This form was completed or closed already.")
	errOff   = fault.Refused("payment_method_disabled",
		"This merchant does not accept bank accounts through this form.")
)

// BeginInput asks for the modal.
type BeginInput struct {
	SessionID   string
	Scheme      processor.Scheme
	Locale      string // of what the payer reads, as in BCP 47
	ColorScheme string // light or dark; else as the payer's device
}

// Begin starts a payer's way in a session of his browser, which it counts against, and returns the secret by which he
// goes it. Faults: those of [token.Service.UseSession], payment_method_disabled.
func (s *Service) Begin(ctx context.Context, in BeginInput) (secret string, err error) {
	use, err := s.deps.Tokens.UseSession(ctx, in.SessionID)
	if err != nil {
		return "", err
	}
	m, err := s.deps.Merchants.Find(ctx, use.ApplicationID, use.MerchantID)
	if err != nil {
		return "", err
	}
	if !takes(m, in.Scheme) {
		return "", errOff
	}
	locale, language := text.LanguageOf(in.Locale), English
	if in.Scheme == processor.ACSS && locale.French() { // debits in Canada: whichever French the page is in
		locale, language = text.LanguageCanadianFrench, French
	}
	if !slices.Contains([]string{"light", "dark"}, in.ColorScheme) {
		in.ColorScheme = "system"
	}
	raw, now := make([]byte, 32), s.deps.Now()
	rand.Read(raw) // never fails (crypto/rand)
	secret = base64.RawURLEncoding.EncodeToString(raw)
	_, err = pg.Exec(ctx, s.deps.Pool, `
		INSERT INTO bank_links (secret_hash, application_id, merchant_id, key_id, page_origin, scheme, language, locale,
			color_scheme, created_at, expires_at)
		VALUES (@hash, @application_id, @merchant_id, @key_id, @origin, @scheme, @language, @locale, @colors,
			@now, @until)`,
		pg.Args{"hash": hashOf(secret), "application_id": use.ApplicationID, "merchant_id": use.MerchantID,
			"key_id": use.KeyID,
			"origin": use.PageOrigin, "scheme": in.Scheme, "language": language, "locale": locale,
			"colors": in.ColorScheme, "now": now,
			"until": now.Add(wayLife)})
	return secret, err
}

// takes reports whether a merchant's page may open the modal: with processor P the page has a form of its own.
func takes(m merchant.Merchant, scheme processor.Scheme) bool {
	switch scheme {
	case processor.ACSS:
		return m.CanProcess.ACSS
	case processor.ACH:
		return m.CanProcess.ACH && m.BankProcessor == "q"
	}
	return false
}

const selectLink = `
	SELECT l.secret_hash, l.application_id, l.merchant_id, l.key_id, l.page_origin, m.name AS merchant_name, l.scheme,
		l.language, coalesce(l.locale, CASE l.language WHEN 'fr' THEN 'fr-CA' ELSE 'en' END) AS locale,
			l.color_scheme, l.state,
		coalesce(l.institution_id, '') AS institution_id, coalesce(l.institution_name, '') AS institution_name,
		coalesce(l.visit_id, '') AS visit_id, coalesce(l.visit_address, '') AS visit_address,
			coalesce(l.account_key, '') AS account_key,
		coalesce(l.authorization_id, '') AS authorization_id, l.wrapped_key, l.number, l.details, l.used,
			k.allowed_origins, k.merchant_domains, m.domains,
			k.any_ancestor, l.expires_at,
		(k.revoked_at IS NOT NULL OR k.expires_at <= @now) IS TRUE AS key_ended
	FROM bank_links l
		JOIN merchants m ON m.application_id = l.application_id AND m.id = l.merchant_id
		JOIN api_keys k ON k.id = l.key_id`

// Get finds a way by its secret: fault.Missing if there is none. One that has expired is returned with ErrExpired, for
// its page may still be shown where it could be before.
func (s *Service) Get(ctx context.Context, secret string) (Link, error) {
	now := s.deps.Now()
	l, err := pg.Find[Link](ctx, s.deps.Pool, selectLink+` WHERE l.secret_hash =
		@hash`, pg.Args{"hash": hashOf(secret), "now": now})
	if err == nil && (l.KeyEnded || l.State != Canceled && !l.ExpiresAt.After(now)) {
		err = ErrExpired
	}
	return l, err
}

// open is Get of a way that is not at its end.
func (s *Service) open(ctx context.Context, secret string) (Link, error) {
	l, err := s.Get(ctx, secret)
	if err == nil && l.State != Open {
		err = ErrEnded
	}
	return l, err
}

// Cancel ends a way without an authorization. One that has ended stays as it is.
func (s *Service) Cancel(ctx context.Context, secret string) error {
	_, err := pg.Exec(ctx, s.deps.Pool, `UPDATE bank_links SET state = 'canceled' WHERE secret_hash = @hash
		AND state = 'open'`, pg.Args{"hash": hashOf(secret)})
	return err
}

// Purge forgets the sealed accounts of a batch of ways whose time is over, and those that are long over; it says how
// many ways it changed.
func (s *Service) Purge(ctx context.Context) (int64, error) {
	now := s.deps.Now()
	n, err := pg.Exec(ctx, s.deps.Pool, `
		UPDATE bank_links SET sealed = NULL, wrapped_key = NULL, number = NULL, details = NULL, email = NULL
			WHERE secret_hash IN (
			SELECT secret_hash FROM bank_links WHERE expires_at <= @now AND (sealed IS NOT NULL OR details IS NOT NULL)
				LIMIT @batch)`,
		pg.Args{"now": now, "batch": pg.PurgeBatch})
	if err != nil {
		return n, err
	}
	gone, err := pg.Exec(ctx, s.deps.Pool, `
		DELETE FROM bank_links WHERE secret_hash IN (SELECT secret_hash FROM bank_links WHERE expires_at <= @before
			LIMIT @batch)`,
		pg.Args{"before": now.Add(-keepFor), "batch": pg.PurgeBatch})
	return n + gone, err
}

func hashOf(secret string) []byte {
	raw, err := base64.RawURLEncoding.DecodeString(secret)
	if err != nil {
		raw = nil // no one's
	}
	sum := sha256.Sum256(raw)
	return sum[:]
}
