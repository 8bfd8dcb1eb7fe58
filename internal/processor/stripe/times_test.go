package stripe_test

import (
	"errors"
	"testing"
	"time"

	"svcpay/internal/processor"
	"svcpay/internal/processor/stripe"
	"svcpay/internal/processor/stripe/fake"
)

// An adapter waits for as long as its times say before it fences a payment, and reads the feed and the book that far
// behind real time.
func TestTimesOfATestBuild(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if got := w.open().SettleWindow(); got != 5*time.Minute {
		t.Errorf("the settle window of Stripe's own: %s", got)
	}
	p := stripe.New(stripe.Config{Accounts: w.keys, API: w.address, Now: w.Now,
		Times: stripe.Times{Fence: 25 * time.Second, Settle: 30 * time.Second, Lag: 10 * time.Second,
			Poll: time.Second}})
	if got := p.SettleWindow(); got != 30*time.Second {
		t.Errorf("the settle window: %s", got)
	}
	w.refunded(t, fake.Approved)
	w.Fail(fake.LostAnswer, fake.LoseCall)
	a := w.authorization(fake.LostAnswer)
	if answer, err := p.Authorize(t.Context(), a); err == nil {
		t.Fatalf("%+v", answer)
	}
	for _, step := range []struct {
		passes          time.Duration
		fenced          bool
		messages, lines int
	}{{9 * time.Second, false, 0, 0}, {time.Second, false, 1, 3}, {14 * time.Second, false, 1, 3},
		{time.Second, true, 1, 3}} {
		w.Advance(step.passes)
		_, err := p.Lookup(t.Context(), account, a.Reference)
		messages, feedErr := p.Messages(t.Context(), "", 10)
		lines, bookErr := p.Book(t.Context(), 0, 10)
		if errors.Is(err, processor.ErrNotFound) != step.fenced || len(messages) != step.messages ||
			len(lines) != step.lines || feedErr != nil || bookErr != nil {
			t.Errorf("after %s: %v; %d messages, %v; %d lines, %v", step.passes, err, len(messages), feedErr,
				len(lines), bookErr)
		}
	}
}
