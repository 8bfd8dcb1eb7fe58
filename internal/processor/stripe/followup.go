package stripe

import (
	"context"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/stripe/stripe-go/v85"

	"svcpay/internal/money"
	"svcpay/internal/processor"
)

// The decline codes of follow-up calls.
const (
	noOriginal     = "original_not_found"
	notApproved    = "original_not_approved"
	otherCurrency  = "currency_mismatch"
	captured       = "already_captured"
	voided         = "already_voided"
	expired        = "authorization_expired"
	overAuthorized = "capture_exceeds_authorized"
	overCaptured   = "refund_exceeds_captured"
	notWhole       = "void_not_whole"
	tooLate        = "too_late_to_void"
	otherRefusal   = "processing_error"
)

// Capture implements [processor.Payments].
func (a *Adapter) Capture(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	return a.follow(ctx, f, step{
		judge: func(i *sdk.PaymentIntent) string { return judgeCapture(i, f) },
		limit: func(i *sdk.PaymentIntent) string {
			if int64(f.Amount) > i.Amount {
				return overAuthorized
			}
			return ""
		},
		request: func(ctx context.Context, c *sdk.Client, i *sdk.PaymentIntent, _ string) (string, error) {
			p := &sdk.PaymentIntentCaptureParams{AmountToCapture: sdk.Int64(int64(f.Amount)),
				Metadata: map[string]string{ourCapture: f.Reference}}
			p.SetIdempotencyKey(f.Reference)
			done, err := c.V1PaymentIntents.Capture(ctx, i.ID, p)
			switch {
			case err != nil:
				return "", err
			case done.Status != sdk.PaymentIntentStatusSucceeded || done.LatestCharge == nil:
				return "", fmt.Errorf("stripe: the captured %s is %s", i.ID, done.Status)
			}
			return done.LatestCharge.ID, nil
		}})
}

// Void implements [processor.Payments].
func (a *Adapter) Void(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	return a.follow(ctx, f, step{
		judge: judgeVoid,
		limit: func(i *sdk.PaymentIntent) string {
			if int64(f.Amount) != i.Amount {
				return notWhole
			}
			if i.Status == sdk.PaymentIntentStatusRequiresPaymentMethod {
				return notApproved // Stripe would cancel it
			}
			return ""
		},
		request: func(ctx context.Context, c *sdk.Client, i *sdk.PaymentIntent, _ string) (string, error) {
			p := &sdk.PaymentIntentCancelParams{
				CancellationReason: sdk.String(string(sdk.PaymentIntentCancellationReasonRequestedByCustomer))}
			p.SetIdempotencyKey(f.Reference)
			done, err := c.V1PaymentIntents.Cancel(ctx, i.ID, p)
			if err == nil && done.Status != sdk.PaymentIntentStatusCanceled {
				err = fmt.Errorf("stripe: the canceled %s is %s", i.ID, done.Status)
			}
			return "", err
		}})
}

// Refund implements [processor.Payments].
func (a *Adapter) Refund(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	return a.follow(ctx, f, step{
		judge: func(i *sdk.PaymentIntent) string {
			if f.Amount > refundable(i) {
				return overCaptured
			}
			return ""
		},
		limit: func(i *sdk.PaymentIntent) string {
			if i.Status == sdk.PaymentIntentStatusSucceeded || i.Status == sdk.PaymentIntentStatusProcessing &&
				isDebit(i) {
				return ""
			}
			return overCaptured // Stripe would release the rest of a hold
		},
		request: func(ctx context.Context, c *sdk.Client, i *sdk.PaymentIntent, account string) (string, error) {
			p := &sdk.RefundCreateParams{PaymentIntent: sdk.String(i.ID), Amount: sdk.Int64(int64(f.Amount)),
				Metadata: marked(f.Reference, account)}
			p.SetIdempotencyKey(f.Reference)
			r, err := c.V1Refunds.Create(ctx, p)
			switch {
			case err != nil:
				return "", err
			case r.ID == "":
				return "", fmt.Errorf("stripe: the refund of %s has no id", i.ID)
			}
			return r.ID, nil
		}})
}

// step is a follow-up call.
type step struct {
	// limit refuses before anything is sent, whatever was done to the payment. judge says why Stripe refused.
	limit, judge func(*sdk.PaymentIntent) string
	// request makes the call, and returns the id of what it made. account is the ID of our record of the account.
	request func(ctx context.Context, c *sdk.Client, i *sdk.PaymentIntent, account string) (string, error)
}

// follow makes a follow-up call: Stripe decides, and what it refused is read again for the reason. So a repeated
// reference gets its first answer from Stripe.
func (a *Adapter) follow(ctx context.Context, f processor.FollowUp, s step) (processor.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	c, account, err := a.at(ctx, f.Account)
	if err != nil {
		return processor.Answer{}, err
	}
	intent, err := a.original(ctx, c, f)
	if errors.Is(err, processor.ErrNotFound) {
		return followDeclined(noOriginal), nil
	}
	if err != nil {
		return processor.Answer{}, err
	}
	if string(intent.Currency) != string(f.Currency) {
		return followDeclined(otherCurrency), nil
	}
	if code := s.limit(intent); code != "" {
		return followDeclined(code), nil
	}
	id, err := s.request(ctx, c, intent, account)
	if err == nil {
		return processor.Answer{Approved: true, ExternalID: id}, nil
	}
	e, ok := final(err)
	if !ok {
		return processor.Answer{}, problem("follow-up of "+intent.ID, err)
	}
	if intent, err = readIntent(ctx, c, intent.ID); err != nil {
		return processor.Answer{}, err
	}
	answer := followDeclined(otherRefusal)
	if code := s.judge(intent); code != "" {
		answer = followDeclined(code)
	}
	if e.Code != "" {
		answer.RawCode = string(e.Code)
	}
	return answer, nil
}

func followDeclined(code string) processor.Answer {
	return processor.Answer{DeclineCode: code, RawCode: code}
}

func judgeCapture(i *sdk.PaymentIntent, f processor.FollowUp) string {
	switch {
	case i.Status == sdk.PaymentIntentStatusSucceeded:
		return captured
	case i.Status == sdk.PaymentIntentStatusCanceled:
		return canceledBy(i)
	case i.Status != sdk.PaymentIntentStatusRequiresCapture:
		return notApproved
	case int64(f.Amount) > i.AmountCapturable:
		return overAuthorized
	}
	return ""
}

func judgeVoid(i *sdk.PaymentIntent) string {
	switch i.Status {
	case sdk.PaymentIntentStatusSucceeded:
		return captured
	case sdk.PaymentIntentStatusCanceled:
		return canceledBy(i)
	case sdk.PaymentIntentStatusProcessing:
		if isDebit(i) {
			return tooLate
		}
	}
	return ""
}

// canceledBy says why an intent that is canceled can't be captured or voided.
func canceledBy(i *sdk.PaymentIntent) string {
	if r := i.CancellationReason; r == sdk.PaymentIntentCancellationReasonAutomatic ||
		r == sdk.PaymentIntentCancellationReasonExpired {
		return expired
	}
	return voided
}

// refundable is what of a payment was captured and not refunded.
func refundable(i *sdk.PaymentIntent) money.Amount {
	switch {
	case i.LatestCharge == nil:
		return 0
	case isDebit(i): // always the full amount
		return money.Amount(i.Amount - i.LatestCharge.AmountRefunded)
	}
	return money.Amount(i.LatestCharge.AmountCaptured - i.LatestCharge.AmountRefunded)
}

// original reads the payment that a follow-up call is about, or returns ErrNotFound. If the call names it by Stripe's
// id, that must be of the payment that our reference names.
func (a *Adapter) original(ctx context.Context, c *sdk.Client, f processor.FollowUp) (*sdk.PaymentIntent, error) {
	id := f.OriginalID
	if strings.HasPrefix(id, "ch_") {
		charge, err := c.V1Charges.Retrieve(ctx, id, nil)
		switch {
		case isMissing(err):
			return nil, processor.ErrNotFound
		case err != nil:
			return nil, problem("retrieve charge", err)
		case charge.PaymentIntent == nil:
			return nil, processor.ErrNotFound
		}
		id = charge.PaymentIntent.ID
	}
	if id == "" {
		found, err := a.intentBy(ctx, c, f.Original)
		if err != nil {
			return nil, err
		}
		id = found
	}
	if !strings.HasPrefix(id, "pi_") {
		return nil, processor.ErrNotFound
	}
	intent, err := readIntent(ctx, c, id)
	if err != nil {
		return nil, err
	}
	if intent.Metadata[ourReference] != f.Original && intent.Metadata[ourCapture] != f.Original {
		return nil, processor.ErrNotFound
	}
	return intent, nil
}
