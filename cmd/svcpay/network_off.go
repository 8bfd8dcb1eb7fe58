//go:build !chaos && !bench

package main

import (
	"svcpay/internal/processor"
	"svcpay/internal/processor/stripe"
)

// network is the processor that charges go to.
func network(sandbox processor.Processor) processor.Processor { return sandbox }

// stripeTimes are zero: the servers use Stripe itself.
var stripeTimes stripe.Times
