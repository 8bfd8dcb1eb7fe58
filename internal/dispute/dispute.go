// Package dispute records chargebacks, which withhold money until they are decided, and retrievals, which only ask for
// information.
//
// A dispute follows the events of its processor. They may arrive twice and in any order, so each of [Service.Open],
// [Service.Escalate], [Service.Won], [Service.Lost] and [Service.Closed] brings the dispute from any state to the one
// that the event reports, under the lock of its charge: an outcome that arrives before the opening opens it. Once all
// events have arrived, record and ledger are the same whatever their order was.
//
// A merchant responds once, with evidence or by accepting: claim (one transaction: key, draft, operation) → call →
// finish, as charges do.
//
// Money of a chargeback: when it is opened, its amount moves from available to reserved; back if it is won, and to the
// processor if it is lost or accepted. The amount is the network's, even if a part of the charge was refunded before;
// the charge's amount_disputed takes no more of it than is left of the charge, so that refunded, pending and disputed
// amounts together never exceed the captured amount. Fees are never returned.
package dispute

import (
	"context"
	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/operation"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/clock"
	"svcpay/internal/processor"
	"svcpay/internal/refund"
)

// Dispute is the record, the API's object and the event's data.object. Amount is in minor units of
// Currency.
type Dispute struct {
	ID            ids.Dispute    `db:"id" json:"id"`
	Object        string         `db:"-" json:"object"`
	Version       int            `db:"version" json:"version"`
	Livemode      bool           `db:"-" json:"livemode"`
	ApplicationID int64          `db:"application_id" json:"-"`
	MerchantID    int64          `db:"merchant_id" json:"merchant_id"`
	ChargeID      ids.Charge     `db:"charge_id" json:"charge_id"`
	Kind          Kind           `db:"kind" json:"kind"`
	Status        Status         `db:"status" json:"status"`
	Amount        money.Amount   `db:"amount" json:"amount"`
	Currency      money.Currency `db:"currency" json:"currency"`
	Reason        string         `db:"reason" json:"reason"`
	RespondBy     instant.Time   `db:"respond_by" json:"respond_by"`
	// Evidence and EvidenceFiles are a draft until EvidenceSubmittedAt.
	Evidence            Evidence      `db:"evidence" json:"evidence"`
	EvidenceFiles       []ids.File    `db:"evidence_files" json:"evidence_files"`
	EvidenceSubmittedAt *instant.Time `db:"evidence_submitted_at" json:"evidence_submitted_at"`
	Fees                []fee.Line    `db:"fees" json:"fees"`
	FeeTotal            money.Amount  `db:"fee_total" json:"fee_total"`
	Processor           ProcessorRef  `db:"processor" json:"processor"`
	EscalatedAt         *instant.Time `db:"escalated_at" json:"escalated_at"`
	ClosedAt            *instant.Time `db:"closed_at" json:"closed_at"`
	CreatedAt           instant.Time  `db:"created_at" json:"created_at"`
	UpdatedAt           instant.Time  `db:"updated_at" json:"updated_at"`
}

// ProcessorRef says who notified of the dispute and how they call it.
type ProcessorRef struct {
	Name    string `json:"name"`
	Dispute string `json:"dispute"`
}

// Deps are what the service works with.
type Deps struct {
	Pool       *pgxpool.Pool
	Processors *processor.Registry
	Operations *operation.Resolver
	Check      authz.Checker
	Livemode   bool
	Clock      *clock.Clock
	Charges    *charge.Service
	Refunds    *refund.Service
}

// Service holds the use-cases of disputes.
type Service struct {
	deps  Deps
	flow  operation.Flow[Dispute]
	audit *audit.Log
	// letters tell people of disputes; nil tells no one.
	letters Letters
}

// New makes the service, and has it finish what the resolver finds out about answers to disputes, the
// late ones too.
func New(d Deps) *Service {
	s := &Service{deps: d, audit: audit.New(d.Pool, d.Check, d.Clock.Machine)}
	s.flow = operation.Flow[Dispute]{Name: "dispute", Resolver: d.Operations, Finish: s.finish,
		Find: func(ctx context.Context, applicationID int64, id [16]byte) (Dispute, error) {
			return s.find(ctx, applicationID, ids.DisputeFrom(id))
		}}
	d.Operations.Handle(s.Finish, operation.Respond)
	d.Operations.HandleLate(s.Finish, operation.Respond)
	return s
}

// Deps returns the service's dependencies. Tests change some and make another service.
func (s *Service) Deps() Deps { return s.deps }

// derive fills the members that follow from others; lists are lists in JSON, empty too.
func (s *Service) derive(d Dispute) Dispute {
	d.Object = "dispute"
	d.Livemode = s.deps.Livemode
	if d.Fees == nil {
		d.Fees = []fee.Line{}
	}
	if d.Evidence == nil {
		d.Evidence = Evidence{}
	}
	if d.EvidenceFiles == nil {
		d.EvidenceFiles = []ids.File{}
	}
	return d
}
