//go:build bench && !chaos

package main

import (
	"os"
	"time"

	"svcpay/internal/daf/provider/chariot"
	"svcpay/internal/processor"
	"svcpay/internal/processor/memory"
	"svcpay/internal/processor/stripe"
)

// network is the processor of the build for measurements: one in memory, whose answers take
// BENCH_PROCESSOR_PAUSE.
func network(sandbox processor.Processor) processor.Processor {
	pause, _ := time.ParseDuration(os.Getenv("BENCH_PROCESSOR_PAUSE")) // none: no pause
	return memory.New(sandbox.Name(), pause)
}

// stripeTimes and chariotTimes are zero: the servers use Stripe and Chariot themselves.
var (
	stripeTimes  stripe.Times
	chariotTimes chariot.Times
)
