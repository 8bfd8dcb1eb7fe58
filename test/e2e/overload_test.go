package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"svcpay/internal/platform/pg"
)

// TestOverload (promise P15): of more than it can do a server refuses the rest at once, says when to come back, does
// what it accepted, and is as before when the rush is over.
func TestOverload(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.serve(t, program, "SVCPAY_MAX_REQUESTS=16")
	token := s.token(t, approvedCard)
	var mu sync.Mutex
	took := map[int][]time.Duration{}
	var callers sync.WaitGroup
	until := time.Now().Add(5 * time.Second)
	for n := range 64 { // four times as many as may be at work
		callers.Go(func() {
			for i := 0; time.Now().Before(until); i++ {
				begun := time.Now()
				a, err := s.charge(fmt.Sprintf("rush-%d-%d", n, i), s.order(token, 100+i%900))
				mu.Lock()
				took[a.status] = append(took[a.status], time.Since(begun))
				mu.Unlock()
				refused := a.status == http.StatusTooManyRequests || a.status == http.StatusServiceUnavailable
				if err != nil || !refused && a.status != http.StatusCreated || refused &&
					a.header.Get("Retry-After") == "" {
					t.Errorf("%v, %s", err, a)
				}
			}
		})
	}
	callers.Wait()
	for status, all := range took {
		slices.Sort(all)
		t.Logf("%d: %d times, half of them within %s, 99 of 100 within %s", status, len(all),
			all[len(all)/2].Round(time.Millisecond), all[len(all)*99/100].Round(time.Millisecond))
	}
	made := len(took[http.StatusCreated])
	if shed := len(took[http.StatusTooManyRequests]) + len(took[http.StatusServiceUnavailable]); shed == 0 ||
		made == 0 {
		t.Errorf("%d were made, %d refused: that was no overload", made, shed)
	}
	if n := value[int](t, p, `SELECT count(*)::int FROM charges`, pg.Args{}); n != made {
		t.Errorf("%d charges for %d that were acknowledged", n, made)
	}
	if a := s.insist(t, "after-the-rush", s.order(token, 4200)); a.status != http.StatusCreated {
		t.Errorf("after the rush: %s", a)
	}
}
