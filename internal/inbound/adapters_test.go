package inbound_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	dafsandbox "svcpay/internal/daf/provider/sandbox"
	"svcpay/internal/inbound"
	"svcpay/internal/platform/notice"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/processor/unconnected"
	"svcpay/internal/testing/pgtest"
)

// told is a processor that is nothing but its messages.
type told struct {
	*sandbox.Processor
	read func(ctx context.Context, after string) ([]notice.Message, error)
}

func (p told) Messages(ctx context.Context, after string, _ int) ([]notice.Message, error) {
	return p.read(ctx, after)
}

// unheard is a message that no flow handles.
var unheard = notice.Message{ID: "001", Kind: "unheard", Account: "app-1/merchant-1",
	Body: []byte(`{"Kind":"unheard","Adapter":"forged"}`)}

// A feed that waits for the others, one that fails and one that panics delay none of the others, and every error is
// reported.
func TestFeedsRunInParallel(t *testing.T) {
	t.Parallel()
	pool, machine := pgtest.New(t), func() time.Time { return time.Date(2027, 5, 6, 7, 8, 9, 0, time.UTC) }
	begun := make(chan struct{}, 2)
	meets := func(ctx context.Context, after string) ([]notice.Message, error) {
		begun <- struct{}{}
		for len(begun) < cap(begun) { // until the other one is read, too
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(time.Millisecond):
			}
		}
		if after != "" {
			return nil, nil
		}
		return []notice.Message{unheard}, nil
	}
	broken := errors.New("the connection was refused")
	var adapters []processor.Adapter
	for name, read := range map[string]func(context.Context, string) ([]notice.Message, error){
		"one": meets, "two": meets,
		"broken": func(context.Context, string) ([]notice.Message, error) { return nil, broken },
		"panics": func(context.Context, string) ([]notice.Message, error) { panic("no such page") },
	} {
		adapters = append(adapters, told{sandbox.New(name, pool, machine, nil), read})
	}
	s := inbound.New(pool, processor.NewRegistry(unconnected.Directory{}, adapters...),
		dafsandbox.New(pool, machine, nil), machine)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	n, err := s.Run(ctx)
	if n != 2 || !errors.Is(err, broken) || !strings.Contains(err.Error(), "no such page") ||
		errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%d messages, %v", n, err)
	}
	waiting, err := pg.Value[int](t.Context(), pool, `
		SELECT count(*)::int FROM inbound_events WHERE handled_at IS NULL AND attempts = 1
			AND failure LIKE '%no handler for unheard'`, pg.Args{})
	if err != nil || waiting != 2 {
		t.Errorf("%d messages wait for a handler, %v", waiting, err)
	}
}

// A notice is accepted from its sender alone, and is stored once, no matter who reports it.
func TestNoticesNeedASenderAndASignature(t *testing.T) {
	t.Parallel()
	pool, machine := pgtest.New(t), func() time.Time { return time.Date(2027, 5, 6, 7, 8, 9, 0, time.UTC) }
	one, two := sandbox.New("one", pool, machine, nil), sandbox.New("two", pool, machine, nil)
	s := inbound.New(pool, processor.NewRegistry(unconnected.Directory{}, one, two),
		dafsandbox.New(pool, machine, nil), machine)
	account := processor.Account{Adapter: "one", External: "app-1/merchant-1"}
	e := processor.Event{ID: "0000000000000000001", Kind: "unheard", Account: account.External}
	header, body, err := one.SignedNotice(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		account processor.Account
		header  http.Header
		body    []byte
		want    error
	}{
		"another adapter":   {processor.Account{Adapter: "three", External: account.External}, header, body, notice.ErrNoSender},
		"no account":        {processor.Account{Adapter: "one", External: "acct_1"}, header, body, notice.ErrNoSender},
		"another's account": {processor.Account{Adapter: "one", External: "app-1/merchant-2"}, header, body, notice.ErrUnreadable},
		"not signed":        {account, http.Header{}, body, notice.ErrSignature},
		"another body":      {account, header, []byte(`{}`), notice.ErrSignature},
		"as signed":         {account, header, body, nil},
		"again":             {account, header, body, nil},
	} {
		if err := s.Notice(t.Context(), tt.account, tt.header, tt.body); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
	n, err := pg.Value[int](t.Context(), pool, `
		SELECT count(*)::int FROM inbound_events WHERE feed = 'processor/one' AND source = 'notice'
			AND account = @account`, pg.Args{"account": account.External})
	if all, err2 := pg.Value[int](t.Context(), pool, `SELECT count(*)::int
		FROM inbound_events`, pg.Args{}); err != nil || err2 != nil || n != 1 || all != 1 {
		t.Errorf("%d of %d messages, %v, %v", n, all, err, err2)
	}
}
