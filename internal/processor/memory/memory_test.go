package memory_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"svcpay/internal/processor"
	"svcpay/internal/processor/memory"
)

func TestApprovalsAreFoundAgain(t *testing.T) {
	t.Parallel()
	p, ctx := memory.New("m", 0), t.Context()
	follow := func(do func(context.Context, processor.FollowUp) (processor.Answer, error),
		reference string) func() (processor.Answer, error) {
		return func() (processor.Answer, error) { return do(ctx, processor.FollowUp{Reference: reference}) }
	}
	for reference, call := range map[string]func() (processor.Answer, error){
		"a": func() (processor.Answer, error) {
			return p.Authorize(ctx, processor.Authorization{Reference: "a"})
		},
		"d": func() (processor.Answer, error) { return p.Debit(ctx, processor.Debit{Reference: "d"}) },
		"o": func() (processor.Answer, error) { return p.Payout(ctx, processor.Payout{Reference: "o"}) },
		"b": func() (processor.Answer, error) { return p.Start(ctx, processor.VerificationRequest{Reference: "b"}) },
		"s": func() (processor.Answer, error) { return p.Respond(ctx, processor.Response{Reference: "s"}) },
		"c": follow(p.Capture, "c"), "v": follow(p.Void, "v"), "r": follow(p.Refund, "r"),
	} {
		if _, err := p.Lookup(ctx, processor.Account{}, reference); !errors.Is(err, processor.ErrNotFound) {
			t.Errorf("%s before its call: %v", reference, err)
		}
		answer, err := call()
		if err != nil || !answer.Approved || answer.NetworkTransactionID == "" {
			t.Errorf("%s: %+v, %v", reference, answer, err)
		}
		if found, err := p.Lookup(ctx, processor.Account{}, reference); err != nil || found != answer {
			t.Errorf("%s is found as %+v, %v", reference, found, err)
		}
	}
	if p.Name() != "m" || p.SettleWindow() <= processor.CallTimeout {
		t.Error("its name, or its window")
	}
}

func TestAnswersTakeTheirTime(t *testing.T) {
	t.Parallel()
	const pause = 50 * time.Millisecond
	p := memory.New("m", pause)
	began := time.Now()
	if _, err := p.Authorize(t.Context(), processor.Authorization{Reference: "a"}); err != nil ||
		time.Since(began) < pause {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Authorize(gone, processor.Authorization{Reference: "b"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller who is gone: %v", err)
	}
	if _, err := p.Lookup(t.Context(), processor.Account{}, "b"); err != nil {
		t.Errorf("what a lost caller asked for was done: %v", err)
	}
}
