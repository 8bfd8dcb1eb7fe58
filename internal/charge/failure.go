package charge

import (
	"svcpay/internal/charge/rule"
	"svcpay/internal/fault"
	"svcpay/internal/operation"
	"svcpay/internal/processor"
)

// Failure is why a charge failed.
type Failure struct {
	Code        string `json:"code"`
	DeclineCode string `json:"decline_code,omitempty"`
	Message     string `json:"message"`
	Advice      string `json:"advice"`
	Retryable   bool   `json:"retryable"`
	// Rule is the rule of the merchant that blocked the charge, "" if none did. Payers don't learn it.
	Rule rule.Name `json:"rule,omitempty"`
}

// The advice that a failure carries.
const (
	useAnother = "use_another_method"
	checkInput = "check_the_details"
	tryLater   = "try_again_later"
)

// notSubmitted is the failure of a charge that never reached the processor.
const notSubmitted = "not_submitted"

// blockedByRule is the failure of a charge that a rule of its merchant blocked.
const blockedByRule = "blocked_by_rule"

// FailureCodes lists the codes that a charge can fail with.
func FailureCodes() []string {
	return []string{"card_declined", "expired_card", "incorrect_cvc", unusable, notSubmitted, blockedByRule}
}

// failures tells, by decline code, what the payer should hear. An unlisted code is reported as a
// generic decline: a processor's own words are not ours to pass on.
var failures = map[string]Failure{
	"generic_decline":    {Code: "card_declined", Message: "The card was declined.", Advice: useAnother},
	"insufficient_funds": {Code: "card_declined", Message: "The card was declined: insufficient funds.", Advice: useAnother},
	// A lost or stolen card is reported as a plain decline: the payer may be the thief.
	"lost_card":        {Code: "card_declined", Message: "The card was declined.", Advice: useAnother},
	"stolen_card":      {Code: "card_declined", Message: "The card was declined.", Advice: useAnother},
	"expired_card":     {Code: "expired_card", Message: "The card has expired.", Advice: useAnother},
	"incorrect_cvc":    {Code: "incorrect_cvc", Message: "The card's security code is wrong.", Advice: checkInput},
	"processing_error": {Code: "card_declined", Message: "The card could not be processed. Nothing was charged.", Advice: tryLater, Retryable: true},
}

func failureOf(declineCode string) Failure {
	f, ok := failures[declineCode]
	if !ok {
		declineCode, f = "generic_decline", failures["generic_decline"]
	}
	f.DeclineCode = declineCode
	return f
}

// lostFailure is told when the processor, asked until its window closed, knows nothing.
var lostFailure = Failure{Code: notSubmitted, Advice: tryLater, Retryable: true,
	Message: "The charge did not reach the card processor and nothing was charged. Try again with a new idempotency key."}

// heldFailure is of a charge whose amount was held and not captured in time.
var heldFailure = Failure{Code: notSubmitted, Advice: tryLater, Retryable: true,
	Message: "The charge was not captured in time and nothing was charged. Try again with a new idempotency key."}

// unreadableFailure is of a charge whose token's data does not open: nothing was sent.
var unreadableFailure = Failure{Code: notSubmitted, Advice: useAnother,
	Message: "The stored payment data of this token cannot be read. Nothing was charged. Ask the payer for the payment method again."}

// blockedFailure is the failure of a charge that a rule blocked. Its message doesn't reveal the rule.
func blockedFailure(by rule.Name) Failure {
	return Failure{Code: blockedByRule, Message: "This payment was not accepted.", Advice: useAnother, Rule: by}
}

// unusable is the decline code of a debit whose bank account cannot be debited.
const unusable = "bank_account_unusable"

// debitFailure is of a debit that the processor refused for another reason than its bank account.
var debitFailure = Failure{Code: notSubmitted, Advice: tryLater, Retryable: true,
	Message: "The processor did not accept the debit and nothing was debited. Try again with a new idempotency key."}

// bankFailure is told when a bank account cannot be debited.
var bankFailure = Failure{Code: unusable, Advice: useAnother,
	Message: "The bank account could not be debited."}

// refusal is the fault that a failed charge answers with, now and when its key is replayed.
func refusal(c Charge) *fault.Error {
	f := *c.Failure
	var e *fault.Error
	switch {
	case f.Code == notSubmitted:
		e = fault.New(fault.KindUnavailable, "processor_error", f.Message)
	case c.Type != Card, f.Code == blockedByRule:
		e = fault.New(fault.KindDeclined, f.Code, f.Message).On("token")
	default:
		e = fault.New(fault.KindDeclined, f.Code, f.Message).On("token").With("decline_code", f.DeclineCode)
	}
	return e.With("charge_id", c.ID.String()).With("advice", f.Advice).With("retryable", f.Retryable)
}

// notReached is notified of a capture or a void that the processor never got.
func notReached(c Charge) *fault.Error {
	return fault.New(fault.KindUnavailable, "processor_error",
		"This did not reach the card processor and changed nothing. Try again with a new idempotency key.").
		With("charge_id", c.ID.String()).With("advice", tryLater).With("retryable", true)
}

// captureRefused is notified of a capture that the processor refused, or never got.
func captureRefused(c Charge, answer *processor.Answer) *fault.Error {
	switch {
	case answer == nil:
		return notReached(c)
	case answer.DeclineCode == "authorization_expired":
		return ErrAuthorizationExpired.With("charge_id", c.ID.String())
	}
	return fault.New(fault.KindConflict, "charge_not_capturable",
		"The processor declined the capture. The authorization is still valid.").
		With("status", string(c.Status))
}

// voidRefused is notified of a void that the processor refused, or never got.
func voidRefused(c Charge, answer *processor.Answer) *fault.Error {
	if answer == nil {
		return notReached(c)
	}
	return fault.New(fault.KindConflict, "charge_not_voidable", "The processor declined the void.").With("status",
		string(c.Status))
}

// overtaken is notified of a capture or a void whose charge became something else while it was in progress.
func overtaken(c Charge, o operation.Outcome) *fault.Error {
	code := "charge_not_voidable"
	switch {
	case o.Answer == nil:
		return notReached(c)
	case o.Kind == operation.Capture:
		code = "charge_not_capturable"
	}
	return fault.New(fault.KindConflict, code, "The charge is now "+string(c.Status)+".").With("status",
		string(c.Status))
}

// ErrAuthorizationExpired is the fault for a capture that comes after seven days.
var ErrAuthorizationExpired = fault.Refused("authorization_expired",
	"The authorization has expired: its seven days are over. Charge the token again.")
