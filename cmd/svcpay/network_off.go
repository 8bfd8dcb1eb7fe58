//go:build !chaos && !bench

package main

import "svcpay/internal/processor"

// network is the processor that charges go to.
func network(sandbox processor.Processor) processor.Processor { return sandbox }
