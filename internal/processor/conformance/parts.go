package conformance

import (
	"testing"

	"svcpay/internal/processor"
)

// capabilities are what an adapter can do next to [processor.Adapter].
type capabilities struct{ payments, debits, payouts, disputes, verification, feed, notices, book, directory bool }

func capabilitiesOf(a processor.Adapter) (c capabilities) {
	_, c.payments = a.(processor.Payments)
	_, c.debits = a.(processor.Debits)
	_, c.payouts = a.(processor.Payouts)
	_, c.disputes = a.(processor.Disputes)
	_, c.verification = a.(processor.Verification)
	_, c.feed = a.(processor.Feed)
	_, c.notices = a.(processor.Notices)
	_, c.book = a.(processor.Book)
	_, c.directory = a.(processor.Directory)
	return c
}

// has reports whether an adapter can do all that is needed.
func (c capabilities) has(need capabilities) bool {
	lacks := func(needed, has bool) bool { return needed && !has }
	return !lacks(need.payments, c.payments) && !lacks(need.debits, c.debits) && !lacks(need.payouts, c.payouts) &&
		!lacks(need.disputes, c.disputes) && !lacks(need.verification, c.verification) && !lacks(need.feed, c.feed) &&
		!lacks(need.notices, c.notices) &&
		!lacks(need.book, c.book) && !lacks(need.directory, c.directory)
}

// part is a part of the suite. An adapter without what it needs does without it.
type part struct {
	name  string
	needs capabilities
	run   func(*testing.T, Harness)
	// live says that it can run against a test account of the real counterparty: it moves no clock, makes no fault and
	// needs no second account.
	live bool
}

func parts() []part {
	cards, banks := capabilities{payments: true}, capabilities{payments: true, debits: true, feed: true}
	reported, sent := capabilities{payments: true, feed: true}, capabilities{payouts: true, feed: true}
	verified := capabilities{verification: true, feed: true}
	return []part{
		{"it describes itself", capabilities{}, describes, true},
		{"it describes cards and banks", capabilities{directory: true}, describesCards, false},
		{"answers are kept under their reference", cards, keeps, true},
		{"what cannot be known is not told", cards, unknown, true},
		{"a repeated reference keeps its first answer", cards, repeats, true},
		{"an authorization is captured once", cards, captures, true},
		{"an authorization expires", cards, expires, false},
		{"a void releases what was not taken", cards, voids, true},
		{"a debit is taken back whole", banks, voidsDebits, false},
		{"refunds never exceed what was captured", cards, refunds, true},
		{"refunds never exceed what was debited", banks, refundsDebits, false},
		{"a refund may fail after it succeeded", reported, refundFails, false},
		{"a lost answer is found and never paid twice", cards, loses, false},
		{"a debit may be returned after it settled", banks, returnsLate, false},
		{"notices come from the counterparty alone", capabilities{payments: true, feed: true, notices: true}, notifies, false},
		{"what is approved has an id of its own", cards, identifies, true},
		{"calls about a payment may name it by its id", cards, named, true},
		{"calls about one payment take turns", cards, takesTurns, true},
		{"one merchant's payments are not another's", cards, separates, false},
		{"a debit ends on its own or in the feed", banks, debits, false},
		{"a payout ends in the feed", sent, payouts, false},
		{"a dispute is answered once", capabilities{payments: true, disputes: true, feed: true}, disputes, false},
		{"a payment that was refunded in part is disputed", capabilities{payments: true, disputes: true, feed: true}, disputedPart, false},
		{"a busy counterparty does nothing", reported, busy, false},
		{"a bank account is verified by its deposits", verified, verifies, false},
		{"a verification is started once", verified, startsOnce, false},
		{"the feed has an order and pages", sent, pages, false},
		{"nothing in the feed is missed or told twice", sent, misses, false},
		{"the book has every submission, in their order", capabilities{payments: true, book: true}, books, false},
	}
}

// Left are the parts that are not about what an adapter can do, so that they do not run.
func Left(a processor.Adapter) (names []string) {
	can := capabilitiesOf(a)
	for _, p := range parts() {
		if !can.has(p.needs) {
			names = append(names, p.name)
		}
	}
	return names
}

// whole is an adapter as a processor that can do everything. What the adapter cannot do is nil: only parts that need it
// call it.
type whole struct {
	processor.Adapter
	processor.Connector
	processor.Open
	processor.Payments
	processor.Debits
	processor.Payouts
	processor.Disputes
	processor.Verification
	processor.Feed
	notices
	book
	processor.Directory
}

// Names of their own: a field would hide the method of the same name.
type (
	notices interface{ processor.Notices }
	book    interface{ processor.Book }
)

// open is another instance over the same counterparty.
func (h Harness) open() processor.Processor {
	a := h.Open()
	if p, ok := a.(processor.Processor); ok {
		return p
	}
	w := whole{Adapter: a}
	w.Connector, _ = a.(processor.Connector)
	w.Open, _ = a.(processor.Open)
	w.Payments, _ = a.(processor.Payments)
	w.Debits, _ = a.(processor.Debits)
	w.Payouts, _ = a.(processor.Payouts)
	w.Disputes, _ = a.(processor.Disputes)
	w.Verification, _ = a.(processor.Verification)
	w.Feed, _ = a.(processor.Feed)
	w.notices, _ = a.(processor.Notices)
	w.book, _ = a.(processor.Book)
	w.Directory, _ = a.(processor.Directory)
	return w
}

// can is what the adapter can do with the harness's cards and bank accounts.
func (h Harness) can() capabilities {
	c := capabilitiesOf(h.Open())
	banks := h.Settles.Routing != ""
	c.debits, c.payouts = c.debits && banks, c.payouts && banks
	return c
}
