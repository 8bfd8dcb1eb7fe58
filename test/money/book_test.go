package money

import (
	"svcpay/internal/processor"
	"svcpay/test/rig"
)

// auditBook compares the processor's own book with our calls and our books. It is the only place that
// joins the two.
func (s *site) auditBook() {
	s.t.Helper()
	for _, a := range rig.OfBook(processor.AccountPrefix(s.app.AppID)) {
		s.none(a.What, a.SQL)
	}
}
