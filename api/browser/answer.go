package browser

import (
	"bytes"
	"errors"
	"io"
	"math"
	"mime"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/labstack/echo/v4"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/pg"
)

const (
	maxTokenBody = 16 << 10
	maxRetryKey  = 255
)

// merchantID is an integer, or its decimal text: pages may hold it as either.
type merchantID int64

// UnmarshalJSON implements json.Unmarshaler.
func (m *merchantID) UnmarshalJSON(b []byte) error {
	n, err := strconv.ParseInt(string(bytes.Trim(b, `"`)), 10, 64)
	*m = merchantID(n)
	return err
}

func badRequest(field, message string) error {
	return fault.Invalid("invalid_token_data", message).On(field)
}

// decode reads a JSON body strictly. What is wrong with it is told without repeating any of it.
func decode(r *http.Request, in any) error {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return badRequest("", "Send the body as application/json.")
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxTokenBody+1))
	if err != nil || len(body) > maxTokenBody {
		return badRequest("", "The body is larger than 16 KiB or incomplete.")
	}
	if err := json.Unmarshal(body, in, json.RejectUnknownMembers(true)); err != nil {
		return badRequest("", "The body is not the expected JSON object.")
	}
	return nil
}

// answer makes a handler: same-origin requests only, and every error in the library's form.
func (cl *client) answer(call func(echo.Context) (int, any, error)) echo.HandlerFunc {
	crossOrigin := http.NewCrossOriginProtection()
	return func(c echo.Context) error {
		id := ids.NewRequest(cl.Now())
		h := c.Response().Header()
		h.Set("Request-Id", id.String())
		h.Set(echo.HeaderCacheControl, "no-store")
		h.Set(echo.HeaderXContentTypeOptions, "nosniff")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if crossOrigin.Check(c.Request()) != nil {
			return cl.refuse(c, id, fault.New(fault.KindForbidden, "origin_not_allowed", "Only the service's own frames may call this."))
		}
		status, body, err := call(c)
		if err != nil {
			return cl.refuse(c, id, cl.faultOf(c, id, err))
		}
		return c.JSON(status, body)
	}
}

// faultOf keeps what is not a fault from the browser, and writes it down.
func (cl *client) faultOf(c echo.Context, id ids.Request, err error) *fault.Error {
	f, ok := fault.As(err)
	switch {
	case ok:
	case pg.IsUnavailable(err):
		f = fault.New(fault.KindUnavailable, "internal_error", "The service is busy. Try again shortly.").Because(err)
	default:
		f = fault.Internal(err)
	}
	if f.Kind == fault.KindInternal || f.Kind == fault.KindUnavailable {
		cl.Log.ErrorContext(c.Request().Context(), "request failed", "request_id", id.String(), "route", c.Path(), "error", f.Error())
	}
	return f
}

// clientError is an error as the library hands it to the page.
type clientError struct {
	Message    string `json:"message"`
	Code       string `json:"code"`
	Type       string `json:"type"`
	Field      string `json:"field,omitempty"`
	RetryAfter int    `json:"retry_after,omitempty"` // seconds
	RequestID  string `json:"request_id"`
}

// dresses give each kind of fault its status and the library's type.
var dresses = map[fault.Kind]struct {
	status int
	kind   string
}{
	fault.KindInvalid:         {http.StatusBadRequest, "validation_error"},
	fault.KindUnauthenticated: {http.StatusUnauthorized, "authentication_error"},
	fault.KindForbidden:       {http.StatusForbidden, "invalid_request_error"},
	fault.KindConflict:        {http.StatusConflict, "api_error"},
	fault.KindRefused:         {http.StatusUnprocessableEntity, "invalid_request_error"},
	fault.KindLimited:         {http.StatusTooManyRequests, "rate_limit_error"},
	fault.KindUnavailable:     {http.StatusServiceUnavailable, "api_error"},
	fault.KindInternal:        {http.StatusInternalServerError, "api_error"},
}

var errNoDress = errors.New("browser: a fault of an unexpected kind")

func (cl *client) refuse(c echo.Context, id ids.Request, f *fault.Error) error {
	d, ok := dresses[f.Kind]
	if !ok {
		f = fault.Internal(errNoDress)
		d = dresses[f.Kind]
	}
	e := clientError{Message: f.Message, Code: f.Code, Type: d.kind, Field: f.Param, RequestID: id.String()}
	if len(f.Fields) > 0 { // the page shows one mistake at a time: the first
		e.Message, e.Code, e.Field = f.Fields[0].Message, f.Fields[0].Code, f.Fields[0].Param
	}
	if f.RetryAfter > 0 {
		e.RetryAfter = int(math.Ceil(f.RetryAfter.Seconds()))
		c.Response().Header().Set("Retry-After", strconv.Itoa(e.RetryAfter))
	}
	return c.JSON(d.status, map[string]clientError{"error": e})
}
