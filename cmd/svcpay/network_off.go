//go:build !chaos && !bench

package main

import (
	"svcpay/internal/processor"
	"svcpay/internal/processor/stripe"
)

// network is the processor that charges go to.
func network(sandbox processor.Processor) processor.Processor { return sandbox }

// stripeTimes are those of Stripe's own.
var stripeTimes stripe.Times
