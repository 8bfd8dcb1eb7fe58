package clock

import (
	"context"
	"errors"
	"time"
)

// Sweep is work that becomes due by applications' time. Run does a batch of what is due in a view and
// says how much that was; it may run in several binaries at once and be killed anywhere. Next is the
// earliest time later than after at which there will be something to do for an application, nil for never.
// Within is how long a job may be at it; zero for as long as any.
type Sweep struct {
	Name   string
	Run    func(ctx context.Context, v View) (int, error)
	Next   func(ctx context.Context, applicationID int64, after time.Time) (*time.Time, error)
	Within time.Duration
}

// RunAll runs a sweep over the views of all applications and reports whether there may be more. One
// view's failure does not keep the others waiting.
func (c *Clock) RunAll(ctx context.Context, s Sweep) (more bool, err error) {
	views, err := c.Views(ctx)
	if err != nil {
		return false, err
	}
	var errs []error
	for _, v := range views {
		n, err := s.Run(ctx, v)
		errs = append(errs, err)
		more = more || n > 0
	}
	return more, errors.Join(errs...)
}
