package fee

import (
	"slices"

	"svcpay/internal/fault"
	"svcpay/internal/money"
)

// Unit says how a setting is counted.
type Unit string

// The units.
const (
	Flat       Unit = "minor units" // of the merchant's currency
	Percentage Unit = "%"           // of the event's base
)

// maxFlat bounds a flat fee, in minor units: no charge is larger.
const maxFlat = money.MaxCharge

// Setting describes one of the twelve rates.
type Setting struct {
	Name     string // of the column, the member in JSON and the lines that it makes
	Unit     Unit
	Optional bool   // null switches it off
	Kinds    []Kind // the events that post it; none for daf_percentage, which donations post
	Brand    string // the only brand that pays it; "" for all
	Posted   string // when it is posted, for people
	Base     string // what a percentage is taken of, for people

	// Its place among the rates: one of these.
	flat            func(*Rates) *money.Amount
	percent         func(*Rates) *money.Percent
	optionalFlat    func(*Rates) **money.Amount
	optionalPercent func(*Rates) **money.Percent
}

// settings is the whole rule of which event costs what, in the order of an event's lines.
var settings = []Setting{
	{Name: "authorization_fee", Unit: Flat, Kinds: []Kind{Authorized}, Posted: "a card payment is approved, also when it is captured at once",
		flat: func(r *Rates) *money.Amount { return &r.AuthorizationFee }},
	{Name: "capture_fee", Unit: Flat, Kinds: []Kind{Captured}, Posted: "a card payment is captured",
		flat: func(r *Rates) *money.Amount { return &r.CaptureFee }},
	{Name: "amex_surcharge_percentage", Unit: Percentage, Kinds: []Kind{Captured}, Brand: "amex",
		Posted: "a card payment with brand amex is captured, also through a wallet", Base: "captured amount",
		percent: func(r *Rates) *money.Percent { return &r.AmexSurchargePercentage }},
	{Name: "ach_transfer_flat_fee", Unit: Flat, Kinds: []Kind{BankSettled}, Posted: "a bank payment settles",
		flat: func(r *Rates) *money.Amount { return &r.ACHTransferFlatFee }},
	{Name: "ach_transfer_percentage", Unit: Percentage, Kinds: []Kind{BankSettled}, Posted: "a bank payment settles", Base: "amount",
		percent: func(r *Rates) *money.Percent { return &r.ACHTransferPercentage }},
	{Name: "ach_transfer_failed_fee", Unit: Flat, Kinds: []Kind{BankFailed}, Posted: "a bank payment fails",
		flat: func(r *Rates) *money.Amount { return &r.ACHTransferFailedFee }},
	{Name: "ach_return_fee", Unit: Flat, Kinds: []Kind{BankReturned}, Posted: "a bank payment is returned after it settled",
		flat: func(r *Rates) *money.Amount { return &r.ACHReturnFee }},
	{Name: "chargeback_fee", Unit: Flat, Kinds: []Kind{Chargeback}, Posted: "a chargeback is opened, or a retrieval becomes one",
		flat: func(r *Rates) *money.Amount { return &r.ChargebackFee }},
	{Name: "retrieval_fee", Unit: Flat, Kinds: []Kind{Retrieval}, Posted: "a retrieval is opened",
		flat: func(r *Rates) *money.Amount { return &r.RetrievalFee }},
	{Name: "platform_flat_fee", Unit: Flat, Optional: true, Kinds: []Kind{Captured, BankSettled},
		Posted:       "a card payment is captured, a bank payment settles",
		optionalFlat: func(r *Rates) **money.Amount { return &r.PlatformFlatFee }},
	{Name: "platform_percentage", Unit: Percentage, Optional: true, Kinds: []Kind{Captured, BankSettled},
		Posted: "a card payment is captured, a bank payment settles", Base: "captured or settled amount",
		optionalPercent: func(r *Rates) **money.Percent { return &r.PlatformPercentage }},
	{Name: "daf_percentage", Unit: Percentage, Posted: "a DAF donation completes, as fixed when it was created", Base: "donation total",
		percent: func(r *Rates) *money.Percent { return &r.DAFPercentage }},
}

// Settings lists the twelve rates in their order.
func Settings() []Setting { return slices.Clone(settings) }

// value returns the setting in r: for a flat fee the amount, for a percentage the rate, and
// neither when it is off.
func (s Setting) value(r *Rates) (flat *money.Amount, percent *money.Percent) {
	switch {
	case s.optionalFlat != nil:
		return *s.optionalFlat(r), nil
	case s.optionalPercent != nil:
		return nil, *s.optionalPercent(r)
	case s.Unit == Flat:
		return s.flat(r), nil
	}
	return nil, s.percent(r)
}

// In returns the setting's value in rates: the amount of a flat fee, the rate of a percentage, and neither when
// it is off.
func (s Setting) In(r Rates) (flat *money.Amount, percent *money.Percent) { return s.value(&r) }

// Put sets the setting's value in rates: of a flat fee the amount, of a percentage the rate; nil switches an
// optional one off.
func (s Setting) Put(r *Rates, flat *money.Amount, percent *money.Percent) {
	switch {
	case s.optionalFlat != nil:
		*s.optionalFlat(r) = flat
	case s.optionalPercent != nil:
		*s.optionalPercent(r) = percent
	case s.Unit == Flat && flat != nil:
		*s.flat(r) = *flat
	case s.Unit == Percentage && percent != nil:
		*s.percent(r) = *percent
	}
}

// line computes what the setting costs for an event with that base; nil for nothing.
func (s Setting) line(r *Rates, base money.Amount) *Line {
	flat, percent := s.value(r)
	l := Line{Fee: s.Name}
	switch {
	case flat != nil:
		l.Amount = *flat
	case percent != nil:
		rate := *percent
		l.Basis, l.Rate, l.Amount = &base, &rate, rate.Of(base)
	}
	if l.Amount <= 0 {
		return nil
	}
	return &l
}

// same compares two values that may be off.
func same[T comparable](a, b *T) bool {
	return (a == nil) == (b == nil) && (a == nil || *a == *b)
}

// Equal reports whether two sets of rates cost the same. Off and zero differ: both are shown.
func (r Rates) Equal(other Rates) bool {
	return len(differing(r, other)) == 0
}

// Validate returns a mistake for each rate that is out of bounds: a flat fee has 0 to 99,999,999
// minor units, a percentage 0 to 100.
func (r Rates) Validate() fault.Fields {
	var fs fault.Fields
	for _, s := range settings {
		flat, percent := s.value(&r)
		if flat != nil && (*flat < 0 || *flat > maxFlat) {
			fs.Add(s.Name, "parameter_invalid", "Enter a flat fee from 0 to "+money.Amount(maxFlat).Decimal()+".")
		}
		if percent != nil {
			checkPercent(&fs, s.Name, *percent)
		}
	}
	return fs
}

func checkPercent(fs *fault.Fields, param string, p money.Percent) {
	if p < 0 || p > money.PercentMax {
		fs.Add(param, "parameter_invalid", "A percentage is a number from 0 to 100 with at most 3 decimal places.")
	}
}

// dafPercentage is the one setting that the API writes.
const dafPercentage = "daf_percentage"

// PortalOnly returns the fault fee_portal_only on the first of a request's members that is a
// setting which only people change, in the portal; nil if none is.
func PortalOnly(members ...string) error {
	for _, m := range members {
		if m != dafPercentage && slices.ContainsFunc(settings, func(s Setting) bool { return s.Name == m }) {
			return fault.New(fault.KindForbidden, "fee_portal_only",
				"This fee is changed in the portal. The API writes daf_percentage only.").On(m)
		}
	}
	return nil
}
