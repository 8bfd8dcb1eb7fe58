package operation_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"svcpay/internal/operation"
	"svcpay/internal/processor"
	"svcpay/internal/processor/unconnected"
)

// A call whose time is over before it is made was not sent.
func TestCallAfterItsTimeIsNotSent(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	sent := false
	_, err := operation.Call(t.Context(), operation.Operation{CreatedAt: now.Add(-time.Hour)}, now,
		func(context.Context) (processor.Answer, error) {
			sent = true
			return processor.Answer{Approved: true}, nil
		})
	if sent || !errors.Is(err, operation.ErrNotSent) {
		t.Errorf("sent: %v, %v", sent, err)
	}
}

// A call that no adapter of the deployment can make has failed: it is not one without an answer.
func TestCallThatNoAdapterCanMakeIsNotSent(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	r := processor.NewRegistry(unconnected.Directory{})
	_, err := operation.Call(t.Context(), operation.Operation{CreatedAt: now}, now,
		func(ctx context.Context) (processor.Answer, error) {
			return r.Authorize(ctx, processor.Authorization{Account: processor.Account{Adapter: "removed"}})
		})
	if !errors.Is(err, operation.ErrNotSent) || !errors.Is(err, processor.ErrUnsupported) {
		t.Error(err)
	}
}
