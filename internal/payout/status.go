package payout

import "slices"

// Status is where a payout is in its life.
type Status string

// The statuses.
const (
	Processing Status = "processing" // on its way
	Paid       Status = "paid"       // it arrived
	Failed     Status = "failed"     // it did not leave, or was refused
	Returned   Status = "returned"   // it had arrived and came back
)

// Move is one allowed change of status and the event that tells of it. From "" is creation.
type Move struct {
	From, To Status
	Event    string
}

// Moves lists every allowed change; docs/payouts.md shows the same table.
func Moves() []Move {
	return []Move{
		{"", Processing, "payout.created"},
		{Processing, Paid, "payout.paid"},
		{Processing, Failed, "payout.failed"},
		{Failed, Paid, "payout.paid"}, // given up, and it had left after all
		{Paid, Returned, "payout.returned"},
	}
}

// move returns the event of a change, and false for a change that is not allowed.
func move(from, to Status) (string, bool) {
	moves := Moves()
	i := slices.IndexFunc(moves, func(m Move) bool { return m.From == from && m.To == to })
	if i < 0 {
		return "", false
	}
	return moves[i].Event, true
}

// Statuses lists every status that a payout can have.
func Statuses() []string {
	var out []string
	for _, m := range Moves() {
		if !slices.Contains(out, string(m.To)) {
			out = append(out, string(m.To))
		}
	}
	return out
}

// Failure tells why a payout failed or came back. ReturnCode is the scheme's, if there is one.
type Failure struct {
	Code       string  `json:"code"`
	Message    string  `json:"message"`
	ReturnCode *string `json:"return_code"`
}

// The codes of failures.
const (
	declined     = "payout_declined"
	notSubmitted = "not_submitted"
	bankRefused  = "bank_refused"
	bankReturned = "bank_returned"
)

// FailureCodes lists every code of a failure.
func FailureCodes() []string { return []string{declined, notSubmitted, bankRefused, bankReturned} }

var (
	declinedFailure = Failure{Code: declined, Message: "The processor did not accept the payout to this bank account."}
	lostFailure     = Failure{Code: notSubmitted, Message: "The payout did not reach the processor. The next run makes it again."}
	// unreadableFailure is of a payout of which nothing was sent because the account's number cannot be read.
	unreadableFailure = Failure{Code: notSubmitted, Message: "The bank account on file cannot be read. Add the account again, then resume payouts."}
)

// ofBank is the failure that a bank's return code tells of.
func ofBank(code, message, returnCode string) Failure {
	f := Failure{Code: code, Message: message}
	if returnCode != "" {
		f.ReturnCode = &returnCode
	}
	return f
}
