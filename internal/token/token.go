// Package token turns payment data into tokens: browser sessions, validation, sealing by the vault, one row per saved
// payment method. It also keeps tokens: changes, verification, mandates, expiry and deletion.
//
// Invariants: a token goes pending_verification → active → disabled → expired → deleted, in this direction only, and
// may skip states; every version after the first has one event; the vault holds nothing of a token that is expired or
// deleted; a merchant's own account is never shown or changed here.
package token

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/batch"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/mail"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/security"
	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
	"svcpay/internal/vault"
)

// lifeMonths is how long a token lasts after its last use.
const lifeMonths = 13

// Status is a token's state.
type Status string

// The states.
const (
	PendingVerification Status = "pending_verification" // a bank account whose holder must prove it
	Active              Status = "active"
	Disabled            Status = "disabled"
	Expired             Status = "expired"
	Deleted             Status = "deleted"
)

// Kind is what a token stands for.
type Kind string

// The kinds.
const (
	CardKind Kind = "card"
	WalletA  Kind = "wallet_a"
	WalletB  Kind = "wallet_b"
	BankUS   Kind = "bank_us"
	BankCA   Kind = "bank_ca"
)

// scheme is how money is debited from a bank account of that kind.
func (k Kind) scheme() processor.Scheme {
	if k == BankCA {
		return processor.ACSS
	}
	return processor.ACH
}

// How the data of a token came to us.
const (
	Keyed         = "keyed"
	Swiped        = "swiped"
	FromWallet    = "wallet"
	FromBank      = "bank"           // the payer's bank named the account
	PayoutAccount = "payout_account" // a merchant's own account, which is never charged
)

// Card is what may be shown of a card.
type Card struct {
	Brand          string  `json:"brand"`
	Last4          string  `json:"last4"`
	ExpMonth       int     `json:"exp_month"`
	ExpYear        int     `json:"exp_year"`
	Funding        string  `json:"funding"`
	Wallet         *string `json:"wallet"`
	CardholderName string  `json:"cardholder_name"`
}

// Billing is what the payer gave with the payment data; every member is optional.
type Billing struct {
	FirstName      string `json:"first_name,omitempty"`
	MiddleName     string `json:"middle_name,omitempty"`
	LastName       string `json:"last_name,omitempty"`
	AddressLine1   string `json:"address_line_1,omitempty"`
	AddressLine2   string `json:"address_line_2,omitempty"`
	AddressCity    string `json:"address_city,omitempty"`
	AddressState   string `json:"address_state,omitempty"`
	AddressZip     string `json:"address_zip,omitempty"`
	AddressCountry string `json:"address_country,omitempty"` // ISO 3166-1 alpha-2
	Email          string `json:"email,omitempty"`
	Phone          string `json:"phone,omitempty"`
}

// Searched are the texts that a payment is searched by.
func (b Billing) Searched() []string {
	return append([]string{b.FirstName, b.MiddleName, b.LastName}, mailbox.Forms(b.Email)...)
}

// Name is that of who owns the payment method; "" if it was not given.
func (b Billing) Name() string {
	return strings.Join(strings.Fields(b.FirstName+" "+b.MiddleName+" "+b.LastName), " ")
}

// BankAccount is what may be shown of a bank account.
type BankAccount struct {
	BankName    string `json:"bank_name"`
	Last4       string `json:"last4"`
	AccountType string `json:"account_type"` // checking or savings
	Status      Status `json:"status"`
}

// Created is the answer to a payer's browser: a card or a bank account.
type Created struct {
	Token       ids.Token    `json:"token"`
	Card        *Card        `json:"card,omitempty"`
	BankAccount *BankAccount `json:"bank_account,omitempty"`
	Billing     Billing      `json:"billing"`
	Livemode    bool         `json:"livemode"`
}

// Deps are what the service works with. Now is the machine's time.
type Deps struct {
	Pool      *pgxpool.Pool
	Keys      *apikey.Service
	Merchants *merchant.Service
	Vault     *vault.Vault
	Directory processor.Directory
	// Processors verify bank accounts.
	Processors *processor.Registry
	Check      authz.Checker
	Livemode   bool
	Clock      *clock.Clock
	Now        func() time.Time
	// Security records signs of card testing; nil records none.
	Security *security.Log
	// Mail takes the copies of mandates on.
	Mail *mail.Service
	// Wallets open what payers' wallets send.
	Wallets Wallets
	// TestCase finds a sandbox's test case by its name; nil where there are none.
	TestCase func(name string) (TestCase, bool)
	// TestCases are the names of all of them.
	TestCases []string
	// Exempt tells a sandbox's test cards, which may be used as often as one likes; nil where there are none.
	Exempt func(number sensitive.PAN) bool
	// Firsts reads how the first charges of recent card tokens ended; nil where declines are made on purpose.
	Firsts func(ctx context.Context, of Group) (Firsts, error)
	// Challenged tells a sandbox's test card that has to prove work; nil where there is none.
	Challenged func(number sensitive.PAN) bool
	// EasierProofs is how many bits proofs of work need less, where thousands are found for a simulation.
	EasierProofs int
}

// Service holds the use-cases of tokens.
type Service struct {
	deps      Deps
	cards     *batch.Batcher[newToken, insertOut]
	standings standings
	letters   Letters // nil for a deployment that sends no mail
}

// New makes the service.
func New(d Deps) *Service {
	s := &Service{deps: d}
	s.cards = batch.New(batch.InTx(d.Pool, d.Clock, newToken.application, s.insertTx, nil), newToken.key)
	return s
}

// Deps returns the service's dependencies. Tests change some and make another service.
func (s *Service) Deps() Deps { return s.deps }

// once is [idempotency.Once] at the application's time.
func once[T any](ctx context.Context, s *Service, claim *idempotency.Claim, applicationID int64, object [16]byte,
	do func(*pg.Tx, instant.Moment) (T, error),
) (out idempotency.Result[T], err error) {
	m, err := s.deps.Clock.Moment(ctx, applicationID)
	if err != nil {
		return out, err
	}
	return idempotency.Once(ctx, s.deps.Pool, claim, m.Machine, object, func(tx *pg.Tx) (T, error) { return do(tx, m) })
}
