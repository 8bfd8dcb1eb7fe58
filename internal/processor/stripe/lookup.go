package stripe

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"
	sdk "github.com/stripe/stripe-go/v85"

	"svcpay/internal/processor"
)

// clockSkew is how much our clock and Stripe's may differ.
const clockSkew = time.Minute

// longestList is how many objects of one list a look-up reads before it gives up.
const longestList = 2000

// submission is one of our calls, as its reference names it.
type submission struct {
	reference string
	kind      string    // the prefix of the reference: ch for an authorization, re for a refund, op for other calls
	at        time.Time // when the reference was made
}

// eventTypes are the types of the events that captures, voids and responses to disputes cause.
var eventTypes = []string{string(sdk.EventTypePaymentIntentSucceeded), string(sdk.EventTypePaymentIntentCanceled),
	string(sdk.EventTypeChargeDisputeUpdated), string(sdk.EventTypeChargeDisputeClosed)}

// Lookup implements [processor.Adapter]. References say when they were made, so Stripe's lists are read around that
// time. A payment without a confirmation is canceled once its call has ended: it can never happen then. A follow-up
// call that Stripe refused is not found: nothing happened.
func (a *Adapter) Lookup(ctx context.Context, account processor.Account, reference string) (processor.Answer, error) {
	s, err := parse(ctx, reference)
	if err != nil {
		return processor.Answer{}, err
	}
	k, err := a.keysAt(ctx, account)
	if err != nil {
		return processor.Answer{}, err
	}
	if k.platform != "" {
		return a.findPayout(ctx, account, k, s)
	}
	c := a.client(k.secret)
	finds := []func(context.Context, *sdk.Client, submission) (processor.Answer, error){findAuthorization, findRefund,
		findFollowUp, findResponse,
		a.findUnconfirmed}
	switch s.kind {
	case "ch":
		finds = []func(context.Context, *sdk.Client, submission) (processor.Answer, error){
			findAuthorization, a.findUnconfirmed}
	case "re":
		finds = finds[1:2]
	}
	for _, find := range finds {
		if answer, err := find(ctx, c, s); !errors.Is(err, processor.ErrNotFound) {
			return answer, err
		}
	}
	return processor.Answer{}, processor.ErrNotFound
}

// parse reads a reference: a prefix and a ULID, whatever it is of. No other reference was ever sent.
func parse(ctx context.Context, reference string) (submission, error) {
	if err := ctx.Err(); err != nil {
		return submission{}, fmt.Errorf("stripe: %w", err)
	}
	kind, text, _ := strings.Cut(reference, "_")
	id, err := ulid.ParseStrict(text)
	if err != nil {
		return submission{}, processor.ErrNotFound
	}
	return submission{reference, kind, ulid.Time(id.Time())}, nil
}

// created is the time in which Stripe got the call. A refund may have waited before it was sent.
func (s submission) created() *sdk.RangeQueryParams {
	r := &sdk.RangeQueryParams{GreaterThanOrEqual: s.at.Add(-clockSkew).Unix()}
	if s.kind != "re" {
		r.LesserThanOrEqual = s.at.Add(settleWindow + clockSkew).Unix()
	}
	return r
}

// first returns the first object of a list that match accepts, or ErrNotFound. The error is errForbidden if the key may
// not read the list.
func first[T any](ctx context.Context, list *sdk.V1List[T], request string, match func(T) bool) (found T, err error) {
	n := 0
	for object, err := range list.All(ctx) {
		switch n++; {
		case isForbidden(err):
			return found, fmt.Errorf("%w: %w", errForbidden, problem(request, err))
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
	charge, err := first(ctx, c.V1Charges.List(ctx, p), "list charges",
		func(ch *sdk.Charge) bool { return ch.PaymentIntent != nil })
	if err != nil {
		return "", err
	}
	return charge.PaymentIntent.ID, nil
}

func findAuthorization(ctx context.Context, c *sdk.Client, s submission) (processor.Answer, error) {
	id, err := chargedIntent(ctx, c, s.reference)
	if err != nil {
		return processor.Answer{}, err
	}
	return readOutcome(ctx, c, id)
}

func findRefund(ctx context.Context, c *sdk.Client, s submission) (processor.Answer, error) {
	p := &sdk.RefundListParams{CreatedRange: s.created()}
	p.Limit = sdk.Int64(pageSize)
	r, err := first(ctx, c.V1Refunds.List(ctx, p), "list refunds",
		func(r *sdk.Refund) bool { return r.Metadata[ourReference] == s.reference })
	if err != nil {
		return processor.Answer{}, err
	}
	return processor.Answer{Approved: true, ExternalID: r.ID}, nil
}

// event finds the event of a capture, a void or a response with that reference.
func event(ctx context.Context, c *sdk.Client, s submission) (*sdk.Event, error) {
	p := &sdk.EventListParams{CreatedRange: s.created(), Types: sdk.StringSlice(eventTypes)}
	p.Limit = sdk.Int64(pageSize)
	return first(ctx, c.V1Events.List(ctx, p), "list events", func(e *sdk.Event) bool {
		return e.Request != nil && e.Request.IdempotencyKey == s.reference
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

func findFollowUp(ctx context.Context, c *sdk.Client, s submission) (processor.Answer, error) {
	e, err := event(ctx, c, s)
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
func (a *Adapter) findUnconfirmed(ctx context.Context, c *sdk.Client, s submission) (processor.Answer, error) {
	p := &sdk.PaymentIntentListParams{CreatedRange: s.created()}
	p.Limit = sdk.Int64(pageSize)
	found, err := first(ctx, c.V1PaymentIntents.List(ctx, p), "list payment_intents",
		func(i *sdk.PaymentIntent) bool { return i.Metadata[ourReference] == s.reference })
	if err != nil {
		return processor.Answer{}, err
	}
	answer, err := readOutcome(ctx, c, found.ID)
	switch {
	case !errors.Is(err, errUnconfirmed):
		return answer, err
	case a.config.Now().Sub(s.at) < a.config.Times.Fence:
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
	s, err := parse(ctx, reference)
	if err != nil {
		return "", err
	}
	id, err := chargedIntent(ctx, c, reference)
	if !errors.Is(err, processor.ErrNotFound) {
		return id, err
	}
	e, err := event(ctx, c, s)
	if err != nil {
		return "", err
	}
	return member(e, "id"), nil
}
