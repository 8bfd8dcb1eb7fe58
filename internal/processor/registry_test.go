package processor_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"svcpay/internal/processor"
	"svcpay/internal/processor/memory"
	"svcpay/internal/processor/unconnected"
)

// named is a processor that can do everything, under a name of its own; it keeps whom it was asked for.
type named struct {
	*memory.Processor
	asked []processor.Account
}

func (n *named) Authorize(_ context.Context, a processor.Authorization) (processor.Answer, error) {
	n.asked = append(n.asked, a.Account)
	return processor.Answer{Approved: true}, nil
}

func (n *named) Lookup(_ context.Context, account processor.Account, _ string) (processor.Answer, error) {
	n.asked = append(n.asked, account)
	return processor.Answer{}, processor.ErrNotFound
}

// cardsOnly is an adapter that takes card payments and can do nothing else.
type cardsOnly struct{ processor.Payments }

func (cardsOnly) Name() string                { return "cards" }
func (cardsOnly) SettleWindow() time.Duration { return time.Hour }
func (cardsOnly) Terms() processor.Terms      { return processor.Terms{CardSettlementDays: 3} }
func (cardsOnly) Lookup(context.Context, processor.Account, string) (processor.Answer, error) {
	return processor.Answer{}, processor.ErrNotFound
}

func TestCallsGoToTheAdapterOfTheirAccount(t *testing.T) {
	t.Parallel()
	first, second := &named{Processor: memory.New("first", 0)}, &named{Processor: memory.New("second", 0)}
	r := processor.NewRegistry(first, first, second)
	at := processor.Account{Adapter: "second", External: "acct_1"}
	if answer, err := r.Authorize(t.Context(), processor.Authorization{Account: at}); err != nil || !answer.Approved {
		t.Errorf("%+v, %v", answer, err)
	}
	if _, err := r.Lookup(t.Context(), at, "x"); !errors.Is(err, processor.ErrNotFound) {
		t.Errorf("looked up: %v", err)
	}
	if len(first.asked) != 0 || !slices.Equal(second.asked, []processor.Account{at, at}) {
		t.Errorf("the first was asked for %v, the second for %v", first.asked, second.asked)
	}
	if !slices.Equal(r.Names(), []string{"first", "second"}) || len(r.Feeds()) != 2 || len(r.Books()) != 2 {
		t.Errorf("%v, %d feeds, %d books", r.Names(), len(r.Feeds()), len(r.Books()))
	}
}

// Every call about an account that no adapter serves, or that its adapter cannot do, is refused, and the observer hears
// nothing.
func TestCallsThatNoAdapterCanMake(t *testing.T) {
	t.Parallel()
	r := processor.NewRegistry(unconnected.Directory{}, memory.New("first", 0), cardsOnly{})
	r.Observe(func(adapter, kind string, _ *processor.Answer, _ error) {
		t.Errorf("%s was asked to %s", adapter, kind)
	})
	ctx := t.Context()
	for _, at := range []processor.Account{{}, {Adapter: "removed", External: "acct_1"},
		{Adapter: "cards", External: "acct_1"}} {
		calls := map[string]func() (processor.Answer, error){
			"debit":  func() (processor.Answer, error) { return r.Debit(ctx, processor.Debit{Account: at}) },
			"payout": func() (processor.Answer, error) { return r.Payout(ctx, processor.Payout{Account: at}) },
			"start":  func() (processor.Answer, error) { return r.Start(ctx, processor.VerificationRequest{Account: at}) },
			"confirm": func() (processor.Answer, error) {
				_, err := r.Confirm(ctx, processor.Confirmation{Account: at})
				return processor.Answer{}, err
			},
			"respond": func() (processor.Answer, error) { return r.Respond(ctx, processor.Response{Account: at}) },
		}
		if at.Adapter != "cards" {
			calls["authorize"] = func() (processor.Answer, error) {
				return r.Authorize(ctx, processor.Authorization{Account: at})
			}
			calls["capture"] = func() (processor.Answer, error) {
				return r.Capture(ctx, processor.FollowUp{Account: at})
			}
			calls["void"] = func() (processor.Answer, error) { return r.Void(ctx, processor.FollowUp{Account: at}) }
			calls["refund"] = func() (processor.Answer, error) { return r.Refund(ctx, processor.FollowUp{Account: at}) }
			calls["lookup"] = func() (processor.Answer, error) { return r.Lookup(ctx, at, "x") }
		}
		for kind, call := range calls {
			if answer, err := call(); !errors.Is(err, processor.ErrUnsupported) {
				t.Errorf("%s at %q: %+v, %v", kind, at.Adapter, answer, err)
			}
		}
	}
	if !r.Verifies("first") || r.Verifies("cards") || r.Verifies("removed") {
		t.Error("who verifies bank accounts")
	}
	if at, gone := r.Terms("cards"), r.Terms("removed"); at.CardSettlementDays != 3 ||
		gone != processor.StandardTerms() {
		t.Errorf("terms %+v, and without an adapter %+v", at, gone)
	}
	if feeds, books := r.Feeds(), r.Books(); len(feeds) != 1 || len(books) != 1 || feeds["cards"] != nil ||
		books["cards"] != nil {
		t.Errorf("feeds %v, books %v", feeds, books)
	}
}
