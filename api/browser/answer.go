package browser

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"net/netip"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/labstack/echo/v4"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/security"
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
		id := cl.identify(c)
		if crossOrigin.Check(c.Request()) != nil {
			return refuse(c, id,
				fault.New(fault.KindForbidden, "origin_not_allowed", "Only the service's own frames may call this."))
		}
		if refused := cl.Limit.take(c); refused != nil {
			return refuse(c, id, refused)
		}
		status, body, err := call(c)
		if err != nil {
			return refuse(c, id, cl.faultOf(c, id, err))
		}
		return c.JSON(status, body)
	}
}

// identify gives an answer its id, and the headers of all that is under /client.
func (cl *client) identify(c echo.Context) ids.Request {
	id := ids.NewRequest(cl.Now())
	h := c.Response().Header()
	address, _ := netip.ParseAddr(c.RealIP())
	c.SetRequest(c.Request().WithContext(security.From(c.Request().Context(),
		security.Origin{Address: address, RequestID: id})))
	h.Set("Request-Id", id.String())
	h.Set(echo.HeaderCacheControl, "no-store")
	h.Set(echo.HeaderXContentTypeOptions, "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	return id
}

// faultOf keeps what is not a fault from the browser, and writes it down. The library has one code
// for all that is not the page's mistake.
func (cl *client) faultOf(c echo.Context, id ids.Request, err error) *fault.Error {
	f := pg.FaultOf(c.Request().Context(), err)
	if _, expected := dresses[f.Kind]; !expected {
		f = fault.Internal(err)
	}
	if f.Kind == fault.KindInternal || f.Kind == fault.KindUnavailable {
		cl.Log.ErrorContext(c.Request().Context(), "request failed", "request_id", id.String(), "route", c.Path(),
			"error", f.Error())
		own := *f
		own.Code = "internal_error"
		return &own
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
	// Challenge is the work that the controller has to prove before it sends the request again; pages never see it.
	Challenge any `json:"challenge,omitempty"`
}

// dress is the status of an answer and the library's type of its error.
type dress struct {
	status int
	kind   string
}

// dresses give each kind of fault its own.
var dresses = map[fault.Kind]dress{
	fault.KindInvalid:         {http.StatusBadRequest, "validation_error"},
	fault.KindUnauthenticated: {http.StatusUnauthorized, "authentication_error"},
	fault.KindForbidden:       {http.StatusForbidden, "invalid_request_error"},
	fault.KindConflict:        {http.StatusConflict, "api_error"},
	fault.KindRefused:         {http.StatusUnprocessableEntity, "invalid_request_error"},
	fault.KindLimited:         {http.StatusTooManyRequests, "rate_limit_error"},
	fault.KindUnavailable:     {http.StatusServiceUnavailable, "api_error"},
	fault.KindClosed:          {fault.StatusClosed, "api_error"},
	fault.KindInternal:        {http.StatusInternalServerError, "api_error"},
}

func refuse(c echo.Context, id ids.Request, f *fault.Error) error {
	return write(c, id, dresses[f.Kind], f)
}

func write(c echo.Context, id ids.Request, d dress, f *fault.Error) error {
	e := clientError{Message: f.Message, Code: f.Code, Type: d.kind, Field: f.Param, RetryAfter: f.RetrySeconds(),
		RequestID: id.String(), Challenge: f.Detail["challenge"]}
	if len(f.Fields) > 0 { // the page shows one mistake at a time: the first
		e.Message, e.Code, e.Field = f.Fields[0].Message, f.Fields[0].Code, f.Fields[0].Param
	}
	if e.RetryAfter > 0 {
		retryLater(c, f)
	}
	return c.JSON(d.status, map[string]clientError{"error": e})
}
