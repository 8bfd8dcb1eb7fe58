package processor

import (
	"context"
	"time"

	"svcpay/internal/sensitive"
)

// Lack is something that an account needs at its counterparty and doesn't have.
type Lack struct {
	Code string `json:"code"`
	// Remedy says what to do, or what to ask the counterparty for. The adapter wrote it, never the counterparty.
	Remedy string `json:"remedy"`
}

// Report is what a counterparty reports about an account.
type Report struct {
	Onboarding Onboarding `json:"-"` // our records have it separately
	Lacks      []Lack     `json:"lacks,omitempty"`
	Grants     []Grant    `json:"grants,omitempty"`
	// Platform is the external ID of the account to which this one is connected, "" if it is none. Capabilities are
	// what the counterparty allows such an account, by name, such as "active".
	Platform     string            `json:"platform,omitempty"`
	Capabilities map[string]string `json:"capabilities,omitempty"`
	Requirements *Requirements     `json:"requirements,omitempty"` // nil: none
	// ChargesEnabled and PayoutsEnabled say whether a connected account can have charges and payouts; nil of any other.
	ChargesEnabled *bool `json:"charges_enabled,omitempty"`
	PayoutsEnabled *bool `json:"payouts_enabled,omitempty"`
}

// The capability of an account on whose behalf its platform may charge cards, and the status in which it may.
const (
	CardPayments     = "card_payments"
	CapabilityActive = "active"
)

// Requirements are the details of an account that the counterparty still needs, by its own names.
type Requirements struct {
	CurrentlyDue []string  `json:"currently_due,omitempty"`
	PastDue      []string  `json:"past_due,omitempty"`
	Deadline     time.Time `json:"deadline,omitzero"` // of what is currently due
	// DisabledReason is the counterparty's code of why the account is disabled, "" if it is not.
	DisabledReason string `json:"disabled_reason,omitempty"`
}

// Inspector is a [Connector] that reports more than how far an account has come.
type Inspector interface {
	// Inspect is Check with a report.
	Inspect(ctx context.Context, account Account, credentials sensitive.Credentials) (Report, error)
}

// Registrar is an adapter that registers its accounts' webhook endpoints at the counterparty. An account whose
// credentials have a signing secret that a person entered has endpoints of that person's: nothing is changed there.
type Registrar interface {
	// Carry returns new credentials of an account with the signing secrets of endpoints that were registered with the
	// earlier ones, unless a person entered a secret. It sends no request.
	Carry(earlier, credentials sensitive.Credentials) sensitive.Credentials
	// Register has an account's notices sent to an address, and returns the credentials with the endpoints' signing
	// secrets. Endpoints whose secrets are in the credentials stay, and are corrected. It returns what it has achieved,
	// also with an error.
	Register(ctx context.Context, account Account, credentials sensitive.Credentials,
		address string) (sensitive.Credentials, error)
	// Prune deletes the endpoints at an address whose secrets are not in the credentials.
	Prune(ctx context.Context, account Account, credentials sensitive.Credentials, address string) error
	// Endpoints returns what the endpoints at an address lack. Nothing changes.
	Endpoints(ctx context.Context, account Account, credentials sensitive.Credentials, address string) ([]Lack, error)
}

// Inspect asks the counterparty about an account that is to be connected (see [Inspector]).
func (r *Registry) Inspect(ctx context.Context, account Account, credentials sensitive.Credentials) (Report, error) {
	inspector, ok := r.adapters[account.Adapter].(Inspector)
	if !ok {
		onboarding, err := r.Check(ctx, account, credentials)
		return Report{Onboarding: onboarding}, err
	}
	report, err := inspector.Inspect(ctx, account, credentials)
	r.seen(account.Adapter, "check", nil, err)
	return report, err
}

// Carry returns new credentials with the signing secrets of registered endpoints (see [Registrar]).
func (r *Registry) Carry(adapter string, earlier, credentials sensitive.Credentials) sensitive.Credentials {
	if registrar, ok := r.adapters[adapter].(Registrar); ok {
		return registrar.Carry(earlier, credentials)
	}
	return credentials
}

// Register registers the webhook endpoints of an account (see [Registrar]), and returns its credentials unchanged if
// the adapter has none. prune deletes endpoints that were replaced: call it once the credentials are stored.
func (r *Registry) Register(ctx context.Context, account Account, credentials sensitive.Credentials,
	address string) (with sensitive.Credentials, prune func(context.Context) error, err error) {
	registrar, ok := r.adapters[account.Adapter].(Registrar)
	if !ok {
		return credentials, func(context.Context) error { return nil }, nil
	}
	with, err = registrar.Register(ctx, account, credentials, address)
	r.seen(account.Adapter, "register", nil, err)
	return with, func(ctx context.Context) error { return registrar.Prune(ctx, account, with, address) }, err
}

// Endpoints returns what an account's webhook endpoints lack (see [Registrar]).
func (r *Registry) Endpoints(ctx context.Context, account Account, credentials sensitive.Credentials,
	address string) ([]Lack, error) {
	registrar, ok := r.adapters[account.Adapter].(Registrar)
	if !ok {
		return nil, nil
	}
	lacks, err := registrar.Endpoints(ctx, account, credentials, address)
	r.seen(account.Adapter, "check", nil, err)
	return lacks, err
}
