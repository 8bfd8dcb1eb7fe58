package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

const (
	firstPause = 500 * time.Millisecond
	maxPause   = 8 * time.Second
	// maxRetryAfter is the longest that a server may make us wait; what takes longer is the caller's to decide.
	maxRetryAfter = 30 * time.Second
	maxAnswer     = 64 << 20
)

// errTooLong is better than the beginning of a file that looks like the whole.
var errTooLong = errors.New("the answer is longer than 64 MiB: download it with the HTTP client of your own")

// transport sends requests. Clients hold it by a pointer, so that printing one does not print the key.
type transport struct {
	base    string
	header  http.Header // of every request
	http    http.Client
	retries int
	onRetry func(failed error, pause time.Duration)
}

// call is one request, however often it is sent.
type call struct {
	method, path string
	query        any // one of the …Params
	body         any
	document     *Document
	keyed        bool // it takes an Idempotency-Key
	header       http.Header
	untilKnown   bool
	response     *Response
}

func (c call) failed(cause error) *Error {
	return &Error{IdempotencyKey: c.header.Get("Idempotency-Key"), call: c.method + " " + c.path, cause: cause}
}

// segment is an id in a path.
func segment[T string | int64](id T) string { return url.PathEscape(fmt.Sprint(id)) }

// send asks for an object.
func send[T any](ctx context.Context, t *transport, c call, options []Option) (*T, error) {
	answer, err := document(ctx, t, c, "application/json", options)
	if err != nil {
		return nil, err
	}
	object := new(T)
	if len(answer.Content) == 0 {
		return object, nil
	}
	if err := json.Unmarshal(answer.Content, object); err != nil {
		return nil, c.failed(fmt.Errorf("the answer cannot be read: %w", err))
	}
	return object, nil
}

// document asks for a file, and repeats the call until it has an answer that stays.
func document(ctx context.Context, t *transport, c call, accept string, options []Option) (*Document, error) {
	c.header = t.header.Clone()
	c.header.Set("Accept", accept)
	if c.keyed {
		c.header.Set("Idempotency-Key", rand.Text())
	}
	for _, o := range options {
		o(&c)
	}
	body, err := c.encode()
	if err != nil {
		return nil, c.failed(err)
	}
	for failures, waits := 0, 0; ; {
		var pause time.Duration
		answer, failed := t.once(ctx, c, body)
		switch {
		case failed == nil:
			return answer, nil
		case failed.StatusCode == http.StatusAccepted:
			pause = backOff(waits)
			waits++
		case failures >= t.retries || ctx.Err() != nil || !failed.mayChange():
			return nil, failed
		default:
			pause = failed.RetryAfter + mathrand.N(backOff(failures)) // full jitter
			failures++
			t.onRetry(failed, pause)
		}
		if err := sleep(ctx, pause); err != nil {
			failed.cause = err
			return nil, failed
		}
	}
}

// once sends a call once. A 202 is a failure to those who wait for the outcome.
func (t *transport) once(ctx context.Context, c call, body []byte) (*Document, *Error) {
	target := t.base + c.path
	if q := encodeQuery(c.query).Encode(); q != "" {
		target += "?" + q
	}
	req, err := http.NewRequestWithContext(ctx, c.method, target, bytes.NewReader(body))
	if err != nil {
		return nil, c.failed(err)
	}
	req.Header = c.header
	resp, err := t.http.Do(req)
	if err != nil {
		// The text of a url.Error has the query, in which a payer's address may stand.
		if outer, ok := errors.AsType[*url.Error](err); ok {
			err = outer.Err
		}
		return nil, c.failed(err)
	}
	defer resp.Body.Close()
	content, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err == nil && len(content) > maxAnswer {
		err = errTooLong
	}
	if err != nil {
		return nil, c.failed(err)
	}
	if c.response != nil {
		*c.response = Response{resp.StatusCode, resp.Header.Get("Request-Id"),
			resp.Header.Get("Idempotent-Replayed") == "true", resp.Header, content}
	}
	if resp.StatusCode >= http.StatusMultipleChoices || (resp.StatusCode == http.StatusAccepted && c.untilKnown) {
		return nil, c.failed(nil).with(resp, content)
	}
	return &Document{resp.Header.Get("Content-Type"), content}, nil
}

// encode is the body; its type becomes a header.
func (c call) encode() ([]byte, error) {
	switch {
	case c.document != nil:
		c.header.Set("Content-Type", c.document.ContentType)
		return c.document.Content, nil
	case c.body != nil:
		c.header.Set("Content-Type", "application/json")
		return json.Marshal(c.body)
	}
	return nil, nil
}

// backOff is the longest pause after so many.
func backOff(before int) time.Duration {
	return min(maxPause, firstPause<<min(before, 10))
}

// retryAfter reads the header as seconds, which is what the API sends.
func retryAfter(h http.Header) time.Duration {
	seconds, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Until reads an object until it is as wanted, after ever longer pauses of at most 8 seconds:
//
//	refund, err = client.Until(ctx,
//		func(ctx context.Context) (*client.Refund, error) { return c.Refunds.Get(ctx, id) },
//		func(r *client.Refund) bool { return r.Status != client.RefundStatusPending })
//
// When ctx ends it returns what it last read, with the error.
func Until[T any](ctx context.Context, read func(context.Context) (*T, error), wanted func(*T) bool) (*T, error) {
	for n := 0; ; n++ {
		object, err := read(ctx)
		if err != nil || wanted(object) {
			return object, err
		}
		if err := sleep(ctx, backOff(n)); err != nil {
			return object, err
		}
	}
}
