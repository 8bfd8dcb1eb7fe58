package metrics

import (
	"errors"

	"svcpay/internal/processor"
)

// Call counts a call at a processor's adapter (see [processor.Observer]).
func (m *Meter) Call(adapter, kind string, answer *processor.Answer, err error) {
	outcome := "declined"
	switch {
	case answer != nil && errors.Is(err, processor.ErrNotFound):
		outcome = "not_found"
	case err != nil:
		outcome = "unknown"
	case answer == nil:
		outcome = "answered"
	case answer.Approved:
		outcome = "approved"
	}
	m.calls.WithLabelValues(adapter, kind, outcome).Inc()
}
