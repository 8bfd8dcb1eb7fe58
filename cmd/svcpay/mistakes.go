package main

import (
	"fmt"
	"strings"
)

// mistake is that settings, each right on its own, do not go together.
type mistake struct {
	made         bool
	setting, why string
}

// mistakes are those that were made.
func mistakes(all ...mistake) (errs []error) {
	for _, m := range all {
		if m.made {
			errs = append(errs, fmt.Errorf("%s: %s", m.setting, m.why))
		}
	}
	return errs
}

// sameHost reports whether two origins that are set are on one host.
func sameHost(a, b string) bool { return a != "" && b != "" && hostName(a) == hostName(b) }

const onlyByHTTPS = "production is reached by https only"

func inClear(origin string) bool { return strings.HasPrefix(origin, "http:") }
