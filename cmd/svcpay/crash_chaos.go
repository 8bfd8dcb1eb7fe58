//go:build chaos

package main

import (
	"errors"
	"strconv"
	"strings"

	"svcpay/internal/testing/crash"
)

// extraSettings are those of test builds.
func extraSettings() []setting {
	return []setting{{name: "SVCPAY_CRASH_POINT", help: "point:hit at which this test build kills itself",
		set: func(_ *config, v string) error {
			point, hit, _ := strings.Cut(v, ":")
			n, err := strconv.ParseInt(hit, 10, 64)
			if err != nil || n < 1 {
				return errors.New("not point:hit")
			}
			crash.Arm(point, n)
			return nil
		}},
		{name: "SVCPAY_PROCESSOR_URLS", help: "name=URL,name=URL of processors that this test build uses instead of the sandbox's",
			set: setProcessorURLs}}
}
