package stripe

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	"svcpay/internal/processor"
)

// Authorize implements [processor.Payments]. A reference that was used within a day is not paid again: its outcome is
// returned.
func (a *Adapter) Authorize(ctx context.Context, in processor.Authorization) (processor.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	ofWallet := !in.Card.Cryptogram.IsZero()
	if ofWallet {
		granted, err := a.granted(ctx, in.Account, processor.GrantWalletTokens)
		switch {
		case err != nil:
			return processor.Answer{}, err
		case !granted, tokenizations[in.Card.Wallet] == "":
			return declined("generic_decline", "wallet_not_supported"), nil
		}
	}
	c, id, err := a.at(ctx, in.Account)
	if err != nil {
		return processor.Answer{}, err
	}
	intent, err := c.V1PaymentIntents.Create(ctx, intentParams(in, id))
	if err != nil {
		return refused("create payment_intent", err)
	}
	if intent.LastResponse.Header.Get("Idempotent-Replayed") != "" {
		if answer, err := readOutcome(ctx, c, intent.ID); !errors.Is(err, errUnconfirmed) {
			return answer, err
		}
	}
	var p *sdk.PaymentIntentConfirmParams
	if ofWallet {
		p = confirmParams(in, "")
		walletParams(p, in.Card)
	} else {
		method, err := c.V1PaymentMethods.Create(ctx, methodParams(in.Card))
		if err != nil {
			return refused("create payment_method", err)
		}
		p = confirmParams(in, method.ID)
	}
	if in.NetworkTransactionID != "" && (in.Stored == processor.Recurring || in.Stored == processor.Unscheduled) {
		granted, err := a.granted(ctx, in.Account, processor.GrantNetworkTransactionID)
		if err != nil {
			return processor.Answer{}, err
		}
		if granted {
			linked(p, in)
		}
	}
	confirmed, err := c.V1PaymentIntents.Confirm(ctx, intent.ID, p)
	if err != nil {
		return confirmRefused(ctx, c, intent.ID, err)
	}
	return outcome(confirmed)
}

// suffixLength is how much of a descriptor follows the prefix of an account, which has up to 10 characters, and "* ":
// 22 is the most in all.
const suffixLength = 10

func intentParams(in processor.Authorization, id string) *sdk.PaymentIntentCreateParams {
	p := &sdk.PaymentIntentCreateParams{Amount: sdk.Int64(int64(in.Amount)), Currency: sdk.String(string(in.Currency)),
		PaymentMethodTypes: sdk.StringSlice([]string{"card"}), CaptureMethod: sdk.String("manual"),
		TransferGroup: sdk.String(in.Reference), Metadata: marked(in.Reference, id)}
	if in.Capture {
		p.CaptureMethod = sdk.String("automatic")
	}
	if in.OnBehalfOf != "" {
		p.OnBehalfOf = sdk.String(in.OnBehalfOf)
	}
	if text := processor.Cut(plain(in.Descriptor), suffixLength); strings.ContainsFunc(text, isLetter) {
		p.StatementDescriptorSuffix = sdk.String(text)
	}
	p.SetIdempotencyKey(in.Reference)
	return p
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

func methodParams(c processor.Card) *sdk.PaymentMethodCreateParams {
	p := &sdk.PaymentMethodCreateParams{Type: sdk.String("card"), Card: &sdk.PaymentMethodCreateCardParams{
		Number: sdk.String(c.PAN.Reveal()), ExpMonth: sdk.Int64(int64(c.ExpMonth)),
		ExpYear: sdk.Int64(int64(c.ExpYear))}}
	if !c.CVC.IsZero() {
		p.Card.CVC = sdk.String(c.CVC.Reveal())
	}
	if c.Line1 != "" || c.Zip != "" {
		p.BillingDetails = &sdk.PaymentMethodCreateBillingDetailsParams{Address: &sdk.AddressParams{}}
		if c.Line1 != "" {
			p.BillingDetails.Address.Line1 = sdk.String(c.Line1)
		}
		if c.Zip != "" {
			p.BillingDetails.Address.PostalCode = sdk.String(c.Zip)
		}
	}
	return p
}

// confirmParams confirms a payment. A payment that needs a step of the payer, such as 3-D Secure, is declined.
func confirmParams(in processor.Authorization, method string) *sdk.PaymentIntentConfirmParams {
	p := &sdk.PaymentIntentConfirmParams{PaymentMethod: sdk.String(method), ErrorOnRequiresAction: sdk.Bool(true)}
	switch in.Stored {
	case processor.Initial:
		p.SetupFutureUsage = sdk.String("off_session")
	case processor.Recurring, processor.Unscheduled:
		p.OffSession = sdk.Bool(true)
	}
	p.AddExpand("latest_charge")
	p.SetIdempotencyKey(in.Reference + ":confirm")
	return p
}

// refused is the outcome of a request that Stripe refused before any money could move.
func refused(request string, err error) (processor.Answer, error) {
	e, ok := final(err)
	if !ok {
		return processor.Answer{}, problem(request, err)
	}
	return declineOf(string(e.DeclineCode), string(e.Code)), nil
}

// confirmRefused is the outcome of a confirmation with an error. The intent says it, with the issuer's checks.
func confirmRefused(ctx context.Context, c *sdk.Client, intent string, err error) (processor.Answer, error) {
	e, ok := final(err)
	if !ok {
		return processor.Answer{}, problem("confirm payment_intent", err)
	}
	answer, readErr := readOutcome(ctx, c, intent)
	switch {
	case readErr == nil:
		return answer, nil
	case e.Type == sdk.ErrorTypeCard:
		return declineOf(string(e.DeclineCode), string(e.Code)), nil
	}
	return processor.Answer{}, problem("confirm payment_intent", err)
}

// errUnconfirmed is of an intent for which no payment was tried, or that waits for a step of the payer.
var errUnconfirmed = errors.New("stripe: the payment was not confirmed")

// readOutcome reads an intent and returns the outcome of its authorization.
func readOutcome(ctx context.Context, c *sdk.Client, intent string) (processor.Answer, error) {
	read, err := readIntent(ctx, c, intent)
	if err != nil {
		return processor.Answer{}, err
	}
	return outcome(read)
}

func readIntent(ctx context.Context, c *sdk.Client, id string) (*sdk.PaymentIntent, error) {
	p := &sdk.PaymentIntentRetrieveParams{}
	p.AddExpand("latest_charge")
	intent, err := c.V1PaymentIntents.Retrieve(ctx, id, p)
	if err != nil && !isMissing(err) {
		return nil, problem("retrieve payment_intent", err)
	}
	if err != nil {
		return nil, processor.ErrNotFound
	}
	return intent, nil
}

// fenced is the reason with which intents are canceled that must never be confirmed.
const fenced = sdk.PaymentIntentCancellationReasonAbandoned

// outcome is that of an intent's authorization or debit, regardless of later calls. It returns errUnconfirmed,
// ErrNotFound for a fenced intent, or another error while the outcome is pending. A debit is approved once Stripe
// processes it.
func outcome(intent *sdk.PaymentIntent) (processor.Answer, error) {
	charge := intent.LatestCharge
	switch intent.Status {
	case sdk.PaymentIntentStatusSucceeded, sdk.PaymentIntentStatusRequiresCapture:
		return approval(intent), nil
	case sdk.PaymentIntentStatusCanceled:
		if charge == nil || intent.CancellationReason == fenced {
			return processor.Answer{}, processor.ErrNotFound
		}
		if charge.Status == sdk.ChargeStatusSucceeded || isDebit(intent) && intent.LastPaymentError == nil {
			return approval(intent), nil
		}
	case sdk.PaymentIntentStatusRequiresAction:
		return processor.Answer{}, errUnconfirmed
	case sdk.PaymentIntentStatusProcessing:
		if isDebit(intent) {
			return approval(intent), nil
		}
		return processor.Answer{}, fmt.Errorf("stripe: %s is in the status %s", intent.ID, intent.Status)
	}
	if intent.LastPaymentError == nil && charge == nil {
		return processor.Answer{}, errUnconfirmed
	}
	return decline(intent), nil
}

func approval(intent *sdk.PaymentIntent) processor.Answer {
	answer := processor.Answer{Approved: true, ExternalID: intent.ID, Checks: checksOf(intent.LatestCharge)}
	card := cardOf(intent.LatestCharge)
	if card == nil {
		return answer
	}
	answer.NetworkTransactionID, answer.AuthorizationCode = card.NetworkTransactionID, card.AuthorizationCode
	if card.CaptureBefore != 0 && intent.CaptureMethod == sdk.PaymentIntentCaptureMethodManual {
		answer.ExpiresAt = time.Unix(card.CaptureBefore, 0).UTC()
	}
	return answer
}

func decline(intent *sdk.PaymentIntent) processor.Answer {
	if isDebit(intent) {
		return unusable(failureCode(intent))
	}
	code, reason := "", ""
	if e := intent.LastPaymentError; e != nil {
		code, reason = string(e.Code), string(e.DeclineCode)
	}
	charge := intent.LatestCharge
	answer := declineOf(reason, code)
	answer.Checks = checksOf(charge)
	if charge != nil && charge.Outcome != nil && charge.Outcome.Type == "blocked" {
		answer.DeclineCode, answer.RawCode = "generic_decline", "blocked_"+charge.Outcome.Reason
	}
	return answer
}

func cardOf(charge *sdk.Charge) *sdk.ChargePaymentMethodDetailsCard {
	if charge == nil || charge.PaymentMethodDetails == nil {
		return nil
	}
	return charge.PaymentMethodDetails.Card
}

func checksOf(charge *sdk.Charge) processor.Checks {
	none := processor.Unavailable
	card := cardOf(charge)
	if card == nil || card.Checks == nil {
		return processor.Checks{CVC: none, AddressLine1: none, AddressZip: none}
	}
	return processor.Checks{CVC: checkOf(string(card.Checks.CVCCheck)),
		AddressLine1: checkOf(string(card.Checks.AddressLine1Check)),
		AddressZip:   checkOf(string(card.Checks.AddressPostalCodeCheck))}
}

func checkOf(text string) processor.CheckResult {
	switch result := processor.CheckResult(text); result {
	case processor.Pass, processor.Fail:
		return result
	}
	return processor.Unavailable // unavailable, unchecked, or nothing was submitted
}
