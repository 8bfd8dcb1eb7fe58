package browser

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// Steps answers the script of modals' pages, which sends the header Svcpay-Step, with the next page's address in
// Svcpay-Next instead of a redirect. The script then replaces its page, so that the steps of a modal are one entry in
// the browser's history.
func Steps(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if c.Request().Header.Get("Svcpay-Step") != "" {
			r := c.Response()
			r.Before(func() {
				if r.Status == http.StatusSeeOther {
					r.Status = http.StatusOK
					r.Header().Set("Svcpay-Next", r.Header().Get(echo.HeaderLocation))
					r.Header().Del(echo.HeaderLocation)
				}
			})
		}
		return next(c)
	}
}
