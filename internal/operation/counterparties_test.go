package operation_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/operation"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/testing/fixture"
)

// Each processor is asked about its own calls alone, and gives them up by its own window. A call at a processor that
// the deployment does not have stays open: no one can tell its outcome.
func TestCallsAreLookedUpAtTheirProcessor(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	var mu sync.Mutex
	var asked, ended []string
	r := operation.NewResolver(w.Pool, operation.Counterparties[processor.Answer]{
		Windows: map[string]time.Duration{"quick": 10 * time.Second, "slow": time.Hour},
		Lookup: func(_ context.Context, o operation.Operation) (processor.Answer, error) {
			mu.Lock()
			defer mu.Unlock()
			asked = append(asked, o.Account().Adapter)
			return processor.Answer{}, processor.ErrNotFound
		},
	}, w.Clock.Now)
	r.Handle(func(ctx context.Context, outcomes []operation.Outcome) error {
		return pg.InTx(ctx, w.Pool, func(tx *pg.Tx) error {
			for _, o := range outcomes {
				ended = append(ended, o.Processor+" "+string(operation.StateOf(o.Answer)))
				operation.CloseTx(tx, o, w.Clock.Now())
			}
			return nil
		})
	}, operation.Payout)
	var removed operation.Operation
	if err := pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
		for _, name := range []string{"quick", "slow", "removed"} {
			removed = operation.New(operation.Operation{ApplicationID: w.App.AppID, MerchantID: w.App.Merchants.US,
				SubjectID: ids.NewPayout(w.Clock.Now()).Bytes(),
				Kind:      operation.Payout, Processor: name, Amount: 100, Currency: "usd"}, nil, w.Clock.Now())
			operation.OpenTx(tx, removed)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Minute)
	if n, err := r.Resolve(t.Context()); n != 2 || err != nil {
		t.Errorf("%d calls were due, %v", n, err)
	}
	if err := r.ResolveSubject(t.Context(), w.App.AppID, removed.SubjectID); err != nil {
		t.Error(err)
	}
	slices.Sort(asked)
	if !slices.Equal(asked, []string{"quick", "slow"}) || !slices.Equal(ended, []string{"quick not_submitted"}) {
		t.Errorf("asked %v, ended %v", asked, ended)
	}
	if open, err := operation.OpenOf(t.Context(), w.Pool, w.App.AppID, removed.SubjectID); err != nil ||
		len(open) != 1 {
		t.Errorf("%d calls of the removed processor are open, %v", len(open), err)
	}
}
