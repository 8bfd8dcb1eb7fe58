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

// Check implements [processor.Connector]. The key must match the deployment's mode and belong to that account. An
// account is restricted if it can't take payments, if Stripe has not allowed it to send card numbers, or if its key may
// not read the lists that look-ups and reconciliation need.
func (a *Adapter) Check(ctx context.Context, account processor.Account,
	credentials sensitive.Credentials) (processor.Onboarding, error) {
	k, ok := a.keysOf(credentials)
	if !ok {
		return "", processor.ErrNoAccount
	}
	c := a.client(k.secret)
	if k.platform != "" {
		return a.checkPaid(ctx, account, k)
	}
	found, err := keyAccount(ctx, c, account.External)
	if err != nil {
		return "", err
	}
	allowed, err := takesCardNumbers(ctx, c)
	if err == nil && allowed {
		allowed, err = readsLists(ctx, c)
	}
	switch {
	case err != nil:
		return "", err
	case !allowed, a.config.Livemode && !found.ChargesEnabled:
		return processor.OnboardingRestricted, nil
	case !found.ChargesEnabled, !found.DetailsSubmitted: // test payments work without
		return processor.OnboardingPending, nil
	}
	return processor.OnboardingComplete, nil
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
