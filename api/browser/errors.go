package browser

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"svcpay/internal/fault"
)

// ErrorHandler answers what no handler did: addresses that do not exist, methods that they do not
// take, panics. Under /client that is in the library's form, elsewhere a line of text.
func ErrorHandler(c ClientConfig) echo.HTTPErrorHandler {
	cl := &client{ClientConfig: c}
	return func(err error, c echo.Context) {
		if c.Response().Committed {
			return
		}
		if path := c.Request().URL.Path; path == "/client" || strings.HasPrefix(path, "/client/") {
			_ = cl.fail(c, err) // the client is gone if this cannot be written
			return
		}
		cl.failOutside(c, err)
	}
}

// failOutside answers where pages of other sites ask: for the library and its frames.
func (cl *client) failOutside(c echo.Context, err error) {
	id, status := cl.identify(c), misused(err)
	c.Response().Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	if status == 0 {
		status = dresses[cl.faultOf(c, id, err).Kind].status
	}
	_ = c.String(status, http.StatusText(status)+"\n")
}

// fail answers under /client.
func (cl *client) fail(c echo.Context, err error) error {
	id, status := cl.identify(c), misused(err)
	if status == 0 {
		return refuse(c, id, cl.faultOf(c, id, err))
	}
	message := "There is no such address."
	if status == http.StatusMethodNotAllowed {
		message = "This address does not take this method."
	}
	return write(c, id, dress{status, "invalid_request_error"}, fault.Invalid("invalid_token_data", message))
}

// misused is the status of an error of the router, which is the caller's mistake; else 0.
func misused(err error) int {
	if e, ok := errors.AsType[*echo.HTTPError](err); ok && e.Code < http.StatusInternalServerError {
		return e.Code
	}
	return 0
}
