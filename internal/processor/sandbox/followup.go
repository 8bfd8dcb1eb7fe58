package sandbox

import (
	"context"

	"svcpay/internal/processor"
)

// Debit implements processor.Processor.
func (p *Processor) Debit(ctx context.Context, d processor.Debit) (processor.Answer, error) {
	return p.accept(ctx, entry{kind: "debit", reference: d.Reference, account: d.Account, amount: d.Amount, currency: d.Currency, last4: d.Bank.Number.Last4()})
}

// Capture implements processor.Processor.
func (p *Processor) Capture(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	return p.accept(ctx, follow("capture", f))
}

// Void implements processor.Processor.
func (p *Processor) Void(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	return p.accept(ctx, follow("void", f))
}

// Refund implements processor.Processor.
func (p *Processor) Refund(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	return p.accept(ctx, follow("refund", f))
}

// Payout implements processor.Processor.
func (p *Processor) Payout(ctx context.Context, out processor.Payout) (processor.Answer, error) {
	return p.accept(ctx, entry{kind: "payout", reference: out.Reference, account: out.Account, amount: out.Amount, currency: out.Currency, last4: out.Bank.Number.Last4()})
}

// Respond implements processor.Processor.
func (p *Processor) Respond(ctx context.Context, r processor.Response) (processor.Answer, error) {
	return p.accept(ctx, entry{kind: "respond", reference: r.Reference, account: r.Account, amount: r.Amount, currency: r.Currency})
}

func follow(kind string, f processor.FollowUp) entry {
	return entry{kind: kind, reference: f.Reference, original: f.Original, account: f.Account, amount: f.Amount, currency: f.Currency}
}

func (p *Processor) accept(ctx context.Context, e entry) (processor.Answer, error) {
	e.answer, e.visible = processor.Answer{Approved: true}, p.now()
	return e.answer, p.write(ctx, e)
}

// Events implements processor.Processor.
func (p *Processor) Events(context.Context, string, int) ([]processor.Event, error) { return nil, nil }

// Book implements processor.Processor.
func (p *Processor) Book(context.Context, int64, int) ([]processor.BookLine, error) { return nil, nil }

// BankName implements processor.Processor.
func (p *Processor) BankName(context.Context, processor.Scheme, string) (string, error) {
	return "", nil
}
