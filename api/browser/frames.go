package browser

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"regexp"

	"github.com/labstack/echo/v4"

	"svcpay/internal/fault"
)

// frame is a page that svcpay.js embeds. Its HTML is the same for everybody: the script in it reads
// the parameters, so that only the headers depend on the request.
type frame struct {
	*file
	scripts    string // sources of those in the HTML
	embeddings Embeddings
	limit      *Limit
	production bool
}

var inline = regexp.MustCompile(`(?s)<script>(.*?)</script>`)

// scriptSources are the sources of a policy, each after a space, that allow the scripts in a page's HTML.
func scriptSources(html []byte) (out string) {
	for _, script := range inline.FindAllSubmatch(html, -1) {
		sum := sha256.Sum256(script[1])
		out += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return out
}

// serve answers with the frame, embeddable only where its public key (parameter k) allows.
func (f frame) serve(c echo.Context) error {
	ancestors, err := f.ancestors(c)
	frameHeaders(c.Response().Header(), f.scripts, ancestors)
	if refused, ok := fault.As(err); ok && refused.Kind == fault.KindLimited {
		retryLater(c, refused)
		return c.String(http.StatusTooManyRequests, refused.Message+"\n")
	}
	if err != nil {
		return c.String(http.StatusServiceUnavailable, "The payment service is not available now. Please try again.\n")
	}
	return f.write(c)
}

// ancestors says who may embed the frame. A key that no one knows can be embedded anywhere: the frame then reports
// invalid_public_key. So can none at all in a sandbox. Parameters that cannot be read can be embedded nowhere: the
// script may read a key in them.
func (f frame) ancestors(c echo.Context) (string, error) {
	query, err := url.ParseQuery(c.Request().URL.RawQuery)
	key := query.Get("k")
	switch {
	case err != nil, key == "" && f.production:
		return noOrigin, nil
	case key == "":
		return anyOrigin, nil
	}
	pages, known, err := f.limit.embedding(c, f.embeddings, key, query.Get("m"))
	switch {
	case err != nil:
		return noOrigin, err
	case !known:
		return anyOrigin, nil
	}
	return frameAncestors(pages, f.production), nil
}
