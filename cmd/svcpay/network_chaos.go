//go:build chaos

package main

import (
	"errors"
	"strings"
	"time"

	"svcpay/internal/daf/provider"
	"svcpay/internal/daf/provider/chariot"
	"svcpay/internal/processor"
	"svcpay/internal/processor/remote"
	"svcpay/internal/processor/stripe"
)

// processorURLs are where a test build finds its processors, by name; the others are the sandbox's own.
var processorURLs = map[string]string{}

// processorPatience is how long it waits for an answer, less than the port allows, so that tests see
// many calls without one.
const processorPatience = 4 * time.Second

// stripeTimes are short, so that a run ends soon: its fake has the machine's clock, and lists everything at once.
var stripeTimes = stripe.Times{Fence: processor.CallTimeout + 2*time.Second, Settle: 30 * time.Second,
	Lag: 15 * time.Second, Poll: 5 * time.Second}

// chariotTimes are as short. Sent requests are still repeated for as long as Chariot needs.
var chariotTimes = chariot.Times{Settle: provider.CallTimeout + 10*time.Second, Lag: 5 * time.Second,
	Poll: 5 * time.Second}

// network is the processor that charges go to.
func network(sandbox processor.Processor) processor.Processor {
	url := processorURLs[sandbox.Name()]
	if url == "" {
		return sandbox
	}
	return remote.New(sandbox.Name(), url, processorPatience)
}

// setProcessorURLs reads name=URL,name=URL.
func setProcessorURLs(_ *config, v string) error {
	for one := range strings.SplitSeq(v, ",") {
		name, url, ok := strings.Cut(one, "=")
		if !ok {
			return errors.New("not name=URL, separated by commas")
		}
		processorURLs[name] = url
	}
	return nil
}
