package merchant

import "svcpay/internal/processor"

// Method is a kind of payment, named as [Methods] names it.
type Method string

// The methods.
const (
	Cards   Method = "cc"
	ACH     Method = "ach"
	ACSS    Method = "acss"
	WalletA Method = "wallet_a"
	WalletB Method = "wallet_b"
	DAF     Method = "daf"
)

// AllMethods lists every kind of payment.
func AllMethods() []Method { return []Method{Cards, WalletA, WalletB, ACH, ACSS, DAF} }

// Gap is something that a merchant lacks to accept a kind of payment.
type Gap string

// The gaps.
const (
	NotActive    Gap = "not_active"
	NotUS        Gap = "not_us"
	NotCanada    Gap = "not_canada"
	NotNonprofit Gap = "not_nonprofit"
	WalletAOff   Gap = "wallet_a_off"
	NoDomains    Gap = "no_domains"
	DAFOff       Gap = "daf_off"
	NotEnrolled  Gap = "not_enrolled"
	NoProcessor  Gap = "no_processor" // no processor account serves it
)

// Gaps lists every gap.
func Gaps() []Gap {
	return []Gap{NotUS, NotCanada, NotNonprofit, NotActive, WalletAOff, NoDomains, DAFOff, NotEnrolled, NoProcessor}
}

// Lacks is what the merchant lacks to accept a kind of payment, none if it does. What cannot be had, such as
// another country, is alone. Wallet A can be shown on registered domains alone; a donation needs the
// switch and the enrollment.
func (m Merchant) Lacks(kind Method) (out []Gap) {
	takes := TakeCharge
	switch {
	case (kind == ACH || kind == DAF) && m.Country != us:
		return []Gap{NotUS}
	case kind == ACSS && m.Country != canada:
		return []Gap{NotCanada}
	case kind == DAF:
		takes = TakeDonation
	}
	lacks := func(g Gap, missing bool) {
		if missing {
			out = append(out, g)
		}
	}
	lacks(NotActive, !Allows(m.Status, takes))
	lacks(NoProcessor, kind != DAF && !m.Reached[kind.processed()])
	switch kind {
	case WalletA:
		lacks(WalletAOff, !m.HasWalletA)
		lacks(NoDomains, len(m.Domains) == 0)
	case DAF:
		lacks(NotNonprofit, !m.Nonprofit)
		lacks(DAFOff, !m.HasDAFProvider)
		lacks(NotEnrolled, m.DAFProviderConnectID == nil)
	case Cards, WalletB, ACH, ACSS: // nothing else
	}
	return out
}

// processed is what a processor account must serve for the kind of payment, any but [DAF].
func (k Method) processed() processor.Method {
	switch k {
	case ACH:
		return processor.MethodACH
	case ACSS:
		return processor.MethodACSS
	case Cards, WalletA, WalletB, DAF:
	}
	return processor.MethodCard
}

// HasPayoutAccount reports whether a processor account serves the merchant's payouts.
func (m Merchant) HasPayoutAccount() bool { return m.Reached[processor.MethodPayout] }

// methods are the kinds of payment for which the merchant lacks nothing.
func (m Merchant) methods() Methods {
	accepts := func(kind Method) bool { return len(m.Lacks(kind)) == 0 }
	return Methods{CC: accepts(Cards), ACH: accepts(ACH), ACSS: accepts(ACSS), WalletA: accepts(WalletA),
		WalletB: accepts(WalletB), DAF: accepts(DAF)}
}
