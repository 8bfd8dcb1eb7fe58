package portal

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/platform/pg"
	"svcpay/views"
	"svcpay/views/ui"
)

var (
	errForeign = fault.New(fault.KindForbidden, "cross_origin", "This request came from another site. Open the page here and try again.")
	errTheme   = fault.Invalid("parameter_invalid", "There is no such theme.")
	errOnce    = fault.Invalid("parameter_invalid", "This form is not whole. Load its page again.")
	errPart    = fault.Invalid("parameter_invalid", "This page has no such part. Load the whole page again.")
	errNobody  = fault.New(fault.KindUnauthenticated, "sign_in_required", "Sign in to see this page.")
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
	case fault.KindClosed:
		return fault.StatusClosed
	}
	return http.StatusInternalServerError
}

// texts are title and advice of the page about a status that no fault explains better.
func texts(c echo.Context, status int) (title, advice string) {
	t := say(c).Failures
	switch status {
	case http.StatusBadRequest:
		return t.BadQuery, ""
	case http.StatusForbidden:
		return t.Forbidden, ""
	case http.StatusNotFound:
		return t.Missing, t.MissingText
	case http.StatusMethodNotAllowed:
		return t.Method, t.MethodText
	case http.StatusRequestEntityTooLarge:
		if c.Path() == evidenceRoute {
			return t.LargeFile, t.LargeFileText
		}
		return t.Large, t.LargeText
	case http.StatusServiceUnavailable:
		return t.Unavailable, t.UnavailableText
	case http.StatusInternalServerError:
		return t.Broken, t.BrokenText
	}
	return t.Other, ""
}

// Error answers with a page about what failed. Only faults speak to the visitor; the causes of what
// is our own mistake go to the log.
func (p *Portal) Error(c echo.Context, err error) {
	if c.Response().Committed {
		return
	}
	p.dress(c)
	requestID := c.Response().Header().Get("Request-Id")
	var moved otherPlace
	if errors.As(err, &moved) {
		_ = p.tellOfPlaces(c, moved, requestID) // the client is gone if this cannot be written
		return
	}
	status, words := p.explain(c, err)
	if status >= http.StatusInternalServerError {
		p.Log.ErrorContext(c.Request().Context(), "page failed", "request_id", requestID,
			"method", c.Request().Method, "route", c.Path(), "error", err.Error())
	}
	title, _ := texts(c, status)
	f := views.Failure{Status: strconv.Itoa(status), Title: title, Text: words, Request: requestID, Back: home}
	if fault.HasCode(err, codeQuery) {
		f.Onward = withoutQuery(c)
	}
	_ = p.renderFailure(c, status, f) // the client is gone if this cannot be written
}

// renderFailure shows a failure where its request would have shown something else: on a page of its own, in
// the dialog, or above a page of which only a part was asked for.
func (p *Portal) renderFailure(c echo.Context, status int, f views.Failure) error {
	id, fragment := asksFragment(c.Request())
	switch {
	case !fragment:
		return render(c, status, views.FailurePage(p.page(c, f.Title), f))
	case id == ui.DialogID:
		return render(c, status, views.FailureDialog(f))
	}
	c.Request().Header.Set("HX-Target", ui.NoticeID)
	c.Response().Header().Set("HX-Retarget", "#"+ui.NoticeID)
	c.Response().Header().Set("HX-Reswap", "outerHTML")
	c.Response().Header().Set("HX-Push-Url", "false")
	return render(c, status, views.FailureNotice(f))
}

// explain returns the status of an error and what to say of it.
func (p *Portal) explain(c echo.Context, err error) (int, string) {
	var refused *echo.HTTPError
	_, spoken := fault.As(err)
	if !spoken && errors.As(err, &refused) && refused.Code < http.StatusInternalServerError {
		_, advice := texts(c, refused.Code)
		return refused.Code, advice
	}
	f := pg.FaultOf(c.Request().Context(), err)
	retryAfter(c, f)
	status := statusOf(f.Kind)
	if f.Code == codeQuery { // an address, and no form to correct
		status = http.StatusBadRequest
	}
	if !spoken {
		_, advice := texts(c, status)
		return status, advice
	}
	switch f.Code {
	case "permission_denied":
		if needed, ok := f.Detail["required_permission"].(string); ok {
			return status, p.lacks(c, authz.Permission(needed))
		}
	case "resource_missing": // whose it is, is for programs to know
		_, advice := texts(c, status)
		return status, advice
	case "role_missing":
		return status, say(c).Rights.NoRole
	}
	return status, f.Message
}

// retryAfter tells when another try makes sense, if the fault does.
func retryAfter(c echo.Context, f *fault.Error) {
	if f.RetryAfter > 0 {
		c.Response().Header().Set("Retry-After", strconv.Itoa(f.RetrySeconds()))
	}
}
