package stripe

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	sdk "github.com/stripe/stripe-go/v85"
	"golang.org/x/time/rate"

	"svcpay/internal/processor"
)

// Requests a second and account, below Stripe's limits: 25 for an endpoint, and in live mode 100 for all of them.
const (
	perEndpoint = 20
	perAccount  = 80
)

// Times of a connection.
const (
	dialTimeout = 5 * time.Second
	idleTimeout = 90 * time.Second
)

// client returns a client for the account of a key.
func (a *Adapter) client(secret string) *sdk.Client { return a.clientBy(a.http, secret) }

func (a *Adapter) clientBy(by *http.Client, secret string) *sdk.Client {
	config := &sdk.BackendConfig{HTTPClient: by, MaxNetworkRetries: sdk.Int64(0), EnableTelemetry: sdk.Bool(false),
		LeveledLogger: &sdk.LeveledLogger{Level: sdk.LevelNull}}
	if a.config.API != "" {
		config.URL = sdk.String(a.config.API)
	}
	return sdk.NewClient(secret, sdk.WithBackends(&sdk.Backends{API: sdk.GetBackendWithConfig(sdk.APIBackend, config),
		Uploads: sdk.GetBackendWithConfig(sdk.UploadsBackend, config)})) // files have a separate host
}

// errNoKey is of an account without a key of the deployment's mode.
var errNoKey = errors.New("stripe: the account has no usable key")

// at returns a client for a connected account, and the ID of our record of it. The client reads and creates that
// account's objects.
func (a *Adapter) at(ctx context.Context, account processor.Account) (c *sdk.Client, id string, err error) {
	k, err := a.keysAt(ctx, account)
	if err != nil {
		return nil, "", err
	}
	return a.clientAt(account, k), k.id, nil
}

// keysAt are the keys of a connected account.
func (a *Adapter) keysAt(ctx context.Context, account processor.Account) (keys, error) {
	credentials, err := a.config.Accounts.Credentials(ctx, account)
	if err != nil {
		return keys{}, fmt.Errorf("stripe: the credentials of %s: %w", account.External, err)
	}
	k, ok := a.keysOf(credentials)
	if !ok {
		return keys{}, fmt.Errorf("%w: %s", errNoKey, account.External)
	}
	if k.id, err = a.config.Accounts.ID(ctx, account); err != nil {
		return keys{}, fmt.Errorf("stripe: the account %s: %w", account.External, err)
	}
	return k, nil
}

// final returns the answer of a request that was refused for good: nothing happened, and nothing will. Everything else
// leaves the outcome unknown.
func final(err error) (*sdk.Error, bool) {
	var e *sdk.Error
	if !errors.As(err, &e) {
		return nil, false
	}
	switch e.HTTPStatusCode {
	case http.StatusBadRequest, http.StatusPaymentRequired, http.StatusNotFound:
		return e, e.Type == sdk.ErrorTypeCard || e.Type == sdk.ErrorTypeInvalidRequest
	}
	return e, false
}

// isMissing reports whether Stripe does not have what a request names.
func isMissing(err error) bool {
	e, ok := final(err)
	return ok && (e.HTTPStatusCode == http.StatusNotFound || e.Code == sdk.ErrorCodeResourceMissing)
}

// errForbidden is of a request that the key has no right to make.
var errForbidden = errors.New("stripe: the key may not do this")

func isForbidden(err error) bool {
	var e *sdk.Error
	return errors.As(err, &e) && e.HTTPStatusCode == http.StatusForbidden
}

// isDisconnected reports whether a platform has no access to a merchant's account any more: the merchant or Stripe has
// ended the connection. Neither its events nor its balance can be read then.
func (k keys) isDisconnected(err error) bool {
	var e *sdk.Error
	return k.platform != "" && errors.As(err, &e) && e.Code == sdk.ErrorCodeAccountInvalid
}

// problem is an error of a request without the texts that Stripe wrote.
func problem(request string, err error) error {
	var e *sdk.Error
	if errors.As(err, &e) {
		return fmt.Errorf("stripe: %s: status %d, type %q, code %q, request %q", request, e.HTTPStatusCode, e.Type,
			e.Code, e.RequestID)
	}
	var transport *url.Error // names the address only
	if errors.As(err, &transport) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("stripe: %s: %w", request, err)
	}
	return fmt.Errorf("stripe: %s: the answer cannot be read", request)
}

// transport keeps requests below the limits of their account, and marks those that could not connect.
type transport struct {
	next        http.RoundTripper
	live        bool
	perEndpoint int
	mu          sync.Mutex
	limiters    map[limited]*rate.Limiter
}

// limited is what a limit is of: an account, by the digest of its key, or one endpoint of it.
type limited struct {
	key      [sha256.Size]byte
	endpoint string
}

func newTransport(live bool, perEndpoint int) *transport {
	next := http.DefaultTransport.(*http.Transport).Clone()
	next.DialContext = (&net.Dialer{Timeout: dialTimeout}).DialContext
	next.TLSHandshakeTimeout, next.IdleConnTimeout, next.MaxIdleConnsPerHost = dialTimeout, idleTimeout, 64
	return &transport{next: next, live: live, perEndpoint: perEndpoint, limiters: map[limited]*rate.Limiter{}}
}

// endpointOf is the endpoint of a request: its path is /v1/RESOURCE/ID/VERB, the last two of which some lack.
func endpointOf(r *http.Request) string {
	parts := strings.Split(r.URL.Path, "/")
	if len(parts) > 3 {
		parts[3] = ":id"
	}
	return r.Method + strings.Join(parts, "/")
}

// RoundTrip implements [http.RoundTripper].
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	key := sha256.Sum256([]byte(r.Header.Get("Authorization")))
	limits := []*rate.Limiter{t.limiter(limited{key, endpointOf(r)}, t.perEndpoint)}
	if t.live {
		limits = append(limits, t.limiter(limited{key: key}, perAccount))
	}
	for _, l := range limits {
		if err := l.Wait(r.Context()); err != nil {
			return nil, fmt.Errorf("stripe: waiting for the rate limit: %w", err)
		}
	}
	if r.Method == http.MethodPost {
		// net/http sends requests with an idempotency key again if their connection breaks, unless it can't get the
		// body.
		r = r.Clone(r.Context())
		r.GetBody = nil
	}
	resp, err := processor.Send(&http.Client{Transport: t.next, CheckRedirect: noRedirect}, r)
	if err == nil && resp.StatusCode/100 == 3 { // the SDK would take it for an answer
		_ = resp.Body.Close()
		return nil, fmt.Errorf("stripe: status %d", resp.StatusCode)
	}
	return resp, err
}

// noRedirect keeps a request at the address that it was sent to.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func (t *transport) limiter(name limited, perSecond int) *rate.Limiter {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.limiters[name]
	if l == nil {
		l = rate.NewLimiter(rate.Limit(perSecond), perSecond)
		t.limiters[name] = l
	}
	return l
}

// plain is a text of printable ASCII without the characters that Stripe refuses in descriptors.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || strings.ContainsRune(`<>\'"*`, r) {
			return -1
		}
		return r
	}, text)
}
