package identity

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"svcpay/internal/fault"
)

// hashing leaves a processor to everything else, and so bounds the memory that hashes take, too.
var hashing = turns{free: max(1, runtime.GOMAXPROCS(0)-1)}

// hashingWait bounds how long a sign-in waits for its turn.
const hashingWait = 10 * time.Second

// turns bounds how many hashes are computed at once. People who are known come before all others who wait: a flood of
// sign-ins from anywhere makes them wait for the hash that is being computed, no longer.
type turns struct {
	mu            sync.Mutex
	free          int
	known, others []chan struct{} // each is closed when it is its turn
}

// take waits for a turn until patience ends; a nil channel is endless patience. done ends the turn.
func (t *turns) take(ctx context.Context, known bool, patience <-chan time.Time) (done func(), err error) {
	lane := &t.others
	if known {
		lane = &t.known
	}
	turn := t.queue(lane)
	if turn == nil {
		return t.done, nil
	}
	select {
	case <-turn:
		return t.done, nil
	case <-patience:
		err = fault.New(fault.KindUnavailable, "overloaded",
			"Many people are signing in right now. Try again shortly.").After(hashingWait)
	case <-ctx.Done():
		err = ctx.Err()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(*lane, turn); i >= 0 {
		*lane = slices.Delete(*lane, i, i+1)
		return nil, err
	}
	return t.done, nil // it was its turn at the last moment
}

// queue takes a free turn, or returns what is closed when there is one.
func (t *turns) queue(lane *[]chan struct{}) (turn chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.free > 0 {
		t.free--
		return nil
	}
	turn = make(chan struct{})
	*lane = append(*lane, turn)
	return turn
}

func (t *turns) done() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, lane := range []*[]chan struct{}{&t.known, &t.others} {
		if len(*lane) > 0 {
			close((*lane)[0])
			*lane = (*lane)[1:]
			return
		}
	}
	t.free++
}

// everywhereBound is how many sign-ins of browsers that are not known all servers take in a minute without a delay.
var everywhereBound = bound{"sign_in_everywhere", 100, time.Minute}

// everywhereDelay is how much longer each further one takes. It makes a flood slower than the hashes that answer it,
// and refuses no one.
const everywhereDelay = 3 * time.Second

// slowDown counts a sign-in of a browser that is not known, and delays it in a flood of them.
func (s *Service) slowDown(ctx context.Context) error {
	err := s.count(ctx, everywhereBound)
	if f, ok := fault.As(err); !ok || f.Kind != fault.KindLimited {
		return err
	}
	select {
	case <-time.After(everywhereDelay):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
