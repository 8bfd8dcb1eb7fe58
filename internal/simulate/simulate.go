// Package simulate is how an application tries things out in a sandbox: it has something happen at
// the counterparties, and moves its own clock. The service's own paths run unchanged; only the
// counterparty is told what to do.
package simulate

import (
	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/clock"
)

// Deps are what the service works with. Sweeps is all work that becomes due by time, in the order in
// which it is done at one instant.
type Deps struct {
	Check   authz.Checker
	Clock   *clock.Clock
	Charges *charge.Service
	Sweeps  []clock.Sweep
}

// Service holds the use-cases of trying things out.
type Service struct{ Deps }

// New makes the service.
func New(d Deps) *Service { return &Service{d} }
