package api

import (
	"cmp"
	"math"
	"net/http"
	"reflect"
	"regexp"
	"strings"

	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/requestlog"
)

func (a *API) requestLogRoutes() []route {
	return []route{
		{http.MethodGet, "/api/request_logs", "", authz.RequestLogRead, grows, lists(requestLogList, a.RequestLogs.List)},
		{http.MethodGet, "/api/request_logs/:id", "", authz.RequestLogRead, constant, get(a.RequestLogs.Get)},
	}
}

// Bounds of the texts that entries are searched for.
const (
	maxLoggedPath = 1024
	maxCodeName   = 60
)

// loggedMethods are those of entries.
var loggedMethods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
	http.MethodDelete}

func requestLogList(q *query) requestlog.ListInput {
	return requestlog.ListInput{
		Page: pageOf(q, ids.ParseRequest), Created: q.times("created_at"), Statuses: q.integers("status"),
		Methods: q.words("method", loggedMethods),
		Path:    q.text("path", maxLoggedPath), Code: q.text("error_code", maxCodeName), KeyID: idIn(q, "key_id",
			ids.ParseKey),
		IdempotencyKey: q.text("idempotency_key", maxKeySize), ClientRequestID: q.text("client_request_id", maxKeySize),
		ObjectID: q.text("object_id", maxKeySize), Merchants: q.integers("merchant_id"),
	}
}

// plainID is an id as this API gives them.
var plainID = regexp.MustCompile(`^([a-z]{2,5}_[0-9a-z]{26}|[1-9][0-9]{0,18})$`)

// record puts an answered request in the log of its application, if it is known whose it is. Who was turned away
// because too many were at work is counted by the metrics alone: an entry would cost more than the refusal, at the
// worst of times.
func (a *API) record(c echo.Context, req *request, r reply) {
	if req.actor.ApplicationID == 0 || req.turnedAway {
		return
	}
	path := canonicalPath(c)
	e := requestlog.Entry{Actor: req.actor, ClientRequestID: req.clientID, Method: c.Request().Method, Path: path,
		Query: c.Request().URL.RawQuery,
		Body:  req.body, BodyBytes: max(len(req.body), int(min(c.Request().ContentLength, math.MaxInt32))),
		Status: c.Response().Status, IdempotencyKey: req.key,
		Replayed: r.replayed, IP: c.RealIP(), UserAgent: c.Request().UserAgent(), Took: a.Now().Sub(req.began),
		APIVersion: req.version, At: req.began}
	e.ObjectID, _ = r.name()
	e.MerchantID = r.merchant()
	if f := req.refusal; f != nil {
		e.Refusal, e.Type, e.Answer = f, dressOf(f).Type, req.answer
		e.ObjectID = cmp.Or(subjectOf(f), e.ObjectID)
	}
	if id := pathID(c); e.ObjectID == "" && plainID.MatchString(id) {
		e.ObjectID = id
	}
	if id, ok := strings.CutPrefix(path, "/api/merchants/"); ok && e.MerchantID == 0 {
		id, _, _ = strings.Cut(id, "/")
		e.MerchantID = positive(id)
	}
	a.RequestLogs.Add(e)
}

// subjectOf is the id of the charge or the donation that a refusal reports; "" where it reports none.
func subjectOf(f *fault.Error) string {
	for _, member := range []string{"charge_id", "donation_id"} {
		if id, ok := f.Detail[member].(string); ok {
			return id
		}
	}
	return ""
}

// merchant is the merchant that the answered object belongs to; 0 where none is told.
func (r reply) merchant() int64 {
	if v := reflect.ValueOf(r.object); v.Kind() == reflect.Struct {
		if f := reflect.Indirect(v.FieldByName("MerchantID")); f.IsValid() && f.CanInt() {
			return f.Int()
		}
	}
	return 0
}
