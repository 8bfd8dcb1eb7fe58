// Package token turns payment data into tokens: sessions of payers' browsers, validation, the
// vault's sealing, one row per saved payment method.
package token

import (
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/identity"
	"svcpay/internal/ids"
	"svcpay/internal/merchant"
	"svcpay/internal/processor"
	"svcpay/internal/vault"
)

// lifeMonths is how long a token lasts after its last use.
const lifeMonths = 13

// Status is a token's state.
type Status string

// The states.
const (
	Active   Status = "active"
	Disabled Status = "disabled"
	Expired  Status = "expired"
	Deleted  Status = "deleted"
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

// Created is the answer to a payer's browser.
type Created struct {
	Token    ids.Token `json:"token"`
	Card     Card      `json:"card"`
	Billing  Billing   `json:"billing"`
	Livemode bool      `json:"livemode"`
}

// Service holds the use-cases of tokens.
type Service struct {
	pool      *pgxpool.Pool
	keys      *identity.Service
	merchants *merchant.Service
	vault     *vault.Vault
	processor processor.Processor
	check     authz.Checker
	env       identity.Environment
	now       func() time.Time
}

// Deps are what the service works with.
type Deps struct {
	Pool        *pgxpool.Pool
	Keys        *identity.Service
	Merchants   *merchant.Service
	Vault       *vault.Vault
	Processor   processor.Processor
	Check       authz.Checker
	Environment identity.Environment
	Now         func() time.Time
}

// New makes the service.
func New(d Deps) *Service {
	return &Service{pool: d.Pool, keys: d.Keys, merchants: d.Merchants, vault: d.Vault,
		processor: d.Processor, check: d.Check, env: d.Environment, now: d.Now}
}
