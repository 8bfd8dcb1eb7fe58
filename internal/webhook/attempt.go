package webhook

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"svcpay/internal/platform/safehttp"
	"svcpay/internal/sensitive/redact"
)

// maxKept is how much of an answer's body is kept, in bytes.
const maxKept = 2 << 10

// headers are those that an attempt sends, as they are kept.
type headers struct {
	ContentType string `json:"content-type"`
	UserAgent   string `json:"user-agent"`
	ID          string `json:"webhook-id"`
	Timestamp   string `json:"webhook-timestamp"`
	Signature   string `json:"webhook-signature"`
}

// result is what an attempt came to.
type result struct {
	claimed
	began      time.Time
	took       time.Duration
	headers    headers
	status     int    // 0: no answer
	reason     string // why there is none
	body       string
	said       map[string]string // the answer's headers
	retryAfter time.Duration
}

func (r result) succeeded() bool { return r.status >= 200 && r.status <= 299 }

// gone reports whether the endpoint wants nothing more.
func (r result) gone() bool { return r.status == http.StatusGone }

// attempt sends a delivery once. An error is ours: then the lease's end brings the delivery back.
func (s *Service) attempt(ctx context.Context, d claimed) (result, error) {
	r := result{claimed: d, began: s.deps.Now()}
	if d.to.unfit != nil {
		return r, d.to.unfit
	}
	id := d.EventID.String()
	signature, err := d.to.signer.sign(id, r.began, d.body)
	if err != nil {
		return r, err
	}
	r.headers = headers{ContentType: "application/json", UserAgent: "SvcPay-Webhooks/1", ID: id,
		Timestamp: strconv.FormatInt(r.began.Unix(), 10), Signature: signature}
	request := r.headers.request(ctx, d.to.at, d.body)
	answer, err := d.line.Do(request)
	r.took = max(0, s.deps.Now().Sub(r.began))
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

// request makes a request of a message, which can be sent again.
func (h headers) request(ctx context.Context, to *url.URL, body []byte) *http.Request {
	read := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	request := &http.Request{Method: http.MethodPost, URL: to, Host: to.Host, Proto: "HTTP/1.1", ProtoMajor: 1,
		ProtoMinor:    1,
		ContentLength: int64(len(body)), GetBody: read, Header: http.Header{"Content-Type": {h.ContentType},
			"User-Agent": {h.UserAgent},
			"Webhook-Id": {h.ID}, "Webhook-Timestamp": {h.Timestamp}, "Webhook-Signature": {h.Signature}}}
	request.Body, _ = read()
	return request.WithContext(ctx)
}

// cutLength is longer than a card number in any way of writing it.
const cutLength = 100

// kept is the beginning of an answer as text that can be stored, without what no one may see, be it cut in
// the middle.
func kept(body []byte) string {
	text := redact.Text(whole(string(body[:min(len(body), maxKept+cutLength)])))
	if len(text) > maxKept { // what stands for what was taken out may be longer than that
		text = strings.ToValidUTF8(text[:maxKept], "")
	}
	return text
}

// keptHeaders are the headers of an answer that can be stored, in the order of their names as long as there
// is room, without cookies and what no one may see.
func keptHeaders(h http.Header) map[string]string {
	out, left := map[string]string{}, maxKept
	names := make([]string, 0, len(h))
	for name := range h {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
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
	if value == "" { // as nearly always
		return 0
	}
	if digits.MatchString(value) {
		seconds, _ := strconv.ParseInt(value, 10, 32) // the most that there is, of more
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}
