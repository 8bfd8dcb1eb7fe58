// Package money defines amounts in minor units, currencies, percentages and the one rounding rule. It uses no floats.
package money

import "slices"

// Amount is a count of minor units (cents) of some [Currency].
type Amount int64

// Bounds of an amount that a payer can be charged, in minor units.
const (
	MinCharge Amount = 1
	// UsualMinCharge is the smallest charge of a merchant that has set no other.
	UsualMinCharge Amount = 50
	MaxCharge      Amount = 99_999_999
)

// Currency is a lowercase ISO 4217 code.
type Currency string

// The currencies that the service moves.
const (
	USD Currency = "usd"
	CAD Currency = "cad"
)

// Currencies lists every supported currency.
func Currencies() []Currency { return []Currency{USD, CAD} }

// CurrencyNames lists the supported currencies as words.
func CurrencyNames() (out []string) {
	for _, c := range Currencies() {
		out = append(out, string(c))
	}
	return out
}

// ParseCurrency reports whether s spells a supported currency; capitals do not.
func ParseCurrency(s string) (Currency, bool) {
	c := Currency(s)
	return c, slices.Contains(Currencies(), c)
}
