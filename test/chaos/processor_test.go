package chaos

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"svcpay/internal/money"
	"svcpay/internal/platform/notice"
	"svcpay/internal/processor"
	"svcpay/internal/processor/remote"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/sandbox/kit"
	"svcpay/internal/sensitive"
)

// acquirer is a processor with a book of its own in its own memory. It believes anyone who calls: what it is
// asked twice it does twice, and it does not add up refunds. But it finds fault with questions about accounts that it
// does not have, and about payments that were made elsewhere.
type acquirer struct {
	name     string
	accounts map[string]bool // by external id; set before it is used
	blocks   map[string]bool // those of merchants that block wrong security codes
	found    *findings

	mu     sync.Mutex
	chance *rand.Rand
	book   []line
	feed   []processor.Event
	heard  map[string]string // every reference that it was ever asked for, and first how
}

var _ processor.Processor = (*acquirer)(nil)

// line is one submission that was carried out.
type line struct {
	processor.BookLine
	original string
	captured bool
	returned bool // a debit, later
	answer   processor.Answer
}

func newAcquirer(name string, seed uint64, found *findings) *acquirer {
	return &acquirer{name: name, accounts: map[string]bool{}, blocks: map[string]bool{}, found: found,
		heard: map[string]string{}, chance: rand.New(rand.NewPCG(seed, uint64(len(name))))}
}

// hear notes what it is asked for. original is the payment that a follow-up call is about, "" for none.
func (a *acquirer) hear(kind, reference, original string, account processor.Account) {
	if account.Adapter != a.name || !a.accounts[account.External] {
		a.found.add("%s was asked about an account of another: %s %s of %s %s", a.name, kind, reference,
			account.Adapter, account.External)
	}
	if original != "" &&
		!slices.ContainsFunc(a.book, func(l line) bool {
			return l.Reference == original &&
				l.Account == account.External
		}) {
		a.found.add("%s was asked about a payment that it did not make: %s %s of %s", a.name, kind, reference, original)
	}
	if a.heard[reference] == "" {
		a.heard[reference] = kind
	}
}

// references are all that it was asked for until now, and first how.
func (a *acquirer) references() map[string]string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.heard)
}

// AccountOf implements processor.Processor.
func (a *acquirer) AccountOf(applicationID, merchantID int64) string {
	return processor.MerchantAccount(applicationID, merchantID)
}

// Check implements processor.Processor: it confirms every account.
func (a *acquirer) Check(context.Context, processor.Account, sensitive.Credentials) (processor.Onboarding, error) {
	return processor.OnboardingComplete, nil
}

// enter writes a line with its answer.
func (a *acquirer) enter(kind, reference, original string, account processor.Account, amount money.Amount,
	currency money.Currency, captured bool, answer processor.Answer) processor.Answer {
	a.hear(kind, reference, original, account)
	a.book = append(a.book, line{original: original, captured: captured && answer.Approved, answer: answer,
		BookLine: processor.BookLine{Number: int64(len(a.book) + 1), Reference: reference, Kind: kind,
			Account: account.External, Amount: amount,
			Currency: currency, Approved: answer.Approved, At: time.Now().UTC()}})
	return answer
}

// lines is the book as it is now.
func (a *acquirer) lines() []line {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.book)
}

// reconciled is how many of the lines reconciliation reads: all.
func (a *acquirer) reconciled() int { return len(a.lines()) }

// one in twelve is declined, for reasons of the payer's bank.
func (a *acquirer) judge() processor.Answer {
	if a.chance.IntN(12) == 0 {
		return processor.Answer{DeclineCode: "insufficient_funds"}
	}
	return processor.Answer{Approved: true}
}

// Name implements processor.Processor.
func (a *acquirer) Name() string { return a.name }

// Authorize implements processor.Processor.
func (a *acquirer) Authorize(_ context.Context, in processor.Authorization) (processor.Answer, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	answer := a.judge()
	answer.Checks = processor.Checks{CVC: processor.Unavailable, AddressLine1: processor.Pass,
		AddressZip: processor.Pass}
	if answer.Approved {
		answer.NetworkTransactionID = fmt.Sprintf("%015d", len(a.book))
		if a.chance.IntN(8) == 0 {
			answer.Checks.CVC = processor.Fail
		}
	}
	a.enter("authorize", in.Reference, "", in.Account, in.Amount, in.Currency, in.Capture, answer)
	if in.Capture && answer.Approved {
		a.settleSometimes(in.Reference, in.Account)
	}
	return answer, nil
}

// settleSometimes has some money settle ahead of the calendar, often before the caller has heard that it
// was taken.
func (a *acquirer) settleSometimes(reference string, account processor.Account) {
	if a.chance.IntN(5) == 0 {
		a.feed = append(a.feed, processor.Event{ID: kit.EventID(int64(len(a.feed) + 1)), Kind: processor.ChargeSettled,
			Account: account.External, Reference: reference, At: time.Now().UTC()})
	}
}

// held reports whether an authorization is there and nothing else has been done about it.
func (a *acquirer) held(reference string) (held, captured bool) {
	for _, l := range a.book {
		switch {
		case l.Reference == reference && l.Kind == "authorize" && l.Approved:
			held, captured = !l.captured, l.captured
		case l.original == reference && l.Approved && l.Kind == "capture":
			held, captured = false, true
		case l.original == reference && l.Approved && l.Kind == "void":
			held = false
		}
	}
	return held, captured
}

// Capture implements processor.Processor.
func (a *acquirer) Capture(_ context.Context, f processor.FollowUp) (processor.Answer, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	answer := processor.Answer{DeclineCode: "declined"}
	if held, _ := a.held(f.Original); held {
		answer = a.judge()
	}
	if answer.Approved {
		a.settleSometimes(f.Original, f.Account)
	}
	return a.enter("capture", f.Reference, f.Original, f.Account, f.Amount, f.Currency, true, answer), nil
}

// Void implements processor.Processor.
func (a *acquirer) Void(_ context.Context, f processor.FollowUp) (processor.Answer, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	answer := processor.Answer{DeclineCode: "declined"}
	if held, _ := a.held(f.Original); held {
		answer = processor.Answer{Approved: true}
	}
	return a.enter("void", f.Reference, f.Original, f.Account, f.Amount, f.Currency, false, answer), nil
}

// Refund implements processor.Processor.
func (a *acquirer) Refund(_ context.Context, f processor.FollowUp) (processor.Answer, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	answer := processor.Answer{DeclineCode: "declined"}
	if _, captured := a.held(f.Original); captured {
		answer = a.judge()
	}
	return a.enter("refund", f.Reference, f.Original, f.Account, f.Amount, f.Currency, false, answer), nil
}

// Lookup implements processor.Processor. Of a repeated reference the first line answers.
func (a *acquirer) Lookup(_ context.Context, account processor.Account, reference string) (processor.Answer, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.hear("lookup", reference, "", account)
	for _, l := range a.book {
		if l.Reference == reference {
			return l.answer, nil
		}
	}
	return processor.Answer{}, processor.ErrNotFound
}

// Messages implements processor.Processor.
func (a *acquirer) Messages(_ context.Context, after string, limit int) ([]notice.Message, error) {
	n, err := kit.Cursor(after)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	rest := a.feed[min(int(n), len(a.feed)):]
	return sandbox.Reports(rest[:min(limit, len(rest))])
}

// Events implements processor.Processor: messages are those of the sandbox.
func (a *acquirer) Events(ctx context.Context, m notice.Message) ([]processor.Event, error) {
	return (*sandbox.Processor)(nil).Events(ctx, m)
}

// Notice implements processor.Processor. None is sent.
func (a *acquirer) Notice(context.Context, processor.Account, http.Header, []byte) ([]notice.Message, error) {
	return nil, notice.ErrSignature
}

// Book implements processor.Processor.
func (a *acquirer) Book(_ context.Context, after int64, limit int) (out []processor.BookLine, _ error) {
	for _, l := range a.lines() {
		if l.Number > after && len(out) < limit {
			out = append(out, l.BookLine)
		}
	}
	return out, nil
}

var errCardsOnly = errors.New("this processor takes cards alone")

// Debit implements processor.Processor.
func (a *acquirer) Debit(context.Context, processor.Debit) (processor.Answer, error) {
	return processor.Answer{}, errCardsOnly
}

// Payout implements processor.Processor.
func (a *acquirer) Payout(context.Context, processor.Payout) (processor.Answer, error) {
	return processor.Answer{}, errCardsOnly
}

// Start implements processor.Processor.
func (a *acquirer) Start(context.Context, processor.VerificationRequest) (processor.Answer, error) {
	return processor.Answer{}, errCardsOnly
}

// Confirm implements processor.Processor.
func (a *acquirer) Confirm(context.Context, processor.Confirmation) (processor.Confirmed, error) {
	return processor.Confirmed{}, errCardsOnly
}

// Respond implements processor.Processor.
func (a *acquirer) Respond(context.Context, processor.Response) (processor.Answer, error) {
	return processor.Answer{}, errCardsOnly
}

// SettleWindow implements processor.Processor.
func (a *acquirer) SettleWindow() time.Duration { return remote.SettleWindow }

// Terms implements processor.Processor.
func (a *acquirer) Terms() processor.Terms { return processor.StandardTerms() }

// Profile implements processor.Processor.
func (a *acquirer) Profile(context.Context, string) (processor.Profile, error) {
	return processor.Profile{Funding: "credit", Country: "US"}, nil
}

// BankName implements processor.Processor.
func (a *acquirer) BankName(context.Context, processor.Scheme, string) (string, error) {
	return "", nil
}
