// Package batch runs concurrent calls together: the calls that were queued while a batch ran form the next one, so that
// they share a transaction. It waits for no timer, and a single call runs at once.
package batch

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"svcpay/internal/fault"
)

const (
	maxSize   = 64               // calls of a batch: in a larger one the first waits longer than the others gain
	maxQueued = 1024             // calls of a batcher that wait; those beyond are refused
	timeout   = 30 * time.Second // of one batch, which does not depend on the contexts of its calls
)

// maxRunning is how many batches of a batcher run at once. One large batch costs less than two small ones, so it is
// few; only full batches, which cannot grow by waiting, run next to as many others.
var maxRunning = max(1, runtime.NumCPU()/2)

// errSplit is in the chain of an error after which the calls of a batch run one by one.
var errSplit = errors.New("batch: one by one")

// Batcher passes concurrent calls to one function, several at a time. Each call gets its own result exactly once, and
// no two calls with the same key run at the same time. It is safe for concurrent use.
type Batcher[In, Out any] struct {
	run       func(ctx context.Context, ins []In) ([]Out, error)
	key       func(In) string
	maxQueued int

	mu      sync.Mutex
	queue   []*call[In, Out]
	running int
	keys    map[string]struct{} // of the calls that run
}

type call[In, Out any] struct {
	in   In
	key  string
	out  Out
	err  error
	done chan struct{}
}

// New makes a batcher. run returns one result per input, in their order. If it fails with an error of [Split], it is
// called again for each input alone, so that one input cannot fail the others. key names what two calls must not change
// at the same time; "" is for calls that exclude no other.
func New[In, Out any](run func(ctx context.Context, ins []In) ([]Out, error), key func(In) string) *Batcher[In, Out] {
	return &Batcher[In, Out]{run: run, key: key, maxQueued: maxQueued, keys: make(map[string]struct{})}
}

// Do runs a call and returns its result. The work continues if the caller's context ends; then Do returns the context's
// error. With too many calls in the queue it returns the fault overloaded, and nothing was done.
func (b *Batcher[In, Out]) Do(ctx context.Context, in In) (out Out, err error) {
	c := &call[In, Out]{in: in, key: b.key(in), done: make(chan struct{})}
	if !b.enqueue(c) {
		return out, fault.New(fault.KindUnavailable, "overloaded",
			"The service is busy. Try again shortly.").After(time.Second)
	}
	select {
	case <-c.done:
		return c.out, c.err
	case <-ctx.Done():
		return out, ctx.Err()
	}
}

func (b *Batcher[In, Out]) enqueue(c *call[In, Out]) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.queue) >= b.maxQueued {
		return false
	}
	b.queue = append(b.queue, c)
	b.start()
	return true
}

// start starts the batches that may run now. The lock is held.
func (b *Batcher[In, Out]) start() {
	for b.running < maxRunning || b.running < 2*maxRunning && len(b.queue) >= maxSize {
		calls := b.take()
		if len(calls) == 0 {
			return
		}
		b.running++
		go b.work(calls)
	}
}

// take removes the next batch from the queue: the oldest calls whose keys do not run. The lock is held.
func (b *Batcher[In, Out]) take() (calls []*call[In, Out]) {
	rest := b.queue[:0]
	for _, c := range b.queue {
		_, busy := b.keys[c.key]
		if len(calls) == maxSize || busy {
			rest = append(rest, c)
			continue
		}
		if c.key != "" {
			b.keys[c.key] = struct{}{}
		}
		calls = append(calls, c)
	}
	clear(b.queue[len(rest):])
	b.queue = rest
	return calls
}

// work runs one batch and then starts the next.
func (b *Batcher[In, Out]) work(calls []*call[In, Out]) {
	b.runAll(calls)
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range calls {
		delete(b.keys, c.key)
		close(c.done)
	}
	b.running--
	b.start()
}

func (b *Batcher[In, Out]) runAll(calls []*call[In, Out]) {
	err := b.runOnce(calls)
	if err == nil {
		return
	}
	if len(calls) == 1 || !errors.Is(err, errSplit) {
		for _, c := range calls {
			c.err = err
		}
		return
	}
	for i := range calls {
		calls[i].err = b.runOnce(calls[i : i+1])
	}
}

// runOnce runs some calls in one batch. A panic becomes an error, since the callers wait for a result.
func (b *Batcher[In, Out]) runOnce(calls []*call[In, Out]) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: panicked: %v\n%s", errSplit, r, debug.Stack())
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	ins := make([]In, len(calls))
	for i, c := range calls {
		ins[i] = c.in
	}
	outs, err := b.run(ctx, ins)
	if err != nil {
		return err
	}
	for i, c := range calls {
		c.out = outs[i]
	}
	return nil
}
