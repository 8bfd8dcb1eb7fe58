package idempotency

import (
	"context"
	"errors"
	"time"

	"svcpay/internal/fault"
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
	r, err := find(ctx, q, applicationID, key)
	if errors.Is(err, pg.ErrNone) || err == nil && r.State == Done && !r.ExpiresAt.After(now) { // as good as forgotten
		return Story{}, fault.Missing()
	}
	if err != nil {
		return Story{}, err
	}
	p, err := r.prior()
	if err != nil {
		return Story{}, err
	}
	return Story{Prior: *p, Key: key, Method: r.Method, Path: r.Path, ExpiresAt: r.ExpiresAt}, nil
}
