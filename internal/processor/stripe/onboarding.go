package stripe

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	sdk "github.com/stripe/stripe-go/v85"

	"svcpay/internal/processor"
)

// A merchant's account is an Express account: Stripe collects its details, and the platform pays Stripe's fees and is
// liable for its negative balances. It requests card payments, too, so that cards can be charged on its behalf.

// errNoPlatform is returned for an account that is itself connected to a platform.
var errNoPlatform = errors.New("stripe: the account is not a platform")

// CreateAccount implements [processor.Onboarder]. Stripe forgets an idempotency key after a day, so accounts that were
// created since the reference was made are searched first.
func (a *Adapter) CreateAccount(ctx context.Context, platform processor.Account,
	in processor.NewAccount) (processor.CreatedAccount, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	s, err := parse(ctx, in.Reference)
	if err != nil {
		return processor.CreatedAccount{}, err
	}
	k, err := a.keysAt(ctx, platform)
	if err == nil && k.platform != "" {
		err = errNoPlatform
	}
	if err != nil {
		return processor.CreatedAccount{}, err
	}
	c := a.client(k.secret)
	account, err := findAccount(ctx, c, s)
	if errors.Is(err, processor.ErrNotFound) {
		account, err = createAccount(ctx, c, in)
	}
	if err != nil {
		return processor.CreatedAccount{}, err
	}
	return processor.CreatedAccount{External: account.ID, Report: reportOf(account, platform.External)}, nil
}

// findAccount finds a connected account by our reference.
func findAccount(ctx context.Context, c *sdk.Client, s submission) (*sdk.Account, error) {
	p := &sdk.AccountListParams{
		CreatedRange: &sdk.RangeQueryParams{GreaterThanOrEqual: s.at.Add(-clockSkew).Unix()}}
	p.Limit = sdk.Int64(pageSize)
	return first(ctx, c.V1Accounts.List(ctx, p), "list accounts",
		func(found *sdk.Account) bool { return found.Metadata[ourReference] == s.reference })
}

func createAccount(ctx context.Context, c *sdk.Client, in processor.NewAccount) (*sdk.Account, error) {
	p := &sdk.AccountCreateParams{Type: sdk.String(string(sdk.AccountTypeExpress)), Country: sdk.String(in.Country),
		BusinessType: sdk.String(string(in.BusinessType)), Email: sdk.String(in.Email),
		BusinessProfile: &sdk.AccountCreateBusinessProfileParams{Name: sdk.String(in.Name)},
		Capabilities: &sdk.AccountCreateCapabilitiesParams{
			CardPayments: &sdk.AccountCreateCapabilitiesCardPaymentsParams{Requested: sdk.Bool(true)},
			Transfers:    &sdk.AccountCreateCapabilitiesTransfersParams{Requested: sdk.Bool(true)}},
		Settings: &sdk.AccountCreateSettingsParams{Payouts: &sdk.AccountCreateSettingsPayoutsParams{
			Schedule: &sdk.AccountCreateSettingsPayoutsScheduleParams{
				Interval: sdk.String(string(sdk.AccountSettingsPayoutsScheduleIntervalManual))}}},
		Metadata: map[string]string{ourReference: in.Reference}}
	p.SetIdempotencyKey(in.Reference)
	created, err := c.V1Accounts.Create(ctx, p)
	if _, refused := final(err); refused {
		return nil, fmt.Errorf("%w: %w", processor.ErrNotCreated, problem("create account", err))
	}
	if err != nil {
		return nil, problem("create account", err)
	}
	if created.ID == "" {
		return nil, errors.New("stripe: create account: the answer has no account")
	}
	return created, nil
}

// OnboardingLink implements [processor.Onboarder].
func (a *Adapter) OnboardingLink(ctx context.Context, account processor.Account,
	returnURL, refreshURL string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	k, err := a.keysAt(ctx, account)
	switch {
	case err != nil:
		return "", err
	case k.platform == "":
		return "", processor.ErrNoAccount
	}
	link, err := a.client(k.secret).V1AccountLinks.Create(ctx, &sdk.AccountLinkCreateParams{
		Account: sdk.String(account.External), Type: sdk.String(string(sdk.AccountLinkTypeAccountOnboarding)),
		ReturnURL: sdk.String(returnURL), RefreshURL: sdk.String(refreshURL)})
	if err != nil {
		return "", problem("create account_link", err)
	}
	to, err := url.Parse(link.URL)
	if err != nil || to.Host == "" || to.Scheme != "https" && (a.config.Livemode || to.Scheme != "http") {
		return "", errors.New("stripe: create account_link: the answer has no address") // the address is secret
	}
	return to.String(), nil
}
