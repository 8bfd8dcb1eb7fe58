//go:build chaos

package main

import (
	"time"

	"svcpay/internal/processor"
	"svcpay/internal/processor/remote"
)

// processorURL is where a test build finds its processor; "" for the sandbox's own.
var processorURL string

// processorPatience is how long it waits for an answer, less than the port allows, so that tests see
// many calls without one.
const processorPatience = 4 * time.Second

// network is the processor that charges go to.
func network(sandbox processor.Processor) processor.Processor {
	if processorURL == "" {
		return sandbox
	}
	return remote.New(sandbox.Name(), processorURL, processorPatience)
}
