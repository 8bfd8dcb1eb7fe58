package main

import (
	"fmt"
	"path/filepath"

	"svcpay/internal/platform/atomicfile"
	"svcpay/internal/platform/localpg"
)

// claimState makes dir and keeps every other development server away from it until release: two
// would overwrite each other's credentials, and the first to stop would take the database along.
// The kernel gives the claim back however this process ends; children do not inherit it.
func claimState(dir string) (release func(), err error) {
	if _, err := localpg.MakeDir(dir); err != nil {
		return nil, err
	}
	f, err := atomicfile.Lock(filepath.Join(dir, "dev.lock"))
	if err != nil {
		return nil, err
	}
	if f == nil {
		return nil, fmt.Errorf("another svcpay dev uses %s: stop it, or choose another --state-dir", dir)
	}
	return func() { _ = f.Close() }, nil
}
