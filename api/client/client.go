// Package client is the Go client of the SvcPay partner API.
//
//	c, err := client.New("https://api.example.org", appID, apiKey)
//	…
//	charge, err := c.Charges.Create(ctx, client.CreateCharge{MerchantID: 1042, Amount: 12500, Token: token})
//
// The types and methods are generated from the API's contract. Every request carries the version of that contract, so
// a newer server responds as this client expects. Every request that changes something carries an Idempotency-Key, so a
// retry cannot repeat the change. An error is an [*Error].
package client

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// The defaults of a Client.
const (
	DefaultRetries = 4
	// DefaultTimeout is for one attempt. The server gives an answer, or none, within 35 seconds.
	DefaultTimeout = 40 * time.Second
)

// Client calls the API as one application. It may be used by several goroutines at once.
type Client struct {
	Services
}

// Setting changes how a Client works.
type Setting func(*transport)

// WithHTTPClient sends requests through h, whose Timeout is that of one attempt. Redirects are not followed: the API
// sends none, and the key is for no one else.
func WithHTTPClient(h *http.Client) Setting {
	return func(t *transport) { t.http = *h }
}

// WithRetries sets how often a request is repeated that got no answer or one that may change: 409
// idempotency_key_in_use, 429 and 5xx. 0 is never.
func WithRetries(n int) Setting {
	return func(t *transport) { t.retries = n }
}

// WithRetryNotice has notice called before each pause that precedes a retry, with the error of the attempt.
func WithRetryNotice(notice func(failed error, pause time.Duration)) Setting {
	return func(t *transport) { t.onRetry = notice }
}

// WithUserAgent puts your program's name before the client's in User-Agent.
func WithUserAgent(name string) Setting {
	return func(t *transport) { t.header.Set("User-Agent", name+" "+t.header.Get("User-Agent")) }
}

// New returns a client of the deployment at baseURL, such as https://api.example.org, for the application with that id
// and its secret or restricted key. Nothing is sent yet.
func New(baseURL string, appID int64, apiKey string, settings ...Setting) (*Client, error) {
	base, err := url.Parse(baseURL)
	if err != nil || (base.Scheme != "https" && base.Scheme != "http") || base.Host == "" || base.User != nil ||
		base.RawQuery != "" || base.Fragment != "" {
		return nil, errors.New("svcpay: the base URL is like https://api.example.org")
	}
	if appID < 1 || apiKey == "" {
		return nil, errors.New("svcpay: the application's id and its secret key are needed")
	}
	t := &transport{
		base: strings.TrimSuffix(base.String(), "/"), retries: DefaultRetries, http: http.Client{
			Timeout: DefaultTimeout},
		onRetry: func(error, time.Duration) {},
		header: http.Header{
			"X-Api-Key":     {apiKey},
			"X-App-Id":      {strconv.FormatInt(appID, 10)},
			"X-Api-Version": {Version},
			"User-Agent":    {fmt.Sprintf("svcpay-go/%s (%s)", Version, runtime.Version())},
		},
	}
	for _, set := range settings {
		set(t)
	}
	t.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{Services: servicesOf(t)}, nil
}

// Option changes one request.
type Option func(*call)

// IdempotencyKey names the request by a key of yours, 1 to 255 visible ASCII characters. Write it down before you send,
// and a program that died in between can ask again. Without this option the client makes a key, which
// an [*Error] tells.
func IdempotencyKey(key string) Option { return Header("Idempotency-Key", key) }

// IfMatch makes an update fail with 412 object_changed unless the object has this version.
func IfMatch(version int) Option { return Header("If-Match", strconv.Quote(strconv.Itoa(version))) }

// Header adds a header, such as X-Request-Id.
func Header(name, value string) Option {
	return func(c *call) { c.header.Set(name, value) }
}

// UntilKnown waits, while the answer is 202, for the outcome of what a processor has to say: it repeats the request
// under its key until ctx ends. A decline is then an error, as if it had come at once.
func UntilKnown() Option {
	return func(c *call) { c.untilKnown = true }
}

// Response is what an answer says besides its object.
type Response struct {
	StatusCode int // 202: the outcome is not known yet
	RequestID  string
	Replayed   bool // it is the answer to an earlier request with the same key
	Header     http.Header
	Body       []byte // as it came
}

// ResponseTo writes the last answer to r, that of an error too.
func ResponseTo(r *Response) Option {
	return func(c *call) { c.response = r }
}

// Document is a file, sent or received.
type Document struct {
	ContentType string
	Content     []byte
}
