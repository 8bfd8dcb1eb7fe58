package merchant

import "svcpay/internal/fault"

// TakesDonations refuses a donation for a merchant that cannot take one: merchant_not_active,
// daf_not_eligible, daf_not_enabled, daf_not_enrolled, the first that applies.
func (m Merchant) TakesDonations() error {
	refused := func(code, message string) error { return fault.Refused(code, message).On("merchant_id") }
	switch {
	case !Allows(m.Status, TakeDonation):
		return refused("merchant_not_active", "This merchant can't accept new donations right now.")
	case !m.Eligible():
		return ErrNotEligible.On("merchant_id")
	case !m.HasDAFProvider:
		return refused("daf_not_enabled", "DAF Pay is not enabled for this merchant.")
	case m.DAFProviderConnectID == nil:
		return refused("daf_not_enrolled", "This merchant is not enrolled in DAF Pay.")
	}
	return nil
}
