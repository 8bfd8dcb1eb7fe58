// Package chariot is the adapter of Chariot's API, a provider of donor-advised funds.
//
// A donor authorizes a grant in Chariot's component, which runs on a page of ours and returns a workflow session to the
// donor's browser. What the browser reports is only believed once Chariot has taken the grant of that session, with the
// amount that we committed. Chariot has no idempotency keys: a session becomes one grant, and the same request again
// returns it. So [Provider.Lookup] repeats the request for as long as Chariot takes one (15 minutes after the donor
// authorized), and looks for the session among the connect's grants from then on.
//
// Chariot's objects don't have our references, except in the metadata of a session. The adapter's tables map sessions
// to references and accounts. Texts that Chariot wrote never reach an error or a log: they may repeat what was sent.
package chariot

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/daf/provider"
	"svcpay/internal/sensitive"
)

// Name is the adapter's name in our records.
const Name = "chariot"

// The addresses of Chariot's API.
const (
	liveAPI    = "https://api.givechariot.com"
	sandboxAPI = "https://sandboxapi.givechariot.com"
)

// Times. A session's grant can be submitted for captureLife after the donor authorized it, by Chariot's clock. We
// submit for repeatFor, by ours, so that every request that Chariot may still take ends before settleWindow.
const (
	captureLife  = 15 * time.Minute
	clockSkew    = time.Minute
	repeatFor    = captureLife + clockSkew
	settleWindow = repeatFor + 2*provider.CallTimeout
)

// Config is what an adapter works with.
type Config struct {
	Pool *pgxpool.Pool
	// Credentials are the API key (sk_…) and the signing secrets of event subscriptions, separated by white space.
	Credentials func(ctx context.Context) (sensitive.Credentials, error)
	// Livemode says whether money moves.
	Livemode bool
	// API is the address of the API; "" is Chariot's own for the mode.
	API string
	// PagesOrigin is the origin of our pages that load Chariot's component.
	PagesOrigin string
	Now         func() time.Time
	// Times are for test builds whose API is a fake; zero is for Chariot.
	Times Times
}

// Times are how long an adapter waits; 0 is what Chariot needs.
type Times struct {
	// Settle is the settle window. It exceeds [provider.CallTimeout].
	Settle time.Duration
	// Lag is how far behind real time the feed is read. Poll is the time between two reads of a feed that has nothing
	// new.
	Lag, Poll time.Duration
}

// filled replaces each zero by the time that Chariot needs.
func (t Times) filled() Times {
	return Times{cmp.Or(t.Settle, settleWindow), cmp.Or(t.Lag, lag), cmp.Or(t.Poll, pollEvery)}
}

// Provider speaks Chariot's protocol. Its methods may be called from several goroutines.
type Provider struct {
	config Config
	http   *http.Client
	poll   poll
}

var _ provider.Connector = (*Provider)(nil)

// New makes the adapter.
func New(c Config) *Provider {
	c.Times = c.Times.filled()
	if c.API = strings.TrimSuffix(c.API, "/"); c.API == "" {
		if c.API = sandboxAPI; c.Livemode {
			c.API = liveAPI
		}
	}
	return &Provider{config: c, http: newClient()}
}

// Name implements [provider.Provider].
func (p *Provider) Name() string { return Name }

// SettleWindow implements [provider.Provider].
func (p *Provider) SettleWindow() time.Duration { return p.config.Times.Settle }

// PagesOrigin implements [provider.Provider].
func (p *Provider) PagesOrigin() string { return p.config.PagesOrigin }

// keys are the credentials.
type keys struct {
	secret  string   // sk_…
	signing []string // of event subscriptions
}

// errNoKey is of credentials without an API key of the deployment's mode, and errNotConnected of a deployment without
// credentials.
var (
	errNoKey        = errors.New("chariot: there is no usable API key")
	errNotConnected = fmt.Errorf("%w: the deployment is not connected", errNoKey)
)

// keys reads the credentials. Each call reads the current ones.
func (p *Provider) keys(ctx context.Context) (k keys, err error) {
	c, err := p.config.Credentials(ctx)
	if err != nil {
		return keys{}, fmt.Errorf("chariot: the credentials: %w", err)
	}
	if c.IsZero() {
		return keys{}, errNotConnected
	}
	for _, word := range strings.Fields(c.Reveal()) {
		if strings.HasPrefix(word, "sk_") {
			k.secret = word
		} else {
			k.signing = append(k.signing, word)
		}
	}
	if k.secret == "" || p.config.Livemode && strings.HasPrefix(k.secret, "sk_test_") ||
		!p.config.Livemode && strings.HasPrefix(k.secret, "sk_live_") {
		return keys{}, errNoKey
	}
	return k, nil
}

// newVisitID is unguessable: it alone lets a browser continue a visit.
func newVisitID() string { return strings.ToLower(rand.Text()) }

func wrapped(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("chariot: %w", err)
}
