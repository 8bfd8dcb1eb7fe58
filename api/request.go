package api

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
)

// Limits of a request.
const (
	maxBody    = 256 << 10
	maxDepth   = 16
	maxURL     = 4 << 10
	maxKeySize = 255
)

// request is what the edge knows of a request next to its body.
type request struct {
	id    ids.Request
	began time.Time
	// clientID is the caller's own id of the request, "" if there is none or it is none.
	clientID string
	actor    authz.Actor
	version  string // that is spoken
	// media is the content type of a success that the caller prefers among those of the operation.
	media string
	// ifVersion is the version that the object must still have, by If-Match; nil for any.
	ifVersion *int

	// The rest is what the log of requests is told: the JSON of the body, the idempotency key, and how the
	// request was refused, if it was.
	body    []byte
	key     string
	refusal *fault.Error
	answer  []byte
	// turnedAway is that there was no place for it.
	turnedAway bool
	// leave returns the place among the requests that stream, if it has one.
	leave func()
}

// identifyRequest gives the request its id and the headers that every answer has.
func (a *API) identifyRequest(c echo.Context) *request {
	now := a.Now()
	req := &request{leave: func() {}, id: ids.NewRequest(now), began: now, version: Version}
	h := c.Response().Header()
	h.Set("Request-Id", req.id.String())
	if own := c.Request().Header.Values("X-Request-Id"); len(own) == 1 && validKey(own[0]) {
		req.clientID = own[0]
		h.Set("X-Request-Id", req.clientID)
	}
	h.Set("X-API-Version", Version)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	return req
}

// admit checks who is calling and that the request's outer form can be served.
func (a *API) admit(c echo.Context, req *request, to handler) error {
	leave, err := a.limiter.enter()
	if err != nil {
		return err
	}
	defer leave()
	h := c.Request().Header
	if len(c.Request().RequestURI) > maxURL {
		return fault.Invalid("parameter_invalid", "The address is longer than 4 KiB.")
	}
	if !to.public {
		if err := a.identify(c, req, h); err != nil {
			return err
		}
	}
	if len(h.Values("X-Request-Id")) > 0 && req.clientID == "" {
		return mistake("X-Request-Id", "Your own id of a request is 1 to 255 visible ASCII characters.")
	}
	version, err := spoken(h)
	if err != nil {
		return err
	}
	req.version = version
	if req.media = preferred(h.Values("Accept"), to.produces); req.media == "" {
		return fault.New(fault.KindInvalid, "not_acceptable",
			"This operation answers "+strings.Join(to.produces, " or ")+" only.")
	}
	return nil
}

// identify finds out who is calling, and counts the request.
func (a *API) identify(c echo.Context, req *request, h http.Header) error {
	key := joined(h, "X-API-Key")
	if joined(h, "Origin") != "" && apikey.IsPrivate(key) {
		return fault.New(fault.KindForbidden, "secret_key_in_browser",
			"This request carries a secret key and comes from a browser. Secret keys belong on your server; roll this one.")
	}
	if err := a.authenticate(c, req, key); err != nil {
		return err
	}
	return a.limiter.count(c, req.actor.KeyID, a.Now())
}

// authenticate finds out whose key that is.
func (a *API) authenticate(c echo.Context, req *request, key string) error {
	from, _ := netip.ParseAddr(c.RealIP()) // a peer without an address is on no key's list
	who := apikey.Credentials{APIKey: key, AppID: joined(c.Request().Header, "X-App-ID"), From: from,
		RequestID: req.id}
	return a.limiter.authenticated(c.Request().Context(), c.RealIP(), key+" "+who.AppID, a.Now(), func() (err error) {
		req.actor, err = a.APIKeys.Authenticate(c.Request().Context(), who)
		req.actor.RequestID = req.id
		return err
	})
}

// mistake is the one mistake of a request, in a header.
func mistake(header, message string) error {
	var fs fault.Fields
	fs.Add(header, "parameter_invalid", message)
	return fs.Err()
}

// ifMatch reads If-Match: an ETag as this API gives them, or * for any version, which nil stands for.
func ifMatch(h http.Header, versioned bool) (*int, error) {
	values := h.Values("If-Match")
	switch {
	case len(values) == 0:
		return nil, nil
	case !versioned:
		return nil, mistake("If-Match", "This operation takes no If-Match.")
	case len(values) == 1 && values[0] == "*":
		return nil, nil
	}
	text, ok := strings.CutPrefix(joined(h, "If-Match"), `"`)
	text, end := strings.CutSuffix(text, `"`)
	version := int(positive(text))
	if !ok || !end || version == 0 {
		return nil, mistake("If-Match", `Send one ETag as it was given, such as "3", or *.`)
	}
	return &version, nil
}

// joined is a header's value; one that is sent twice is a list, which is no key, id, version or type.
func joined(h http.Header, name string) string { return strings.Join(h.Values(name), ",") }

// objectID is the id in the path. A text that is no integer is no merchant's.
func objectID[ID idType](c echo.Context) (id ID) {
	switch to := any(&id).(type) {
	case *string:
		*to = pathID(c)
	case *int64:
		*to = positive(pathID(c))
	}
	return id
}

// pathID is the id, or the key, that the path names. The router reads paths that hold escapes as they were
// sent, others decoded.
func pathID(c echo.Context) string {
	values := c.ParamValues()
	if len(values) == 0 {
		return ""
	}
	if c.Request().URL.RawPath == "" {
		return values[0]
	}
	id, err := url.PathUnescape(values[0])
	if err != nil { // the server refuses such paths before
		return ""
	}
	return id
}

// canonicalPath is the request's path under /api, whichever alias was called.
func canonicalPath(c echo.Context) string {
	pattern, path := c.Path(), c.Request().URL.Path
	if len(pattern) >= 5 && pattern[:5] == "/api/" {
		return path
	}
	return "/api" + path
}
