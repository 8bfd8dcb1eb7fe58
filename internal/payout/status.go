package payout

import (
	"slices"

	"svcpay/internal/lifecycle"
	"svcpay/internal/processor"
)

// Status is where a payout is in its life.
type Status string

// The statuses.
const (
	Processing Status = "processing" // on its way
	Paid       Status = "paid"       // it arrived
	Failed     Status = "failed"     // it did not leave, or was refused
	Returned   Status = "returned"   // it had arrived and came back
)

// Move is one allowed change and its event.
type Move = lifecycle.Move[Status]

// moves lists every allowed change; docs/payouts.md shows the same table.
var moves = lifecycle.Table[Status]{
	lifecycle.Allow("", Processing, "payout.created"),
	lifecycle.Allow(Processing, Paid, "payout.paid"),
	lifecycle.Allow(Processing, Failed, "payout.failed"),
	lifecycle.Allow(Failed, Paid, "payout.paid"), // given up, and it had left after all
	lifecycle.Allow(Paid, Returned, "payout.returned"),
}

// Moves lists every allowed change.
func Moves() []Move { return slices.Clone(moves) }

// Statuses lists every status that a payout can have.
func Statuses() []string { return moves.Names(func(s Status) string { return string(s) }) }

// Failure says why a payout failed or came back. ReturnCode is the scheme's, if there is one.
type Failure struct {
	Code       string  `json:"code"`
	Message    string  `json:"message"`
	ReturnCode *string `json:"return_code"`
}

// The codes of failures.
const (
	declined     = processor.PayoutDeclined
	balanceLow   = processor.BalanceTooLow
	otherBank    = processor.BankMismatch
	notSubmitted = "not_submitted"
	bankRefused  = "bank_refused"
	bankReturned = "bank_returned"
)

// FailureCodes lists every code of a failure.
func FailureCodes() []string {
	return []string{declined, balanceLow, otherBank, notSubmitted, bankRefused, bankReturned}
}

var (
	declinedFailure = Failure{Code: declined, Message: "The processor did not accept the payout to this bank account."}
	// otherBankFailure means that the processor does not have the merchant's verified bank account on file.
	otherBankFailure = Failure{Code: otherBank,
		Message: "The processor has a different bank account for this merchant. Enter the same one at the processor and here, then resume payouts."}
	// lowFailure means that the processor does not have enough money yet.
	lowFailure = Failure{Code: balanceLow,
		Message: "The platform's available balance at the processor is too low. A new payout is created on the next business day."}
	lostFailure = Failure{Code: notSubmitted,
		Message: "The payout did not reach the processor. The next run creates a new one."}
	// unreadableFailure is of a payout of which nothing was sent because the account's number cannot be read.
	unreadableFailure = Failure{Code: notSubmitted,
		Message: "The bank account on file cannot be read. Add the account again, then resume payouts."}
)

// ofDecline maps a processor's decline code to a failure.
func ofDecline(code string) Failure {
	if code == otherBank {
		return otherBankFailure
	}
	return declinedFailure
}

// Waits reports whether payouts continue without anyone resuming them.
// A payout to an account that cannot be read has the code of one that was lost, but it pauses payouts.
func (f Failure) Waits() bool {
	return f.Code == balanceLow || f.Code == notSubmitted && f.Message != unreadableFailure.Message
}

// ofBank is the failure that a bank's return code reports.
func ofBank(code, message, returnCode string) Failure {
	f := Failure{Code: code, Message: message}
	if returnCode != "" {
		f.ReturnCode = &returnCode
	}
	return f
}
