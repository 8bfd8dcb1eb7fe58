package inbox_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/platform/notice"
)

func TestPanicDelaysNoOtherMessage(t *testing.T) {
	t.Parallel()
	l := newLine(t, 3)
	if _, err := l.Pull(t.Context(), l.read); err != nil {
		t.Fatal(err)
	}
	n, err := l.Handle(t.Context(), func(ctx context.Context, m notice.Message) error {
		if m.ID == "001" {
			panic("no such page")
		}
		return l.take(ctx, m)
	})
	if failed, err2 := l.service().Failed(t.Context(), authz.Actor{}, 10); n != 2 || err != nil || err2 != nil ||
		len(failed) != 1 ||
		!strings.HasPrefix(failed[0].Failure, "inbox: panic: no such page") {
		t.Errorf("%d handled, %v; %+v, %v", n, err, failed, err2)
	}
	l.want(t, "beside a panic", "002", "003")
}

// A replay while a message is being handled is not lost.
func TestReplayOfAMessageInProgress(t *testing.T) {
	t.Parallel()
	l := newLine(t, 1)
	if _, err := l.Pull(t.Context(), l.read); err != nil {
		t.Fatal(err)
	}
	replayed := false
	if _, err := l.Handle(t.Context(), func(ctx context.Context, m notice.Message) error {
		if !replayed {
			replayed = true
			if n, err := l.service().Replay(ctx, "", time.Time{}); err != nil || n != 1 {
				t.Errorf("%d messages, %v", n, err)
			}
		}
		return l.take(ctx, m)
	}); err != nil {
		t.Fatal(err)
	}
	l.run(t)
	l.want(t, "replayed", "001", "001")
}

// A server that dies while it handles a message delays no other message: another server handles them immediately.
func TestDeathDelaysNoOtherMessage(t *testing.T) {
	t.Parallel()
	l := newLine(t, 3)
	if _, err := l.Pull(t.Context(), l.read); err != nil {
		t.Fatal(err)
	}
	ctx, die := context.WithCancel(t.Context())
	n, err := l.Handle(ctx, func(context.Context, notice.Message) error {
		die()
		return errors.New("dead")
	})
	if n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d handled, %v", n, err)
	}
	if n, err := l.Handle(t.Context(), l.take); n != 2 || err != nil {
		t.Errorf("%d handled, %v", n, err)
	}
	l.want(t, "next to a death", "002", "003")
	l.pass(time.Second)
	l.run(t)
	l.want(t, "after its lease", "002", "003", "001")
}
