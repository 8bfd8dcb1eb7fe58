package api

import (
	"encoding/json"
	"maps"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/pg"
)

// writeError answers any error. Only faults speak to the caller; everything else becomes an
// internal error, whose cause goes to the log.
func (a *API) writeError(c echo.Context, req *request, err error) error {
	f := pg.Fault(err)
	if f.Kind == fault.KindInternal || f.Kind == fault.KindUnavailable {
		a.Log.ErrorContext(c.Request().Context(), "request failed", "request_id", req.id.String(),
			"method", c.Request().Method, "route", c.Path(), "error", f.Error())
	}
	return a.writeFault(c, req, req.id, f)
}

// writeFault answers a fault under the id of the request that it first answered.
func (a *API) writeFault(c echo.Context, req *request, id ids.Request, f *fault.Error) error {
	d := dressOf(f)
	body := map[string]any{
		"type": d.Type, "code": f.Code, "message": f.Message, "errors": append([]fault.Field{}, f.Fields...),
		"retryable": retryable(f.Kind, f.Code), "request_id": id.String(), "doc_url": a.BaseURL + "/docs/errors#" + f.Code,
	}
	if f.Param != "" {
		body["param"] = f.Param
	}
	maps.Copy(body, f.Detail)
	text, err := json.Marshal(map[string]any{"error": body})
	if err != nil {
		return err
	}
	if f.RetryAfter > 0 {
		c.Response().Header().Set("Retry-After", strconv.Itoa(f.RetrySeconds()))
	}
	req.refusal, req.answer = f, text
	return c.Blob(d.Status, mediaJSON, text)
}

// retryable is said of faults that may go away by themselves; a decline says it of itself.
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
		return a.writeFault(c, req, req.id, fault.New(fault.KindInvalid, "method_not_allowed", "This path does not take this method."))
	}
	return a.writeFault(c, req, req.id, fault.New(fault.KindNotFound, "route_missing", "There is no such path in this API."))
}
