package stripe

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
)

// The platform's account takes payments, with its own key. Each merchant is paid out at a separate account that is
// connected to the platform at Stripe; its credentials are the platform's key and the platform's account ID.

// MethodsOf implements [processor.Limited]: a merchant's connected account serves payouts only, and every other account
// serves everything else.
func (a *Adapter) MethodsOf(credentials sensitive.Credentials, served []processor.Method) []processor.Method {
	k, _ := a.keysOf(credentials)
	return slices.DeleteFunc(slices.Clone(served), func(m processor.Method) bool {
		return (m == processor.MethodPayout) != (k.platform != "")
	})
}

// onBehalf sends requests for an account with its platform's key.
type onBehalf struct {
	next    http.RoundTripper
	account string
}

// RoundTrip implements [http.RoundTripper].
func (o onBehalf) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Stripe-Account", o.account)
	return o.next.RoundTrip(r)
}

// clientAt returns a client for an account with these keys.
func (a *Adapter) clientAt(account processor.Account, k keys) *sdk.Client {
	if k.platform == "" {
		return a.client(k.secret)
	}
	by := *a.http
	by.Transport = onBehalf{a.http.Transport, account.External}
	return a.clientBy(&by, k.secret)
}

// paidBy reports whether we pay out to an account from that platform.
func (a *Adapter) paidBy(ctx context.Context, platform, account processor.Account) (bool, error) {
	k, err := a.keysAt(ctx, account)
	if errors.Is(err, errNoKey) {
		return false, nil
	}
	return err == nil && k.platform == platform.External, err
}

// inspectPaid is Inspect for a merchant's connected account. The key must be the platform's, and the account must be
// connected to it at Stripe. The account is restricted if it can't be paid out now, or if Stripe would also pay it out
// automatically.
func (a *Adapter) inspectPaid(ctx context.Context, account processor.Account, k keys) (processor.Report, error) {
	platform := a.client(k.secret)
	if account.External == k.platform {
		return processor.Report{}, processor.ErrNoAccount
	}
	if _, err := keyAccount(ctx, platform, k.platform); err != nil {
		return processor.Report{}, err
	}
	found, err := platform.V1Accounts.GetByID(ctx, account.External, nil)
	switch e, _ := err.(*sdk.Error); {
	case e != nil && (e.HTTPStatusCode == http.StatusUnauthorized || e.HTTPStatusCode == http.StatusForbidden),
		isMissing(err):
		return processor.Report{}, fmt.Errorf("%w: %w", processor.ErrNoAccount, problem("retrieve account", err))
	case err != nil:
		return processor.Report{}, problem("retrieve account", err)
	case found.ID != account.External:
		return processor.Report{}, processor.ErrNoAccount
	}
	report := reportOf(found, k.platform)
	allowed, err := readsPayouts(ctx, platform, a.clientAt(account, k), account.External)
	if err != nil {
		return processor.Report{}, err
	}
	if !allowed {
		report.Onboarding, report.Lacks = processor.OnboardingRestricted, append(report.Lacks, lack("key_payout_lists"))
	}
	return report, nil
}

// reportOf is what Stripe reports about an account that is connected to a platform.
func reportOf(account *sdk.Account, platform string) processor.Report {
	report := processor.Report{Onboarding: processor.OnboardingComplete, Platform: platform,
		Capabilities: capabilitiesOf(account), Requirements: requirementsOf(account),
		ChargesEnabled: &account.ChargesEnabled, PayoutsEnabled: &account.PayoutsEnabled}
	if !account.DetailsSubmitted || account.Requirements != nil && account.Requirements.DisabledReason != "" {
		report.Onboarding, report.Lacks = processor.OnboardingPending, []processor.Lack{lack("details_due")}
	}
	if why := unpayable(account); why != "" {
		report.Onboarding, report.Lacks = processor.OnboardingRestricted, append(report.Lacks, lack(why))
	}
	return report
}

// capabilitiesOf are the capabilities that we use, with their status; one that was never requested is left out.
func capabilitiesOf(account *sdk.Account) map[string]string {
	if account.Capabilities == nil {
		return nil
	}
	out := map[string]string{processor.CardPayments: string(account.Capabilities.CardPayments),
		"transfers": string(account.Capabilities.Transfers)}
	maps.DeleteFunc(out, func(_, status string) bool { return status == "" })
	return out
}

// requirementsOf are the details that Stripe still needs; nil if it needs none.
func requirementsOf(account *sdk.Account) *processor.Requirements {
	r := account.Requirements
	if r == nil || len(r.CurrentlyDue) == 0 && len(r.PastDue) == 0 && r.DisabledReason == "" {
		return nil
	}
	out := &processor.Requirements{CurrentlyDue: r.CurrentlyDue, PastDue: r.PastDue,
		DisabledReason: string(r.DisabledReason)}
	if r.CurrentDeadline != 0 {
		out.Deadline = time.Unix(r.CurrentDeadline, 0).UTC()
	}
	return out
}

// readsPayouts reports whether a platform's key may read the lists that payouts and look-ups need.
func readsPayouts(ctx context.Context, platform, merchant *sdk.Client, account string) (bool, error) {
	transfers, payouts, events, transactions := &sdk.TransferListParams{}, &sdk.PayoutListParams{},
		&sdk.EventListParams{}, &sdk.BalanceTransactionListParams{}
	for _, p := range []*sdk.ListParams{&transfers.ListParams, &payouts.ListParams, &events.ListParams,
		&transactions.ListParams} {
		p.Limit = sdk.Int64(1)
	}
	return allRead(readable(ctx, platform.V1Transfers.List(ctx, transfers)),
		readable(ctx, merchant.V1Payouts.List(ctx, payouts)),
		readable(ctx, merchant.V1Events.List(ctx, events)), readable(ctx,
			merchant.V1BalanceTransactions.List(ctx, transactions)),
		readable(ctx, platform.V1BankAccounts.List(ctx, &sdk.BankAccountListParams{Account: sdk.String(account)})))
}

// Reasons why a connected account can't be paid out.
const (
	payoutsOff        = "payouts_not_enabled"
	transfersOff      = "transfers_not_enabled"
	paysAutomatically = "payout_schedule_not_manual" // Stripe would pay out automatically, without our reference
)

// unpayable returns the reason why an account can't be paid out; "" if it can.
func unpayable(account *sdk.Account) string {
	s := account.Settings
	switch {
	case !account.PayoutsEnabled:
		return payoutsOff
	case account.Capabilities != nil && account.Capabilities.Transfers != "" &&
		account.Capabilities.Transfers != sdk.AccountCapabilityStatusActive:
		return transfersOff
	case s == nil || s.Payouts == nil || s.Payouts.Schedule == nil ||
		s.Payouts.Schedule.Interval != sdk.AccountSettingsPayoutsScheduleIntervalManual:
		return paysAutomatically
	}
	return ""
}
