package web

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"svcpay/internal/fault"
)

var (
	// ErrOnce refuses a form without its hidden inputs.
	ErrOnce  = fault.Invalid("parameter_invalid", "This form is incomplete. Reload the page and try again.")
	errPart  = fault.Invalid("parameter_invalid", "This part of the page was not found. Reload the page and try again.")
	errLarge = echo.NewHTTPError(http.StatusRequestEntityTooLarge)
)

// ErrForm distinguishes a form that is too large from one that cannot be read.
func ErrForm(err error) error {
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return errLarge
	}
	return fault.Invalid("body_invalid", "This form could not be read.").Because(err)
}

// StatusOf is the status of a page about a fault.
func StatusOf(k fault.Kind) int {
	switch k {
	case fault.KindInvalid, fault.KindDeclined, fault.KindRefused:
		return http.StatusUnprocessableEntity
	case fault.KindUnauthenticated:
		return http.StatusUnauthorized
	case fault.KindForbidden:
		return http.StatusForbidden
	case fault.KindNotFound:
		return http.StatusNotFound
	case fault.KindConflict, fault.KindChanged:
		return http.StatusConflict
	case fault.KindGone:
		return http.StatusGone
	case fault.KindLimited:
		return http.StatusTooManyRequests
	case fault.KindUnavailable:
		return http.StatusServiceUnavailable
	case fault.KindClosed:
		return fault.StatusClosed
	}
	return http.StatusInternalServerError
}

// RetryAfter says in the header when to try again, if the fault says so.
func RetryAfter(c echo.Context, f *fault.Error) {
	if f.RetryAfter > 0 {
		c.Response().Header().Set("Retry-After", strconv.Itoa(f.RetrySeconds()))
	}
}

// KindOf is the kind of a fault that [Problems] has taken.
func KindOf(err error) fault.Kind {
	f, _ := fault.As(err)
	return f.Kind
}
