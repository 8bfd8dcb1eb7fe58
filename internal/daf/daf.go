// Package daf records donations from donor-advised funds: which merchants accept them, their fees, and their status.
//
// Invariants of a donation: it comes from one authorization of a donor, which becomes no other donation; its status
// changes only as [Moves] lists, each change with a row of the history; an integrated one has a workflowSessionId and
// fees that are fixed when it is created (or by the provider's answer, if it reports its own fee), a nonintegrated one
// a grantId, no fees and no tracking id; the ledger has its fees once while it is completed, and not otherwise. Every
// change is made under its row lock, and the database enforces the first three with CHECK constraints.
//
// An integrated donation is created in three steps: claim (one transaction: key, authorization, donation, an operation
// with the donation's id as reference) → call (no transaction) → finish (one transaction: tracking id, event, outcome
// of the key). If the process stops between two steps, an [operation.ResolverOf] asks the provider and runs the same
// finish. A nonintegrated one is created in the first step alone: the donor requests the grant.
package daf

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/daf/provider"
	"svcpay/internal/daf/workflow"
	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/operation"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/outbox"
)

// Kind says who makes the grant: the provider, or the donor on the fund's own website.
type Kind = workflow.Kind

// The kinds.
const (
	Integrated    = workflow.Integrated
	Nonintegrated = workflow.Nonintegrated
)

// Kinds lists both.
func Kinds() []string { return []string{string(Integrated), string(Nonintegrated)} }

// Donation is the record, the API's object and the event's data.object. Amounts are US cents. Names that
// the reference fixes keep its spelling.
type Donation struct {
	ID            ids.Donation   `db:"id" json:"id"`
	Object        string         `db:"-" json:"object"`
	Version       int            `db:"version" json:"version"`
	Livemode      bool           `db:"-" json:"livemode"`
	ApplicationID int64          `db:"application_id" json:"-"`
	MerchantID    int64          `db:"merchant_id" json:"merchant_id"`
	Kind          Kind           `db:"kind" json:"kind"`
	Status        Status         `db:"status" json:"status"`
	Amount        money.Amount   `db:"amount" json:"amount"`
	Currency      money.Currency `db:"currency" json:"currency"`
	// null while unknown, and of one that is not integrated
	TrackingID        *string           `db:"tracking_id" json:"tracking_id"`
	WorkflowSessionID *string           `db:"workflow_session_id" json:"workflowSessionId"`
	GrantID           *string           `db:"grant_id" json:"grantId"`
	Provider          *ProviderRef      `db:"provider" json:"provider"` // null of one that is not integrated
	Fund              Fund              `db:"fund" json:"fund"`
	Fees              []fee.Line        `db:"fees" json:"fees"`
	FeeTotal          money.Amount      `db:"fee_total" json:"fee_total"`
	Net               money.Amount      `db:"-" json:"net"`
	User              User              `db:"donor" json:"user"`
	Anonymous         bool              `db:"anonymous" json:"anonymous"`
	ExternalGrantID   *string           `db:"external_grant_id" json:"external_grant_id"`
	ExternalID        *string           `db:"external_id" json:"external_id"`
	Note              *string           `db:"note" json:"note"` // the merchant's; the donor's is the user's
	Metadata          map[string]string `db:"metadata" json:"metadata"`
	StatusHistory     []StatusChange    `db:"status_history" json:"status_history"`
	Failure           *Failure          `db:"failure" json:"failure"`
	CreatedAt         instant.Time      `db:"created_at" json:"created_at"`
	CompletedAt       *instant.Time     `db:"completed_at" json:"completed_at"`
	CanceledAt        *instant.Time     `db:"canceled_at" json:"canceled_at"`
	UpdatedAt         instant.Time      `db:"updated_at" json:"updated_at"`
	// RequestID is that of the request which created it.
	RequestID ids.Request `db:"request_id" json:"-"`
}

// ProviderRef says who sends the grant and under which reference of ours.
type ProviderRef struct {
	Name      string `json:"name"`
	Reference string `json:"reference"`
}

// Fund is the sponsor of the donor's fund.
type Fund struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// User is the donor as the request named them; what is not known is "".
type User struct {
	FirstName string `json:"firstName"`
	LastName  string `json:"lastName"`
	Email     string `json:"email"`
	Note      string `json:"note"`
}

// Failure is why a grant was never sent.
type Failure struct {
	Code        string `json:"code"`
	DeclineCode string `json:"decline_code,omitempty"`
	Message     string `json:"message"`
}

type (
	outcome  = operation.OutcomeOf[provider.Answer]
	flow     = operation.FlowOf[Donation, provider.Answer]
	finished = operation.Finished[Donation]
)

// Deps are what the service works with.
type Deps struct {
	Pool      *pgxpool.Pool
	Merchants *merchant.Service
	Workflows *workflow.Service
	Provider  provider.Provider
	// Contact is the contact of a merchant's organization: the person who enrolls it or, for 0, one who may. It may be
	// nil.
	Contact  func(ctx context.Context, applicationID, merchantID, personID int64) (provider.Contact, error)
	Grants   *operation.ResolverOf[provider.Answer]
	Check    authz.Checker
	Livemode bool
	Clock    *clock.Clock
}

// Service holds the use-cases of donations, of the enrollment for them, and of their invoices.
type Service struct {
	deps  Deps
	audit *audit.Log
	flow  flow
}

// New makes the service, and has it finish what the resolver finds out about grants.
func New(d Deps) *Service {
	s := &Service{deps: d, audit: audit.New(d.Pool, d.Check, d.Clock.Machine)}
	s.flow = flow{Name: "donation", Resolver: d.Grants,
		Find: func(ctx context.Context, applicationID int64, id [16]byte) (Donation, error) {
			return s.find(ctx, applicationID, ids.DonationFrom(id))
		},
		Finish: func(ctx context.Context, o outcome) (finished, error) {
			return s.finish(ctx, o, outbox.API)
		}}
	d.Grants.Handle(s.Finish, operation.Grant)
	d.Grants.HandleLate(s.Late, operation.Grant)
	return s
}

// Deps returns the service's dependencies. Tests change some and make another service.
func (s *Service) Deps() Deps { return s.deps }

// Result is the answer to a request about a donation.
type Result = idempotency.Result[Donation]

// derive fills the members that follow from others; lists are lists in JSON, empty too.
func (s *Service) derive(d Donation) Donation {
	d.Object = "daf_donation"
	d.Livemode = s.deps.Livemode
	d.Net = d.Amount - d.FeeTotal
	if d.Fees == nil {
		d.Fees = []fee.Line{}
	}
	return d
}
