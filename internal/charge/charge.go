// Package charge authorizes, captures, voids and settles payments, and resolves those whose outcome is unknown.
//
// A charge is made in three steps: claim (one transaction: idempotency key, charge in processing, operation with our
// reference) → call (no transaction) → finish (one transaction: status, fees, ledger, event, outcome of the key). If
// the process stops between two steps, an [operation.Resolver] asks the processor by our reference and runs the same
// finish. Nothing is submitted twice.
package charge

import (
	"context"
	"sync"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/operation"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/batch"
	"svcpay/internal/platform/clock"
	"svcpay/internal/processor"
	"svcpay/internal/token"
	"svcpay/internal/vault"
)

// Charge is the record, the API's object and the event's data.object. Amounts are minor units of
// Currency.
type Charge struct {
	ID                  ids.Charge   `db:"id" json:"id"`
	Object              string       `db:"-" json:"object"`
	Version             int          `db:"version" json:"version"`
	Livemode            bool         `db:"-" json:"livemode"`
	ApplicationID       int64        `db:"application_id" json:"-"`
	MerchantID          int64        `db:"merchant_id" json:"merchant_id"`
	Amount              money.Amount `db:"amount" json:"amount"`
	AmountAuthorized    money.Amount `db:"amount_authorized" json:"amount_authorized"`
	AmountCaptured      money.Amount `db:"amount_captured" json:"amount_captured"`
	AmountRefunded      money.Amount `db:"amount_refunded" json:"amount_refunded"`
	AmountRefundPending money.Amount `db:"amount_refund_pending" json:"amount_refund_pending"`
	AmountRefundable    money.Amount `db:"-" json:"amount_refundable"`
	AmountDisputed      money.Amount `db:"amount_disputed" json:"amount_disputed"`
	// by the bank, or lost by disputes
	AmountReturned   money.Amount               `db:"-" json:"amount_returned"`
	Currency         money.Currency             `db:"currency" json:"currency"`
	FundingCurrency  money.Currency             `db:"funding_currency" json:"funding_currency"`
	Type             Type                       `db:"type" json:"type"`
	Origin           Origin                     `db:"origin" json:"origin"`
	Recurring        bool                       `db:"recurring" json:"recurring"`
	StoredCredential processor.StoredCredential `db:"stored_credential" json:"stored_credential"`
	Capture          bool                       `db:"capture" json:"capture"`
	Status           Status                     `db:"status" json:"status"`
	PaymentMethod    PaymentMethod              `db:"payment_method" json:"payment_method"`
	Billing          token.Billing              `db:"billing" json:"billing"`
	Token            ids.Token                  `db:"token_id" json:"token"`
	Fees             []fee.Line                 `db:"fees" json:"fees"`
	FeeTotal         money.Amount               `db:"fee_total" json:"fee_total"`
	DisputeFeeTotal  money.Amount               `db:"dispute_fee_total" json:"dispute_fee_total"`
	// captured less FeeTotal, whatever happened since
	Net                    money.Amount  `db:"-" json:"net"`
	NetAfterReversals      money.Amount  `db:"-" json:"net_after_reversals"`
	Failure                *Failure      `db:"failure" json:"failure"`
	ReturnCode             *string       `db:"return_code" json:"return_code"`
	VoidReason             *string       `db:"void_reason" json:"void_reason"`
	AuthorizationExpiresAt *instant.Time `db:"authorization_expires_at" json:"authorization_expires_at"`
	AvailableOn            *instant.Date `db:"available_on" json:"available_on"`
	// null until paid out, and in events
	PayoutID  *ids.Payout  `db:"payout_id" json:"payout_id"`
	Processor ProcessorRef `db:"processor" json:"processor"`
	// ProcessorAccount is the processor's id of the account, nil of charges that earlier versions made; PaymentID, its
	// id of the payment, nil until it has answered, and if it has none.
	ProcessorAccount     *string           `db:"processor_account" json:"-"`
	PaymentID            *string           `db:"payment_id" json:"-"`
	NetworkTransactionID *string           `db:"network_transaction_id" json:"network_transaction_id"`
	Description          *string           `db:"description" json:"description"`
	ExternalID           *string           `db:"external_id" json:"external_id"`
	StatementSuffix      *string           `db:"statement_suffix" json:"statement_suffix"`
	Metadata             map[string]string `db:"metadata" json:"metadata"`
	CreatedAt            instant.Time      `db:"created_at" json:"created_at"`
	AuthorizedAt         *instant.Time     `db:"authorized_at" json:"authorized_at"`
	CapturedAt           *instant.Time     `db:"captured_at" json:"captured_at"`
	SettledAt            *instant.Time     `db:"settled_at" json:"settled_at"`
	VoidedAt             *instant.Time     `db:"voided_at" json:"voided_at"`
	ExpiredAt            *instant.Time     `db:"expired_at" json:"expired_at"`
	FailedAt             *instant.Time     `db:"failed_at" json:"failed_at"`
	ReturnedAt           *instant.Time     `db:"returned_at" json:"returned_at"`
	UpdatedAt            instant.Time      `db:"updated_at" json:"updated_at"`
	// AmountContested is what all open and lost disputes ask for. AmountDisputed is as much of it as is
	// neither refunded nor about to be.
	AmountContested money.Amount `db:"amount_contested" json:"-"`
	// AmountLost is what its disputes cost that were lost or accepted.
	AmountLost money.Amount `db:"amount_lost" json:"-"`
	// NextStepAt is when the charge expires or settles on its own.
	NextStepAt *instant.Time `db:"next_step_at" json:"-"`
}

// ProcessorRef says who moved the money and under which reference of ours.
type ProcessorRef struct {
	Name      string `json:"name"`
	Reference string `json:"reference"`
}

// Type is the kind of payment.
type Type string

// The types.
const (
	Card Type = "cc"   // cards and both wallets
	ACH  Type = "ach"  // a US bank account
	ACSS Type = "acss" // a Canadian one: pre-authorized debit
)

// Types lists every type of charge.
func Types() []string { return []string{string(Card), string(ACH), string(ACSS)} }

// Origin says how the payer gave the payment data.
type Origin string

// The origins.
const (
	Ecommerce Origin = "ecommerce"
	MOTO      Origin = "moto"     // by mail or telephone
	Terminal  Origin = "terminal" // a card that was swiped
)

// Deps are what the service works with.
type Deps struct {
	Pool       *pgxpool.Pool
	Vault      *vault.Vault
	Processors *processor.Registry
	Operations *operation.Resolver
	Check      authz.Checker
	Livemode   bool
	Clock      *clock.Clock
}

// Service holds the use-cases of charges.
type Service struct {
	deps      Deps
	flow      operation.Flow[Charge]
	audit     *audit.Log
	claims    *batch.Batcher[request, claimed]
	followUps *batch.Batcher[followUp, operation.Claimed[Charge]]
	finishes  *batch.Batcher[operation.Outcome, finished]
	// How many charges an application is known to have more of; by its id, an int.
	exceeded sync.Map
}

// New makes the service, and has it finish what the resolver finds out about charges.
func New(d Deps) *Service {
	s := &Service{deps: d, audit: audit.New(d.Pool, d.Check, d.Clock.Machine)}
	s.batches()
	s.flow = operation.Flow[Charge]{Name: "charge", Resolver: d.Operations, Finish: s.finish,
		Find: func(ctx context.Context, applicationID int64, id [16]byte) (Charge, error) {
			return s.Find(ctx, applicationID, ids.ChargeFrom(id))
		}}
	d.Operations.Handle(s.Finish, operation.Authorize, operation.Debit, operation.Capture, operation.Void)
	d.Operations.Handle(s.FinishReversals, operation.Reverse)
	d.Operations.HandleLate(s.Late, operation.Authorize, operation.Debit, operation.Capture, operation.Void,
		operation.Reverse)
	return s
}

// derive fills the members that follow from others.
func (s *Service) derive(c Charge) Charge {
	c.Object = "charge"
	c.Livemode = s.deps.Livemode
	c.AmountRefundable = 0
	if c.Status == Captured || c.Status == Settled || (c.Status == Pending && c.Type != Card) {
		c.AmountRefundable = max(0, c.AmountCaptured-c.AmountRefunded-c.AmountRefundPending-c.AmountDisputed)
	}
	c.AmountReturned = c.returnedByBank() + c.AmountLost
	c.Net = c.AmountCaptured - c.FeeTotal
	c.NetAfterReversals = c.Net - c.AmountRefunded - c.AmountReturned - c.DisputeFeeTotal
	if c.Fees == nil {
		c.Fees = []fee.Line{} // a list in JSON, before the first fee too
	}
	return c
}

// returnedByBank is what the bank returned of a debit that had settled: all of it, whatever was refunded before.
func (c Charge) returnedByBank() money.Amount {
	if c.Status == Returned {
		return c.AmountCaptured
	}
	return 0
}
