package payments

import (
	"svcpay/internal/charge"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
)

// stateOf is a charge's status, with the outcome of its money since.
func stateOf(t *text.Catalogue, c charge.Summary) views.State {
	out := views.State{Tone: web.ChargeTones[c.Status], Word: t.Charges.Statuses[string(c.Status)]}
	switch {
	case c.AmountDisputed > 0:
		out.Note = t.Charges.DisputedSome(t.Amount(c.AmountDisputed))
	case c.AmountRefundPending > 0:
		out.Note = t.Charges.RefundPending(t.Amount(c.AmountRefundPending))
	case c.AmountRefunded > 0 && c.AmountRefunded == c.AmountCaptured:
		out.Note = t.Charges.RefundedAll
	case c.AmountRefunded > 0:
		out.Note = t.Charges.RefundedSome(t.Amount(c.AmountRefunded))
	}
	return out
}
