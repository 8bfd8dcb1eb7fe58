package reconcile

import (
	"slices"

	"svcpay/internal/money"
	"svcpay/internal/operation"
	"svcpay/internal/processor"
)

// Kind is what does not agree.
type Kind string

// The kinds.
const (
	UnknownReference  Kind = "unknown_reference"
	MissingInBook     Kind = "missing_in_book"
	SubmittedTwice    Kind = "submitted_twice"
	ApprovalDiffers   Kind = "approval_differs"
	AmountDiffers     Kind = "amount_differs"
	CurrencyDiffers   Kind = "currency_differs"
	KindDiffers       Kind = "kind_differs"
	AccountDiffers    Kind = "account_differs"
	PostingMissing    Kind = "posting_missing"
	PostingDiffers    Kind = "posting_differs"
	PostingUnexpected Kind = "posting_unexpected"
	OpenTooLong       Kind = "open_too_long"
	TrackingDiffers   Kind = "tracking_differs"
	StateDiffers      Kind = "state_differs"
	ArrivalDiffers    Kind = "arrival_differs"
)

// Meaning says in words what a kind stands for.
type Meaning struct {
	Kind Kind
	Text string
}

// Meanings lists every kind. The database's CHECK and docs/reconciliation.md name the same.
func Meanings() []Meaning {
	return []Meaning{
		{UnknownReference, "The book has a reference that none of our operations has."},
		{MissingInBook, "An operation is approved, and the book has nothing of it."},
		{SubmittedTwice, "The book has more than one line with the reference."},
		{ApprovalDiffers, "The book says approved and our operation does not, or the other way round."},
		{AmountDiffers, "The book's amount is another than the operation's."},
		{CurrencyDiffers, "The book's currency is another than the operation's."},
		{KindDiffers, "The book has another kind of call. A reversal of ours must be a refund or a void in the book, and must not fail later."},
		{AccountDiffers, "The book has the call in another merchant's account."},
		{PostingMissing, "The call moved money, or the processor charged a fee, and the ledger has no posting of it."},
		{PostingDiffers, "The posting of the call or the fee is of another amount."},
		{PostingUnexpected,
			"The ledger has a posting that no approved call accounts for, or in another currency or of another merchant."},
		{OpenTooLong, "The outcome of the call is unknown for more than an hour."},
		{TrackingDiffers, "The provider's book has the grant by another tracking id than the donation."},
		{StateDiffers, "The provider's book has the grant as completed or canceled, and the donation is not; " +
			"or the donation is canceled, and the grant is not."},
		{ArrivalDiffers,
			"The money of a grant arrived, but with the deducted fees it doesn't add up to the donation's " +
				"amount, or the fees differ from those that the provider reported, or the donation is canceled. " +
				"The book's amount is then what arrived, after fees."},
	}
}

// judge says what does not agree about a reference. An operation that is too young is not judged.
func judge(f facts) []Kind {
	var found kinds
	found.is(SubmittedTwice, f.Lines > 1)
	switch {
	case f.BookKind != nil && processor.BookLine{Kind: *f.BookKind}.IsFee():
		found.fee(f)
	case f.OurState == nil:
		found.is(UnknownReference, f.Lines+len(f.FailedLines) > 0)
		found.is(PostingUnexpected, f.Orphan != nil)
	case !f.Ripe:
		return nil
	case *f.OurState == operation.Open:
		found.is(OpenTooLong, true)
	default:
		found.line(f)
		found.postings(f)
	}
	return found
}

// kinds are the differences of one reference, each once.
type kinds []Kind

func (k *kinds) is(kind Kind, yes bool) {
	if yes && !slices.Contains(*k, kind) {
		*k = append(*k, kind)
	}
}

// fee compares a fee of the processor with its posting, which no call of ours caused.
func (k *kinds) fee(f facts) {
	k.is(KindDiffers, f.OurState != nil)
	k.is(PostingMissing, f.FeePosted == nil)
	k.is(PostingDiffers, f.FeePosted != nil && (*f.FeePosted != *f.BookAmount || *f.FeeCurrency != *f.BookCurrency ||
		*f.FeeAccount != *f.BookAccount || f.FeeRefunded != (*f.BookKind == processor.FeeRefunded)))
}

func (f facts) approved() bool { return *f.OurState == operation.Approved }

// line compares an operation with its line.
func (k *kinds) line(f facts) {
	if f.Lines == 0 {
		k.is(MissingInBook, f.approved() && f.expected())
		return
	}
	k.is(ApprovalDiffers, *f.BookApproved != f.approved() || slices.Contains(f.FailedApprovals, false))
	k.is(AmountDiffers, *f.BookAmount != *f.OurAmount)
	k.is(CurrencyDiffers, !only(*f.OurCurrency, *f.BookCurrency) || !only(*f.OurCurrency, f.FailedCurrencies...))
	k.is(KindDiffers, !slices.Contains(bookKinds(*f.OurKind), *f.BookKind) ||
		len(f.FailedLines) > 0 && *f.OurKind != operation.Refund)
	made := processor.StoredAccount("", f.OurAccount, *f.ApplicationID, *f.MerchantID)
	k.is(AccountDiffers, !only(made.External, *f.BookAccount) || !only(made.External, f.FailedAccounts...))
}

// expected reports whether the book must have a line of the approved call.
func (f facts) expected() bool {
	if !f.OfMoney {
		return true
	}
	switch *f.OurKind {
	case operation.Authorize, operation.Capture:
		return slices.Contains(f.Takers, f.Reference)
	case operation.Debit:
		return f.Settled
	case operation.Refund, operation.Payout:
		return true
	}
	return false // no money moved, or the reversal was a void
}

// only reports whether nothing else than want is among all.
func only[T comparable](want T, all ...T) bool {
	return !slices.ContainsFunc(all, func(v T) bool { return v != want })
}

// bookKinds are the kinds that a line of such an operation may have.
func bookKinds(k operation.Kind) []string {
	if k == operation.Reverse {
		return []string{string(operation.Refund), string(operation.Void)}
	}
	return []string{string(k)}
}

// postings compares an operation with what is posted of it. A posting that too many of a charge
// account for, or none, is notified of the charge's submission.
func (k *kinds) postings(f facts) {
	switch *f.OurKind {
	case operation.Authorize, operation.Debit:
		k.pair(f, f.takers(), f.Captured)
		k.is(PostingMissing, f.takenElsewhere())
		k.is(PostingUnexpected, f.Strays > 0)
	case operation.Capture:
		var found kinds
		found.pair(f, f.takers(), f.Captured)
		k.is(PostingMissing, slices.Contains(found, PostingMissing))
		k.is(PostingDiffers, slices.Contains(found, PostingDiffers))
	case operation.Void:
		switch {
		case !f.approved():
		case f.Bank:
			k.pair(f, f.self(), f.TakenBack)
		default:
			k.is(PostingUnexpected, len(f.Captured) > 0)
		}
	case operation.Refund:
		if !f.undone() {
			k.pair(f, f.self(), f.Refunded)
			k.pair(f, f.failures(), f.Undid)
		}
		k.is(PostingUnexpected, f.Strays > 0)
	case operation.Payout:
		if f.approved() {
			k.pair(f, f.self(), f.PaidOut)
			k.is(PostingMissing, f.GivenUp)
		}
		k.is(PostingUnexpected, f.Strays > 0 || !f.approved() && len(f.PaidOut) != f.Undone)
	}
}

// taker is a call that moved money.
type taker struct {
	reference string
	amount    money.Amount
}

// takenElsewhere reports whether the money of a hold moved without a call of ours, such as by a capture in Stripe's
// Dashboard. A capture of ours has a line with its own reference.
func (f facts) takenElsewhere() bool {
	return f.OfMoney && f.Lines > 0 && f.approved() && !slices.Contains(f.Takers, f.Reference)
}

// self is the operation itself if it moved money.
func (f facts) self() []taker {
	if !f.approved() {
		return nil
	}
	return []taker{{f.Reference, *f.OurAmount}}
}

// failures are the failures of the refund, as the book has them.
func (f facts) failures() (out []taker) {
	for _, amount := range f.FailedLines {
		out = append(out, taker{f.Reference, amount})
	}
	return out
}

// undone reports whether the refund left no trace in the ledger and need not: it was given up, turned out to be made
// when it no longer fitted its charge, and failed.
func (f facts) undone() bool {
	return f.approved() && f.GivenUp && len(f.FailedLines) == 1 && f.FailedLines[0] == *f.OurAmount &&
		len(f.Refunded) == 0 && len(f.Undid) == 0
}

// takers are the calls that took the charge's money and did not give it back. Of several of one amount it was the
// oldest that did: the call that came too late is older than the one that replaced it.
func (f facts) takers() (out []taker) {
	for i, reference := range f.Takers {
		out = append(out, taker{reference, f.Takes[i]})
	}
	for _, amount := range f.GivenBack {
		if i := slices.IndexFunc(out, func(t taker) bool { return t.amount == amount }); i >= 0 {
			out = slices.Delete(out, i, i+1)
		}
	}
	return out
}

// pair gives each call, the newest first for the same reason, the posting of its amount, then any that is left, and
// says what that means for the operation in question.
func (k *kinds) pair(f facts, calls []taker, posted []money.Amount) {
	left, unpaired := slices.Clone(posted), []taker{}
	for _, c := range slices.Backward(calls) {
		if i := slices.Index(left, c.amount); i >= 0 {
			left = slices.Delete(left, i, i+1)
		} else {
			unpaired = append(unpaired, c)
		}
	}
	for i, c := range unpaired {
		if c.reference == f.Reference {
			k.is(PostingDiffers, i < len(left))
			k.is(PostingMissing, i >= len(left))
		}
	}
	k.is(PostingUnexpected, len(left) > len(unpaired))
}

// posted lists what is posted of the operation, for a person to look at.
func (f facts) posted() []money.Amount {
	switch {
	case f.FeePosted != nil:
		return []money.Amount{*f.FeePosted}
	case f.Orphan != nil:
		return []money.Amount{*f.Orphan}
	case f.OurKind == nil:
		return nil
	}
	switch *f.OurKind {
	case operation.Refund:
		return slices.Concat(f.Refunded, f.Undid)
	case operation.Payout:
		return f.PaidOut
	case operation.Void:
		if f.Bank {
			return f.TakenBack
		}
	case operation.Respond, operation.Reverse:
		return nil
	}
	return f.Captured
}
