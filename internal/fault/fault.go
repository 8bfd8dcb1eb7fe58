// Package fault defines the errors that a caller may see. A fault has a coarse [Kind], a stable code and a message for
// people; its cause stays internal.
package fault

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"time"
)

// Kind says what sort of refusal this is; the edge turns it into a status.
type Kind string

// The kinds, from the caller's mistake to ours.
const (
	KindInvalid         Kind = "invalid"         // the request is malformed
	KindUnauthenticated Kind = "unauthenticated" // who are you
	KindForbidden       Kind = "forbidden"       // you may not
	KindDeclined        Kind = "declined"        // the processor said no
	KindNotFound        Kind = "not_found"       // no such object, or not yours
	KindConflict        Kind = "conflict"        // the object's state forbids it
	KindGone            Kind = "gone"            // it was there, it expired
	KindChanged         Kind = "changed"         // someone changed it in the meantime
	KindRefused         Kind = "refused"         // a rule of the business forbids it
	KindLimited         Kind = "limited"         // too often
	KindUnavailable     Kind = "unavailable"     // try again later
	KindClosed          Kind = "closed"          // the client hung up before the response
	KindInternal        Kind = "internal"        // our mistake
)

// StatusClosed is the HTTP status that logs and metrics give a request whose client hung up before the response, as
// nginx does. No client ever reads it.
const StatusClosed = 499

// Error is a fault. Its json tags are how an outcome is stored; the edge has its own dress for it.
type Error struct {
	Kind    Kind   `json:"kind"`
	Code    string `json:"code"`
	Message string `json:"message"`
	// Param names the request parameter at fault, if there is a single one.
	Param string `json:"param,omitempty"`
	// Fields lists every wrong parameter of an invalid request.
	Fields []Field `json:"fields,omitempty"`
	// Detail holds further members of the answer, such as charge_id or remaining.
	Detail map[string]any `json:"detail,omitempty"`
	// RetryAfter says when another try makes sense; zero says nothing.
	RetryAfter time.Duration `json:"retry_after,omitempty"`

	cause error
}

// Field is one wrong parameter. Message never repeats the submitted value.
type Field struct {
	Param   string `json:"param"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Error prints code and message, and the cause for our own logs.
func (e *Error) Error() string {
	if e.cause != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.cause)
	}
	return e.Code + ": " + e.Message
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.cause }

// New makes a fault.
func New(k Kind, code, message string) *Error { return &Error{Kind: k, Code: code, Message: message} }

// Invalid makes a fault of the request's form.
func Invalid(code, message string) *Error { return New(KindInvalid, code, message) }

// Refused makes a fault of a business rule.
func Refused(code, message string) *Error { return New(KindRefused, code, message) }

// Missing is the one answer for an object that does not exist or belongs to someone else.
func Missing() *Error {
	return New(KindNotFound, "resource_missing", "No such object, or it belongs to another application.")
}

// Changed is the one answer to a change of an object that is not what the caller believes it to be.
func Changed() *Error {
	return New(KindChanged, "object_changed",
		"The object has changed since the version that If-Match names. Read it again.")
}

// Internal hides cause behind the one text that callers see.
func Internal(cause error) *Error {
	return New(KindInternal, "internal_error", "Something went wrong on our side. It has been recorded.").Because(cause)
}

// Closed is the outcome of a request that was cut short because its client hung up.
func Closed(cause error) *Error {
	return New(KindClosed, "client_closed_request",
		"The client closed the connection before the response.").Because(cause)
}

// On returns a copy that names the parameter at fault.
func (e *Error) On(param string) *Error { c := *e; c.Param = param; return &c }

// Because returns a copy that carries a cause for the logs.
func (e *Error) Because(cause error) *Error { c := *e; c.cause = cause; return &c }

// With returns a copy with one more detail member.
func (e *Error) With(name string, value any) *Error {
	c := *e
	c.Detail = map[string]any{}
	maps.Copy(c.Detail, e.Detail)
	c.Detail[name] = value
	return &c
}

// After returns a copy that says when to try again.
func (e *Error) After(d time.Duration) *Error { c := *e; c.RetryAfter = d; return &c }

// RetrySeconds is RetryAfter in whole seconds, rounded up, as Retry-After tells it.
func (e *Error) RetrySeconds() int { return int(math.Ceil(e.RetryAfter.Seconds())) }

// As finds the fault in err's chain.
func As(err error) (*Error, bool) { return errors.AsType[*Error](err) }

// HasCode reports whether err is a fault with that code.
func HasCode(err error, code string) bool {
	f, ok := As(err)
	return ok && f.Code == code
}
