package portal

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"svcpay/internal/fault"
	"svcpay/internal/pg"
	"svcpay/views"
)

var (
	errForeign = fault.New(fault.KindForbidden, "cross_origin", "This request came from another site. Open the page here and try again.")
	errTheme   = fault.Invalid("parameter_invalid", "There is no such theme.")
	errLarge   = echo.NewHTTPError(http.StatusRequestEntityTooLarge)
)

// errForm tells a form that is too large from one that cannot be read.
func errForm(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return errLarge
	}
	return fault.Invalid("body_invalid", "This form could not be read.").Because(err)
}

// statusOf is the status of a page about a fault.
func statusOf(k fault.Kind) int {
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
	}
	return http.StatusInternalServerError
}

// texts are the pages about a status that no fault explains better: title and what to do.
var texts = map[int][2]string{
	http.StatusForbidden:             {"This is not allowed", ""},
	http.StatusNotFound:              {"There is no such page", "The address may be mistyped, or what it showed is gone."},
	http.StatusMethodNotAllowed:      {"This page cannot be used that way", "Go back and open it by a link or its form."},
	http.StatusRequestEntityTooLarge: {"This form is too large", "A form may have 32 KiB. Shorten what you wrote and send it again."},
	http.StatusServiceUnavailable:    {"The service cannot answer right now", "Wait a moment, then load the page again."},
	http.StatusInternalServerError:   {"Something went wrong on our side", "It has been recorded. Try again, and tell us if it stays."},
}

// Error answers with a page about what failed. Only faults speak to the visitor; the causes of what
// is our own mistake go to the log.
func (p *Portal) Error(c echo.Context, err error) {
	if c.Response().Committed {
		return
	}
	p.dress(c)
	status, text := p.explain(c, err)
	requestID := c.Response().Header().Get("Request-Id")
	if status >= http.StatusInternalServerError {
		p.Log.ErrorContext(c.Request().Context(), "page failed", "request_id", requestID,
			"method", c.Request().Method, "route", c.Path(), "error", err.Error())
	}
	title := texts[status][0]
	if title == "" {
		title = "This did not work"
	}
	failure := views.Failure{Status: strconv.Itoa(status), Title: title, Text: text, Request: requestID}
	_ = render(c, status, views.FailurePage(p.page(c, title), failure)) // the client is gone if this cannot be written
}

// explain returns the status of an error and what to say of it.
func (p *Portal) explain(c echo.Context, err error) (int, string) {
	var refused *echo.HTTPError
	_, spoken := fault.As(err)
	if !spoken && errors.As(err, &refused) && refused.Code < http.StatusInternalServerError {
		return refused.Code, texts[refused.Code][1]
	}
	f := pg.Fault(err)
	retryAfter(c, f)
	status := statusOf(f.Kind)
	if !spoken {
		return status, texts[status][1]
	}
	return status, f.Message
}

// retryAfter tells when another try makes sense, if the fault does.
func retryAfter(c echo.Context, f *fault.Error) {
	if f.RetryAfter > 0 {
		c.Response().Header().Set("Retry-After", strconv.Itoa(f.RetrySeconds()))
	}
}
