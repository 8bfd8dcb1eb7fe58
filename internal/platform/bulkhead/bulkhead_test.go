package bulkhead_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"svcpay/internal/platform/bulkhead"
)

func taken(t *testing.T, p *bulkhead.Places[int], k int) (giveBack func()) {
	t.Helper()
	giveBack, err := p.Take(t.Context(), k)
	if err != nil {
		t.Fatalf("holder %d: %v", k, err)
	}
	return giveBack
}

func full(t *testing.T, p *bulkhead.Places[int], k int, want bulkhead.Full) {
	t.Helper()
	if _, err := p.Take(t.Context(), k); !errors.Is(err, want) {
		t.Errorf("holder %d: %v, want %v", k, err, want)
	}
}

// The share of a holder shrinks with the number of holders, so that there is room for one more.
func TestSharesShrink(t *testing.T) {
	t.Parallel()
	p := bulkhead.Shared[int](12)
	var leave []func()
	for range 6 {
		leave = append(leave, taken(t, p, 1))
	}
	full(t, p, 1, bulkhead.OfHolder)
	for range 4 {
		leave = append(leave, taken(t, p, 2))
	}
	full(t, p, 2, bulkhead.OfHolder)
	leave[0]()
	full(t, p, 1, bulkhead.OfHolder) // it has five of four
	leave = append(leave[1:], taken(t, p, 3), taken(t, p, 3), taken(t, p, 4))
	full(t, p, 5, bulkhead.OfAll)
	for _, l := range leave {
		l()
		l() // the second does nothing
	}
	if n := p.Holders(); n != 0 {
		t.Errorf("%d holders are left", n)
	}
}

// Of more requests than a holder has places some wait for a while, and the others are refused at once.
func TestSomeWaitAndTheRestAreRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := bulkhead.Each[int](1, time.Second)
		leave := taken(t, p, 1)
		var got, refused atomic.Int32
		var all sync.WaitGroup
		begun := time.Now()
		for range 4 {
			all.Go(func() {
				if _, err := p.Take(t.Context(), 1); err == nil {
					got.Add(1)
				} else if errors.Is(err, bulkhead.OfHolder) {
					refused.Add(1)
				}
			})
		}
		synctest.Wait()
		full(t, p, 1, bulkhead.OfHolder)
		if time.Since(begun) != 0 {
			t.Error("one request too many waited")
		}
		taken(t, p, 2)()
		leave()
		all.Wait()
		if got.Load() != 1 || refused.Load() != 3 || time.Since(begun) != time.Second {
			t.Errorf("%d got the place and %d were refused after %s", got.Load(), refused.Load(), time.Since(begun))
		}
	})
}

func TestWaitingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	p := bulkhead.Each[int](1, time.Hour)
	leave := taken(t, p, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Take(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	leave()
	taken(t, p, 1)()
	var none *bulkhead.Places[int]
	taken(t, none, 1)()
}

// However requests come, wait and go, no holder has more than its places, and none is lost.
func TestPlacesAreNeverLost(t *testing.T) {
	t.Parallel()
	p := bulkhead.Each[int](2, time.Millisecond)
	var atWork [3]atomic.Int32
	var all sync.WaitGroup
	for n := range 30 {
		all.Go(func() {
			for range 200 {
				leave, err := p.Take(t.Context(), n%3)
				if err != nil {
					continue
				}
				if atWork[n%3].Add(1) > 2 {
					t.Error("a holder has more than two places")
				}
				time.Sleep(rand.N(200 * time.Microsecond))
				atWork[n%3].Add(-1)
				leave()
			}
		})
	}
	all.Wait()
	if n := p.Holders(); n != 0 {
		t.Errorf("%d holders are left", n)
	}
}
