package api

import (
	"cmp"
	"context"
	"fmt"
	"mime"
	"net/http"
	"reflect"
	"strconv"

	"github.com/labstack/echo/v4"
	"github.com/tidwall/gjson"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/idempotency"
)

// reply is a successful answer, or one that was stored: one of object, raw and refusal, or an object with its JSON as
// raw.
type reply struct {
	status int // 0 is 200
	// object is a record or a list. A record's fields ID and Version become Location, if under is
	// set, and ETag.
	object any
	// under is the path of the collection that the made object is in, "" if none was made.
	under string
	// raw is a finished text: the JSON of an object, or a document of the type media.
	raw   []byte
	media string
	// parts gives a document that is too large for raw part by part: of size bytes, 0 if no one knows before.
	parts func(context.Context, func([]byte) error) error
	size  int64
	// file is the name under which a document is to be saved.
	file     string
	refusal  *fault.Error
	replayed bool
	// original is the request that a stored refusal answered first.
	original ids.Request
}

// made is the answer to a use-case that took a claim: what an earlier request with the same key
// left, else the object, with status if it is final and 202 while its outcome is unknown.
func made[T any](status int, under string, out idempotency.Result[T]) reply {
	prior := out.Prior
	if prior != nil && prior.State == idempotency.Done {
		return reply{status: status, raw: prior.Outcome.Result, refusal: prior.Outcome.Refusal, under: under,
			replayed: true, original: prior.RequestID}
	}
	switch {
	case out.Unknown:
		status = http.StatusAccepted
	case out.Existing: // nothing was made
		status, under = http.StatusOK, ""
	}
	return reply{status: status, object: out.Object, raw: out.Text, under: under, replayed: prior != nil}
}

// name tells id and version of the answered object; "" and 0 where it has none.
func (r reply) name() (id string, version int) {
	if r.media != "" {
		return "", 0
	}
	if r.raw != nil {
		members := gjson.GetManyBytes(r.raw, "id", "version")
		return members[0].String(), int(members[1].Int())
	}
	object := r.object
	if e, ok := object.(expanded); ok {
		object = e.record
	}
	v := reflect.ValueOf(object)
	if v.Kind() != reflect.Struct {
		return "", 0
	}
	if f := v.FieldByName("ID"); f.IsValid() {
		id = fmt.Sprint(f.Interface())
	}
	if f := v.FieldByName("Version"); f.IsValid() && f.CanInt() {
		version = int(f.Int())
	}
	return id, version
}

// writeReply sends a success, or a stored answer as it was given first.
func (a *API) writeReply(c echo.Context, req *request, r reply) error {
	h := c.Response().Header()
	if r.replayed {
		h.Set("Idempotent-Replayed", "true")
	}
	if r.refusal != nil {
		return a.writeFault(c, req, r.original, r.refusal)
	}
	if r.file != "" {
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": r.file}))
	}
	if r.parts != nil {
		return a.writeParts(c, r)
	}
	body, err := encode(r)
	if err != nil {
		return a.writeError(c, req, err)
	}
	id, version := r.name()
	if version > 0 {
		h.Set("ETag", strconv.Quote(strconv.Itoa(version)))
	}
	if id != "" && r.under != "" {
		h.Set("Location", r.under+"/"+id)
	}
	return c.Blob(cmp.Or(r.status, http.StatusOK), cmp.Or(r.media, mediaJSON), body)
}
