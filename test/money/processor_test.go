package money

import (
	"context"
	"errors"
	"sync"

	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
)

// fate is the outcome of a call to the processor.
type fate string

const (
	fine fate = "fine"
	lose fate = "lose" // it is made, and its answer is lost
	drop fate = "drop" // it never arrives
	late fate = "late" // it seems not to arrive, and does when no one waits for it any more
)

var fates = []fate{fine, fine, fine, fine, fine, fine, fine, fine, lose, drop, late}

var errLost = errors.New("the connection was lost")

// faulty is the sandbox's processor behind a bad line.
type faulty struct {
	*sandbox.Processor
	mu sync.Mutex
	// next is the fate of the calls until it is set again.
	next  fate
	calls []func() error // those that arrive late
	// happened counts fates, to say that each was tried.
	happened map[fate]int
}

func (p *faulty) become(f fate) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next = f
}

// call makes a call, or has it meet its fate.
func call[T any](ctx context.Context, p *faulty, make func(context.Context, T) (processor.Answer, error),
	in T) (processor.Answer, error) {
	p.mu.Lock()
	f := p.next
	p.happened[f]++
	if f == late {
		ctx := context.WithoutCancel(ctx)
		p.calls = append(p.calls, func() error {
			_, err := make(ctx, in)
			return err
		})
	}
	p.mu.Unlock()
	switch f {
	case lose:
		_, err := make(ctx, in)
		return processor.Answer{}, errors.Join(err, errLost)
	case drop, late:
		return processor.Answer{}, errLost
	}
	return make(ctx, in)
}

// waiting reports whether calls are still to arrive.
func (p *faulty) waiting() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.calls) > 0
}

// deliver has the calls arrive that no one waits for.
func (p *faulty) deliver() error {
	p.mu.Lock()
	calls := p.calls
	p.calls = nil
	p.mu.Unlock()
	var errs []error
	for _, c := range calls {
		errs = append(errs, c())
	}
	return errors.Join(errs...)
}

func (p *faulty) Authorize(ctx context.Context, in processor.Authorization) (processor.Answer, error) {
	return call(ctx, p, p.Processor.Authorize, in)
}

func (p *faulty) Debit(ctx context.Context, in processor.Debit) (processor.Answer, error) {
	return call(ctx, p, p.Processor.Debit, in)
}

func (p *faulty) Capture(ctx context.Context, in processor.FollowUp) (processor.Answer, error) {
	return call(ctx, p, p.Processor.Capture, in)
}

func (p *faulty) Void(ctx context.Context, in processor.FollowUp) (processor.Answer, error) {
	return call(ctx, p, p.Processor.Void, in)
}

func (p *faulty) Refund(ctx context.Context, in processor.FollowUp) (processor.Answer, error) {
	return call(ctx, p, p.Processor.Refund, in)
}

func (p *faulty) Respond(ctx context.Context, in processor.Response) (processor.Answer, error) {
	return call(ctx, p, p.Processor.Respond, in)
}

func (p *faulty) Payout(ctx context.Context, in processor.Payout) (processor.Answer, error) {
	return call(ctx, p, p.Processor.Payout, in)
}
