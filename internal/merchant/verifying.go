package merchant

import (
	"context"
	"sync"
	"time"

	"svcpay/internal/fault"
)

// Bounds of one verification, which a caller waits for, and how many there are at once: whose sites they are is the
// callers' to say.
const (
	lookAtOnce      = 33
	lookFor         = 20 * time.Second
	mostVerifying   = 8
	verifyingPause  = time.Second
	verifyingAnswer = "The domains of this merchant are being verified. Wait for the answer."
)

// verifying is which merchants' domains are being looked at by this binary.
type verifying struct {
	mu   sync.Mutex
	busy map[int64]bool
}

// begin takes a merchant's turn, which end returns.
func (v *verifying) begin(id int64) (end func(), err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.busy[id]:
		return nil, fault.New(fault.KindConflict, "operation_in_progress", verifyingAnswer).After(verifyingPause)
	case len(v.busy) >= mostVerifying:
		return nil, fault.New(fault.KindUnavailable, "overloaded",
			"The service is busy. Try again shortly.").After(verifyingPause)
	}
	v.busy[id] = true
	return func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		delete(v.busy, id)
	}, nil
}

// lookInTurn is lookAt, of one caller for a merchant at a time.
func (s *Service) lookInTurn(ctx context.Context, id int64, domains []string, file []byte) ([]look, error) {
	end, err := s.verifying.begin(id)
	if err != nil {
		return nil, err
	}
	defer end()
	return s.lookAt(ctx, domains, file), nil
}
