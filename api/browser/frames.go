package browser

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// frame is a page that svcpay.js embeds. Its HTML is the same for everybody: the script in it reads
// the parameters, so that only the headers depend on the request.
type frame struct {
	*file
	origins    Origins
	production bool
}

// serve answers with the frame, embeddable only where its public key (parameter k) allows. A key
// that nobody knows can be embedded anywhere: the frame then reports invalid_public_key.
func (f frame) serve(c echo.Context) error {
	ancestors := anyOrigin
	if key := c.QueryParam("k"); key != "" {
		origins, known, err := f.origins(c.Request().Context(), key)
		if err != nil {
			frameHeaders(c.Response().Header(), noOrigin)
			return c.String(http.StatusServiceUnavailable, "The payment service is not available now. Please try again.\n")
		}
		if known {
			ancestors = frameAncestors(origins, f.production)
		}
	}
	frameHeaders(c.Response().Header(), ancestors)
	return f.write(c)
}
