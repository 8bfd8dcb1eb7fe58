package api

import (
	"context"
	"net/http"
	"strings"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/idempotency"
)

func (a *API) idempotencyKeyRoutes() []route {
	return []route{
		{http.MethodGet, "/api/idempotency_keys/:key", "", authz.IdempotencyKeyRead, constant, get(a.idempotencyKey)},
	}
}

// keyStates are the words for how far the work of a key has come.
var keyStates = map[idempotency.State]string{
	idempotency.Claimed:  "in_progress",
	idempotency.Accepted: "accepted",
	idempotency.Done:     "done",
}

// keyRecord says the outcome of an idempotency key.
type keyRecord struct {
	Object    string      `json:"object"`
	Livemode  bool        `json:"livemode"`
	Key       string      `json:"key"`
	State     string      `json:"state"`
	Method    string      `json:"method"`
	Path      string      `json:"path"`
	RequestID ids.Request `json:"request_id"` // of the request that used it first
	// Status is what a repetition is answered, nil while no one knows.
	Status    *int         `json:"status"`
	ObjectID  *string      `json:"object_id"`
	Refusal   *keyError    `json:"refusal"`
	CreatedAt instant.Time `json:"created_at"`
	ExpiresAt instant.Time `json:"expires_at"`
}

// keyError is the refusal that is kept under a key.
type keyError struct {
	Type    string  `json:"type"`
	Code    string  `json:"code"`
	Message string  `json:"message"`
	Param   *string `json:"param"`
}

func (a *API) idempotencyKey(ctx context.Context, actor authz.Actor, key string) (keyRecord, error) {
	s, err := a.RequestLogs.Key(ctx, actor, key)
	if err != nil {
		return keyRecord{}, err
	}
	out := keyRecord{Object: "idempotency_key", Livemode: a.Livemode, Key: s.Key, State: keyStates[s.State],
		Method: s.Method, Path: s.Path, RequestID: s.RequestID,
		CreatedAt: instant.Of(s.CreatedAt), ExpiresAt: instant.Of(s.ExpiresAt), ObjectID: objectOf(s)}
	switch f := s.Outcome.Refusal; {
	case s.State != idempotency.Done:
	case f != nil:
		d := dressOf(f)
		out.Status, out.Refusal = &d.Status, &keyError{Type: d.Type, Code: f.Code, Message: f.Message}
		if f.Param != "" {
			out.Refusal.Param = &f.Param
		}
	default:
		out.Status = new(madeStatus(s.Method, s.Path))
	}
	return out, nil
}

// madeStatus is how a change that went well is answered: 201 if it made the object that it answers.
// Those are posted to a collection; the clock of the sandbox is none.
func madeStatus(method, path string) int {
	rest := strings.Split(strings.TrimPrefix(strings.TrimPrefix(path, "/api/"), "sandbox/"), "/")
	if method == http.MethodPost && len(rest) == 1 && rest[0] != "clock" {
		return http.StatusCreated
	}
	return http.StatusOK
}

// objectOf is the id of the object that a key's request is about: that of the outcome, of a refusal or of
// the path; nil where it is not known yet.
func objectOf(s idempotency.Story) *string {
	id, _ := reply{raw: s.Outcome.Result}.name()
	if f := s.Outcome.Refusal; f != nil {
		id = subjectOf(f)
	}
	segments := strings.Split(s.Path, "/")
	switch {
	case id != "":
	case len(segments) > 3 && plainID.MatchString(segments[3]):
		id = segments[3]
	case s.Path == "/api/charges":
		id = ids.ChargeFrom(s.ObjectID).String()
	case s.Path == "/api/refunds":
		id = ids.RefundFrom(s.ObjectID).String()
	case s.Path == "/api/dafDonations":
		id = ids.DonationFrom(s.ObjectID).String()
	}
	if id == "" {
		return nil
	}
	return &id
}
