package inbox_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"svcpay/internal/platform/notice"
)

// A box is busy while a worker handles a message, but not while a message waits for its retry.
func TestBusyWhileAMessageIsHandled(t *testing.T) {
	t.Parallel()
	l := newLine(t, 1)
	busy := func(want bool, when string) {
		t.Helper()
		if got, err := l.Busy(t.Context()); err != nil || got != want {
			t.Errorf("%s: %t, %v", when, got, err)
		}
	}
	if _, err := l.Pull(t.Context(), l.read); err != nil {
		t.Fatal(err)
	}
	busy(false, "before anyone handles it")
	handle := func(failed error) {
		t.Helper()
		if _, err := l.Handle(t.Context(), func(context.Context, notice.Message) error {
			busy(true, "while it is handled")
			return failed
		}); err != nil {
			t.Fatal(err)
		}
	}
	handle(errors.New("not yet"))
	busy(false, "until it is retried")
	l.pass(time.Minute)
	if _, err := l.Handle(t.Context(), func(context.Context, notice.Message) error { return nil }); err != nil {
		t.Fatal(err)
	}
	busy(false, "after it was handled")
}
