package safehttp

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"os"
)

// Reason says why an exchange failed. It is a stable code.
type Reason string

// The reasons, first those that can be seen before anything is sent.
const (
	SchemeNotAllowed Reason = "scheme_not_allowed"
	HostNotAllowed   Reason = "host_not_allowed" // an IP address, a name of this machine, or no name at all
	PortNotAllowed   Reason = "port_not_allowed"
	// HostNotFound: the name has no address on the internet. Whether it has one inside our network isn't told, or
	// anyone could list our internal names.
	HostNotFound       Reason = "host_not_found"
	AddressNotPublic   Reason = "address_not_public"  // what exchanges before 0.3 recorded for internal names
	Unreachable        Reason = "unreachable"         // no connection, or one that broke
	CertificateInvalid Reason = "certificate_invalid" // or no TLS is spoken there
	TimedOut           Reason = "timed_out"
)

// Reasons lists every reason.
func Reasons() []Reason {
	return []Reason{SchemeNotAllowed, HostNotAllowed, PortNotAllowed, HostNotFound, AddressNotPublic, Unreachable,
		CertificateInvalid, TimedOut}
}

// Error is an exchange that failed, or was not begun. What it prints is for logs: causes report
// addresses.
type Error struct {
	Reason Reason
	cause  error
}

func refusal(r Reason, why string) error { return &Error{Reason: r, cause: errors.New(why)} }

// Error prints the reason and its cause.
func (e *Error) Error() string { return "safehttp: " + string(e.Reason) + ": " + e.cause.Error() }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.cause }

// ReasonOf says why an exchange failed; "" if err is not of this package.
func ReasonOf(err error) Reason {
	var e *Error
	if errors.As(err, &e) {
		return e.Reason
	}
	return ""
}

// reasonOf sorts an error of the standard library.
func reasonOf(err error) Reason {
	var (
		timeout     net.Error
		lookup      *net.DNSError
		alert       tls.AlertError
		certificate *tls.CertificateVerificationError
		record      tls.RecordHeaderError
	)
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &timeout) &&
		timeout.Timeout():
		return TimedOut
	case errors.As(err, &lookup):
		return HostNotFound
	case errors.As(err, &certificate), errors.As(err, &alert), errors.As(err, &record), errors.Is(err,
		http.ErrSchemeMismatch):
		return CertificateInvalid
	}
	return Unreachable
}
