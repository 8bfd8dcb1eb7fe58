package reconcile

import (
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"svcpay/internal/money"
	"svcpay/internal/operation"
	"svcpay/internal/processor"
)

// call is a call that all three books agree about.
func call(kind operation.Kind, amount money.Amount) facts {
	application, merchant, usd, state, reference := int64(1), int64(2), money.USD, operation.Approved, "ref"
	account, bookKind, number, yes := processor.MerchantAccount(application, merchant), string(kind), int64(9), true
	f := facts{Reference: reference, Ripe: true}
	f.Lines = 1
	f.ApplicationID, f.MerchantID, f.OurKind, f.OurState, f.OurAmount, f.OurCurrency = &application, &merchant, &kind,
		&state, &amount, &usd
	f.BookNumber, f.BookKind, f.BookAccount, f.BookAmount, f.BookCurrency, f.BookApproved = &number, &bookKind,
		&account, &amount, &usd, &yes
	posted := []money.Amount{amount}
	switch kind {
	case operation.Authorize, operation.Debit, operation.Capture:
		f.Takers, f.Takes, f.Captured = []string{reference}, posted, posted
	case operation.Refund:
		f.Refunded = posted
	case operation.Payout:
		f.PaidOut = posted
	case operation.Reverse:
		bookKind = "void"
	}
	return f
}

// next to has two captures of one amount, of which one is booked, and something returned.
func (f facts) beside(older, newer string, back ...money.Amount) facts {
	f.Takers, f.Takes, f.GivenBack = []string{older, newer}, []money.Amount{100, 100}, back
	return f
}

// ofMoney makes the book one with lines only where money moved, and without a line of the call.
func ofMoney(f *facts) { f.OfMoney, f.Lines = true, 0 }

func state(s operation.State) *operation.State { return &s }

func TestJudgment(t *testing.T) {
	t.Parallel()
	no, other := false, "respond"
	for name, c := range map[string]struct {
		kind   operation.Kind
		change func(*facts)
		want   []Kind
	}{
		"as it should be":                     {operation.Refund, func(*facts) {}, nil},
		"young, whatever it is":               {operation.Refund, func(f *facts) { f.Ripe, f.Refunded, f.Lines = false, nil, 2 }, nil},
		"open":                                {operation.Refund, func(f *facts) { f.OurState = state(operation.Open) }, []Kind{OpenTooLong}},
		"declined by all":                     {operation.Refund, func(f *facts) { f.OurState, f.BookApproved, f.Refunded = state(operation.Declined), &no, nil }, nil},
		"declined and not in the book":        {operation.Refund, func(f *facts) { f.OurState, f.Lines, f.Refunded = state(operation.Declined), 0, nil }, nil},
		"given up and declined in the book":   {operation.Refund, func(f *facts) { f.OurState, f.BookApproved, f.Refunded = state(operation.NotSubmitted), &no, nil }, nil},
		"given up and approved in the book":   {operation.Refund, func(f *facts) { f.OurState, f.Refunded = state(operation.NotSubmitted), nil }, []Kind{ApprovalDiffers}},
		"not in the book":                     {operation.Refund, func(f *facts) { f.Lines = 0 }, []Kind{MissingInBook}},
		"money, not in the book":              {operation.Refund, ofMoney, []Kind{MissingInBook}},
		"money, a capture not in the book":    {operation.Capture, ofMoney, []Kind{MissingInBook}},
		"money, a sale not in the book":       {operation.Authorize, ofMoney, []Kind{MissingInBook}},
		"money, a payout not in the book":     {operation.Payout, ofMoney, []Kind{MissingInBook}},
		"money, a hold":                       {operation.Authorize, func(f *facts) { ofMoney(f); f.Takers, f.Takes, f.Captured = nil, nil, nil }, nil},
		"money, a hold that is taken by hand": {operation.Authorize, func(f *facts) { f.OfMoney, f.Takers, f.Takes, f.Captured = true, nil, nil, nil }, []Kind{PostingMissing}},
		"money, a hold that is taken twice":   {operation.Authorize, func(f *facts) { f.OfMoney, f.Takers = true, []string{"capture"} }, []Kind{PostingMissing}},
		"money, a hold that a call took":      {operation.Authorize, func(f *facts) { ofMoney(f); f.Takers = []string{"capture"} }, nil},
		"money, a sale":                       {operation.Authorize, func(f *facts) { f.OfMoney = true }, nil},
		"money, a void":                       {operation.Void, ofMoney, nil},
		"money, an answer":                    {operation.Respond, ofMoney, nil},
		"money, a reversal":                   {operation.Reverse, ofMoney, nil},
		"money, a debit that is pending":      {operation.Debit, ofMoney, nil},
		"money, a debit that settled":         {operation.Debit, func(f *facts) { ofMoney(f); f.Settled = true }, []Kind{MissingInBook}},
		"twice":                               {operation.Refund, func(f *facts) { f.Lines = 2 }, []Kind{SubmittedTwice}},
		"another kind":                        {operation.Capture, func(f *facts) { f.BookKind = &other }, []Kind{KindDiffers}},
		"an answer":                           {operation.Respond, func(*facts) {}, nil},
		"a reversal":                          {operation.Reverse, func(*facts) {}, nil},
		"a reversal as an answer":             {operation.Reverse, func(f *facts) { f.BookKind = &other }, []Kind{KindDiffers}},
		"a hold":                              {operation.Authorize, func(f *facts) { f.Takers, f.Takes, f.Captured = nil, nil, nil }, nil},
		"a hold that is booked":               {operation.Authorize, func(f *facts) { f.Takers, f.Takes = nil, nil }, []Kind{PostingUnexpected}},
		"a hold that another call took":       {operation.Authorize, func(f *facts) { f.Takers = []string{"capture"} }, nil},
		"a hold, and what took it not booked": {operation.Authorize, func(f *facts) { f.Takers, f.Captured = []string{"capture"}, nil }, nil},
		"reversed":                            {operation.Authorize, func(f *facts) { f.Captured, f.GivenBack = nil, []money.Amount{100} }, nil},
		"reversed twice":                      {operation.Authorize, func(f *facts) { f.Captured, f.GivenBack = nil, []money.Amount{100, 100} }, nil},
		"reversed and booked":                 {operation.Debit, func(f *facts) { f.GivenBack = []money.Amount{100} }, []Kind{PostingUnexpected}},
		"another amount reversed":             {operation.Capture, func(f *facts) { f.Captured, f.GivenBack = nil, []money.Amount{60} }, []Kind{PostingMissing}},
		"late beside one alike":               {operation.Capture, func(f *facts) { *f = f.beside("ref", "newer") }, []Kind{PostingMissing}},
		"one alike that is late":              {operation.Capture, func(f *facts) { *f = f.beside("late", "ref") }, nil},
		"reversed beside one alike":           {operation.Capture, func(f *facts) { *f = f.beside("ref", "newer", 100) }, nil},
		"one alike that is reversed":          {operation.Capture, func(f *facts) { *f = f.beside("late", "ref", 100) }, nil},
		"not booked":                          {operation.Capture, func(f *facts) { f.Captured = nil }, []Kind{PostingMissing}},
		"booked twice, seen from a capture":   {operation.Capture, func(f *facts) { f.Captured = []money.Amount{100, 100} }, nil},
		"booked twice":                        {operation.Debit, func(f *facts) { f.Captured = []money.Amount{100, 100} }, []Kind{PostingUnexpected}},
		"booked as another amount":            {operation.Debit, func(f *facts) { f.Captured = []money.Amount{99} }, []Kind{PostingDiffers}},
		"refund that is no refund":            {operation.Refund, func(f *facts) { f.OurState, f.BookApproved = state(operation.Declined), &no }, []Kind{PostingUnexpected}},
		"stray":                               {operation.Refund, func(f *facts) { f.Strays = 1 }, []Kind{PostingUnexpected}},
		"void":                                {operation.Void, func(*facts) {}, nil},
		"void beside a capture":               {operation.Void, func(f *facts) { f.Captured = []money.Amount{1} }, []Kind{PostingUnexpected}},
		"refused void beside a capture": {operation.Void, func(f *facts) {
			f.OurState, f.BookApproved, f.Captured = state(operation.Declined), &no, []money.Amount{1}
		}, nil},
		"void of a debit":                       {operation.Void, func(f *facts) { f.Bank, f.TakenBack = true, []money.Amount{100} }, nil},
		"void of a debit that is still there":   {operation.Void, func(f *facts) { f.Bank = true }, []Kind{PostingMissing}},
		"payout":                                {operation.Payout, func(*facts) {}, nil},
		"payout that failed later":              {operation.Payout, func(f *facts) { f.Undone = 1 }, nil},
		"payout whose money was given back":     {operation.Payout, func(f *facts) { f.Undone, f.GivenUp = 1, true }, []Kind{PostingMissing}},
		"payout that was refused":               {operation.Payout, func(f *facts) { f.OurState, f.BookApproved, f.Undone = state(operation.Declined), &no, 1 }, nil},
		"payout that was refused and is booked": {operation.Payout, func(f *facts) { f.OurState, f.BookApproved = state(operation.Declined), &no }, []Kind{PostingUnexpected}},
		"refund that failed later":              {operation.Refund, failedLater(func(*facts) {}), nil},
		"refund whose failure is not booked":    {operation.Refund, func(f *facts) { f.FailedLines = f.Refunded }, []Kind{PostingMissing}},
		"refund whose failure is not its own":   {operation.Refund, func(f *facts) { f.FailedLines, f.Undid = f.Refunded, []money.Amount{99} }, []Kind{PostingDiffers}},
		"failure that the book does not have":   {operation.Refund, func(f *facts) { f.Undid = f.Refunded }, []Kind{PostingUnexpected}},
		"refund that failed and is not booked":  {operation.Refund, func(f *facts) { f.FailedLines, f.Undid, f.Refunded = f.Refunded, f.Refunded, nil }, []Kind{PostingMissing}},
		"given up, made and failed":             {operation.Refund, func(f *facts) { f.GivenUp, f.FailedLines, f.Refunded = true, f.Refunded, nil }, nil},
		"given up, made and failed in part":     {operation.Refund, func(f *facts) { f.GivenUp, f.FailedLines, f.Refunded = true, []money.Amount{99}, nil }, []Kind{PostingMissing}},
		"made, failed and not booked at all":    {operation.Refund, func(f *facts) { f.FailedLines, f.Refunded = f.Refunded, nil }, []Kind{PostingMissing}},
		"reversal that failed later":            {operation.Reverse, func(f *facts) { f.FailedLines = []money.Amount{100} }, []Kind{KindDiffers}},
		"failure of something else":             {operation.Capture, func(f *facts) { f.FailedLines = f.Captured }, []Kind{KindDiffers}},
		"failure in another currency":           {operation.Refund, failedLater(func(f *facts) { f.FailedCurrencies = []money.Currency{money.CAD} }), []Kind{CurrencyDiffers}},
		"failure in another account":            {operation.Refund, failedLater(func(f *facts) { f.FailedAccounts = []string{"elsewhere"} }), []Kind{AccountDiffers}},
		"failure that is not approved":          {operation.Refund, failedLater(func(f *facts) { f.FailedApprovals = []bool{false} }), []Kind{ApprovalDiffers}},
		"failure of something unknown":          {operation.Refund, func(f *facts) { f.OurState, f.OurKind, f.Lines, f.FailedLines = nil, nil, 0, f.Refunded }, []Kind{UnknownReference}},
		"a fee":                                 {operation.Refund, feeOf(func(*facts) {}), nil},
		"a fee of a call":                       {operation.Refund, feeOf(func(f *facts) { f.OurState = state(operation.Approved) }), []Kind{KindDiffers}},
		"a fee twice":                           {operation.Refund, feeOf(func(f *facts) { f.Lines = 2 }), []Kind{SubmittedTwice}},
		"a fee that is not posted":              {operation.Refund, feeOf(func(f *facts) { f.FeePosted = nil }), []Kind{PostingMissing}},
		"a fee of another amount":               {operation.Refund, feeOf(func(f *facts) { *f.FeePosted++ }), []Kind{PostingDiffers}},
		"a fee in another currency":             {operation.Refund, feeOf(func(f *facts) { *f.FeeCurrency = money.CAD }), []Kind{PostingDiffers}},
		"a fee of another account":              {operation.Refund, feeOf(func(f *facts) { *f.FeeAccount = "elsewhere" }), []Kind{PostingDiffers}},
		"a fee posted as refunded":              {operation.Refund, feeOf(func(f *facts) { f.FeeRefunded = true }), []Kind{PostingDiffers}},
		"unknown":                               {operation.Refund, func(f *facts) { f.OurState, f.OurKind = nil, nil }, []Kind{UnknownReference}},
		"nothing":                               {operation.Refund, func(f *facts) { f.OurState, f.OurKind, f.Lines = nil, nil, 0 }, nil},
	} {
		f := call(c.kind, 100)
		if c.change(&f); !slices.Equal(judge(f), c.want) {
			t.Errorf("%s: %v; want %v", name, judge(f), c.want)
		}
	}
}

// failedLater changes a refund that failed later and agrees.
func failedLater(change func(*facts)) func(*facts) {
	return func(f *facts) {
		f.FailedLines, f.Undid = f.Refunded, f.Refunded
		f.FailedCurrencies, f.FailedAccounts, f.FailedApprovals = []money.Currency{*f.OurCurrency}, []string{
			*f.BookAccount}, []bool{true}
		change(f)
	}
}

// feeOf changes a refund to a fee of the processor that is posted.
func feeOf(change func(*facts)) func(*facts) {
	return func(f *facts) {
		kind, amount, currency, account := processor.Fee, *f.BookAmount, *f.BookCurrency, *f.BookAccount
		f.OurState, f.OurKind, f.BookKind = nil, nil, &kind
		f.FeePosted, f.FeeCurrency, f.FeeAccount = &amount, &currency, &account
		change(f)
	}
}

// TestPairing: calls and postings agree if and only if they are the same amounts; else the calls that
// are notified of are as many as are short or differ.
func TestPairing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		few := rapid.SliceOfN(rapid.Map(rapid.Int64Range(1, 3), func(n int64) money.Amount { return money.Amount(n) }),
			0, 4)
		amounts, posted := few.Draw(t, "calls"), few.Draw(t, "posted")
		var calls []taker
		for i, a := range amounts {
			calls = append(calls, taker{string(rune('a' + i)), a})
		}
		missing, differing, extra := 0, 0, false
		for _, c := range append(calls, taker{"another", 0}) {
			var found kinds
			found.pair(facts{Reference: c.reference}, calls, posted)
			if slices.Contains(found, PostingMissing) {
				missing++
			}
			if slices.Contains(found, PostingDiffers) {
				differing++
			}
			extra = slices.Contains(found, PostingUnexpected)
		}
		one, other := slices.Clone(amounts), slices.Clone(posted)
		slices.Sort(one)
		slices.Sort(other)
		if (missing == 0 && differing == 0 && !extra) != slices.Equal(one, other) {
			t.Fatalf("%d missing, %d differ, %v", missing, differing, extra)
		}
		if missing != max(0, len(amounts)-len(posted)) || extra != (len(posted) > len(amounts)) {
			t.Fatalf("%d missing, %d differ, %v", missing, differing, extra)
		}
	})
}

func TestDocumentNamesEveryKind(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/reconciliation.md")
	if err != nil {
		t.Fatal(err)
	}
	table := "| kind | meaning |\n|---|---|\n"
	for _, m := range Meanings() {
		table += "| `" + string(m.Kind) + "` | " + m.Text + " |\n"
	}
	if !strings.Contains(string(text), table+"\n") {
		t.Errorf("docs/reconciliation.md must have this table:\n%s", table)
	}
}
