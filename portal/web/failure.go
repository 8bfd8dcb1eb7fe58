package web

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/security"
	"svcpay/views"
	"svcpay/views/ui"
)

var errForeign = fault.New(fault.KindForbidden, "cross_origin",
	"This request came from another site. Open the page here and try again.")

var errNobody = fault.New(fault.KindUnauthenticated, "sign_in_required", "Sign in to see this page.")

// texts are title and advice of the page about a status that no fault explains better.
func texts(c *Request, status int) (title, advice string) {
	t := c.Text().Failures
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
		if c.Path() == EvidencePath {
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
func (d *Desk) Error(ec echo.Context, err error) {
	if ec.Response().Committed {
		return
	}
	c := d.request(ec)
	d.dress(c)
	requestID := c.Response().Header().Get("Request-Id")
	if moved, ok := errors.AsType[otherPlace](err); ok {
		_ = d.showOtherPlace(c, moved, requestID) // the client is gone if this cannot be written
		return
	}
	status, words := d.explain(c, err)
	d.noteRefusal(c, err)
	if status >= http.StatusInternalServerError {
		d.log.ErrorContext(c.Ctx(), "page failed", "request_id", requestID,
			"method", c.Request().Method, "route", c.Path(), "error", err.Error())
	}
	title, _ := texts(c, status)
	f := views.Failure{Status: strconv.Itoa(status), Title: title, Text: words, Request: requestID, Back: Home}
	if fault.HasCode(err, codeQuery) {
		f.Onward = withoutQuery(c)
	}
	_ = d.renderFailure(c, status, f) // the client is gone if this cannot be written
}

// noteRefusal records that a visitor was denied a permission, or reached a limit.
func (d *Desk) noteRefusal(c *Request, err error) {
	f, ok := fault.As(err)
	kinds := map[fault.Kind]security.Kind{fault.KindForbidden: security.Permission, fault.KindLimited: security.Limit}
	if !ok || kinds[f.Kind] == "" {
		return
	}
	visit, _ := d.Me(c) // without a session, there is no person
	d.security.Add(c.Ctx(), security.Event{Kind: kinds[f.Kind], Outcome: f.Code,
		Actor: authz.Actor{PersonID: visit.Person.ID}})
}

// renderFailure shows a failure where its request would have shown something else: on a page of its own, in
// the dialog, or above a page of which only a part was asked for.
func (d *Desk) renderFailure(c *Request, status int, f views.Failure) error {
	id, fragment := FragmentOf(c.Request())
	switch {
	case !fragment:
		return Render(c, status, views.FailurePage(c.Page(f.Title), f))
	case id == ui.DialogID:
		return Render(c, status, views.FailureDialog(f))
	}
	c.Request().Header.Set("HX-Target", ui.NoticeID)
	c.Response().Header().Set("HX-Retarget", "#"+ui.NoticeID)
	c.Response().Header().Set("HX-Reswap", "outerHTML")
	c.Response().Header().Set("HX-Push-Url", "false")
	return Render(c, status, views.FailureNotice(f))
}

// explain returns the status of an error and what to say of it.
func (d *Desk) explain(c *Request, err error) (int, string) {
	var refused *echo.HTTPError
	_, spoken := fault.As(err)
	if !spoken && errors.As(err, &refused) && refused.Code < http.StatusInternalServerError {
		_, advice := texts(c, refused.Code)
		return refused.Code, advice
	}
	f := pg.FaultOf(c.Ctx(), err)
	RetryAfter(c, f)
	status := StatusOf(f.Kind)
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
			return status, d.lacks(c, authz.Permission(needed))
		}
	case "resource_missing": // whose it is, is for programs to know
		_, advice := texts(c, status)
		return status, advice
	case "object_changed": // its words are for programs
		return status, c.Text().Mistakes.Changed
	case "role_missing":
		return status, c.Text().Rights.NoRole
	}
	return status, f.Message
}
