// Package daf keeps donations from donor-advised funds: who may take them, what they cost, and what becomes of them.
package daf

import "svcpay/internal/money"

const (
	// ProviderPercentage is what the provider keeps of an integrated donation. Nobody adjusts it.
	ProviderPercentage money.Percent = 2900

	// WholeDollar is the step of donations in minor units, and the least one: grants are whole dollars.
	WholeDollar money.Amount = 100
	// MaxDonation is the largest donation in minor units.
	MaxDonation = money.MaxCharge / WholeDollar * WholeDollar
)

// Cover returns the smallest donation of whole dollars that leaves at least goal, 1 minor unit or more,
// when a fee of each rate is taken of it, each rounded half up by itself. It tells whether there is one
// up to [MaxDonation].
func Cover(goal money.Amount, rates ...money.Percent) (money.Amount, bool) {
	left := money.PercentMax
	for _, r := range rates {
		left -= r
	}
	if left <= 0 || goal > MaxDonation {
		return 0, false
	}
	// The search begins at the last whole dollar that the exact rates leave too little of, or just enough.
	// Rounding gives back less than half a minor unit a fee, which matters to rates above 99 %.
	low := max(goal-money.Amount(len(rates)), 0) * money.Amount(money.PercentMax) / money.Amount(left)
	for a := max(low/WholeDollar*WholeDollar, WholeDollar); a <= MaxDonation; a += WholeDollar {
		kept := a
		for _, r := range rates {
			kept -= r.Of(a)
		}
		if kept >= goal {
			return a, true
		}
	}
	return 0, false
}
