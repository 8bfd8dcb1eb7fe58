package webhook

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"svcpay/internal/redact"
	"svcpay/internal/safehttp"
)

// maxKept is how much of an answer's body is kept, in bytes.
const maxKept = 2 << 10

// The headers of Standard Webhooks.
const (
	headerID        = "webhook-id"
	headerTimestamp = "webhook-timestamp"
	headerSignature = "webhook-signature"
)

// result is what an attempt came to.
type result struct {
	claimed
	began      time.Time
	took       time.Duration
	headers    map[string]string
	status     int    // 0: no answer
	reason     string // why there is none
	body       string
	said       map[string]string // the answer's headers
	retryAfter time.Duration
}

func (r result) succeeded() bool { return r.status >= 200 && r.status <= 299 }

// gone tells whether the endpoint wants nothing more.
func (r result) gone() bool { return r.status == http.StatusGone }

// sender sends requests: a line, or one that keeps nothing.
type sender interface {
	Do(*http.Request) (safehttp.Answer, error)
}

// attempt sends a delivery once. An error is ours: then the lease's end brings the delivery back.
func (s *Service) attempt(ctx context.Context, d claimed, by sender) (result, error) {
	r := result{claimed: d, began: s.Now()}
	request, err := s.request(ctx, d.to, d.EventID.String(), d.body, r.began)
	if err != nil {
		return r, err
	}
	r.headers = sent(request.Header)
	answer, err := by.Do(request)
	r.took = max(0, s.Now().Sub(r.began))
	if err != nil {
		if r.reason = string(safehttp.ReasonOf(err)); r.reason == "" { // we gave up: it may have arrived
			return r, err
		}
		return r, nil
	}
	r.status, r.body, r.said = answer.Status, kept(answer.Body), keptHeaders(answer.Header)
	r.retryAfter = retryAfter(answer.Header.Get("Retry-After"), r.began.Add(r.took))
	return r, nil
}

// request makes the signed request of a message.
func (s *Service) request(ctx context.Context, to Endpoint, id string, body []byte, at time.Time) (*http.Request, error) {
	signatures, err := s.signatures(to, id, at, body)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "SvcPay-Webhooks/1")
	request.Header.Set(headerID, id)
	request.Header.Set(headerTimestamp, strconv.FormatInt(at.Unix(), 10))
	request.Header.Set(headerSignature, signatures)
	return request, nil
}

func sent(h http.Header) map[string]string {
	out := make(map[string]string, len(h))
	for name := range h {
		out[strings.ToLower(name)] = h.Get(name)
	}
	return out
}

// cutLength is longer than a card number in any way of writing it.
const cutLength = 100

// kept is the beginning of an answer as text that can be stored, without what nobody may see, be it cut in
// the middle.
func kept(body []byte) string {
	text := redact.Text(whole(string(body[:min(len(body), maxKept+cutLength)])))
	if len(text) > maxKept { // what stands for what was taken out may be longer than that
		text = strings.ToValidUTF8(text[:maxKept], "")
	}
	return text
}

// keptHeaders are the headers of an answer that can be stored, in the order of their names as long as there
// is room, without cookies and what nobody may see.
func keptHeaders(h http.Header) map[string]string {
	out, left := map[string]string{}, maxKept
	for _, name := range slices.Sorted(maps.Keys(h)) {
		value := redact.Text(whole(strings.Join(h[name], ", ")))
		if left -= len(name) + len(value); left < 0 {
			break
		}
		if name != "Set-Cookie" {
			out[strings.ToLower(name)] = value
		}
	}
	return out
}

// whole is a text without zero bytes, and without bytes that are no text.
func whole(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

var digits = regexp.MustCompile(`^[0-9]+$`)

// retryAfter reads the header in either of its forms (RFC 9110, section 10.2.3); 0 says nothing.
func retryAfter(value string, now time.Time) time.Duration {
	if digits.MatchString(value) {
		seconds, _ := strconv.ParseInt(value, 10, 32) // the most that there is, of more
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}
