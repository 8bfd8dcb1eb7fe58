//go:build planted

package charge

import (
	"context"
	"sync"

	"svcpay/internal/ids"
	"svcpay/internal/processor"
	"svcpay/internal/testing/planted"
)

var forUpdate = lock()

func lock() string {
	if planted.Is(planted.RefundWithoutLock) {
		return ""
	}
	return ` FOR UPDATE`
}

// early has the answers of calls that were made before their claim was committed.
var early sync.Map

type earlyAnswer struct {
	processor.Answer
	err error
}

func (s *Service) callEarly(ctx context.Context, outs []claimOut) {
	for _, out := range outs {
		if planted.Is(planted.CallBeforeClaim) && out.submits() {
			answer, err := s.submit(ctx, out)
			early.Store(out.charge.ID, earlyAnswer{answer, err})
		}
	}
}

func calledEarly(id ids.Charge) (processor.Answer, error, bool) {
	kept, ok := early.LoadAndDelete(id)
	if !ok {
		return processor.Answer{}, nil, false
	}
	return kept.(earlyAnswer).Answer, kept.(earlyAnswer).err, true
}
