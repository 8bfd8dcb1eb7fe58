//go:build chaos

package main

import (
	"errors"
	"strings"
	"time"

	"svcpay/internal/processor"
	"svcpay/internal/processor/remote"
)

// processorURLs are where a test build finds its processors, by name; the others are the sandbox's own.
var processorURLs = map[string]string{}

// processorPatience is how long it waits for an answer, less than the port allows, so that tests see
// many calls without one.
const processorPatience = 4 * time.Second

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
