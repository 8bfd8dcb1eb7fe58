package web

import (
	"net/http"

	"svcpay/views"
)

// Confirm shows the dialog before an act that nothing has to be typed for: its form is sent to the dialog's own
// address.
func Confirm(c *Request, f views.ActForm) error {
	f.Action = c.Request().URL.Path
	return Render(c, http.StatusOK, views.ActPage(c.Page(f.Title), f))
}
