package charge_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/testing/fixture"
)

// forgetful is the sandbox's processor, which loses the answers of authorizations, finds nothing while it hides, and
// cannot return money while it is away, as a deployment without its adapter.
type forgetful struct {
	*sandbox.Processor
	hides, away atomic.Bool
	calls       atomic.Int32 // that would return money
}

func (p *forgetful) Authorize(ctx context.Context, a processor.Authorization) (processor.Answer, error) {
	_, err := p.Processor.Authorize(ctx, a)
	return processor.Answer{}, errors.Join(err, errors.New("the answer was lost"))
}

func (p *forgetful) Lookup(ctx context.Context, account processor.Account, reference string) (processor.Answer, error) {
	if p.hides.Load() {
		return processor.Answer{}, processor.ErrNotFound
	}
	return p.Processor.Lookup(ctx, account, reference)
}

func (p *forgetful) Void(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	return p.give(ctx, f, p.Processor.Void)
}

func (p *forgetful) Refund(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	return p.give(ctx, f, p.Processor.Refund)
}

func (p *forgetful) give(ctx context.Context, f processor.FollowUp,
	method func(context.Context, processor.FollowUp) (processor.Answer, error)) (processor.Answer, error) {
	p.calls.Add(1)
	if p.away.Load() {
		return processor.Answer{}, processor.ErrUnsupported
	}
	return method(ctx, f)
}

// A reversal that was not sent has failed, is retried after a pause under another reference, and is not looked up.
func TestReversalThatWasNotSentIsRetriedAfterAPause(t *testing.T) {
	t.Parallel()
	for kind, capture := range map[string]bool{"refund": true, "void": false} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			p := &forgetful{}
			w := fixture.NewWith(t, func(inner *sandbox.Processor) processor.Processor {
				p.Processor = inner
				return p
			})
			in := input(w, good, 100)
			in.Capture = &capture
			c := create(t, w, in, nil).Object
			p.hides.Store(true)
			w.Clock.Advance(p.SettleWindow() + time.Second)
			resolve(t, w, 1) // the charge is given up
			p.hides.Store(false)
			p.away.Store(true)
			w.Clock.Advance(2 * time.Minute)
			resolve(t, w, 1) // it is found, and its reversal is not sent
			repeats := func(when string, want int, calls int32) {
				t.Helper()
				if n, err := w.Charges.RepeatReversals(t.Context()); err != nil || n != want ||
					p.calls.Load() != calls {
					t.Errorf("%s: %d reversals were made again, %v, %d calls; want %d, %d calls", when, n, err,
						p.calls.Load(), want, calls)
				}
			}
			repeats("at once", 0, 1)
			w.Clock.Advance(59 * time.Minute)
			resolve(t, w, 0)
			repeats("before the pause is over", 0, 1)
			w.Clock.Advance(time.Minute)
			repeats("after the pause", 1, 2)
			repeats("at once again", 0, 2)
			if n := count(t, w, `processor_operations WHERE kind = 'reverse' AND state = 'not_submitted'
				AND next_check_at IS NULL`, pg.Args{}); n != 2 {
				t.Errorf("%d reversals were not submitted", n)
			}
			p.away.Store(false)
			w.Clock.Advance(time.Hour)
			repeats("when the adapter is there again", 1, 3)
			w.Clock.Advance(25 * time.Hour)
			repeats("a day after it was returned", 0, 3)
			if n := count(t, w, "sandbox_processor_book WHERE kind = @kind AND amount = 100",
				pg.Args{"kind": kind}); n != 1 {
				t.Errorf("%d reversals by %s", n, kind)
			}
			if got := get(t, w, c.ID); got.Status != charge.Failed ||
				!strings.Contains(got.Failure.Message, "reversed") {
				t.Errorf("%s", jsonOf(t, got))
			}
		})
	}
}
