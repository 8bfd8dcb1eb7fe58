package stripe

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"strings"

	sdk "github.com/stripe/stripe-go/v85"

	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
)

// Check implements [processor.Connector].
func (a *Adapter) Check(ctx context.Context, account processor.Account,
	credentials sensitive.Credentials) (processor.Onboarding, error) {
	report, err := a.Inspect(ctx, account, credentials)
	return report.Onboarding, err
}

// lacking lists what an account lacks, by code, with what to do about each.
var lacking = map[string]string{
	"raw_card_data": "Ask Stripe for access to raw card data APIs at support.stripe.com. In live mode, Stripe first " +
		"requires your PCI DSS attestation of compliance (AOC).",
	"key_lists": "Allow the restricted key to read PaymentIntents, charges, refunds, disputes, events and balance " +
		"transactions.",
	"charges_disabled": "Activate payments in Stripe's Dashboard under Settings, Account details.",
	"details_due":      "Enter the details that Stripe's Dashboard asks for.",

	"network_transaction_id": "Ask Stripe's support to turn on network transaction IDs for merchant-initiated card payments " +
		"(mit_exemption). Without them, some issuers approve fewer recurring payments.",
	"wallet_tokens": "Ask Stripe's support to turn on network tokens with cryptograms for decrypted wallet payments " +
		"(payment_method_options[card][network_token]). Without them, payments with a wallet's card are declined.",

	"key_payout_lists": "Allow the platform's restricted key to read transfers, payouts, events, balance transactions " +
		"and external accounts of connected accounts.",
	payoutsOff:        "Complete the merchant's onboarding: Stripe has not enabled payouts for the account.",
	transfersOff:      "Request the capability transfers for the account and complete the merchant's onboarding.",
	paysAutomatically: "Set the account's payout schedule to manual in Stripe's Dashboard under Connect.",

	"webhook_key":     "Allow the restricted key to write webhook endpoints, then test the account.",
	"webhook_missing": "Test the account to register the webhook endpoint. Stripe needs a public https address.",
	"webhook_url": "Correct the URL of your webhook endpoint in Stripe's Dashboard: none there has this deployment's " +
		"address. Or replace the credentials without a signing secret, so that SvcPay registers one.",
	"webhook_disabled":   "Test the account, or enable the webhook endpoint in Stripe's Dashboard under Developers.",
	"webhook_incomplete": "Test the account, or add the missing events to the webhook endpoint in Stripe's Dashboard.",
	"connect_webhook": "Test the account to register the webhook endpoint for events on connected accounts. If that does " +
		"not help, ask Stripe to enable Connect for the account.",
}

// lack is what an account lacks by its code.
func lack(code string) processor.Lack { return processor.Lack{Code: code, Remedy: lacking[code]} }

// Inspect implements [processor.Inspector]. The key must match the deployment's mode and belong to that account. An
// account is restricted if it can't take payments, if Stripe has not allowed it to send card numbers, or if its key may
// not read the lists that look-ups and reconciliation need.
func (a *Adapter) Inspect(ctx context.Context, account processor.Account,
	credentials sensitive.Credentials) (processor.Report, error) {
	k, ok := a.keysOf(credentials)
	if !ok {
		return processor.Report{}, processor.ErrNoAccount
	}
	if k.platform != "" {
		return a.inspectPaid(ctx, account, k)
	}
	c, report := a.client(k.secret), processor.Report{Onboarding: processor.OnboardingComplete}
	found, err := keyAccount(ctx, c, account.External)
	if err != nil {
		return processor.Report{}, err
	}
	if !found.ChargesEnabled || !found.DetailsSubmitted { // test payments work without
		report.Onboarding, report.Lacks = processor.OnboardingPending, []processor.Lack{lack("details_due")}
	}
	restrict := func(code string) {
		report.Onboarding, report.Lacks = processor.OnboardingRestricted, append(report.Lacks, lack(code))
	}
	if a.config.Livemode && !found.ChargesEnabled {
		restrict("charges_disabled")
	}
	allowed, err := takesCardNumbers(ctx, c)
	if err != nil {
		return processor.Report{}, err
	}
	if !allowed {
		restrict("raw_card_data")
	}
	if allowed, err = readsLists(ctx, c); err != nil {
		return processor.Report{}, err
	}
	if !allowed {
		restrict("key_lists")
	}
	if err := addGrants(ctx, c, &report); err != nil {
		return processor.Report{}, err
	}
	return report, nil
}

// keyAccount reads the account of a client's key. Its ID must be the given one.
func keyAccount(ctx context.Context, c *sdk.Client, id string) (*sdk.Account, error) {
	found, err := c.V1Accounts.Retrieve(ctx, nil)
	switch e, _ := err.(*sdk.Error); {
	case e != nil && (e.HTTPStatusCode == http.StatusUnauthorized || e.HTTPStatusCode == http.StatusForbidden):
		return nil, fmt.Errorf("%w: %w", processor.ErrNoAccount, problem("retrieve account", err))
	case err != nil:
		return nil, problem("retrieve account", err)
	case found.ID != id:
		return nil, processor.ErrNoAccount
	}
	return found, nil
}

// rawCardRefusal begins Stripe's message for accounts that may not send card numbers. There is no code of it.
const rawCardRefusal = "Sending credit card numbers directly to the Stripe API"

// takesCardNumbers reports whether an account may send card numbers. It makes a PaymentMethod of a test card, with
// which nothing can be paid. In live mode Stripe declines the card, but only where the account may send it.
func takesCardNumbers(ctx context.Context, c *sdk.Client) (bool, error) {
	_, err := c.V1PaymentMethods.Create(ctx,
		methodParams(processor.Card{PAN: sensitive.NewPAN("4242424242424242"), ExpMonth: 12, ExpYear: 2049}))
	if err == nil {
		return true, nil
	}
	e, ok := final(err)
	if !ok {
		return false, problem("create payment_method", err)
	}
	return !strings.HasPrefix(e.Msg, rawCardRefusal), nil
}

// readsLists reports whether a key may read the lists that look-ups and the book need.
func readsLists(ctx context.Context, c *sdk.Client) (bool, error) {
	charges, refunds, events := &sdk.ChargeListParams{}, &sdk.RefundListParams{}, &sdk.EventListParams{}
	intents, transactions, disputes := &sdk.PaymentIntentListParams{}, &sdk.BalanceTransactionListParams{},
		&sdk.DisputeListParams{}
	for _, p := range []*sdk.ListParams{&charges.ListParams, &refunds.ListParams, &events.ListParams,
		&intents.ListParams, &transactions.ListParams, &disputes.ListParams} {
		p.Limit = sdk.Int64(1)
	}
	return allRead(readable(ctx, c.V1Charges.List(ctx, charges)), readable(ctx, c.V1Refunds.List(ctx, refunds)),
		readable(ctx, c.V1Events.List(ctx, events)), readable(ctx, c.V1PaymentIntents.List(ctx, intents)),
		readable(ctx, c.V1BalanceTransactions.List(ctx, transactions)), readable(ctx, c.V1Disputes.List(ctx, disputes)))
}

// allRead reports whether a key may read lists, given the errors of reading them.
func allRead(errs ...error) (bool, error) {
	for _, err := range errs {
		switch {
		case isForbidden(err):
			return false, nil
		case err != nil:
			return false, problem("list", err)
		}
	}
	return true, nil
}

// readable reads the beginning of a list.
func readable[T any](ctx context.Context, list *sdk.V1List[T]) error {
	next, stop := iter.Pull2(iter.Seq2[T, error](list.All(ctx)))
	defer stop()
	_, err, _ := next()
	return err
}
