package stripe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	"svcpay/internal/processor"
)

// keysKept is how long Stripe is sure to keep an idempotency key. A later retry first looks for the object that the
// first request created.
const keysKept = 23 * time.Hour

// Start implements [processor.Verification]. It sends the mandate acceptance to Stripe, which sends the deposits. Once
// the SetupIntent with our reference has succeeded, it has everything that a debit needs: a customer, a PaymentMethod
// and Stripe's mandate.
func (a *Adapter) Start(ctx context.Context, v processor.VerificationRequest) (processor.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	c, id, err := a.at(ctx, v.Account)
	if err != nil {
		return processor.Answer{}, err
	}
	setup, err := a.setup(ctx, c, v, id)
	if err != nil {
		return processor.Answer{}, err
	}
	if setup.Status != sdk.SetupIntentStatusRequiresPaymentMethod || setup.LastSetupError != nil {
		return started(setup)
	}
	method, err := c.V1PaymentMethods.Create(ctx, bankParams(v))
	if err != nil {
		return bankRefused("create payment_method", err)
	}
	confirmed, err := c.V1SetupIntents.Confirm(ctx, setup.ID, acceptanceParams(v, method.ID, a.config.Now()))
	if err == nil {
		return started(confirmed)
	}
	if _, ok := final(err); !ok {
		return processor.Answer{}, problem("confirm setup_intent", err)
	}
	read, readErr := readSetup(ctx, c, setup.ID)
	if readErr == nil && (read.Status != sdk.SetupIntentStatusRequiresPaymentMethod || read.LastSetupError != nil) {
		return started(read)
	}
	return bankRefused("confirm setup_intent", err)
}

// setup creates the SetupIntent of a verification, or returns the current state of the one that an earlier call
// created. A refusal says nothing about the payer's account (bank debits may not be turned on at Stripe, for example),
// so it is an error like any other, and the caller retries.
func (a *Adapter) setup(ctx context.Context, c *sdk.Client, v processor.VerificationRequest,
	id string) (*sdk.SetupIntent, error) {
	s, err := parse(ctx, v.Reference)
	if err != nil {
		return nil, fmt.Errorf("stripe: the reference of a verification: %w", err)
	}
	if a.config.Now().Sub(s.at) > keysKept {
		if found, err := findSetup(ctx, c, s); !errors.Is(err, processor.ErrNotFound) {
			return found, err
		}
	}
	customer := &sdk.CustomerCreateParams{Metadata: marked(v.Reference, id)}
	customer.SetIdempotencyKey(v.Reference + ":customer")
	payer, err := c.V1Customers.Create(ctx, customer)
	if err != nil {
		return nil, problem("create customer", err)
	}
	setup, err := c.V1SetupIntents.Create(ctx, setupParams(v, id, payer.ID))
	switch {
	case err != nil:
		return nil, problem("create setup_intent", err)
	case setup.LastResponse.Header.Get("Idempotent-Replayed") == "":
		return setup, nil
	}
	return readSetup(ctx, c, setup.ID)
}

// findSetup finds the SetupIntent of a verification whose idempotency key has expired.
func findSetup(ctx context.Context, c *sdk.Client, s submission) (*sdk.SetupIntent, error) {
	p := &sdk.SetupIntentListParams{
		CreatedRange: &sdk.RangeQueryParams{GreaterThanOrEqual: s.at.Add(-clockSkew).Unix()}}
	p.Limit = sdk.Int64(pageSize)
	return first(ctx, c.V1SetupIntents.List(ctx, p), "list setup_intents",
		func(i *sdk.SetupIntent) bool { return i.Metadata[ourReference] == s.reference })
}

func readSetup(ctx context.Context, c *sdk.Client, id string) (*sdk.SetupIntent, error) {
	setup, err := c.V1SetupIntents.Retrieve(ctx, id, nil)
	switch {
	case isMissing(err):
		return nil, processor.ErrNotFound
	case err != nil:
		return nil, problem("retrieve setup_intent", err)
	}
	return setup, nil
}

func setupParams(v processor.VerificationRequest, id, customer string) *sdk.SetupIntentCreateParams {
	p := &sdk.SetupIntentCreateParams{Customer: sdk.String(customer), Usage: sdk.String("off_session"),
		PaymentMethodTypes:   sdk.StringSlice([]string{string(methodOf(v.Bank.Scheme))}),
		Metadata:             marked(v.Reference, id),
		PaymentMethodOptions: &sdk.SetupIntentCreatePaymentMethodOptionsParams{}}
	deposits := sdk.String("microdeposits")
	if v.Bank.Scheme == processor.ACSS {
		p.PaymentMethodOptions.ACSSDebit = &sdk.SetupIntentCreatePaymentMethodOptionsACSSDebitParams{
			VerificationMethod: deposits, Currency: sdk.String(string(v.Currency)),
			// Payers authorize individual debits and confirm each amount.
			MandateOptions: &sdk.SetupIntentCreatePaymentMethodOptionsACSSDebitMandateOptionsParams{
				PaymentSchedule: sdk.String("sporadic"),
				TransactionType: sdk.String("personal")}}
	} else {
		p.PaymentMethodOptions.USBankAccount = &sdk.SetupIntentCreatePaymentMethodOptionsUSBankAccountParams{
			VerificationMethod: deposits}
	}
	p.SetIdempotencyKey(v.Reference)
	return p
}

// transitLength is the number of digits of the transit number in a Canadian routing number. The institution number
// follows.
const transitLength = 5

// bankParams describes a bank account. Stripe requires an email address only for ACSS, and may send mail to it.
func bankParams(v processor.VerificationRequest) *sdk.PaymentMethodCreateParams {
	b := v.Bank
	p := &sdk.PaymentMethodCreateParams{Type: sdk.String(string(methodOf(b.Scheme))),
		BillingDetails: &sdk.PaymentMethodCreateBillingDetailsParams{Name: sdk.String(b.Holder)}}
	if b.Scheme == processor.ACSS {
		transit := b.Routing[:min(transitLength, len(b.Routing))]
		p.BillingDetails.Email = sdk.String(v.Email)
		p.ACSSDebit = &sdk.PaymentMethodCreateACSSDebitParams{AccountNumber: sdk.String(b.Number.Reveal()),
			TransitNumber: sdk.String(transit), InstitutionNumber: sdk.String(b.Routing[len(transit):])}
		return p
	}
	kind := "checking"
	if b.Savings {
		kind = "savings"
	}
	p.USBankAccount = &sdk.PaymentMethodCreateUSBankAccountParams{AccountNumber: sdk.String(b.Number.Reveal()),
		RoutingNumber: sdk.String(b.Routing),
		AccountType:   sdk.String(kind), AccountHolderType: sdk.String("individual")}
	return p
}

// acceptanceParams confirms a SetupIntent with the payer's acceptance of the mandate. It leaves out an acceptance time
// in the last minute, because Stripe's clock may be behind ours, and one in the future, which a sandbox clock allows.
// Stripe then uses its own time.
func acceptanceParams(v processor.VerificationRequest, method string, now time.Time) *sdk.SetupIntentConfirmParams {
	agreed := &sdk.SetupIntentMandateDataCustomerAcceptanceParams{Type: sdk.MandateCustomerAcceptanceTypeOffline}
	if v.Mandate.IP != "" && v.Mandate.UserAgent != "" {
		agreed.Type = sdk.MandateCustomerAcceptanceTypeOnline
		agreed.Online = &sdk.SetupIntentMandateDataCustomerAcceptanceOnlineParams{IPAddress: sdk.String(v.Mandate.IP),
			UserAgent: sdk.String(v.Mandate.UserAgent)}
	}
	if at := v.Mandate.AcceptedAt; !at.IsZero() && now.Sub(at) >= clockSkew {
		agreed.AcceptedAt = sdk.Int64(at.Unix())
	}
	p := &sdk.SetupIntentConfirmParams{PaymentMethod: sdk.String(method),
		MandateData: &sdk.SetupIntentMandateDataParams{CustomerAcceptance: agreed}}
	p.SetIdempotencyKey(v.Reference + ":confirm")
	return p
}

// started is the answer to the start of a verification, regardless of later steps.
func started(setup *sdk.SetupIntent) (processor.Answer, error) {
	switch setup.Status {
	case sdk.SetupIntentStatusSucceeded:
		return processor.Answer{Approved: true, ExternalID: setup.ID}, nil
	case sdk.SetupIntentStatusRequiresAction:
		if setup.NextAction != nil && setup.NextAction.Type == sdk.SetupIntentNextActionTypeVerifyWithMicrodeposits {
			return processor.Answer{Approved: true, ExternalID: setup.ID}, nil
		}
		return unusable("requires_action"), nil
	case sdk.SetupIntentStatusCanceled:
		return unusable("canceled"), nil
	case sdk.SetupIntentStatusRequiresPaymentMethod:
		if setup.LastSetupError != nil {
			return unusable(string(setup.LastSetupError.Code)), nil
		}
	}
	return processor.Answer{}, fmt.Errorf("stripe: %s is in the status %s", setup.ID, setup.Status)
}

// Confirm implements [processor.Verification]. Stripe counts the attempts and does not report how many are left.
func (a *Adapter) Confirm(ctx context.Context, in processor.Confirmation) (processor.Confirmed, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	c, _, err := a.at(ctx, in.Account)
	if err != nil {
		return processor.Confirmed{}, err
	}
	setup, err := readSetup(ctx, c, in.OriginalID)
	switch {
	case errors.Is(err, processor.ErrNotFound), err == nil && setup.Metadata[ourReference] != in.Original:
		return processor.Confirmed{Verdict: processor.Unverifiable}, nil
	case err != nil:
		return processor.Confirmed{}, err
	case setup.Status != sdk.SetupIntentStatusRequiresAction:
		return verdictOf(setup)
	}
	p := &sdk.SetupIntentVerifyMicrodepositsParams{}
	if in.Code != "" {
		p.DescriptorCode = sdk.String(in.Code)
	} else {
		p.Amounts = sdk.Int64Slice(in.Amounts[:])
	}
	p.SetIdempotencyKey(in.Reference)
	done, err := c.V1SetupIntents.VerifyMicrodeposits(ctx, setup.ID, p)
	if err == nil {
		return verdictOf(done)
	}
	e, ok := final(err)
	if !ok {
		return processor.Confirmed{}, problem("verify setup_intent", err)
	}
	if verdict, known := verdicts[e.Code]; known {
		return processor.Confirmed{Verdict: verdict}, nil
	}
	if setup, err = readSetup(ctx, c, setup.ID); err != nil {
		return processor.Confirmed{}, err
	}
	if setup.Status == sdk.SetupIntentStatusRequiresAction && e.HTTPStatusCode == http.StatusBadRequest {
		// amounts instead of the code, or a code instead of the amounts
		return processor.Confirmed{Verdict: processor.WrongDeposits}, nil
	}
	return verdictOf(setup)
}

// verdicts maps the errors of a confirmation to verdicts.
var verdicts = map[sdk.ErrorCode]processor.Verdict{
	sdk.ErrorCodePaymentMethodMicrodepositVerificationAmountsInvalid:         processor.WrongDeposits,
	sdk.ErrorCodePaymentMethodMicrodepositVerificationAmountsMismatch:        processor.WrongDeposits,
	sdk.ErrorCodePaymentMethodMicrodepositVerificationDescriptorCodeMismatch: processor.WrongDeposits,
	sdk.ErrorCodePaymentMethodMicrodepositVerificationAttemptsExceeded:       processor.Unverifiable,
	sdk.ErrorCodePaymentMethodMicrodepositVerificationTimeout:                processor.Unverifiable,
	sdk.ErrorCodePaymentMethodMicrodepositFailed:                             processor.Unverifiable,
}

// verdictOf is the verdict on a SetupIntent that further confirmations can't change.
func verdictOf(setup *sdk.SetupIntent) (processor.Confirmed, error) {
	switch setup.Status {
	case sdk.SetupIntentStatusSucceeded:
		return processor.Confirmed{Verdict: processor.Verified}, nil
	case sdk.SetupIntentStatusCanceled, sdk.SetupIntentStatusRequiresPaymentMethod:
		return processor.Confirmed{Verdict: processor.Unverifiable}, nil
	}
	return processor.Confirmed{}, fmt.Errorf("stripe: %s is in the status %s", setup.ID, setup.Status)
}

// readVerification reads the outcome of a verification.
func readVerification(ctx context.Context, c *sdk.Client, b body) (processor.Event, error) {
	setup, err := readSetup(ctx, c, b.Object)
	if errors.Is(err, processor.ErrNotFound) {
		return processor.Event{}, nil
	}
	if err != nil {
		return processor.Event{}, err
	}
	e := processor.Event{Reference: referenceIn(setup.Metadata, b.account), ExternalID: setup.ID}
	switch setup.Status {
	case sdk.SetupIntentStatusSucceeded:
		e.Kind = processor.BankAccountVerified
	case sdk.SetupIntentStatusCanceled:
		e.Kind, e.RawCode = processor.VerificationFailed, "canceled"
	case sdk.SetupIntentStatusRequiresPaymentMethod:
		if setup.LastSetupError != nil {
			e.Kind, e.RawCode = processor.VerificationFailed, string(setup.LastSetupError.Code)
		}
	}
	return e, nil
}
