//go:build !chaos && !bench

package main

import (
	"svcpay/internal/daf/provider/chariot"
	"svcpay/internal/processor"
	"svcpay/internal/processor/stripe"
)

// network is the processor that charges go to.
func network(sandbox processor.Processor) processor.Processor { return sandbox }

// stripeTimes and chariotTimes are zero: the servers use Stripe and Chariot themselves.
var (
	stripeTimes  stripe.Times
	chariotTimes chariot.Times
)
