package chariot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"svcpay/internal/daf/provider"
)

// Times of a connection, and the longest answer that is read, in bytes.
const (
	dialTimeout    = 5 * time.Second
	idleTimeout    = 90 * time.Second
	requestTimeout = provider.CallTimeout - 5*time.Second
	maxAnswer      = 8 << 20
)

// perSecond is how many requests an adapter sends. Chariot documents no limit.
const perSecond = 20

// transport keeps requests below a rate.
type transport struct {
	next    http.RoundTripper
	limiter *rate.Limiter
}

func newClient() *http.Client {
	next := http.DefaultTransport.(*http.Transport).Clone()
	next.DialContext = (&net.Dialer{Timeout: dialTimeout}).DialContext
	next.TLSHandshakeTimeout, next.IdleConnTimeout, next.MaxIdleConnsPerHost = dialTimeout, idleTimeout, 16
	return &http.Client{Timeout: requestTimeout, CheckRedirect: noRedirect,
		Transport: &transport{next, rate.NewLimiter(perSecond, perSecond)}}
}

// RoundTrip implements [http.RoundTripper].
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := t.limiter.Wait(r.Context()); err != nil {
		return nil, fmt.Errorf("chariot: waiting for the rate limit: %w", err)
	}
	return t.next.RoundTrip(r)
}

// noRedirect keeps a request, with its key, at the address that it was sent to.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// apiError is an answer that is not what was asked for.
type apiError struct {
	request string // method and path, without identifiers
	status  int
	id      string // X-Request-Id
	// problem says that Chariot wrote the answer: a proxy does not answer with its errors.
	problem bool
}

// Error implements error.
func (e *apiError) Error() string {
	return fmt.Sprintf("chariot: %s: status %d, request %q", e.request, e.status, e.id)
}

// hasStatus reports whether Chariot itself answered with one of these statuses.
func hasStatus(err error, statuses ...int) bool {
	var e *apiError
	return errors.As(err, &e) && e.problem && slices.Contains(statuses, e.status)
}

// isMissing reports whether Chariot does not have what a request names.
func isMissing(err error) bool { return hasStatus(err, http.StatusNotFound) }

// get reads an object. path has no query, and name is the path without identifiers.
func (p *Provider) get(ctx context.Context, name, path string, query url.Values, into any) error {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	_, err := p.call(ctx, http.MethodGet, name, path, nil, into)
	return err
}

// post sends an object and returns the answer's status.
func (p *Provider) post(ctx context.Context, path string, body, into any) (int, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return 0, fmt.Errorf("chariot: %w", err)
	}
	return p.call(ctx, http.MethodPost, path, path, text, into)
}

func (p *Provider) call(ctx context.Context, method, name, path string, body []byte, into any) (int, error) {
	k, err := p.keys(ctx)
	if err != nil {
		return 0, err
	}
	r, err := http.NewRequestWithContext(ctx, method, p.config.API+path, bytes.NewReader(body))
	if err != nil {
		return 0, fmt.Errorf("chariot: %s %s: the request cannot be made", method, name)
	}
	r.GetBody = nil // or net/http might send it again
	r.Header.Set("Authorization", "Bearer "+k.secret)
	r.Header.Set("Accept", "application/json")
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	resp, err := p.http.Do(r)
	if err != nil {
		return 0, transportError(method+" "+name, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return 0, transportError(method+" "+name, err)
	case len(text) > maxAnswer:
		return 0, fmt.Errorf("chariot: %s %s: the answer is too long", method, name)
	case resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusCreated:
		return resp.StatusCode, &apiError{method + " " + name, resp.StatusCode,
			plain(resp.Header.Get("X-Request-Id"), 64), isProblem(resp, text)}
	}
	if err := json.Unmarshal(text, into); err != nil {
		return resp.StatusCode, fmt.Errorf("chariot: %s %s: the answer cannot be read", method, name)
	}
	return resp.StatusCode, nil
}

// transportError is an error of a request without its address, which may have identifiers.
func transportError(request string, err error) error {
	if of, ok := errors.AsType[*url.Error](err); ok {
		err = of.Err
	}
	return fmt.Errorf("chariot: %s: %w", request, err)
}

// isProblem reports whether an answer is one of Chariot's errors about its own status. Versions of the API write them
// as problem documents, or as objects with the status as their code.
func isProblem(resp *http.Response, text []byte) bool {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	var d struct {
		Status    int    `json:"status"`
		Code      int    `json:"code"`
		Timestamp string `json:"timestamp"`
	}
	if err != nil || json.Unmarshal(text, &d) != nil {
		return false
	}
	switch kind {
	case "application/problem+json":
		return d.Status == 0 || d.Status == resp.StatusCode
	case "application/json":
		return d.Code == resp.StatusCode && d.Timestamp != ""
	}
	return false
}

// plain is at most n letters, digits and -_. of a text that Chariot wrote.
func plain(text string, n int) string {
	text = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r) {
			return r
		}
		return -1
	}, text)
	return text[:min(len(text), n)]
}
