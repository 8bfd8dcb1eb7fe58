//go:build !planted

package charge

import (
	"context"

	"svcpay/internal/ids"
	"svcpay/internal/processor"
)

// forUpdate locks the rows that are read.
const forUpdate = ` FOR UPDATE`

func (s *Service) callEarly(context.Context, []claimOut) {}

func calledEarly(ids.Charge) (processor.Answer, error, bool) { return processor.Answer{}, nil, false }
