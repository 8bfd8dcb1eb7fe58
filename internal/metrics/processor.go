package metrics

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"svcpay/internal/processor"
)

// Processors registers which adapters are down (see [processor.Registry.Down]).
func (m *Meter) Processors(r *processor.Registry) {
	d := processorDown
	for _, name := range r.Names() {
		o := prometheus.GaugeOpts{Name: d.Name, Help: d.Help, ConstLabels: prometheus.Labels{d.Labels[0]: name}}
		m.registry.MustRegister(prometheus.NewGaugeFunc(o, func() float64 {
			if r.Down(name) {
				return 1
			}
			return 0
		}))
	}
}

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
