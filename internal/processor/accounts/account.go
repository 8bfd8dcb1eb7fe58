// Package accounts keeps processor accounts: the accounts at which a merchant's money moves, or by default that of all
// merchants of an application. A new payment is routed to one ([Routes.Choose]); follow-up calls go to the account
// where the payment was made, even if it is disabled later.
package accounts

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/seal"
	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
)

// Status says whether new payments go to an account.
type Status string

// The statuses.
const (
	Active   Status = "active"
	Disabled Status = "disabled" // gets no new payments; follow-up calls of earlier ones still go there
)

// Account is a processor account: the record, and the API's object.
type Account struct {
	ID            ids.ProcessorAccount `db:"id" json:"id"`
	Object        string               `db:"-" json:"object"`
	Version       int                  `db:"version" json:"version"`
	Livemode      bool                 `db:"-" json:"livemode"`
	ApplicationID int64                `db:"application_id" json:"-"`
	MerchantID    *int64               `db:"merchant_id" json:"merchant_id"` // nil: the application's default
	Processor     string               `db:"processor" json:"processor"`     // the adapter's name
	// External is the counterparty's own id of it. One account belongs to one merchant or application.
	External string `db:"external_account" json:"external_account"`
	// PlatformID is the account to which this one is connected and whose credentials it uses; nil if it has its own.
	PlatformID *ids.ProcessorAccount `db:"platform_id" json:"platform_id"`
	// Sealed are the credentials, nil if there are none. They are never shown again, but for their last four
	// characters.
	Sealed           []byte  `db:"credentials" json:"-"`
	CredentialsLast4 *string `db:"credentials_last4" json:"credentials_last4"`
	// nil: none, or it is unknown
	CredentialsSetAt *instant.Time        `db:"credentials_set_at" json:"credentials_set_at"`
	Methods          []processor.Method   `db:"methods" json:"methods"`
	Currencies       []money.Currency     `db:"currencies" json:"currencies"` // empty: all
	Priority         int                  `db:"priority" json:"priority"`     // 1 comes first
	Status           Status               `db:"status" json:"status"`
	Onboarding       processor.Onboarding `db:"onboarding" json:"onboarding"` // as of TestedAt
	// Report is what the counterparty reported about the account at TestedAt; nil if nothing.
	Report    *processor.Report `db:"report" json:"-"`
	TestedAt  instant.Time      `db:"tested_at" json:"tested_at"`
	CreatedAt instant.Time      `db:"created_at" json:"created_at"`
	UpdatedAt instant.Time      `db:"updated_at" json:"updated_at"`
}

// Account is the account as the processors' port names it.
func (a Account) Account() processor.Account {
	return processor.Account{Adapter: a.Processor, External: a.External}
}

// CredentialsReplacedAt is when the credentials that the account was connected with were replaced last; nil if they
// were not, or it is unknown.
func (a Account) CredentialsReplacedAt() *instant.Time {
	if a.CredentialsSetAt == nil || !a.CredentialsSetAt.After(a.CreatedAt.Time) {
		return nil
	}
	return a.CredentialsSetAt
}

const columns = `id, version, application_id, merchant_id, processor, external_account, platform_id, credentials,
	credentials_last4, methods, currencies, credentials_set_at, priority, status, onboarding, report, tested_at,
	created_at, updated_at`

// Report is what a counterparty reports about an account.
type Report = processor.Report

// Deps are what the service works with.
type Deps struct {
	Pool       *pgxpool.Pool
	Check      authz.Checker
	Clock      *clock.Clock
	Livemode   bool
	Processors *processor.Registry
	// Box seals credentials.
	Box *seal.Box
	// BaseURL is the address of the API, under which counterparties deliver notices. "" for none: no webhook endpoints
	// are registered then.
	BaseURL string
}

// Service holds the use-cases of processor accounts.
type Service struct {
	deps  Deps
	audit *audit.Log
}

// New makes the service.
func New(d Deps) *Service {
	return &Service{deps: d, audit: audit.New(d.Pool, d.Check, d.Clock.Machine)}
}

// Processors are the names of the adapters whose accounts can be connected.
func (s *Service) Processors() []string { return s.deps.Processors.Connectable() }

// Served are the methods that an account of an adapter can serve. Nothing is known of an adapter that the deployment
// does not have: they are all methods.
func (s *Service) Served(adapter string) []processor.Method {
	if served := s.deps.Processors.Methods(adapter); len(served) > 0 {
		return served
	}
	return processor.Methods()
}

// ServedWith returns the methods that an account with these credentials can serve.
func (s *Service) ServedWith(adapter string, credentials sensitive.Credentials) []processor.Method {
	if served := s.deps.Processors.Methods(adapter); len(served) > 0 {
		return s.deps.Processors.MethodsOf(adapter, credentials)
	}
	return processor.Methods()
}

func (s *Service) derive(a Account) Account {
	a.Object, a.Livemode = "processor_account", s.deps.Livemode
	return a
}

// purpose is what credentials are sealed for.
func purpose(id ids.ProcessorAccount) string { return "processor_account:" + id.String() }

// Credentials opens those of an account, as [Keyring.Credentials] does.
func (s *Service) Credentials(ctx context.Context, of processor.Account) (sensitive.Credentials, error) {
	return NewKeyring(s.deps.Pool, s.deps.Box).Credentials(ctx, of)
}
