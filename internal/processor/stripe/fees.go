package stripe

import (
	sdk "github.com/stripe/stripe-go/v85"

	"svcpay/internal/money"
	"svcpay/internal/processor"
)

// A balance transaction changes the balance by its amount minus its fee. The fee has a line of its own in the book,
// with the ID of the transaction as its reference. It is in the currency of the balance.

// linesOf are the lines of a balance transaction: the one that was read, and that of its fee.
func linesOf(t *sdk.BalanceTransaction, read processor.BookLine) (lines []processor.BookLine) {
	if read.Reference == "" { // none of our calls caused it
		return nil
	}
	cost := t.Fee
	if read.Kind == "" {
		cost += int64(read.Amount)
	} else {
		lines = append(lines, read)
	}
	fee := processor.BookLine{Kind: processor.Fee, Reference: t.ID, Amount: money.Amount(cost),
		Currency: money.Currency(t.Currency)}
	switch {
	case cost == 0:
		return lines
	case cost < 0:
		fee.Kind, fee.Amount = processor.FeeRefunded, -fee.Amount
	}
	return append(lines, fee)
}

// feeOrder is 1 for a fee and 0 for any other line.
func (e entry) feeOrder() int {
	if e.IsFee() {
		return 1
	}
	return 0
}

// readFeeOnly reads a transaction about one of our payments of which only the fee has a line: money that a dispute
// withdrew or reinstated, and the return of a failed debit. Events report what they did.
func readFeeOnly(t *sdk.BalanceTransaction, id string) (l processor.BookLine) {
	var i *sdk.PaymentIntent
	switch s := t.Source; {
	case s == nil:
	case s.Dispute != nil:
		i = s.Dispute.PaymentIntent
	case s.Charge != nil:
		i = s.Charge.PaymentIntent
	case s.Refund != nil:
		i = s.Refund.PaymentIntent
	}
	if i != nil && referenceIn(i.Metadata, id) != "" {
		l.Reference = t.ID
	}
	return l
}

// readAccountFee reads a fee that belongs to no payment: all of it is a cost of the account.
func readAccountFee(t *sdk.BalanceTransaction, _ string) processor.BookLine {
	return processor.BookLine{Reference: t.ID, Amount: money.Amount(-t.Amount)}
}
