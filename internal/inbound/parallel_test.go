package inbound

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"svcpay/internal/daf/provider"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/testing/pgtest"
)

// A feed that waits for the others, one that fails and one that panics hold up none of the others, and every error is reported.
func TestFeedsRunInParallel(t *testing.T) {
	t.Parallel()
	pool, machine := pgtest.New(t), time.Date(2027, 5, 6, 7, 8, 9, 0, time.UTC)
	type events func(ctx context.Context, after string, limit int) ([]processor.Event, error)
	begun := make(chan struct{}, 2)
	meets := func(ctx context.Context, after string, _ int) ([]processor.Event, error) {
		begun <- struct{}{}
		for len(begun) < cap(begun) { // until the other one is read, too
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(time.Millisecond):
			}
		}
		if after != "" {
			return nil, nil
		}
		return []processor.Event{{ID: "001", Kind: processor.PayoutPaid}}, nil
	}
	broken := errors.New("the connection was refused")
	s := &Service{Processors: map[string]*Feed[processor.Event]{}, DAF: &Feed[provider.Event]{name: "daf", pool: pool, patience: time.Second,
		machine: func() time.Time { return machine }, of: func(provider.Event) entry { return entry{} },
		events: func(context.Context, string, int) ([]provider.Event, error) { return nil, nil }}}
	for name, read := range map[string]events{
		"one": meets, "two": meets,
		"broken": func(context.Context, string, int) ([]processor.Event, error) { return nil, broken },
		"panics": func(context.Context, string, int) ([]processor.Event, error) { panic("no such page") },
	} {
		s.Processors[name] = &Feed[processor.Event]{name: name, pool: pool, patience: 20 * time.Second, events: read,
			machine: func() time.Time { return machine }, handlers: map[string]Handle[processor.Event]{},
			of: func(e processor.Event) entry { return entry{e.ID, string(e.Kind), "account"} }}
	}
	s.onEvent(processor.PayoutPaid, func(context.Context, processor.Event) error { return nil })
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	n, err := s.Run(ctx)
	if n != 4 || !errors.Is(err, broken) || !strings.Contains(err.Error(), "no such page") || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%d events, %v", n, err)
	}
	handled, err := pg.Value[int](t.Context(), pool, `SELECT count(*)::int FROM inbound_events WHERE handled_at IS NOT NULL`, pg.Args{})
	if err != nil || handled != 2 {
		t.Errorf("%d events were handled, %v", handled, err)
	}
}
