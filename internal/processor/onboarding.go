package processor

import (
	"context"
	"errors"
)

// Onboarder is an adapter whose counterparty creates accounts for merchants and collects their details on its own
// pages. Such an account is connected to one of our own accounts, its platform.
type Onboarder interface {
	// CreateAccount creates an account that is connected to a platform, or finds the one that an earlier call with the
	// same reference created. It returns ErrNotCreated if the counterparty refused it for good. After any other error
	// the account may exist: call it again with the same input.
	CreateAccount(ctx context.Context, platform Account, in NewAccount) (CreatedAccount, error)
	// OnboardingLink returns the address of a page where details of a connected account are entered. It works once and
	// for a few minutes. The page leads to returnURL when its visitor leaves, and to refreshURL if the link no longer
	// works.
	OnboardingLink(ctx context.Context, account Account, returnURL, refreshURL string) (string, error)
}

// NewAccount is an account to create.
type NewAccount struct {
	Reference    string // ours, committed before the call
	Country      string // ISO 3166-1 alpha-2
	BusinessType BusinessType
	Name, Email  string
}

// BusinessType is the legal form of a merchant.
type BusinessType string

// The business types.
const (
	NonProfit        BusinessType = "non_profit"
	Company          BusinessType = "company"
	Individual       BusinessType = "individual"
	GovernmentEntity BusinessType = "government_entity"
)

// BusinessTypes lists every business type.
func BusinessTypes() []BusinessType {
	return []BusinessType{NonProfit, Company, Individual, GovernmentEntity}
}

// CreatedAccount is an account that the counterparty created, with what it reported about it.
type CreatedAccount struct {
	External string
	Report   Report
}

// ErrNotCreated is the answer of CreateAccount if the counterparty refused to create the account.
var ErrNotCreated = errors.New("processor: the counterparty refused to create the account")

// Onboards reports whether the adapter of that name is an [Onboarder].
func (r *Registry) Onboards(adapter string) bool {
	_, ok := r.adapters[adapter].(Onboarder)
	return ok
}

// CreateAccount creates an account that is connected to a platform (see [Onboarder]).
func (r *Registry) CreateAccount(ctx context.Context, platform Account, in NewAccount) (CreatedAccount, error) {
	return ask(r, "create_account", platform,
		func(o Onboarder) (CreatedAccount, error) { return o.CreateAccount(ctx, platform, in) })
}

// OnboardingLink returns the address of a page where details of a connected account are entered (see [Onboarder]).
func (r *Registry) OnboardingLink(ctx context.Context, account Account, returnURL, refreshURL string) (string, error) {
	return ask(r, "onboarding_link", account,
		func(o Onboarder) (string, error) { return o.OnboardingLink(ctx, account, returnURL, refreshURL) })
}
