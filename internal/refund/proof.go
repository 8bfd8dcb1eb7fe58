package refund

import (
	"svcpay/internal/charge"
	"svcpay/internal/money"
)

// largeTotal is the total of a charge's refunds, in minor units, from which on a person must verify their identity.
const largeTotal money.Amount = 1_000_00

// NeedsProof reports whether a person who refunds that amount of a charge must verify their identity first: whether the
// charge's refunds, succeeded and pending, would reach 1,000.00 in its currency.
func NeedsProof(c charge.Charge, amount money.Amount) bool {
	return amount+c.AmountRefunded+c.AmountRefundPending >= largeTotal
}
