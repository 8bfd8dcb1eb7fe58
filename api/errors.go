package api

import (
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/labstack/echo/v4"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
)

// writeError answers any error. Only faults speak to the caller; everything else becomes an
// internal error, whose cause goes to the log. An overload without a cause is no failure: there are more
// requests than places, and metrics count who was turned away.
func (a *API) writeError(c echo.Context, req *request, err error) error {
	f := pg.FaultOf(c.Request().Context(), err)
	req.turnedAway = req.turnedAway || f.Code == "overloaded" && f.Unwrap() == nil
	if f.Kind == fault.KindInternal || f.Kind == fault.KindUnavailable && !req.turnedAway {
		a.Log.ErrorContext(c.Request().Context(), "request failed", "request_id", req.id.String(),
			"method", c.Request().Method, "route", c.Path(), "error", f.Error())
	}
	return a.writeFault(c, req, req.id, f)
}

// problem is a fault as callers read it.
type problem struct {
	Type      string         `json:"type"`
	Code      string         `json:"code"`
	Message   string         `json:"message"`
	Param     string         `json:"param,omitzero"`
	Errors    []fault.Field  `json:"errors"`
	Retryable *bool          `json:"retryable,omitzero"` // nil where the detail tells it
	RequestID ids.Request    `json:"request_id"`
	DocURL    string         `json:"doc_url"`
	Detail    map[string]any `json:",embed"`
}

// writeFault answers a fault under the id of the request that it first answered.
func (a *API) writeFault(c echo.Context, req *request, id ids.Request, f *fault.Error) error {
	d := dressOf(f)
	p := problem{Type: d.Type, Code: f.Code, Message: f.Message, Param: f.Param, Errors: f.Fields,
		RequestID: id, DocURL: a.BaseURL + "/docs/errors#" + f.Code, Detail: f.Detail}
	if _, told := f.Detail["retryable"]; !told {
		p.Retryable = new(retryable(f.Kind, f.Code))
	}
	text, err := json.Marshal(map[string]problem{"error": p}, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	if f.RetryAfter > 0 {
		c.Response().Header().Set("Retry-After", strconv.Itoa(f.RetrySeconds()))
	}
	req.refusal, req.answer = f, text
	return c.Blob(d.Status, mediaJSON, text)
}

// retryable is said of faults that may go away on their own; a decline says it of itself.
func retryable(k fault.Kind, code string) bool {
	switch k {
	case fault.KindLimited, fault.KindUnavailable, fault.KindInternal:
		return true
	}
	return codeByName[code].Waits
}

// noRoute answers a path that does not exist, and a method that a path does not take.
func (a *API) noRoute(c echo.Context, code int) error {
	req := a.identifyRequest(c)
	if code == http.StatusMethodNotAllowed {
		return a.writeFault(c, req, req.id, fault.New(fault.KindInvalid, "method_not_allowed", "Method not allowed."))
	}
	return a.writeFault(c, req, req.id, fault.New(fault.KindNotFound, "route_missing", "Unrecognized request URL."))
}
