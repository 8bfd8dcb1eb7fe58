package simulate

import (
	"context"

	"svcpay/internal/platform/clock"
)

// AlsoSweep adds a sweep until restore is called.
func (s *Service) AlsoSweep(sweep clock.Sweep) (restore func()) {
	before := s.deps.Sweeps
	s.deps.Sweeps = append(before[:len(before):len(before)], sweep)
	return func() { s.deps.Sweeps = before }
}

// HappenBy has events happen by another function until restore is called.
func (s *Service) HappenBy(happen func(context.Context, Happening) error) (restore func()) {
	before := s.deps.Happen
	s.deps.Happen = happen
	return func() { s.deps.Happen = before }
}
