package inbound_test

import (
	"context"
	"errors"
	"slices"
	"sync"

	"svcpay/internal/platform/notice"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
)

// teller is the sandbox's processor with a feed that the test writes. While it is mute it does what it is asked
// and the answer is lost; while it is blind it finds nothing that it did.
type teller struct {
	*sandbox.Processor
	mu    sync.Mutex
	feed  []processor.Event
	mute  bool
	blind bool
}

func (p *teller) Messages(_ context.Context, after string, limit int) ([]notice.Message, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	from := slices.IndexFunc(p.feed, func(e processor.Event) bool { return e.ID > after })
	if from < 0 {
		return nil, nil
	}
	return sandbox.Reports(p.feed[from:min(len(p.feed), from+limit)])
}

func (p *teller) lost(a processor.Answer, err error) (processor.Answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mute {
		return processor.Answer{}, errors.Join(err, errors.New("the answer was lost"))
	}
	return a, err
}

func (p *teller) Authorize(ctx context.Context, a processor.Authorization) (processor.Answer, error) {
	return p.lost(p.Processor.Authorize(ctx, a))
}

func (p *teller) Debit(ctx context.Context, d processor.Debit) (processor.Answer, error) {
	return p.lost(p.Processor.Debit(ctx, d))
}

func (p *teller) Capture(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	return p.lost(p.Processor.Capture(ctx, f))
}

func (p *teller) Refund(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	return p.lost(p.Processor.Refund(ctx, f))
}

func (p *teller) Lookup(ctx context.Context, account processor.Account, reference string) (processor.Answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.blind {
		return processor.Answer{}, processor.ErrNotFound
	}
	return p.Processor.Lookup(ctx, account, reference)
}

func (p *teller) see(blind bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.blind = blind
}

func (p *teller) set(mute bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mute = mute
}

// tell puts events into the feed.
func (p *teller) tell(events ...processor.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.feed = append(p.feed, events...)
}
