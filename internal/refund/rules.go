package refund

import (
	"fmt"

	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/money"
)

// refundable reports whether money of a charge in its status can be returned, and whether that has
// to wait for the charge to settle.
func refundable(c charge.Charge) (ok, waits bool) {
	bank := c.Type != charge.Card
	switch c.Status {
	case charge.Captured, charge.Settled:
		return true, false
	case charge.Pending:
		return bank, true
	}
	return false, false
}

// untouched refuses who decided by an amount that is not what is left any more: someone else was quicker.
func untouched(c charge.Charge, seen *money.Amount) error {
	if seen == nil || *seen == c.AmountRefundable {
		return nil
	}
	return fault.New(fault.KindChanged, "object_changed",
		"This charge just changed. Check the amount that can still be refunded.").
		With("remaining", c.AmountRefundable)
}

// AmountOf is what a request returns of a charge that its transaction holds, all that is left if
// it named no amount; or the fault that refuses it.
func AmountOf(c charge.Charge, asked *money.Amount) (money.Amount, error) {
	if ok, _ := refundable(c); !ok {
		return 0, fault.New(fault.KindConflict, "charge_not_refundable",
			fmt.Sprintf("A charge that is %s cannot be refunded.", c.Status)).On("charge_id").With("status",
			string(c.Status))
	}
	left := c.AmountRefundable
	switch {
	case left == 0 && c.AmountDisputed > 0 && c.AmountCaptured > c.AmountRefunded+c.AmountRefundPending:
		return 0, fault.New(fault.KindConflict, "charge_disputed",
			"What is left of this charge is disputed and cannot be refunded.").On("charge_id")
	case asked == nil && left > 0:
		return left, nil
	case asked == nil || *asked > left:
		return 0, fault.Refused("refund_exceeds_remaining", "This is more than can still be refunded on this charge.").
			On("amount").With("remaining", left)
	}
	return *asked, nil
}
