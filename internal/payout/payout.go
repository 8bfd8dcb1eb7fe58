// Package payout pays merchants: it keeps their bank accounts, collects on each run what has become available, and
// follows each payout to its end.
//
// A payout is made in three steps, like a charge: claim (one transaction, which holds the merchant: payout, its
// entries, posting, operation, event, next run) → call (no transaction) → finish. If the process stops between two
// steps, an [operation.Resolver] continues.
//
// Invariants: a payout's amount is the sum of its entries; a ledger entry is in one active payout at most; the entries
// in no active payout add up to the merchant's available balance. The first and the last are audited by the tests, the
// second is a unique index.
package payout

import (
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/operation"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/clock"
	"svcpay/internal/processor"
	"svcpay/internal/token"
)

// Payout is money that left for a merchant's bank: the record, the API's object and the event's
// data.object. Amount is in minor units of Currency.
type Payout struct {
	ID                  ids.Payout     `db:"id" json:"id"`
	Object              string         `db:"-" json:"object"`
	Version             int            `db:"version" json:"version"`
	Livemode            bool           `db:"-" json:"livemode"`
	ApplicationID       int64          `db:"application_id" json:"-"`
	MerchantID          int64          `db:"merchant_id" json:"merchant_id"`
	Status              Status         `db:"status" json:"status"`
	Amount              money.Amount   `db:"amount" json:"amount"`
	Currency            money.Currency `db:"currency" json:"currency"`
	Destination         `json:"bank_account"`
	StatementDescriptor string       `db:"statement_descriptor" json:"statement_descriptor"`
	ArrivalOn           instant.Date `db:"arrival_on" json:"arrival_on"` // when it is expected, at the merchant's
	Contents
	Failure   *Failure     `db:"failure" json:"failure"`
	Processor ProcessorRef `db:"processor" json:"processor"`
	// ProcessorAccount is the processor's id of the account; nil of payouts that earlier versions made.
	ProcessorAccount *string       `db:"processor_account" json:"-"`
	CreatedAt        instant.Time  `db:"created_at" json:"created_at"`
	PaidAt           *instant.Time `db:"paid_at" json:"paid_at"`
	FailedAt         *instant.Time `db:"failed_at" json:"failed_at"`
	ReturnedAt       *instant.Time `db:"returned_at" json:"returned_at"`
	UpdatedAt        instant.Time  `db:"updated_at" json:"updated_at"`
}

// Contents says what a payout is made of: how many ledger entries, how many of those bring in a
// charge or give a refund, and from when to when they were posted.
type Contents struct {
	EntryCount  int          `db:"entry_count" json:"entry_count"`
	ChargeCount int          `db:"charge_count" json:"charge_count"`
	RefundCount int          `db:"refund_count" json:"refund_count"`
	PeriodFrom  instant.Time `db:"period_from" json:"period_from"`
	PeriodTo    instant.Time `db:"period_to" json:"period_to"`
}

// Destination is the bank account of a payout as it was then.
type Destination struct {
	ID       ids.BankAccount `db:"bank_account_id" json:"id"`
	BankName string          `db:"bank_name" json:"bank_name"`
	Last4    string          `db:"bank_last4" json:"last4"`
}

// ProcessorRef says who moves the money and under which reference of ours.
type ProcessorRef struct {
	Name      string `json:"name"`
	Reference string `json:"reference"`
}

// Account is where the payout was made.
func (p Payout) Account() processor.Account {
	return processor.StoredAccount(p.Processor.Name, p.ProcessorAccount, p.ApplicationID, p.MerchantID)
}

// Deps are what the service works with.
type Deps struct {
	Pool       *pgxpool.Pool
	Merchants  *merchant.Service
	Tokens     *token.Service
	Processors *processor.Registry
	Operations *operation.Resolver
	Check      authz.Checker
	Livemode   bool
	Clock      *clock.Clock
	// HoldAfterChange is how long payouts wait after a merchant's bank account was replaced; see
	// [HoldAfterChange].
	HoldAfterChange time.Duration
}

// HoldAfterChange is how long an environment holds payouts after a merchant's bank account was
// replaced, so that a thief's change is noticed before money follows it.
func HoldAfterChange(e apikey.Environment) time.Duration {
	if e == apikey.Production {
		return 3 * 24 * time.Hour
	}
	return 0
}

// Service holds the use-cases of payouts.
type Service struct {
	deps  Deps
	audit *audit.Log
	// letters tell people of what goes wrong with payouts, and where they go; nil tells no one.
	letters Letters
}

// New makes the service, and has it finish what the resolver finds out about payouts.
func New(d Deps) *Service {
	s := &Service{deps: d, audit: audit.New(d.Pool, d.Check, d.Clock.Machine)}
	d.Operations.Handle(s.Finish, operation.Payout)
	d.Operations.HandleLate(s.Late, operation.Payout)
	return s
}

// derive fills the members that follow from others.
func (s *Service) derive(p Payout) Payout {
	p.Object = "payout"
	p.Livemode = s.deps.Livemode
	return p
}
