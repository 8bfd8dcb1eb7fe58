// Package stripe is the adapter of Stripe's API. It serves card payments, bank debits, payouts and responses to
// disputes, and verifies bank accounts. It reports disputes, and refunds, debits and payouts that succeed or fail
// later. Its book is the balance transactions of the accounts.
//
// A payment takes three requests: a PaymentIntent under our reference, without a card; a PaymentMethod with the card;
// the confirmation. No money moves before the last one, so [Adapter.Lookup] can end a payment that was never confirmed:
// it cancels the intent, which can't be confirmed from then on. A debit uses the same requests with a bank account that
// Stripe verified: its SetupIntent has the PaymentMethod and the mandate.
//
// Nothing is stored here. Stripe's objects name our reference in their metadata, and follow-up calls have it as their
// idempotency key, which Stripe's events repeat. Texts that Stripe wrote never reach an error or a log: they may repeat
// what was sent.
package stripe

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"svcpay/internal/platform/notice"
	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
)

// Name is the adapter's name in our records.
const Name = "stripe"

// Times of a call. A payment's three requests together end within callTimeout, so an unconfirmed intent whose reference
// is older than fenceAfter, by the clock of any server, belongs to no call that is in progress.
const (
	callTimeout    = processor.CallTimeout - 2*time.Second
	requestTimeout = 15 * time.Second
	fenceAfter     = processor.CallTimeout + clockSkew
	settleWindow   = 5 * time.Minute // events, by which captures are found, may be late
)

// Accounts are the connected accounts and their credentials.
type Accounts interface {
	// Credentials are those of an account; zero if it is not connected.
	Credentials(ctx context.Context, of processor.Account) (sensitive.Credentials, error)
	// ID is the ID of our record of a connected account. No other deployment has the same.
	ID(ctx context.Context, of processor.Account) (string, error)
	// Grants are what the last test of an account found that Stripe granted it; none if it is not connected.
	Grants(ctx context.Context, of processor.Account) ([]processor.Grant, error)
	// Connected are the accounts of an adapter, active or not.
	Connected(ctx context.Context, adapter string) ([]processor.Account, error)
}

// Config is what an adapter works with.
type Config struct {
	Accounts Accounts
	// Livemode says whether money moves: only live keys are accepted then, and only test keys otherwise.
	Livemode bool
	// API is the address of the API; "" is Stripe's own.
	API string
	Now func() time.Time
	// Times are for test builds whose API is a fake; zero is for Stripe.
	Times Times
}

// Times are how long an adapter waits before it relies on Stripe's lists; 0 is what Stripe needs.
type Times struct {
	// Fence is how old the reference of an unconfirmed payment is when it is canceled. It exceeds
	// [processor.CallTimeout].
	Fence time.Duration
	// Settle is the settle window. It exceeds Fence.
	Settle time.Duration
	// Lag is how far behind real time the feed and the book are read. Poll is the time between two reads of a feed that
	// has nothing new.
	Lag, Poll time.Duration
	// PerEndpoint is how many requests an endpoint gets in a second, for each account.
	PerEndpoint int
}

// filled replaces each zero by the time that Stripe needs.
func (t Times) filled() Times {
	return Times{Fence: cmp.Or(t.Fence, fenceAfter), Settle: cmp.Or(t.Settle, settleWindow), Lag: cmp.Or(t.Lag, lag),
		Poll: cmp.Or(t.Poll, pollEvery), PerEndpoint: cmp.Or(t.PerEndpoint, perEndpoint)}
}

// Adapter speaks Stripe's protocol. Its methods may be called from several goroutines.
type Adapter struct {
	config Config
	http   *http.Client
	polls  polls
	events scan[notice.Message]
	book   scan[entry]
}

var _ interface {
	processor.Adapter
	processor.Connector
	processor.Inspector
	processor.Registrar
	processor.Onboarder
	processor.Payments
	processor.Payouts
	processor.BankAccounts
	processor.Limited
	processor.Disputes
	processor.Debits
	processor.Verification
	processor.Feed
	processor.Notices
	processor.Book
} = (*Adapter)(nil)

// New makes the adapter.
func New(c Config) *Adapter {
	c.API, c.Times = strings.TrimSuffix(c.API, "/"), c.Times.filled()
	return &Adapter{
		config: c, http: &http.Client{Timeout: requestTimeout, Transport: newTransport(c.Livemode, c.Times.PerEndpoint),
			CheckRedirect: noRedirect}}
}

// Name implements [processor.Adapter].
func (a *Adapter) Name() string { return Name }

// SettleWindow implements [processor.Adapter].
func (a *Adapter) SettleWindow() time.Duration { return a.config.Times.Settle }

// Terms implements [processor.Adapter].
func (a *Adapter) Terms() processor.Terms {
	terms := processor.StandardTerms()
	terms.BankSettlementDays, terms.BankProcessor, terms.OwnVerification = debitDays, "q", true
	terms.BookOfMoney = true
	return terms
}

// debitDays is the number of business days after which a debit counts as settled if Stripe reported nothing. Stripe
// takes up to 4 for ACH and 5 for ACSS.
const debitDays = 6

// keys are the credentials of an account.
type keys struct {
	id       string   // of our record of the account
	secret   string   // sk_… or rk_…
	webhooks []string // whsec_…, one for each webhook endpoint
	// endpoints are the signing secrets of the webhook endpoints that we registered, by the endpoint's ID. They are
	// among webhooks, too.
	endpoints map[string]string
	// platform is the platform's account ID (acct_…) if the account is a merchant's that receives payouts from it; else
	// "". The key is the platform's then.
	platform string
}

// keysOf reads credentials: a secret or restricted key, the signing secrets of webhook endpoints, and the ID of the
// platform's account, in any order. The secret of an endpoint that we registered is written as we_…:whsec_…. It returns
// false without a key of the deployment's mode.
func (a *Adapter) keysOf(c sensitive.Credentials) (k keys, ok bool) {
	mode := "_test_"
	if a.config.Livemode {
		mode = "_live_"
	}
	for _, word := range strings.Fields(c.Reveal()) {
		switch {
		case strings.HasPrefix(word, "whsec_"):
			k.webhooks = append(k.webhooks, word)
		case strings.HasPrefix(word, "we_"):
			id, secret, _ := strings.Cut(word, ":")
			if k.endpoints == nil {
				k.endpoints = map[string]string{}
			}
			k.endpoints[id], k.webhooks = secret, append(k.webhooks, secret)
		case strings.HasPrefix(word, "acct_"):
			k.platform = word
		case strings.HasPrefix(word, "sk"+mode), strings.HasPrefix(word, "rk"+mode):
			k.secret = word
		default:
			return keys{}, false
		}
	}
	return k, k.secret != ""
}
