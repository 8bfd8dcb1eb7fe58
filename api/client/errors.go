package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// Error is why a call failed: what the API said, or that it said nothing. Code says what to do, and DocURL leads to its
// explanation; Message is for people and may change.
type Error struct {
	Problem
	// StatusCode is the answer's, 0 if none came: whether the request happened is not known then. Repeat it with
	// IdempotencyKey to learn that.
	StatusCode     int
	IdempotencyKey string
	// RetryAfter is how long the API wants to be left alone, 0 if it did not say.
	RetryAfter time.Duration

	call  string
	cause error
}

// Error implements error.
func (e *Error) Error() string {
	text := "svcpay: " + e.call
	if e.StatusCode != 0 {
		text += fmt.Sprintf(": %d %s", e.StatusCode, e.Code)
	}
	if e.Message != "" {
		text += ": " + e.Message
	}
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	if e.RequestID != "" {
		text += " (" + e.RequestID + ")"
	}
	return text
}

// Unwrap returns what kept an answer from coming, such as the end of the context.
func (e *Error) Unwrap() error { return e.cause }

// with adds an answer that is no success. What is between us and the API may answer in words of its own.
func (e *Error) with(resp *http.Response, content []byte) *Error {
	e.StatusCode, e.RetryAfter = resp.StatusCode, retryAfter(resp.Header)
	var body struct{ Error Problem }
	if json.Unmarshal(content, &body) == nil && body.Error.Code != "" {
		e.Problem = body.Error
	} else {
		e.Problem = Problem{Message: http.StatusText(resp.StatusCode), RequestID: resp.Header.Get("Request-Id")}
	}
	return e
}

// mayChange reports whether the same request, under the same key, may get another answer soon. A processor_error is the
// outcome of its key: only a new request can have another.
func (e *Error) mayChange() bool {
	switch {
	case e.RetryAfter > maxRetryAfter:
		return false
	case e.StatusCode == http.StatusConflict:
		return e.Code == ErrorCodeIdempotencyKeyInUse
	case e.StatusCode >= http.StatusInternalServerError:
		return e.Code != ErrorCodeProcessorError
	}
	return e.StatusCode == 0 || e.StatusCode == http.StatusTooManyRequests
}
