package browser

import (
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"svcpay/internal/platform/csp"
	"svcpay/internal/platform/security"
)

// maxReport is how large the body of a report may be, in bytes.
const maxReport = 16 << 10

// ReportConfig is what receives reports about violated policies.
type ReportConfig struct {
	Security *security.Log
	// Limit is for reports alone, so that a page with many violations doesn't keep its payer from paying.
	Limit *Limit
	Log   *slog.Logger
	Now   func() time.Time
}

// RegisterReports adds the address to which browsers report violations of the policies of this origin's pages. Each
// becomes a security event with the violated directive. The text of a report is neither stored nor logged: the
// addresses in it may hold secrets.
func RegisterReports(r Router, c ReportConfig) {
	cl := &client{ClientConfig{Limit: c.Limit, Log: c.Log, Now: c.Now}}
	r.Add(http.MethodPost, csp.ReportPath, func(in echo.Context) error {
		cl.identify(in)
		if refused := cl.Limit.take(in); refused != nil {
			retryLater(in, refused)
			return in.String(http.StatusTooManyRequests, refused.Message+"\n")
		}
		violated, status := readReports(in)
		for _, directive := range violated {
			c.Security.Add(in.Request().Context(), security.Event{Kind: security.PagePolicy, Outcome: directive})
		}
		return in.NoContent(status)
	})
}

// readReports returns the directives that were violated, and the status of the answer.
func readReports(c echo.Context) (violated []string, status int) {
	r := c.Request()
	media, _, err := mime.ParseMediaType(r.Header.Get(echo.HeaderContentType))
	if err != nil || media != csp.MediaReport && media != csp.MediaReports {
		return nil, http.StatusUnsupportedMediaType
	}
	body, err := io.ReadAll(http.MaxBytesReader(c.Response(), r.Body, maxReport))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, http.StatusRequestEntityTooLarge
	}
	if err == nil {
		violated, err = csp.Parse(media, body)
	}
	if err != nil {
		return nil, http.StatusBadRequest
	}
	return violated, http.StatusNoContent
}
