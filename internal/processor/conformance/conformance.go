// Package conformance is the test suite that every adapter of a processor must pass. Only tests import it.
package conformance

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/notice"
	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
)

// Harness is an adapter with a counterparty of its own. Its functions may be called from several
// goroutines.
type Harness struct {
	// Open gives another instance over the same counterparty, as after a restart.
	Open func() processor.Adapter
	// Now is the time of the accounts, and Advance lets time pass, for the counterparty too.
	Now     func() time.Time
	Advance func(time.Duration)
	// Account and Other are those of two merchants.
	Account, Other processor.Account
	// PayoutAccount is the account that pays the first merchant out; zero: Account.
	PayoutAccount processor.Account
	// HasIDs says that the counterparty gives ids of its own to what it approves ([processor.Answer.ExternalID]).
	HasIDs bool
	// ForgetsDeclines says that the counterparty keeps nothing of follow-up calls that it declined: a look-up does not
	// find them. Nothing happened then.
	ForgetsDeclines bool
	// VerifiesFirst says that a bank account can be debited only after the counterparty verified it.
	VerifiesFirst bool
	// DebitsStay says that an accepted debit can't be voided.
	DebitsStay bool
	// Approved, Declined and Disputed are card numbers with a sure fate. The last is approved, and a
	// chargeback follows within a day of its capture.
	Approved, Declined, Disputed string
	// Lost is the number of a card whose payments are approved while the answer is lost.
	Lost string
	// Notice signs a message of the feed as the counterparty does for a notice of now.
	Notice func(t *testing.T, m notice.Message) (http.Header, []byte)
	// Busy has the counterparty refuse every call, as with HTTP 429, until it is called with false. It is nil for one
	// that is in the same process, and always answers.
	Busy func(bool)
	// RefundFails is the number of a card whose payments and refunds are approved; the refunds fail within a week.
	RefundFails string
	// Settles and Returned are US bank accounts with a sure fate: a debit of the first settles and
	// payouts to it arrive, a debit of the second is returned within a week. ReturnedLate is one of which a debit
	// settles, and is returned more than a week later. Without them, the suite makes no debits and payouts.
	Settles, Returned, ReturnedLate processor.Bank
	// DepositsReturn is one to which the deposits of a verification are sent and come back within a week. Unusable is
	// one that cannot be verified, and LostBank one of which the answer to the start of its verification is lost.
	DepositsReturn, Unusable, LostBank processor.Bank
	// Deposits are the amounts of the deposits of every verification.
	Deposits [2]int64
}

// amount is what the suite's payments are of.
const amount money.Amount = 10_000

// Run runs the parts of the suite that are about what the adapter can do. It makes a harness for each.
func Run(t *testing.T, make func(t *testing.T) Harness) {
	run(t, make, func(part) bool { return true })
}

// RunLive runs those of the parts that can run against a test account of the real counterparty. Such a harness needs no
// Advance, Other, Lost, Busy or Notice.
func RunLive(t *testing.T, make func(t *testing.T) Harness) {
	run(t, make, func(p part) bool { return p.live })
}

func run(t *testing.T, make func(t *testing.T) Harness, wanted func(part) bool) {
	can := capabilitiesOf(make(t).Open())
	for _, p := range parts() {
		if !can.has(p.needs) || !wanted(p) {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			p.run(t, make(t))
		})
	}
}

func (h Harness) reference() string { return ids.NewOperation(h.Now()).String() }

func (h Harness) authorization(number string, capture bool) processor.Authorization {
	return processor.Authorization{
		Reference: ids.NewCharge(h.Now()).String(), Account: h.Account, Amount: amount, Currency: money.USD,
		Capture: capture, Descriptor: "RIVERSIDE FOOD", Stored: processor.NotStored,
		Card: processor.Card{PAN: sensitive.NewPAN(number), CVC: sensitive.NewCVC("123"), ExpMonth: 12,
			ExpYear: h.Now().Year() + 3, Line1: "12 Elm Street", Zip: "97301"},
	}
}

// debits reports whether the adapter can debit bank accounts and the harness has bank accounts.
func (h Harness) debits() bool { return h.can().debits && h.Settles.Routing != "" }

// debit is a debit of a bank account, after verifying it if the adapter requires that.
func (h Harness) debit(t *testing.T, bank processor.Bank) processor.Debit {
	t.Helper()
	d := processor.Debit{Account: h.Account, Amount: amount, Currency: money.USD, Descriptor: "RIVERSIDE FOOD",
		Bank: bank}
	if h.VerifiesFirst {
		c := h.started(t, bank)
		h.confirm(t, "before a debit", processor.Verified, c, h.Deposits)
		d.Verification = c.OriginalID
	}
	d.Reference = ids.NewCharge(h.Now()).String()
	return d
}

func (h Harness) payout() processor.Payout {
	return processor.Payout{Reference: ids.NewPayout(h.Now()).String(), Account: cmp.Or(h.PayoutAccount, h.Account),
		Amount: amount, Currency: money.USD,
		Descriptor: "RIVERSIDE FOOD", Bank: h.Settles}
}

func (h Harness) about(original string, a money.Amount) processor.FollowUp {
	return processor.FollowUp{Reference: h.reference(), Account: h.Account, Original: original, Amount: a,
		Currency: money.USD}
}

// authorized makes an approved authorization and returns its reference.
func (h Harness) authorized(t *testing.T, number string, capture bool) string {
	t.Helper()
	a := h.authorization(number, capture)
	answer, err := h.open().Authorize(t.Context(), a)
	if err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	return a.Reference
}

// debited makes an accepted debit and returns its reference.
func (h Harness) debited(t *testing.T, bank processor.Bank) string {
	t.Helper()
	d := h.debit(t, bank)
	answer, err := h.open().Debit(t.Context(), d)
	if err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	return d.Reference
}

// outcome checks an answer: "" wants an approval, "declined" any decline, else that decline code.
func outcome(t *testing.T, what, want string, answer processor.Answer, err error) {
	t.Helper()
	approved := want == ""
	if err != nil || answer.Approved != approved || (answer.DeclineCode == "") != approved ||
		!approved && want != "declined" && answer.DeclineCode != want {
		t.Errorf("%s: %+v, %v; want %q", what, answer, err, want)
	}
}

// feed reads all events after one, some at a time.
func (h Harness) feed(t *testing.T, after string) (all []processor.Event) {
	t.Helper()
	p := h.open()
	for {
		page, err := Events(t.Context(), p, after, 10)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			return all
		}
		for _, e := range page {
			if e.Adapter != "" {
				t.Errorf("the event %s names the adapter, which the registry does", e.ID)
			}
		}
		all, after = append(all, page...), page[len(page)-1].ID
	}
}

// Feed is a feed of any counterparty.
type Feed[E any] interface {
	Messages(ctx context.Context, after string, limit int) ([]notice.Message, error)
	Events(ctx context.Context, m notice.Message) ([]E, error)
}

// Events reads the events of the messages after the one of that id, at most as many messages as limit.
func Events[E any](ctx context.Context, feed Feed[E], after string, limit int) ([]E, error) {
	messages, err := feed.Messages(ctx, after, limit)
	if err != nil {
		return nil, err
	}
	var all []E
	for _, m := range messages {
		events, err := feed.Events(ctx, m)
		if err != nil {
			return nil, err
		}
		all = append(all, events...)
	}
	return all, nil
}

// await reads the feed after an event, day by day, until it reports the wanted kind for a
// reference.
func (h Harness) await(t *testing.T, after string, kind processor.EventKind, reference string, days int,
) processor.Event {
	t.Helper()
	for range days + 1 {
		for _, e := range h.feed(t, after) {
			if e.Kind == kind && e.Reference == reference {
				return e
			}
		}
		h.Advance(24 * time.Hour)
	}
	t.Fatalf("the feed does not report %s within %d days", kind, days)
	return processor.Event{}
}

// lookup checks that every instance tells the same answer to a call, if the counterparty keeps it.
func (h Harness) lookup(t *testing.T, p processor.Processor, what string, c call, want processor.Answer) {
	t.Helper()
	at := c.account(h)
	if h.kept(what, c) {
		h.foundAt(t, p, what, at, c.reference, want)
	} else if got, err := p.Lookup(t.Context(), at, c.reference); !isUnknown(err) {
		t.Errorf("%s: declined, but it looks up %+v, %v", what, got, err)
	}
}

// found checks that every instance tells the same answer under a reference.
func (h Harness) found(t *testing.T, p processor.Processor, what, reference string, want processor.Answer) {
	t.Helper()
	h.foundAt(t, p, what, h.Account, reference, want)
}

func (h Harness) foundAt(t *testing.T, p processor.Processor, what string, at processor.Account, reference string,
	want processor.Answer) {
	t.Helper()
	for name, instance := range map[string]processor.Processor{"the same instance": p, "another": h.open()} {
		if got, err := instance.Lookup(t.Context(), at, reference); err != nil || got != want {
			t.Errorf("%s: %s looks up %+v, %v; want %+v", what, name, got, err, want)
		}
	}
}

func isUnknown(err error) bool { return errors.Is(err, processor.ErrNotFound) }
