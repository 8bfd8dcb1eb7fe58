package stripe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/stripe/stripe-go/v85"

	"svcpay/internal/processor"
)

// Stripe's types of bank debits.
const (
	usBankAccount sdk.PaymentMethodType = "us_bank_account"
	acssDebit     sdk.PaymentMethodType = "acss_debit"
)

func methodOf(s processor.Scheme) sdk.PaymentMethodType {
	if s == processor.ACSS {
		return acssDebit
	}
	return usBankAccount
}

// schemeOf returns the scheme of a bank debit, or "" for any other payment.
func schemeOf(methodTypes []string) processor.Scheme {
	switch {
	case slices.Contains(methodTypes, string(usBankAccount)):
		return processor.ACH
	case slices.Contains(methodTypes, string(acssDebit)):
		return processor.ACSS
	}
	return ""
}

func isDebit(i *sdk.PaymentIntent) bool { return schemeOf(i.PaymentMethodTypes) != "" }

// unusable declines a bank account for a reason in Stripe's words.
func unusable(raw string) processor.Answer {
	return declined("bank_account_unusable", cmp.Or(raw, "unknown"))
}

// notVerified is the processor code of a debit that is declined because Stripe has not verified the bank account.
const notVerified = "not_verified"

// bankRefused is the outcome of a request about a bank account that Stripe refused before any money could move.
func bankRefused(request string, err error) (processor.Answer, error) {
	e, ok := final(err)
	if !ok {
		return processor.Answer{}, problem(request, err)
	}
	return unusable(cmp.Or(string(e.DeclineCode), string(e.Code))), nil
}

// Debit implements [processor.Debits]. It debits only bank accounts that Stripe verified on the same Stripe account.
func (a *Adapter) Debit(ctx context.Context, d processor.Debit) (processor.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	c, id, err := a.at(ctx, d.Account)
	if err != nil {
		return processor.Answer{}, err
	}
	if d.Verification == "" {
		return unusable(notVerified), nil
	}
	setup, err := readSetup(ctx, c, d.Verification)
	switch {
	case errors.Is(err, processor.ErrNotFound):
		return unusable(notVerified), nil
	case err != nil:
		return processor.Answer{}, err
	case setup.Status != sdk.SetupIntentStatusSucceeded, setup.Customer == nil, setup.PaymentMethod == nil,
		setup.Mandate == nil:
		return unusable(notVerified), nil
	}
	intent, err := c.V1PaymentIntents.Create(ctx, debitParams(d, id, setup.Customer.ID))
	if err != nil {
		return intentRefused(err)
	}
	if intent.LastResponse.Header.Get("Idempotent-Replayed") != "" {
		if answer, err := readOutcome(ctx, c, intent.ID); !errors.Is(err, errUnconfirmed) {
			return answer, err
		}
	}
	p := &sdk.PaymentIntentConfirmParams{PaymentMethod: sdk.String(setup.PaymentMethod.ID),
		Mandate:    sdk.String(setup.Mandate.ID),
		OffSession: sdk.Bool(true), ErrorOnRequiresAction: sdk.Bool(true)}
	p.AddExpand("latest_charge")
	p.SetIdempotencyKey(d.Reference + ":confirm")
	confirmed, err := c.V1PaymentIntents.Confirm(ctx, intent.ID, p)
	if err != nil {
		return debitRefused(ctx, c, intent.ID, err)
	}
	return outcome(confirmed)
}

// shortestDescriptor is Stripe's minimum length of a statement descriptor.
const shortestDescriptor = 5

func debitParams(d processor.Debit, id, customer string) *sdk.PaymentIntentCreateParams {
	p := &sdk.PaymentIntentCreateParams{Amount: sdk.Int64(int64(d.Amount)), Currency: sdk.String(string(d.Currency)),
		Customer: sdk.String(customer), PaymentMethodTypes: sdk.StringSlice([]string{string(methodOf(d.Bank.Scheme))}),
		TransferGroup: sdk.String(d.Reference),
		Metadata:      marked(d.Reference, id)}
	text := processor.Cut(plain(d.Descriptor), processor.StandardTerms().StatementLength)
	if len(text) >= shortestDescriptor && strings.ContainsFunc(text, isLetter) {
		p.StatementDescriptor = sdk.String(text)
	}
	p.SetIdempotencyKey(d.Reference)
	return p
}

// intentRefused is the outcome of a debit whose PaymentIntent Stripe refused to make. That is no fault of the bank
// account.
func intentRefused(err error) (processor.Answer, error) {
	e, ok := final(err)
	if !ok {
		return processor.Answer{}, problem("create payment_intent", err)
	}
	return declined(otherRefusal, cmp.Or(string(e.Code), "unknown")), nil
}

// debitRefused is the outcome of a debit whose confirmation failed. A debit that Stripe refuses without trying it, for
// example because the payer revoked the mandate, stays unconfirmed; no other call confirms it.
func debitRefused(ctx context.Context, c *sdk.Client, intent string, err error) (processor.Answer, error) {
	e, ok := final(err)
	if !ok {
		return processor.Answer{}, problem("confirm payment_intent", err)
	}
	answer, readErr := readOutcome(ctx, c, intent)
	switch {
	case readErr == nil:
		return answer, nil
	case errors.Is(readErr, errUnconfirmed) && e.Code != sdk.ErrorCodePaymentIntentUnexpectedState:
		return unusable(cmp.Or(string(e.DeclineCode), string(e.Code))), nil
	}
	return processor.Answer{}, problem("confirm payment_intent", err)
}

// readDebit reads how a debit ended. Events of other payments are not followed (see [followed]).
func readDebit(ctx context.Context, c *sdk.Client, b body) (processor.Event, error) {
	i, err := readIntent(ctx, c, b.Object)
	if errors.Is(err, processor.ErrNotFound) {
		return processor.Event{}, nil
	}
	if err != nil || !isDebit(i) {
		return processor.Event{}, err
	}
	e := processor.Event{Reference: referenceIn(i.Metadata, b.account)}
	switch i.Status {
	case sdk.PaymentIntentStatusSucceeded:
		e.Kind = processor.ChargeSettled
	case sdk.PaymentIntentStatusRequiresPaymentMethod:
		e.Kind, e.RawCode = processor.DebitReturned, failureCode(i)
		e.ReturnCode = debitCode(schemeOf(i.PaymentMethodTypes), e.RawCode)
	}
	return e, nil
}

// failureCode is Stripe's code of the reason why a debit failed.
func failureCode(i *sdk.PaymentIntent) string {
	code := ""
	if e := i.LastPaymentError; e != nil {
		code = cmp.Or(string(e.DeclineCode), string(e.Code))
	}
	if i.LatestCharge != nil {
		code = cmp.Or(i.LatestCharge.FailureCode, code)
	}
	return code
}

// debitCodes maps Stripe's reasons of a failed or disputed debit to the return codes of ACH and ACSS.
var debitCodes = map[string][2]string{
	"insufficient_funds":                   {"R01", "901"},
	"account_closed":                       {"R02", "905"},
	"no_account":                           {"R03", "902"},
	"incorrect_account_details":            {"R03", "902"},
	"tokenized_account_number_deactivated": {"R04", "912"},
	"debit_not_authorized":                 {"R10", "915"},
	"customer_initiated":                   {"R10", "915"},
	"bank_ownership_changed":               {"R12", "902"},
	"bank_account_restricted":              {"R16", "911"},
	"bank_account_unusable":                {"R20", "907"},
}

// DebitCodes returns the return codes of ACH and ACSS by Stripe's reason.
func DebitCodes() map[string][2]string { return debitCodes }

// unprocessed are the return codes for any other reason. They say nothing about the bank account.
var unprocessed = [2]string{"R17", "900"}

func debitCode(s processor.Scheme, reason string) string {
	codes, known := debitCodes[reason]
	if !known {
		codes = unprocessed
	}
	if s == processor.ACSS {
		return codes[1]
	}
	return codes[0]
}

// disputedDebit returns the event of a debit that the payer's bank reversed after it succeeded. Such a dispute is
// final: there is no response to it. The created and the closed event report the same, and the second changes nothing.
// A debit is returned as a whole, so a dispute of another amount is an error, which an operator resolves.
func disputedDebit(b body, d *sdk.Dispute) ([]processor.Event, error) {
	if b.Type != sdk.EventTypeChargeDisputeCreated && b.Type != sdk.EventTypeChargeDisputeClosed {
		return nil, nil
	}
	switch d.Status {
	case sdk.DisputeStatusNeedsResponse, sdk.DisputeStatusUnderReview, sdk.DisputeStatusLost:
	default:
		return nil, nil
	}
	i := d.PaymentIntent
	if d.Amount != i.Amount || d.Currency != i.Currency {
		return nil, fmt.Errorf("stripe: %s is of another amount than its debit", d.ID)
	}
	reason := string(d.Reason)
	return []processor.Event{
		{Kind: processor.DebitReturned, Reference: referenceIn(i.Metadata, b.account), Settled: true, RawCode: reason,
			ReturnCode: disputeCode(schemeOf(i.PaymentMethodTypes), reason)}}, nil
}

// disputeCode is the return code of a dispute's reason. Without a clear reason, the payer did not authorize the debit:
// the mandate is no longer valid.
func disputeCode(s processor.Scheme, reason string) string {
	if _, known := debitCodes[reason]; !known && reason != "bank_cannot_process" {
		reason = "debit_not_authorized"
	}
	return debitCode(s, reason)
}
