package stripe

import (
	"context"
	"errors"
	"fmt"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	"svcpay/internal/ids"
	"svcpay/internal/processor"
)

// clockSkew is how much our clock and Stripe's may differ.
const clockSkew = time.Minute

// longestList is how many objects a look-up reads before it gives up.
const longestList = 2000

// eventTypes are those of the events that captures and voids make.
var eventTypes = []string{string(sdk.EventTypePaymentIntentSucceeded), string(sdk.EventTypePaymentIntentCanceled)}

// Lookup implements [processor.Adapter]. References say when they were made, so Stripe's lists are read around that time.
// A payment without a confirmation is canceled once its call has ended: it can never happen then. A follow-up call that
// Stripe refused is not found: nothing happened.
func (a *Adapter) Lookup(ctx context.Context, account processor.Account, reference string) (processor.Answer, error) {
	at, err := parse(ctx, reference)
	if err != nil {
		return processor.Answer{}, err
	}
	c, err := a.at(ctx, account)
	if err != nil {
		return processor.Answer{}, err
	}
	for _, find := range []func(context.Context, *sdk.Client, ids.Operation) (processor.Answer, error){
		a.findAuthorization, findRefund, findFollowUp, a.findUnconfirmed,
	} {
		if answer, err := find(ctx, c, at); !errors.Is(err, processor.ErrNotFound) {
			return answer, err
		}
	}
	return processor.Answer{}, processor.ErrNotFound
}

// parse reads a reference, which says when it was made. No other reference was ever sent.
func parse(ctx context.Context, reference string) (at ids.Operation, err error) {
	if err := ctx.Err(); err != nil {
		return at, fmt.Errorf("stripe: %w", err)
	}
	if at.UnmarshalText([]byte(reference)) != nil {
		return at, processor.ErrNotFound
	}
	return at, nil
}

// around is the time at which Stripe got a call of that reference.
func around(reference ids.Operation) *sdk.RangeQueryParams {
	at := reference.Time()
	return &sdk.RangeQueryParams{GreaterThanOrEqual: at.Add(-clockSkew).Unix(), LesserThanOrEqual: at.Add(settleWindow + clockSkew).Unix()}
}

// first returns the first object of a list that match accepts, or ErrNotFound.
func first[T any](ctx context.Context, list *sdk.V1List[T], request string, match func(T) bool) (found T, err error) {
	n := 0
	for object, err := range list.All(ctx) {
		switch n++; {
		case err != nil:
			return found, problem(request, err)
		case match(object):
			return object, nil
		case n >= longestList:
			return found, fmt.Errorf("stripe: %s: not among the first %d", request, longestList)
		}
	}
	return found, processor.ErrNotFound
}

// chargedIntent is the id of the intent of that reference, if a payment was tried.
func chargedIntent(ctx context.Context, c *sdk.Client, reference string) (string, error) {
	p := &sdk.ChargeListParams{TransferGroup: sdk.String(reference)}
	charge, err := first(ctx, c.V1Charges.List(ctx, p), "list charges", func(ch *sdk.Charge) bool { return ch.PaymentIntent != nil })
	if err != nil {
		return "", err
	}
	return charge.PaymentIntent.ID, nil
}

func (a *Adapter) findAuthorization(ctx context.Context, c *sdk.Client, at ids.Operation) (processor.Answer, error) {
	id, err := chargedIntent(ctx, c, at.String())
	if err != nil {
		return processor.Answer{}, err
	}
	return readOutcome(ctx, c, id)
}

func findRefund(ctx context.Context, c *sdk.Client, at ids.Operation) (processor.Answer, error) {
	p := &sdk.RefundListParams{CreatedRange: around(at)}
	p.Limit = sdk.Int64(pageSize)
	r, err := first(ctx, c.V1Refunds.List(ctx, p), "list refunds", func(r *sdk.Refund) bool { return r.Metadata[ourReference] == at.String() })
	if err != nil {
		return processor.Answer{}, err
	}
	return processor.Answer{Approved: true, ExternalID: r.ID}, nil
}

// event finds the event that a capture or void of that reference made.
func event(ctx context.Context, c *sdk.Client, at ids.Operation) (*sdk.Event, error) {
	p := &sdk.EventListParams{CreatedRange: around(at), Types: sdk.StringSlice(eventTypes)}
	p.Limit = sdk.Int64(pageSize)
	return first(ctx, c.V1Events.List(ctx, p), "list events", func(e *sdk.Event) bool {
		return e.Request != nil && e.Request.IdempotencyKey == at.String()
	})
}

// member is a text of the object that an event is about; "" if it has none.
func member(e *sdk.Event, name string) string {
	if e.Data == nil {
		return ""
	}
	text, _ := e.Data.Object[name].(string)
	return text
}

func findFollowUp(ctx context.Context, c *sdk.Client, at ids.Operation) (processor.Answer, error) {
	e, err := event(ctx, c, at)
	if err != nil {
		return processor.Answer{}, err
	}
	answer := processor.Answer{Approved: true}
	if e.Type == sdk.EventTypePaymentIntentSucceeded {
		answer.ExternalID = member(e, "latest_charge")
	}
	return answer, nil
}

// findUnconfirmed finds an intent for which no payment was tried, and fences it if no call is in progress any more.
func (a *Adapter) findUnconfirmed(ctx context.Context, c *sdk.Client, at ids.Operation) (processor.Answer, error) {
	p := &sdk.PaymentIntentListParams{CreatedRange: around(at)}
	p.Limit = sdk.Int64(pageSize)
	found, err := first(ctx, c.V1PaymentIntents.List(ctx, p), "list payment_intents",
		func(i *sdk.PaymentIntent) bool { return i.Metadata[ourReference] == at.String() })
	if err != nil {
		return processor.Answer{}, err
	}
	answer, err := readOutcome(ctx, c, found.ID)
	switch {
	case !errors.Is(err, errUnconfirmed):
		return answer, err
	case a.config.Now().Sub(time.Unix(found.Created, 0)) < fenceAfter:
		return answer, fmt.Errorf("stripe: %s may still be confirmed", found.ID)
	}
	cancel := &sdk.PaymentIntentCancelParams{CancellationReason: sdk.String(string(fenced))}
	if _, err := c.V1PaymentIntents.Cancel(ctx, found.ID, cancel); err != nil {
		return answer, problem("cancel payment_intent", err) // the next look-up finds out what it is
	}
	return answer, processor.ErrNotFound
}

// intentBy finds a payment by its reference, or by that of its capture.
func (a *Adapter) intentBy(ctx context.Context, c *sdk.Client, reference string) (string, error) {
	at, err := parse(ctx, reference)
	if err != nil {
		return "", err
	}
	id, err := chargedIntent(ctx, c, reference)
	if !errors.Is(err, processor.ErrNotFound) {
		return id, err
	}
	e, err := event(ctx, c, at)
	if err != nil {
		return "", err
	}
	return member(e, "id"), nil
}
