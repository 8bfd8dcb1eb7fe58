package processor

import (
	"strings"
	"time"
)

// Terms are an adapter's time limits and settlement rules.
type Terms struct {
	// AuthorizationLife is how long an authorization can be captured, where its answer does not say
	// ([Answer.ExpiresAt]).
	AuthorizationLife time.Duration
	// CardSettlementDays and BankSettlementDays are how many business days after the capture, or after the batch that
	// took a debit to the bank, its money settles. Each is at least 1.
	CardSettlementDays, BankSettlementDays int
	// BatchHour is when a business day's debits go to the bank, by the clock of their merchant. Until then they can be
	// voided.
	BatchHour int
	// PayoutDays is how many business days a payout takes to arrive.
	PayoutDays int
	// BankProcessor is "p" or "q" where the counterparty takes bank accounts one way only: typed and debited at once
	// (p), or proved first (q). Where it is "", each merchant chooses.
	BankProcessor string
	// BookOfMoney says that the book has lines only where money moved, one each for approved captures, payments that
	// were captured immediately, refunds, settled debits and payouts. Otherwise it has a line for every submission.
	BookOfMoney bool
	// OwnVerification says that the counterparty debits a bank account only after verifying it on the same processor
	// account, even if the payer linked it by signing in at the bank.
	OwnVerification bool
	// StatementLength is how many characters of a descriptor a payer's statement shows, at least 20.
	StatementLength int
}

// Shown is the beginning of a descriptor that a statement shows.
func (t Terms) Shown(descriptor string) string { return Cut(descriptor, t.StatementLength) }

// Cut is the beginning of a text, of at most room characters.
func Cut(text string, room int) string {
	all := []rune(text)
	return strings.TrimSpace(string(all[:min(len(all), max(0, room))]))
}

// StandardTerms are the defaults. They also apply to charges whose adapter was removed.
func StandardTerms() Terms {
	return Terms{AuthorizationLife: 7 * 24 * time.Hour, CardSettlementDays: 2, BankSettlementDays: 4, BatchHour: 17,
		PayoutDays: 1, StatementLength: 22}
}
