// Package memory is a processor for benchmarks: it approves everything and remembers it in this process only. Only the
// benchmark build includes it.
package memory

import (
	"context"
	"net/http"
	"sync"
	"time"

	"svcpay/internal/platform/notice"
	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
)

// settleWindow must exceed processor.CallTimeout: until then a submission may be on its way.
const settleWindow = processor.CallTimeout + 5*time.Second

// Processor approves what it is asked to do after a pause.
type Processor struct {
	name  string
	pause time.Duration

	mu   sync.Mutex
	done map[string]struct{} // references
}

var _ processor.Processor = (*Processor)(nil)

// New makes the processor that records call by that name. Each of its answers takes pause.
func New(name string, pause time.Duration) *Processor {
	return &Processor{name: name, pause: pause, done: make(map[string]struct{})}
}

// approve answers a call, unless its caller does not wait for it.
func (p *Processor) approve(ctx context.Context, reference string) (processor.Answer, error) {
	p.mu.Lock()
	p.done[reference] = struct{}{}
	p.mu.Unlock()
	if p.pause > 0 {
		answer := time.NewTimer(p.pause)
		defer answer.Stop()
		select {
		case <-answer.C:
		case <-ctx.Done():
			return processor.Answer{}, ctx.Err()
		}
	}
	return approved(reference), nil
}

func approved(reference string) processor.Answer {
	return processor.Answer{Approved: true, NetworkTransactionID: "net_" + reference}
}

// Name implements [processor.Processor].
func (p *Processor) Name() string { return p.name }

// AccountOf implements processor.Processor.
func (p *Processor) AccountOf(applicationID, merchantID int64) string {
	return processor.MerchantAccount(applicationID, merchantID)
}

// Check implements processor.Processor.
func (p *Processor) Check(context.Context, processor.Account, sensitive.Credentials) (processor.Onboarding, error) {
	return processor.OnboardingComplete, nil
}

// Authorize implements [processor.Processor].
func (p *Processor) Authorize(ctx context.Context, a processor.Authorization) (processor.Answer, error) {
	return p.approve(ctx, a.Reference)
}

// Debit implements [processor.Processor].
func (p *Processor) Debit(ctx context.Context, d processor.Debit) (processor.Answer, error) {
	return p.approve(ctx, d.Reference)
}

// Capture implements [processor.Processor].
func (p *Processor) Capture(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	return p.approve(ctx, f.Reference)
}

// Void implements [processor.Processor].
func (p *Processor) Void(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	return p.approve(ctx, f.Reference)
}

// Refund implements [processor.Processor].
func (p *Processor) Refund(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	return p.approve(ctx, f.Reference)
}

// Payout implements [processor.Processor].
func (p *Processor) Payout(ctx context.Context, o processor.Payout) (processor.Answer, error) {
	return p.approve(ctx, o.Reference)
}

// Start implements [processor.Processor].
func (p *Processor) Start(ctx context.Context, v processor.VerificationRequest) (processor.Answer, error) {
	return p.approve(ctx, v.Reference)
}

// Confirm implements [processor.Processor]: any amounts are right.
func (p *Processor) Confirm(context.Context, processor.Confirmation) (processor.Confirmed, error) {
	return processor.Confirmed{Verdict: processor.Verified}, nil
}

// Respond implements [processor.Processor].
func (p *Processor) Respond(ctx context.Context, r processor.Response) (processor.Answer, error) {
	return p.approve(ctx, r.Reference)
}

// Lookup implements [processor.Processor].
func (p *Processor) Lookup(_ context.Context, _ processor.Account, reference string) (processor.Answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.done[reference]; !ok {
		return processor.Answer{}, processor.ErrNotFound
	}
	return approved(reference), nil
}

// Messages implements [processor.Processor]. Nothing happens on its own.
func (p *Processor) Messages(context.Context, string, int) ([]notice.Message, error) { return nil, nil }

// Events implements [processor.Processor].
func (p *Processor) Events(context.Context, notice.Message) ([]processor.Event, error) {
	return nil, nil
}

// Notice implements [processor.Processor]. None is sent.
func (p *Processor) Notice(context.Context, processor.Account, http.Header, []byte) ([]notice.Message, error) {
	return nil, notice.ErrSignature
}

// Book implements [processor.Processor]. None is kept.
func (p *Processor) Book(context.Context, int64, int) ([]processor.BookLine, error) { return nil, nil }

// SettleWindow implements [processor.Processor].
func (p *Processor) SettleWindow() time.Duration { return settleWindow }

// Terms implements [processor.Processor].
func (p *Processor) Terms() processor.Terms { return processor.StandardTerms() }

// Profile implements [processor.Processor].
func (p *Processor) Profile(context.Context, string) (processor.Profile, error) {
	return processor.Profile{Funding: "credit", Country: "US"}, nil
}

// BankName implements [processor.Processor].
func (p *Processor) BankName(context.Context, processor.Scheme, string) (string, error) {
	return "Bank", nil
}
