package audit_test

import (
	"context"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/pg"
)

// doneTx writes down that someone used a permission, on something or on nothing.
type doneTx func(a authz.Actor, p authz.Permission, on ...audit.Subject) error

func inTx(t *testing.T, w world, do func(doneTx) error) error {
	t.Helper()
	return pg.InTx(t.Context(), w.pool, func(tx *pg.Tx) error {
		return do(func(a authz.Actor, p authz.Permission, on ...audit.Subject) error {
			return w.DoneTx(tx, a, p, append(on, audit.Subject{})[0], nil, nil)
		})
	})
}

// newCanceled is the context of a caller who is gone.
func newCanceled(t *testing.T) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx, cancel
}
