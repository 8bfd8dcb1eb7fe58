// Package refund returns captured money, up to the captured amount, under any number of concurrent requests.
//
// Invariants: a charge's amount_refund_pending is the sum of its pending refunds and its amount_refunded that of the
// succeeded ones (a charge that failed or was voided has released both); amount_refunded + amount_refund_pending ≤
// amount_captured. Every change is made under the charge's row lock, and the database enforces the last one with a
// CHECK.
//
// A refund is made in three steps: claim (one transaction: key, reservation on the charge, refund, operation with the
// refund's id as reference) → call (no transaction) → finish (one transaction: status, amounts of the charge, posting,
// events, outcome of the key). If the process stops between two steps, the amount stays reserved until an
// [operation.Resolver] has asked the processor and runs the same finish. Refunds of a bank debit that has not settled
// wait without a call; [Service.ReleaseWaiting] sends or cancels them. A refund that succeeded may fail days later,
// which an event of the processor reports ([Service.Failed]): the merchant gets the money back, and it can be refunded
// again.
package refund

import (
	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/operation"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/batch"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/processor"
)

// Refund is the record, the API's object and the event's data.object. Amount is in minor units of
// Currency.
type Refund struct {
	ID            ids.Refund          `db:"id" json:"id"`
	Object        string              `db:"-" json:"object"`
	Version       int                 `db:"version" json:"version"`
	Livemode      bool                `db:"-" json:"livemode"`
	ApplicationID int64               `db:"application_id" json:"-"`
	MerchantID    int64               `db:"merchant_id" json:"merchant_id"`
	ChargeID      ids.Charge          `db:"charge_id" json:"charge_id"`
	Amount        money.Amount        `db:"amount" json:"amount"`
	Currency      money.Currency      `db:"currency" json:"currency"`
	Status        Status              `db:"status" json:"status"`
	PendingReason *PendingReason      `db:"pending_reason" json:"pending_reason"`
	Reason        *string             `db:"reason" json:"reason"`
	Note          *string             `db:"note" json:"note"`
	ExternalID    *string             `db:"external_id" json:"external_id"`
	Metadata      map[string]string   `db:"metadata" json:"metadata"`
	InitiatedBy   InitiatedBy         `db:"initiated_by" json:"initiated_by"`
	Failure       *Failure            `db:"failure" json:"failure"`
	Processor     charge.ProcessorRef `db:"processor" json:"processor"`
	CreatedAt     instant.Time        `db:"created_at" json:"created_at"`
	SucceededAt   *instant.Time       `db:"succeeded_at" json:"succeeded_at"`
	FailedAt      *instant.Time       `db:"failed_at" json:"failed_at"`
	CanceledAt    *instant.Time       `db:"canceled_at" json:"canceled_at"`
	UpdatedAt     instant.Time        `db:"updated_at" json:"updated_at"`
	// RequestID is that of the request which created it.
	RequestID ids.Request `db:"request_id" json:"-"`
}

// InitiatedBy says who wanted a refund: a program by its key, or a person in the portal.
type InitiatedBy struct {
	Kind    string `json:"kind"` // api or portal
	KeyName string `json:"key_name,omitempty"`
	User    string `json:"user,omitempty"`
}

func initiatedBy(a authz.Actor) InitiatedBy {
	return InitiatedBy{Kind: string(outbox.SourceOf(a)), KeyName: a.KeyName, User: a.PersonName}
}

// Deps are what the service works with.
type Deps struct {
	Pool       *pgxpool.Pool
	Charges    *charge.Service
	Processors *processor.Registry
	Operations *operation.Resolver
	Check      authz.Checker
	Livemode   bool
	Clock      *clock.Clock
}

// Service holds the use-cases of refunds.
type Service struct {
	deps     Deps
	audit    *audit.Log
	claims   *batch.Batcher[request, claimed]
	finishes *batch.Batcher[finishIn, finished]
	letters  Letters
}

// New makes the service, and has it finish what the resolver finds out about refunds.
func New(d Deps) *Service {
	s := &Service{deps: d, audit: audit.New(d.Pool, d.Check, d.Clock.Machine)}
	s.claims = batch.New(batch.InTx(d.Pool, d.Clock, request.application, s.claimTx, s.found), request.charge)
	s.finishes = batch.New(batch.InTx(d.Pool, d.Clock, finishIn.application, s.finishTx, nil), finishIn.charge)
	d.Operations.Handle(s.Finish, operation.Refund)
	d.Operations.HandleLate(s.Late, operation.Refund)
	return s
}

// derive fills the members that follow from others.
func (s *Service) derive(r Refund) Refund {
	r.Object = "refund"
	r.Livemode = s.deps.Livemode
	return r
}

// waiting reports whether the refund has not been sent and can be taken back.
func (r Refund) waiting() bool { return r.Status == Pending && r.PendingReason != nil }
