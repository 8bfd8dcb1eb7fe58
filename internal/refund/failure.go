package refund

import "svcpay/internal/processor"

// Failure is why a refund failed.
type Failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// The failures of refunds that returned no money.
var (
	declined = Failure{Code: "refund_declined", Message: "The processor declined the refund. No money was returned."}
	lost     = Failure{Code: "not_submitted",
		Message: "The refund did not reach the processor, and no money was returned. Create it again."}
)

// laterMessages are what is reported of refunds that failed after they had succeeded. The failure's code is the
// processor's reason, as the port names it.
var laterMessages = map[processor.RefundFailure]string{
	processor.AccountClosed:     "The payer's card or bank account is closed, or the card has expired.",
	processor.LostOrStolenCard:  "The payer's card was reported lost or stolen.",
	processor.ChargeDisputed:    "The payer disputed the charge before the refund arrived.",
	processor.InsufficientFunds: "The account at the processor did not have enough money for the refund.",
	processor.BankRefused:       "The payer's bank declined the refund.",
}

// moneyBack ends what is reported of a refund that failed after it had succeeded.
const moneyBack = " The money is back in the merchant's balance."

// laterFailure is the failure of a refund that had succeeded. A reason that the port does not have is that of the
// payer's bank.
func laterFailure(reason processor.RefundFailure) *Failure {
	message, known := laterMessages[reason]
	if !known {
		reason, message = processor.BankRefused, laterMessages[processor.BankRefused]
	}
	return &Failure{Code: string(reason), Message: message + moneyBack}
}

// FailureCodes lists every code of a failure.
func FailureCodes() []string {
	out := []string{declined.Code, lost.Code}
	for _, reason := range processor.RefundFailures() {
		out = append(out, string(reason))
	}
	return out
}

// FailedLater reports whether the refund failed after it had succeeded.
func (r Refund) FailedLater() bool { return r.Status == Failed && r.SucceededAt != nil }

// ReturnedByDispute reports whether the refund failed because the payer gets the money through a dispute: another
// refund would pay it twice.
func (r Refund) ReturnedByDispute() bool {
	return r.Status == Failed && r.Failure.Code == string(processor.ChargeDisputed)
}

// IsLater reports whether a failure's code is one of refunds that had succeeded.
func IsLater(code string) bool {
	_, known := laterMessages[processor.RefundFailure(code)]
	return known
}

// givenUp reports whether the refund failed because its processor knew nothing of it when its window closed.
func (r Refund) givenUp() bool { return r.Status == Failed && r.Failure.Code == lost.Code }
