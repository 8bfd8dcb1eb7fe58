package payments

import (
	"svcpay/internal/charge"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// chargeTones say what a charge's status means.
var chargeTones = map[charge.Status]ui.Tone{
	charge.Processing: ui.Info, charge.Authorized: ui.Warning, charge.Captured: ui.Success, charge.Pending: ui.Info,
	charge.Settled: ui.Success,
	charge.Voided:  ui.Neutral, charge.Expired: ui.Neutral, charge.Failed: ui.Danger, charge.Returned: ui.Danger,
}

// stateOf is a charge's status, with the outcome of its money since.
func stateOf(t *text.Catalogue, c charge.Summary) views.State {
	out := views.State{Tone: chargeTones[c.Status], Word: t.Charges.Statuses[string(c.Status)]}
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
