package stripe

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	"svcpay/internal/platform/notice"
	"svcpay/internal/processor"
)

// pageSize is the most that Stripe's lists return at once.
const pageSize = 100

// lag is how long the feed waits for an event, so that none of an earlier second is missing.
const lag = time.Minute

// pollEvery is how often the lists are read while they have nothing new. Webhooks are quicker.
const pollEvery = 30 * time.Second

// history is how long Stripe keeps events.
const history = 30 * 24 * time.Hour

// reader returns the events that a Stripe event reports. It reads the object's current state, because events arrive in
// any order.
type reader func(ctx context.Context, c *sdk.Client, b body) ([]processor.Event, error)

// readers are the readers of the event types in the feed.
var readers = map[sdk.EventType]reader{
	sdk.EventTypeRefundCreated: one(readRefund),
	sdk.EventTypeRefundUpdated: one(readRefund),
	sdk.EventTypeRefundFailed:  one(readRefund),

	sdk.EventTypePayoutPaid:     one(readPayout),
	sdk.EventTypePayoutFailed:   one(readPayout),
	sdk.EventTypePayoutCanceled: one(readPayout),

	sdk.EventTypeAccountUpdated:                 one(readAccount),
	sdk.EventTypeAccountApplicationDeauthorized: one(readAccount),

	sdk.EventTypeChargeDisputeCreated:         readDispute,
	sdk.EventTypeChargeDisputeUpdated:         readDispute,
	sdk.EventTypeChargeDisputeClosed:          readDispute,
	sdk.EventTypeChargeDisputeFundsWithdrawn:  readDispute,
	sdk.EventTypeChargeDisputeFundsReinstated: readDispute,

	sdk.EventTypePaymentIntentSucceeded:     one(readDebit),
	sdk.EventTypePaymentIntentPaymentFailed: one(readDebit),

	sdk.EventTypeSetupIntentSucceeded:   one(readVerification),
	sdk.EventTypeSetupIntentSetupFailed: one(readVerification),
	sdk.EventTypeSetupIntentCanceled:    one(readVerification),
}

// one makes a reader of events that report one thing.
func one(read func(ctx context.Context, c *sdk.Client, b body) (processor.Event, error)) reader {
	return func(ctx context.Context, c *sdk.Client, b body) ([]processor.Event, error) {
		e, err := read(ctx, c, b)
		return []processor.Event{e}, err
	}
}

// readAccount reports that an account changed, or that it was disconnected from its platform. What it is now is read
// when the event is handled (see Inspect).
func readAccount(context.Context, *sdk.Client, body) (processor.Event, error) {
	return processor.Event{Kind: processor.AccountUpdated}, nil
}

// feedTypes returns the event types in the feed: those of payouts and of the account for a connected account, and all
// others for any other account.
func feedTypes(paid bool) (types []string) {
	for t := range readers {
		if (strings.HasPrefix(string(t), "payout.") || strings.HasPrefix(string(t), "account.")) == paid {
			types = append(types, string(t))
		}
	}
	slices.Sort(types)
	return types
}

// followed reports whether an event belongs in the feed. Of payments, only bank debits do: nothing happens to card
// payments later.
func followed(e *sdk.Event) bool {
	if !strings.HasPrefix(string(e.Type), "payment_intent.") {
		return readers[e.Type] != nil
	}
	if readers[e.Type] == nil || e.Data == nil {
		return false
	}
	listed, _ := e.Data.Object["payment_method_types"].([]any)
	var types []string
	for _, one := range listed {
		text, _ := one.(string)
		types = append(types, text)
	}
	return schemeOf(types) != ""
}

// body is what is kept of an event. The rest is read when the event is handled, because it may have changed.
type body struct {
	ID      string        `json:"id"`
	Type    sdk.EventType `json:"type"`
	Created int64         `json:"created"`
	Object  string        `json:"object_id"`
	// Status is the object's status at the time of the event, and Before its previous status if the event changed it.
	Status string `json:"status,omitempty"`
	Before string `json:"status_before,omitempty"`

	account string // ID of our record of the account
}

// message is an event as a message: its id begins with its second, so that messages of all accounts have an order.
func message(account string, e *sdk.Event) (notice.Message, error) {
	b := body{e.ID, e.Type, e.Created, member(e, "id"), member(e, "status"), "", ""}
	if e.Data != nil {
		b.Before, _ = e.Data.PreviousAttributes["status"].(string)
	}
	text, err := json.Marshal(b)
	if err != nil {
		return notice.Message{}, fmt.Errorf("stripe: %w", err)
	}
	return notice.Message{ID: fmt.Sprintf("%012d_%s", e.Created, e.ID), Kind: string(e.Type), Account: account,
		Body: text}, nil
}

// secondOf is when the message of an id was made.
func secondOf(id string) (int64, error) {
	text, _, _ := strings.Cut(id, "_")
	at, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("stripe: %q is no message of this feed", id)
	}
	return at, nil
}

// polls remembers when to read a feed again that had nothing new.
type polls struct {
	mu    sync.Mutex
	after string
	until time.Time
}

func (p *polls) quiet(after string, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.after == after && now.Before(p.until)
}

func (p *polls) found(after string, n int, until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.after, p.until = after, time.Time{}
	if n == 0 {
		p.until = until
	}
}

// Messages implements [processor.Feed]. It reads the events of every connected account. While one account cannot be
// read, none is: they share a cursor, which would pass what was not read. Webhooks arrive in the meantime. A merchant's
// account that was disconnected from the platform is left out, or it would keep back the events of all others. What is
// older than [history] is lost: Stripe has forgotten it.
func (a *Adapter) Messages(ctx context.Context, after string, limit int) ([]notice.Message, error) {
	now := a.config.Now()
	horizon := now.Add(-a.config.Times.Lag).Unix()
	from := now.Add(-history).Unix()
	if after != "" {
		second, err := secondOf(after)
		if err != nil {
			return nil, err
		}
		from = max(from, second)
	}
	if err := ctx.Err(); err != nil || a.polls.quiet(after, now) {
		return nil, err
	}
	accounts, err := a.config.Accounts.Connected(ctx, Name)
	if err != nil {
		return nil, fmt.Errorf("stripe: %w", err)
	}
	messages, err := a.events.until(ctx, after, from, horizon, accounts,
		func(found []notice.Message) bool { return len(found) >= limit },
		func(ctx context.Context, account processor.Account, in span) ([]notice.Message, error) {
			return a.eventsOf(ctx, account, in, after)
		})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(messages, func(a, b notice.Message) int { return cmp.Compare(a.ID, b.ID) })
	messages = messages[:min(limit, len(messages))]
	a.polls.found(after, len(messages), now.Add(a.config.Times.Poll))
	return messages, nil
}

// eventsOf reads the events of an account that come after a message, in any order.
func (a *Adapter) eventsOf(ctx context.Context, account processor.Account, in span,
	after string) (messages []notice.Message, err error) {
	k, err := a.keysAt(ctx, account)
	if err != nil {
		return nil, err
	}
	p := &sdk.EventListParams{CreatedRange: in.created(), Types: sdk.StringSlice(feedTypes(k.platform != ""))}
	p.Limit = sdk.Int64(pageSize)
	n := 0
	for e, err := range a.clientAt(account, k).V1Events.List(ctx, p).All(ctx) {
		switch n++; {
		case k.isDisconnected(err):
			return nil, nil
		case err != nil:
			return nil, fmt.Errorf("%w (account %s)", problem("list events", err), account.External)
		case e == nil:
			return nil, fmt.Errorf("%w (events of account %s)", errNoObject, account.External)
		case in.tooLong(n):
			return nil, errLongWindow
		case !followed(e):
			continue
		}
		m, err := message(account.External, e)
		if err != nil {
			return nil, err
		}
		if m.ID > after {
			messages = append(messages, m)
		}
	}
	return messages, nil
}

// Events implements [processor.Feed]. Objects without our reference, and those of other deployments, are not reported.
func (a *Adapter) Events(ctx context.Context, m notice.Message) ([]processor.Event, error) {
	b := body{}
	if err := json.Unmarshal(m.Body, &b); err != nil {
		return nil, fmt.Errorf("stripe: %w", err)
	}
	read := readers[b.Type]
	if read == nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	account := processor.Account{Adapter: Name, External: m.Account}
	c, id, err := a.at(ctx, account)
	if err != nil {
		return nil, err
	}
	b.account = id
	found, err := read(ctx, c, b)
	if err != nil {
		return nil, err
	}
	var events []processor.Event
	for _, e := range found {
		if e.Kind != "" && (e.Reference != "" || e.Kind == processor.AccountUpdated) {
			if e.Kind == processor.PayoutFailed || e.Kind == processor.PayoutReturned {
				if err := a.takeBack(ctx, account, e.Reference); err != nil {
					return nil, err
				}
			}
			e.ID, e.Account, e.At = m.ID, m.Account, time.Unix(b.Created, 0).UTC()
			events = append(events, e)
		}
	}
	return events, nil
}

// readRefund reads a refund.
func readRefund(ctx context.Context, c *sdk.Client, b body) (processor.Event, error) {
	r, err := c.V1Refunds.Retrieve(ctx, b.Object, nil)
	if err != nil {
		return processor.Event{}, problem("retrieve refund", err)
	}
	e := processor.Event{Reference: referenceIn(r.Metadata, b.account)}
	switch {
	case r.Status == sdk.RefundStatusSucceeded:
		e.Kind = processor.RefundSucceeded
	case b.Type == sdk.EventTypeRefundCreated: // an event of its own says that it failed
	case r.Status == sdk.RefundStatusFailed, r.Status == sdk.RefundStatusCanceled:
		e.Kind, e.Failure, e.RawCode = processor.RefundFailed, failureOf(r.FailureReason), string(r.FailureReason)
	}
	return e, nil
}

// refundFailures are Stripe's reasons in the words of the port; every other one is [processor.BankRefused].
var refundFailures = map[sdk.RefundFailureReason]processor.RefundFailure{
	sdk.RefundFailureReasonExpiredOrCanceledCard: processor.AccountClosed,
	sdk.RefundFailureReasonLostOrStolenCard:      processor.LostOrStolenCard,
	chargeDisputed:                               processor.ChargeDisputed,
	insufficientFunds:                            processor.InsufficientFunds,
}

// Reasons that the SDK has no names for.
const (
	chargeDisputed    sdk.RefundFailureReason = "charge_for_pending_refund_disputed"
	insufficientFunds sdk.RefundFailureReason = "insufficient_funds"
)

func failureOf(reason sdk.RefundFailureReason) processor.RefundFailure {
	return cmp.Or(refundFailures[reason], processor.BankRefused)
}
