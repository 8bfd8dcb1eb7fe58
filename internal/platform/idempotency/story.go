package idempotency

import (
	"context"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
)

// Story is the outcome of a key.
type Story struct {
	Prior
	Key, Method string
	Path        string // canonical
	ExpiresAt   time.Time
}

// Look returns the outcome of an application's key; resource_missing if it was never used, or is
// forgotten.
func Look(ctx context.Context, q pg.Querier, applicationID int64, key string, now time.Time) (Story, error) {
	r, err := pg.Find[struct {
		State     State       `db:"state"`
		Method    string      `db:"method"`
		Path      string      `db:"path"`
		ObjectID  *[16]byte   `db:"object_id"`
		Result    []byte      `db:"result"`
		Refusal   []byte      `db:"refusal"`
		RequestID ids.Request `db:"request_id"`
		CreatedAt time.Time   `db:"created_at"`
		ExpiresAt time.Time   `db:"expires_at"`
	}](ctx, q, `
		SELECT state, method, path, object_id, result, refusal, request_id, created_at, expires_at FROM idempotency_keys
		WHERE application_id = @application_id AND key = @key`, pg.Args{"application_id": applicationID, "key": key})
	if err != nil {
		return Story{}, err
	}
	if r.State == Done && !r.ExpiresAt.After(now) { // as good as forgotten
		return Story{}, fault.Missing()
	}
	p, err := row{State: r.State, ObjectID: r.ObjectID, Result: r.Result, Refusal: r.Refusal, RequestID: r.RequestID,
		CreatedAt: r.CreatedAt}.prior()
	if err != nil {
		return Story{}, err
	}
	return Story{Prior: *p, Key: key, Method: r.Method, Path: r.Path, ExpiresAt: r.ExpiresAt}, nil
}
