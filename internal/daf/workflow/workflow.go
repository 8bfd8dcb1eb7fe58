// Package workflow guides a donor through the DAF modal: amount and donor, fund, then the fund's own pages or its
// instructions. It ends with an id from which the merchant's application creates a donation.
//
// Invariants: a session goes from open to authorized or canceled and no further; an id is issued when the donor
// authorizes, to one application and merchant, and becomes one donation; a donor's credentials at a fund never reach
// this service.
package workflow

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/apikey"
	"svcpay/internal/daf/provider"
	"svcpay/internal/fault"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/token"
	"svcpay/views/text"
)

const (
	// wayLife is how long a donor may take until he authorizes.
	wayLife = 45 * time.Minute
	// idLife is how long what a donor authorized can become a donation.
	idLife = 15 * time.Minute
	// keepFor is how long a way that led to no donation is kept: an id that comes too late is told apart
	// from one that was never issued.
	keepFor = 30 * 24 * time.Hour
)

// Bounds of what a grant can be, in US cents.
const (
	MinAmount = money.Dollar
	MaxAmount = money.MaxCharge / money.Dollar * money.Dollar
)

// Kind says who makes the grant.
type Kind string

// The kinds.
const (
	Integrated    Kind = "integrated"    // the provider, when it is told to
	Nonintegrated Kind = "nonintegrated" // the donor, on the website of the fund
)

// State is how far a way got.
type State string

// The states.
const (
	Open      State = "open"
	Confirmed State = "authorized"
	Canceled  State = "canceled"
)

// Scheme is how the modal's pages are colored.
type Scheme string

// The schemes.
const (
	Light  Scheme = "light"
	Dark   Scheme = "dark"
	System Scheme = "system" // as the donor's device
)

// Workflow is a donor's way, as its pages see it.
type Workflow struct {
	SecretHash    []byte         `db:"secret_hash"`
	ApplicationID int64          `db:"application_id"`
	MerchantID    int64          `db:"merchant_id"`
	Merchant      string         `db:"merchant_name"`
	EIN           string         `db:"ein"`
	ConnectID     string         `db:"connect_id"`
	State         State          `db:"state"`
	Amount        *money.Amount  `db:"amount"` // nil: not known yet
	Donor         provider.Donor `db:"donor"`
	Scheme        Scheme         `db:"scheme"`
	Locale        text.Language  `db:"locale"`
	Kind          Kind           `db:"kind"`      // "": no fund is chosen
	FundID        string         `db:"fund_id"`   // "" likewise
	FundName      string         `db:"fund_name"` // "" likewise
	VisitID       string         `db:"visit_id"`  // "": the donor was not sent to a fund
	VisitAddress  string         `db:"visit_address"`
	// SessionID or GrantID is issued when the donor authorizes, by the kind.
	SessionID    string        `db:"workflow_session_id"`
	GrantID      string        `db:"grant_id"`
	Authorized   *money.Amount `db:"authorized_amount"`
	apikey.Pages               // that may show the modal
	ExpiresAt    time.Time     `db:"expires_at"` // by the machine's time
	KeyEnded     bool          `db:"key_ended"`  // the public key does not work any more
}

// Service holds the use-cases of the modal.
type Service struct{ deps Deps }

// Deps are what the service works with. Now is the machine's time.
type Deps struct {
	Pool      *pgxpool.Pool
	Tokens    *token.Service
	Merchants *merchant.Service
	Provider  provider.Provider
	Now       func() time.Time
}

// New makes the service.
func New(d Deps) *Service { return &Service{d} }

// PagesOrigin is where the provider's own pages are; "" where they are ours.
func (s *Service) PagesOrigin() string { return s.deps.Provider.PagesOrigin() }

// ErrExpired is of a way that took too long, or whose public key was revoked.
var ErrExpired = fault.New(fault.KindGone, "daf_session_expired",
	"This donation form is no longer valid. Close it and start again.")

const fromWorkflows = `
	SELECT w.secret_hash, w.application_id, w.merchant_id, m.name AS merchant_name, coalesce(m.ein, '') AS ein,
		coalesce(m.daf_provider_connect_id, '') AS connect_id, w.state, w.amount, w.donor, w.scheme,
		coalesce(w.locale, 'en') AS locale, coalesce(w.kind, '') AS kind,
		coalesce(w.fund_id, '') AS fund_id, coalesce(w.fund_name, '') AS fund_name,
			coalesce(w.visit_id, '') AS visit_id,
		coalesce(w.visit_address, '') AS visit_address, coalesce(w.workflow_session_id, '') AS workflow_session_id,
		coalesce(w.grant_id, '') AS grant_id, w.authorized_amount, k.allowed_origins, k.merchant_domains, m.domains,
			k.any_ancestor, w.expires_at,
		(k.revoked_at IS NOT NULL OR k.expires_at <= @now) IS TRUE AS key_ended
	FROM daf_workflows w
		JOIN merchants m ON m.application_id = w.application_id AND m.id = w.merchant_id
		JOIN api_keys k ON k.id = w.key_id
	WHERE `

// Get finds a way by its secret: fault.Missing if there is none. One that has expired is returned with
// ErrExpired, for its page may still be shown where it could be before.
func (s *Service) Get(ctx context.Context, secret string) (Workflow, error) {
	now := s.deps.Now()
	w, err := pg.Find[Workflow](ctx, s.deps.Pool, fromWorkflows+`w.secret_hash = @hash`,
		pg.Args{"hash": hashOf(secret), "now": now})
	return w, expired(w, now, err)
}

// expired is err, or ErrExpired of a way that was found and has expired.
func expired(w Workflow, now time.Time, err error) error {
	if err == nil && (w.KeyEnded || w.State != Canceled && !w.ExpiresAt.After(now)) {
		return ErrExpired
	}
	return err
}

// open is Get of a way that is not at its end.
func (s *Service) open(ctx context.Context, secret string) (Workflow, error) {
	w, err := s.Get(ctx, secret)
	if err == nil && w.State != Open {
		err = errEnded
	}
	return w, err
}

// errEnded is of a way that is not open any more.
var errEnded = fault.New(fault.KindConflict, "daf_session_ended", "This donation form was completed or closed already.")

// ended tells with errEnded that no row of an open way was changed.
func ended(n int64, err error) error {
	return pg.Hit(n, err, errEnded)
}

// Cancel ends a way without an authorization. One that has ended stays as it is.
func (s *Service) Cancel(ctx context.Context, secret string) error {
	_, err := pg.Exec(ctx, s.deps.Pool, `UPDATE daf_workflows SET state = 'canceled' WHERE secret_hash = @hash
		AND state = 'open'`, pg.Args{"hash": hashOf(secret)})
	return err
}

// Purge deletes a batch of the ways that led to no donation and are long over, and says how many those
// were.
func (s *Service) Purge(ctx context.Context) (int64, error) {
	return pg.Exec(ctx, s.deps.Pool, `
		DELETE FROM daf_workflows WHERE secret_hash IN (
			SELECT secret_hash FROM daf_workflows WHERE donation_id IS NULL AND expires_at <= @before LIMIT @batch)`,
		pg.Args{"before": s.deps.Now().Add(-keepFor), "batch": pg.PurgeBatch})
}

func hashOf(secret string) []byte {
	raw, err := base64.RawURLEncoding.DecodeString(secret)
	if err != nil {
		raw = nil // no one's
	}
	sum := sha256.Sum256(raw)
	return sum[:]
}

// ErrUnknown is of an id that was never issued, or to another application or merchant.
var ErrUnknown = errors.New("workflow: no such id was issued here")
