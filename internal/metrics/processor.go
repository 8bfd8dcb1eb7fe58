package metrics

import (
	"context"
	"errors"

	"svcpay/internal/processor"
)

// Processor counts the calls to a processor.
func (m *Meter) Processor(p processor.Processor) processor.Processor { return metered{p, m} }

// metered is a processor whose calls are counted. BIN profiles and names of banks are looked up in
// tables and are not.
type metered struct {
	processor.Processor
	meter *Meter
}

// answered counts a call with a verdict.
func (p metered) answered(kind string, a processor.Answer, err error) (processor.Answer, error) {
	outcome := "declined"
	switch {
	case errors.Is(err, processor.ErrNotFound):
		outcome = "not_found"
	case err != nil:
		outcome = "unknown"
	case a.Approved:
		outcome = "approved"
	}
	p.meter.calls.WithLabelValues(kind, outcome).Inc()
	return a, err
}

// read counts a call that only asks.
func (p metered) read(kind string, err error) {
	outcome := "answered"
	if err != nil {
		outcome = "unknown"
	}
	p.meter.calls.WithLabelValues(kind, outcome).Inc()
}

// Authorize implements processor.Processor.
func (p metered) Authorize(ctx context.Context, a processor.Authorization) (processor.Answer, error) {
	answer, err := p.Processor.Authorize(ctx, a)
	return p.answered("authorize", answer, err)
}

// Debit implements processor.Processor.
func (p metered) Debit(ctx context.Context, d processor.Debit) (processor.Answer, error) {
	answer, err := p.Processor.Debit(ctx, d)
	return p.answered("debit", answer, err)
}

// Capture implements processor.Processor.
func (p metered) Capture(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	answer, err := p.Processor.Capture(ctx, f)
	return p.answered("capture", answer, err)
}

// Void implements processor.Processor.
func (p metered) Void(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	answer, err := p.Processor.Void(ctx, f)
	return p.answered("void", answer, err)
}

// Refund implements processor.Processor.
func (p metered) Refund(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	answer, err := p.Processor.Refund(ctx, f)
	return p.answered("refund", answer, err)
}

// Payout implements processor.Processor.
func (p metered) Payout(ctx context.Context, out processor.Payout) (processor.Answer, error) {
	answer, err := p.Processor.Payout(ctx, out)
	return p.answered("payout", answer, err)
}

// Respond implements processor.Processor.
func (p metered) Respond(ctx context.Context, r processor.Response) (processor.Answer, error) {
	answer, err := p.Processor.Respond(ctx, r)
	return p.answered("respond", answer, err)
}

// Lookup implements processor.Processor.
func (p metered) Lookup(ctx context.Context, reference string) (processor.Answer, error) {
	answer, err := p.Processor.Lookup(ctx, reference)
	return p.answered("lookup", answer, err)
}

// Events implements processor.Processor.
func (p metered) Events(ctx context.Context, after string, limit int) ([]processor.Event, error) {
	events, err := p.Processor.Events(ctx, after, limit)
	p.read("events", err)
	return events, err
}

// Book implements processor.Processor.
func (p metered) Book(ctx context.Context, after int64, limit int) ([]processor.BookLine, error) {
	lines, err := p.Processor.Book(ctx, after, limit)
	p.read("book", err)
	return lines, err
}
