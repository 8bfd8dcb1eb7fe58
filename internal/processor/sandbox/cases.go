package sandbox

import (
	"slices"
	"time"

	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
)

// Case is how the sandbox treats one card or bank account.
type Case struct {
	// Name is what guides and test tools call it, unique among all cases.
	Name string
	// Number is a card's; "" for a bank account, which Bank tells instead.
	Number string
	Bank   processor.Bank
	// Effect says what happens, for guides.
	Effect string
	// Decline is the decline code of the first call, "" for an approval.
	Decline string
	// Check overrides what the issuer says of submitted details.
	Check func(*processor.Checks)
	// TimesOut makes the first call fail without an answer; the outcome shows up later.
	TimesOut bool
	// CaptureTimesOut and RefundTimesOut do so to a capture and to refunds.
	CaptureTimesOut, RefundTimesOut bool
	// RefundDecline is the decline code of every refund, "" for none.
	RefundDecline string
	// RefundFails is why refunds, which are approved, fail after [refundFailsAfter]; "" if they do not.
	RefundFails processor.RefundFailure
	// Disputed and Retrieved say that the payer's bank asks about the payment an hour after its capture.
	Disputed, Retrieved bool
	// Return is the code with which a debit or payout comes back, ReturnAfter business days after it
	// was submitted; "" if it does not.
	Return      string
	ReturnAfter int
	// DepositsReturn is the code with which the deposits of a verification come back after [depositsReturnAfter]; "" if
	// they do not.
	DepositsReturn string
}

// The sandbox's banks: a US routing number, and a Canadian transit with its institution.
const (
	routingUS = "110000000"
	routingCA = "11000000"
)

var bankNames = map[processor.Scheme]map[string]string{
	processor.ACH:  {routingUS: "Sandbox Bank"},
	processor.ACSS: {routingCA: "Sandbox Bank of Canada"},
}

func ach(number string) processor.Bank {
	return processor.Bank{Scheme: processor.ACH, Routing: routingUS, Number: sensitive.NewAccountNumber(number)}
}

func acss(number string) processor.Bank {
	return processor.Bank{Scheme: processor.ACSS, Routing: routingCA, Number: sensitive.NewAccountNumber(number)}
}

// velocityLimited is the test card that is counted as payers' cards are.
const velocityLimited = "velocity_limited"

// proofOfWork is the test card for which a payer's browser has to prove work.
const proofOfWork = "proof_of_work"

// Challenged reports whether a number is the test card's that needs a proof of work.
func Challenged(number string) bool {
	return slices.ContainsFunc(Cases(), func(c Case) bool { return c.Number == number && c.Name == proofOfWork })
}

// Exempt reports whether a number is a test card's that may be used as often as one likes.
func Exempt(number string) bool {
	return slices.ContainsFunc(Cases(), func(c Case) bool { return c.Number == number && c.Name != velocityLimited })
}

// refundFailsAfter is how long after a refund it fails, by its account's clock.
const refundFailsAfter = 3 * 24 * time.Hour

// Cases lists every card with a behavior of its own. Any other card is approved.
func Cases() []Case {
	return []Case{
		{Number: "4242424242424242", Name: "approved", Effect: "approved (Visa)"},
		{Number: "5555555555554444", Name: "approved_mastercard", Effect: "approved (Mastercard)"},
		{Number: "2223003122003222", Name: "approved_mastercard_2_series", Effect: "approved (Mastercard, 2-series)"},
		{Number: "378282246310005", Name: "approved_amex", Effect: "approved (American Express)"},
		{Number: "6011111111111117", Name: "approved_discover", Effect: "approved (Discover)"},
		{Number: "3566002020360505", Name: "approved_jcb", Effect: "approved (JCB)"},
		{Number: "36227206271667", Name: "approved_diners_club", Effect: "approved (Diners Club)"},
		{Number: "4000000000000002", Name: "declined", Decline: "generic_decline", Effect: "declined: `generic_decline`"},
		{Number: "4000000000009995", Name: "declined_insufficient_funds", Decline: "insufficient_funds", Effect: "declined: `insufficient_funds`"},
		{Number: "4000000000009987", Name: "declined_lost_card", Decline: "lost_card", Effect: "declined: `lost_card`"},
		{Number: "4000000000009979", Name: "declined_stolen_card", Decline: "stolen_card", Effect: "declined: `stolen_card`"},
		{Number: "4000000000000069", Name: "declined_expired_card", Decline: "expired_card", Effect: "declined: `expired_card`"},
		{Number: "4000000000000127", Name: "declined_incorrect_cvc", Decline: "incorrect_cvc", Effect: "declined: `incorrect_cvc`"},
		{Number: "4000000000000119", Name: "declined_processing_error", Decline: "processing_error", Effect: "declined: `processing_error`"},
		{Number: "4000000000000341", Name: "tokenized_then_declined", Decline: "generic_decline", Effect: "makes a token, then declined: `generic_decline`"},
		{Number: "4000000000000010", Name: "address_check_fails",
			Effect: "approved; the checks of address and postal code fail", Check: func(c *processor.Checks) {
				c.AddressLine1, c.AddressZip = failed(c.AddressLine1), failed(c.AddressZip)
			}},
		{Number: "4000000000000101", Name: "cvc_check_fails", Effect: "approved; the check of the security code fails",
			Check: func(c *processor.Checks) { c.CVC = failed(c.CVC) }},
		{Number: "4000000000000689", Name: velocityLimited, Effect: "approved; the one test card that velocity limits count"},
		{Number: "4000000000000697", Name: proofOfWork, Effect: "approved; the payer's browser must complete a proof of work first, as during card testing"},
		{Number: "4000000000000259", Name: "disputed", Disputed: true, Effect: "approved; a chargeback (`fraudulent`) an hour after the capture"},
		{Number: "4000000000001976", Name: "retrieval", Retrieved: true, Effect: "approved; a retrieval an hour after the capture"},
		{Number: "4000000000005423", Name: "timeout", TimesOut: true, Effect: "approved, but the answer is lost; found 3 seconds later"},
		{Number: "4000000000005431", Name: "capture_timeout", CaptureTimesOut: true, Effect: "approved; the answer to a later capture is lost and found 3 seconds later"},
		{Number: "4000000000005126", Name: "refund_timeout", RefundTimesOut: true, Effect: "approved; the answer to each refund is lost and found 3 seconds later"},
		{Number: "4000000000007726", Name: "refund_declined", RefundDecline: "generic_decline", Effect: "approved; each refund is declined"},
		{Number: "4000000000003063", Name: "refund_fails", RefundFails: processor.AccountClosed, Effect: "approved; each refund succeeds, and fails with `account_closed` after 3 days"},
	}
}

// returnedLate is when what settled comes back after all.
const returnedLate = 10

// BankCases lists every bank account whose debits have a behavior of their own. Any other debit
// settles.
func BankCases() []Case {
	return []Case{
		{Bank: ach("000123456789"), Name: "ach_settles", Effect: "settles"},
		{Bank: ach("000222222227"), Name: "ach_r01", Return: "R01", ReturnAfter: 2, Effect: "returned R01 (insufficient funds) after 2 business days"},
		{Bank: ach("000111111113"), Name: "ach_r02", Return: "R02", ReturnAfter: 2, Effect: "returned R02 (account closed) after 2 business days"},
		{Bank: ach("000111111116"), Name: "ach_r03", Return: "R03", ReturnAfter: 2, Effect: "returned R03 (no such account) after 2 business days"},
		{Bank: ach("000333333335"), Name: "ach_returned_r10", Return: "R10", ReturnAfter: returnedLate, Effect: "settles, then returned R10 (not authorized) 10 business days after the debit"},
		{Bank: ach("000555555559"), Name: "ach_declined", Decline: "bank_account_unusable", Effect: "not accepted: `bank_account_unusable`"},
		{Bank: ach("000777777771"), Name: "ach_timeout", TimesOut: true, Effect: "settles, but the answer is lost; found 3 seconds later"},
		{Bank: ach("000666666661"), Name: "ach_deposits_return", DepositsReturn: "R03", Effect: "settles; the two deposits of its verification come back with R03 (no such account) after 2 business days"},
		{Bank: acss("000123456789"), Name: "acss_settles", Effect: "settles"},
		{Bank: acss("000222222227"), Name: "acss_901", Return: "901", ReturnAfter: 2, Effect: "returned 901 (insufficient funds) after 2 business days"},
		{Bank: acss("000111111116"), Name: "acss_915", Return: "915", ReturnAfter: 2, Effect: "returned 915 (no agreement) after 2 business days"},
		{Bank: acss("000333333335"), Name: "acss_returned_915", Return: "915", ReturnAfter: returnedLate, Effect: "settles, then returned 915 (no agreement) 10 business days after the debit"},
		{Bank: acss("000666666661"), Name: "acss_deposits_return", DepositsReturn: "912", Effect: "settles; the two deposits of its verification come back with 912 (no such account) after 2 business days"},
	}
}

// PayoutCases lists every merchant's bank account whose payouts have a behavior of their own. Any
// other payout arrives.
func PayoutCases() []Case {
	return []Case{
		{Bank: ach("000123456789"), Name: "payout_paid", Effect: "paid after 1 business day"},
		{Bank: ach("000111111116"), Name: "payout_failed", Return: "R03", ReturnAfter: terms.PayoutDays, Effect: "fails with R03 (no such account) after 1 business day"},
		{Bank: ach("000444444440"), Name: "payout_returned", Return: "R02", ReturnAfter: 5, Effect: "paid after 1 business day, returned R02 (account closed) after 5"},
		{Bank: ach("000555555559"), Name: "payout_declined", Decline: "bank_account_unusable", Effect: "not accepted: `bank_account_unusable`"},
		{Bank: ach("000777777771"), Name: "payout_timeout", TimesOut: true, Effect: "paid, but the answer to the submission is lost; found 3 seconds later"},
		{Bank: acss("000123456789"), Name: "payout_paid_ca", Effect: "paid after 1 business day"},
		{Bank: acss("000111111116"), Name: "payout_failed_ca", Return: "912", ReturnAfter: terms.PayoutDays, Effect: "fails with 912 (no such account) after 1 business day"},
		{Bank: acss("000444444440"), Name: "payout_returned_ca", Return: "905", ReturnAfter: 5, Effect: "paid after 1 business day, returned 905 (account closed) after 5"},
	}
}

// TokenCase finds the card, or the payer's bank account, that a test case's name stands for.
func TokenCase(name string) (Case, bool) {
	for _, cases := range [][]Case{Cases(), BankCases()} {
		for _, c := range cases {
			if c.Name == name {
				return c, true
			}
		}
	}
	return Case{}, false
}

// failed turns a check that was made into a failed one; what was not submitted stays unavailable.
func failed(r processor.CheckResult) processor.CheckResult {
	if r == processor.Pass {
		return processor.Fail
	}
	return r
}

// account names a bank account within a table of cases.
type account struct {
	scheme          processor.Scheme
	routing, number string
}

func accountOf(b processor.Bank) account { return account{b.Scheme, b.Routing, b.Number.Reveal()} }

// tables finds cases by what calls show of them.
type tables struct {
	cards          map[string]Case
	debits, payout map[account]Case
	names          map[string]Case // of cards: follow-up calls show no number
}

func newTables() tables {
	t := tables{map[string]Case{}, map[account]Case{}, map[account]Case{}, map[string]Case{}}
	for _, c := range Cases() {
		t.cards[c.Number], t.names[c.Name] = c, c
	}
	for _, c := range BankCases() {
		t.debits[accountOf(c.Bank)] = c
	}
	for _, c := range PayoutCases() {
		t.payout[accountOf(c.Bank)] = c
	}
	return t
}
