package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/labstack/echo/v4"

	"svcpay/internal/fault"
	"svcpay/internal/idempotency"
	"svcpay/internal/ids"
)

// reply is a successful answer, or one that was stored: exactly one of object, raw and refusal.
type reply struct {
	status   int
	object   any
	raw      json.RawMessage
	refusal  *fault.Error
	replayed bool
	// original is the request that a stored refusal answered first.
	original ids.Request
	version  int
	location string
}

// handle makes a handler of a use-case with a body: strict decoding, all mistakes at once, then
// the claim of the idempotency key, so that a bad request never burns a key.
func handle[In any, P interface {
	*In
	validator
}](call func(ctx context.Context, req *request, in In, claim *idempotency.Claim) (reply, error)) func(echo.Context, *request) (reply, error) {
	return func(c echo.Context, req *request) (reply, error) {
		body, err := readBody(c.Request())
		if err != nil {
			return reply{}, err
		}
		raw, err := members(body)
		if err != nil {
			return reply{}, err
		}
		var in In
		if err := decode(raw, P(&in)); err != nil {
			return reply{}, err
		}
		claim, err := claimOf(c, req, raw, body)
		if err != nil {
			return reply{}, err
		}
		return call(c.Request().Context(), req, in, claim)
	}
}

var errKey = fault.Invalid("idempotency_key_invalid", "An Idempotency-Key is 1 to 255 visible ASCII characters.")

// claimOf makes the claim of a request that carries an Idempotency-Key; nil without one.
func claimOf(c echo.Context, req *request, raw map[string]jsontext.Value, body []byte) (*idempotency.Claim, error) {
	keys := c.Request().Header.Values("Idempotency-Key")
	if len(keys) == 0 {
		return nil, nil
	}
	if len(keys) > 1 || !validKey(keys[0]) {
		return nil, errKey
	}
	canonical := jsontext.Value(body).Clone()
	if err := canonical.Canonicalize(); err != nil {
		return nil, errBody
	}
	path := canonicalPath(c.Path(), c.Request().URL.Path)
	claim := &idempotency.Claim{
		ApplicationID: req.actor.ApplicationID, Key: keys[0], Method: c.Request().Method, Path: path,
		Fingerprint: sha256.Sum256([]byte(c.Request().Method + "\n" + path + "\n" + Version + "\n" + string(canonical))),
		Params:      make(map[string]string, len(raw)), RequestID: req.id,
	}
	for name, value := range raw {
		if err := value.Canonicalize(); err != nil {
			return nil, errBody
		}
		sum := sha256.Sum256(value)
		claim.Params[name] = hex.EncodeToString(sum[:8])
	}
	return claim, nil
}

func validKey(key string) bool {
	if key == "" || len(key) > maxKeySize {
		return false
	}
	for i := range len(key) {
		if key[i] < '!' || key[i] > '~' {
			return false
		}
	}
	return true
}

// canonicalPath is the path under /api, whichever alias was called.
func canonicalPath(pattern, path string) string {
	if len(pattern) >= 5 && pattern[:5] == "/api/" {
		return path
	}
	return "/api" + path
}

// writeReply sends a success, or a stored answer as it was given first.
func (a *API) writeReply(c echo.Context, req *request, r reply) error {
	h := c.Response().Header()
	if r.replayed {
		h.Set("Idempotent-Replayed", "true")
	}
	if r.refusal != nil {
		return a.writeFault(c, r.original, r.refusal)
	}
	if r.version > 0 {
		h.Set("ETag", strconv.Quote(strconv.Itoa(r.version)))
	}
	if r.location != "" {
		h.Set("Location", r.location)
	}
	body := r.raw
	if body == nil {
		var err error
		if body, err = json.Marshal(r.object); err != nil {
			return a.writeError(c, req, err)
		}
	}
	return c.Blob(r.status, "application/json", body)
}

// stored is the answer that an earlier request with the same key got; a success has the status
// created, and its object stands under collection.
func stored(p *idempotency.Prior, created int, collection string) reply {
	r := reply{status: created, raw: p.Outcome.Result, refusal: p.Outcome.Refusal, replayed: true, original: p.RequestID}
	var object struct {
		ID      string `json:"id"`
		Version int    `json:"version"`
	}
	if r.raw != nil && json.Unmarshal(r.raw, &object) == nil {
		r.version, r.location = object.Version, collection+"/"+object.ID
	}
	return r
}

// statusOf is 201 for a made object, 202 for one whose outcome is not known yet.
func statusOf(final bool) int {
	if final {
		return http.StatusCreated
	}
	return http.StatusAccepted
}
