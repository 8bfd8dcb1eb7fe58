package stripe

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	"svcpay/internal/money"
	"svcpay/internal/processor"
)

// bookHistory is how far back the first page goes.
const bookHistory = 400 * 24 * time.Hour

// perSecond exceeds the number of lines of all accounts in a second. A line's number is its second times perSecond plus
// its position in that second.
const perSecond = 100_000

// entry is a line of the book, made of a balance transaction.
type entry struct {
	id      string
	created int64
	processor.BookLine
}

// whose are the accounts that have a type of balance transaction.
type whose int

const (
	charged whose = 1 << iota // that take payments
	paid                      // that receive payouts
)

// reading is a type of balance transactions, with the object to expand and the function that reads one: a line without
// a reference if it is not ours, and without a kind if only its fee is.
type reading struct {
	of     sdk.BalanceTransactionType
	expand string
	read   func(t *sdk.BalanceTransaction, id string) processor.BookLine
	at     whose
}

// readings are the types of balance transactions that our calls cause or that are Stripe's fees. Other types, such as
// transfers, have no lines in the book.
var readings = []reading{
	{sdk.BalanceTransactionTypeCharge, "data.source.payment_intent", readCharge, charged},
	{sdk.BalanceTransactionTypePayment, "data.source.payment_intent", readCharge, charged},
	{sdk.BalanceTransactionTypeRefund, "data.source.payment_intent", readRefunded, charged},
	{sdk.BalanceTransactionTypePaymentRefund, "data.source.payment_intent", readRefunded, charged},
	{sdk.BalanceTransactionTypeRefundFailure, "data.source.payment_intent", readRefundFailure, charged},
	{sdk.BalanceTransactionTypeAdjustment, "data.source.payment_intent", readFeeOnly, charged},
	{sdk.BalanceTransactionTypePaymentFailureRefund, "data.source.payment_intent", readFeeOnly, charged},
	{sdk.BalanceTransactionTypePayout, "data.source", readPaidOut, paid},
	{sdk.BalanceTransactionTypeStripeFee, "", readAccountFee, charged | paid},
	{sdk.BalanceTransactionTypeStripeFxFee, "", readAccountFee, charged | paid},
	{sdk.BalanceTransactionTypeTaxFee, "", readAccountFee, charged | paid},
}

// Book implements [processor.Book]: the balance transactions of the accounts, oldest first. It reads a minute behind
// real time, so that no line of an earlier second is missing. It leaves out a merchant's account that was disconnected
// from the platform, whose payouts are then missing from the book.
func (a *Adapter) Book(ctx context.Context, after int64, limit int) ([]processor.BookLine, error) {
	horizon := a.config.Now().Add(-a.config.Times.Lag).Unix()
	from := max(after/perSecond, horizon-int64(bookHistory/time.Second))
	if after > 0 {
		from = after / perSecond
	}
	accounts, err := a.config.Accounts.Connected(ctx, Name)
	if err != nil {
		return nil, fmt.Errorf("stripe: %w", err)
	}
	entries, err := a.book.until(ctx, strconv.FormatInt(after, 10), from, horizon, accounts,
		func(found []entry) bool { return len(numbered(found, after)) >= limit }, a.entriesOf)
	if err != nil {
		return nil, err
	}
	lines := numbered(entries, after)
	return lines[:min(limit, len(lines))], nil
}

// numbered are the lines of entries in their order, those after a number. The fees of a second follow its other lines,
// whose numbers they never change.
func numbered(entries []entry, after int64) (lines []processor.BookLine) {
	slices.SortFunc(entries, func(x, y entry) int {
		return cmp.Or(cmp.Compare(x.created, y.created), cmp.Compare(x.feeOrder(), y.feeOrder()),
			cmp.Compare(x.id, y.id))
	})
	second, position := int64(0), int64(0)
	for _, e := range entries {
		if position++; e.created != second {
			second, position = e.created, 0
		}
		if e.Number = e.created*perSecond + position; e.Number > after {
			lines = append(lines, e.BookLine)
		}
	}
	return lines
}

// entriesOf reads the balance transactions of an account in a time, in any order. It returns errLongWindow if there are
// too many to read at once.
func (a *Adapter) entriesOf(ctx context.Context, account processor.Account, in span) (entries []entry, err error) {
	k, err := a.keysAt(ctx, account)
	if err != nil {
		return nil, err
	}
	c, at := a.clientAt(account, k), charged
	if k.platform != "" {
		at = paid
	}
	for _, r := range readings {
		if r.at&at == 0 {
			continue
		}
		p := &sdk.BalanceTransactionListParams{CreatedRange: in.created(), Type: sdk.String(string(r.of))}
		p.Limit = sdk.Int64(pageSize)
		if r.expand != "" {
			p.AddExpand(r.expand)
		}
		n := 0
		for t, err := range c.V1BalanceTransactions.List(ctx, p).All(ctx) {
			switch n++; {
			case k.isDisconnected(err):
				return nil, nil
			case err != nil:
				return nil, fmt.Errorf("%w (account %s)", problem("list balance_transactions", err), account.External)
			case t == nil:
				return nil, fmt.Errorf("%w (balance transactions of account %s)", errNoObject, account.External)
			case in.tooLong(n):
				return nil, errLongWindow
			}
			for _, l := range linesOf(t, r.read(t, k.id)) {
				l.Account, l.Approved, l.At = account.External, true, time.Unix(t.Created, 0).UTC()
				entries = append(entries, entry{t.ID, t.Created, l})
			}
		}
	}
	return entries, nil
}

// moved is the amount of a balance transaction in its source's currency: an account may keep its balance in another.
func moved(t *sdk.BalanceTransaction, amount int64, currency sdk.Currency) (money.Amount, money.Currency) {
	if t.Currency == currency {
		amount = max(t.Amount, -t.Amount)
	}
	return money.Amount(amount), money.Currency(currency)
}

// readCharge reads the line of a payment: the capture's if a separate call captured it, else the authorization's.
func readCharge(t *sdk.BalanceTransaction, id string) (l processor.BookLine) {
	if t.Source == nil || t.Source.Charge == nil || t.Source.Charge.PaymentIntent == nil {
		return l
	}
	charge := t.Source.Charge
	l.Kind, l.Reference = "authorize", referenceIn(charge.PaymentIntent.Metadata, id)
	if capture := charge.PaymentIntent.Metadata[ourCapture]; capture != "" && l.Reference != "" {
		l.Kind, l.Reference = "capture", capture
	}
	l.Amount, l.Currency = moved(t, charge.AmountCaptured, charge.Currency)
	if isDebit(charge.PaymentIntent) { // always the full amount; a failed debit has no captured amount any more
		l.Kind = "debit"
		l.Amount, _ = moved(t, charge.Amount, charge.Currency)
	}
	return l
}

// readRefunded reads a refund. A refund of our payment that someone made in Stripe's Dashboard gets Stripe's ID as its
// reference, which no operation has, so reconciliation reports it.
func readRefunded(t *sdk.BalanceTransaction, id string) (l processor.BookLine) {
	if t.Source == nil || t.Source.Refund == nil {
		return l
	}
	refund := t.Source.Refund
	l.Kind, l.Reference = "refund", referenceIn(refund.Metadata, id)
	if i := refund.PaymentIntent; l.Reference == "" && i != nil && referenceIn(i.Metadata, id) != "" {
		l.Reference = refund.ID
	}
	l.Amount, l.Currency = moved(t, refund.Amount, refund.Currency)
	return l
}

func readRefundFailure(t *sdk.BalanceTransaction, id string) processor.BookLine {
	l := readRefunded(t, id)
	l.Kind = processor.FailedRefund
	return l
}
