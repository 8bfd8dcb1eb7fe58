package sandbox

import "svcpay/internal/processor"

// Case is how the sandbox treats one card number.
type Case struct {
	Number string
	// Name is what guides and test tools call it.
	Name string
	// Decline is the decline code, "" for an approval.
	Decline string
	// Check overrides what the issuer says of submitted details.
	Check func(*processor.Checks)
	// TimesOut makes the call fail without an answer; the outcome shows up later.
	TimesOut bool
}

// Cases lists every card number with a behavior of its own. Any other number is approved.
func Cases() []Case {
	return []Case{
		{Number: "4242424242424242", Name: "approved"},
		{Number: "5555555555554444", Name: "approved_mastercard"},
		{Number: "2223003122003222", Name: "approved_mastercard_2_series"},
		{Number: "378282246310005", Name: "approved_amex"},
		{Number: "6011111111111117", Name: "approved_discover"},
		{Number: "3566002020360505", Name: "approved_jcb"},
		{Number: "36227206271667", Name: "approved_diners_club"},
		{Number: "4000000000000002", Name: "declined", Decline: "generic_decline"},
		{Number: "4000000000009995", Name: "declined_insufficient_funds", Decline: "insufficient_funds"},
		{Number: "4000000000009987", Name: "declined_lost_card", Decline: "lost_card"},
		{Number: "4000000000009979", Name: "declined_stolen_card", Decline: "stolen_card"},
		{Number: "4000000000000069", Name: "declined_expired_card", Decline: "expired_card"},
		{Number: "4000000000000127", Name: "declined_incorrect_cvc", Decline: "incorrect_cvc"},
		{Number: "4000000000000119", Name: "declined_processing_error", Decline: "processing_error"},
		{Number: "4000000000000341", Name: "tokenized_then_declined", Decline: "generic_decline"},
		{Number: "4000000000000010", Name: "address_check_fails", Check: func(c *processor.Checks) {
			c.AddressLine1, c.AddressZip = failed(c.AddressLine1), failed(c.AddressZip)
		}},
		{Number: "4000000000000101", Name: "cvc_check_fails", Check: func(c *processor.Checks) { c.CVC = failed(c.CVC) }},
		{Number: "4000000000005423", Name: "timeout", TimesOut: true},
	}
}

// failed turns a check that was made into a failed one; what was not submitted stays unavailable.
func failed(r processor.CheckResult) processor.CheckResult {
	if r == processor.Pass {
		return processor.Fail
	}
	return r
}
