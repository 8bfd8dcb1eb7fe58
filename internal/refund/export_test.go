package refund

import (
	"svcpay/internal/charge"
	"svcpay/internal/money"
)

// SelectReleasable is what a sweep looks for refunds with.
const SelectReleasable = selectReleasable

// AmountOf is the rule that every refund goes by.
func AmountOf(c charge.Charge, asked *money.Amount) (money.Amount, error) { return amountOf(c, asked) }
