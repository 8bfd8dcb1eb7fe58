package statement_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/payout"
	"svcpay/internal/platform/calendar"
	"svcpay/internal/processor"
	"svcpay/internal/report/statement"
)

func TestEveryKindHasItsGroup(t *testing.T) {
	t.Parallel()
	seen := map[statement.Group]int{}
	for _, kind := range ledger.MerchantKinds() {
		seen[statement.GroupOf(kind)]++
	}
	for _, moved := range []string{ledger.KindChargeback, ledger.KindChargebackWon, ledger.KindPayout,
		ledger.KindPayoutFailed} {
		seen[statement.GroupOf(moved)]-- // they only move money between the merchant's accounts
	}
	want := map[statement.Group]int{statement.Charges: 2, statement.Refunds: 2, statement.Fees: 11,
		statement.Chargebacks: 1, statement.Returns: 2, statement.Payouts: 3}
	for _, g := range statement.Groups() {
		if seen[g] != want[g] {
			t.Errorf("%d kinds are %s, want %d", seen[g], g, want[g])
		}
	}
}

// march fills a month of long ago, with a change of summer time in it.
func march(t *testing.T, w place) {
	t.Helper()
	zone, err := calendar.Zone("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	at := func(month time.Month, day, hour int) time.Time {
		return time.Date(2025, month, day, hour, 30, 0, 0, zone)
	}
	r, p, a, f := ledger.ProcessorReceivable, ledger.MerchantPending, ledger.MerchantAvailable, ledger.ApplicationFees
	w.post(t, at(2, 28, 23), ledger.KindCapture, r, p, 5_000) // the evening before
	w.post(t, at(3, 1, 0), ledger.KindCapture, r, p, 12_500)
	w.post(t, at(3, 1, 1), "authorization_fee", p, f, 10)
	w.post(t, at(3, 1, 2), "platform_percentage", p, f, 188)
	w.post(t, at(3, 5, 0), ledger.KindCapture, p, a, 12_500) // its release
	w.post(t, at(3, 9, 12), ledger.KindRefund, a, r, 4_000)
	w.post(t, at(3, 10, 12), ledger.KindChargeback, a, ledger.MerchantReserved, 8_500)
	w.post(t, at(3, 12, 12), "chargeback_fee", a, f, 1_500)
	w.post(t, at(3, 20, 12), ledger.KindChargebackLost, ledger.MerchantReserved, r, 8_500)
	w.post(t, at(3, 31, 22), ledger.KindDebit, r, p, 700)
	w.post(t, at(3, 31, 23), ledger.KindDebitReversed, p, r, 700)
	w.post(t, at(4, 1, 0), ledger.KindCapture, r, p, 9_999) // the morning after
}

func TestAMonth(t *testing.T) {
	t.Parallel()
	w := open(t)
	march(t, w)
	st := w.statement(t, "2025-03")
	if st.OpeningBalance != 5_000 || st.ClosingBalance != 3_302 || !st.Complete || st.Currency != money.USD ||
		st.MerchantName != "Riverside Food Bank" || len(st.Payouts) != 0 ||
		st.From.Format(time.RFC3339) != "2025-03-01T05:00:00Z" ||
		st.Until.Format(time.RFC3339) != "2025-04-01T04:00:00Z" {
		t.Errorf("%+v", st)
	}
	if want := (ledger.Accounts{Pending: 5_000 - 198 + 12_500 - 12_500,
		Available: 12_500 - 4_000 - 8_500 - 1_500}); st.Closing != want || st.Closing.Total() != st.ClosingBalance {
		t.Errorf("%+v, want %+v", st.Closing, want)
	}
	want := []statement.Line{
		{statement.Charges, "capture", 1, 12_500}, {statement.Charges, "debit", 1, 700},
		{statement.Refunds, "refund", 1, -4_000},
		{statement.Fees, "authorization_fee", 1, -10}, {statement.Fees, "chargeback_fee", 1, -1_500},
		{statement.Fees, "platform_percentage", 1, -188},
		{statement.Chargebacks, "chargeback_lost", 1, -8_500}, {statement.Returns, "debit_reversed", 1, -700},
	}
	if !slices.Equal(st.Lines, want) {
		t.Errorf("%+v", st.Lines)
	}
	if before := w.statement(t, "2025-02"); before.ClosingBalance != st.OpeningBalance || before.OpeningBalance != 0 {
		t.Errorf("%+v", before)
	}
	if empty := w.statement(t, "2024-03"); empty.ClosingBalance != 0 || len(empty.Lines) != 0 {
		t.Errorf("%+v", empty)
	}
	text, err := json.Marshal(w.statement(t, "2024-03"))
	if err != nil || !bytes.Contains(text, []byte(`"lines":[]`)) || !bytes.Contains(text, []byte(`"payouts":[]`)) ||
		!bytes.Contains(text, []byte(`"object":"statement"`)) {
		t.Errorf("%s, %v", text, err)
	}
	var out bytes.Buffer
	if err := w.Statements.CSV(t.Context(), w.Actor(), statement.MonthInput{MerchantID: w.us, Month: "2025-03"},
		&out); err != nil {
		t.Fatal(err)
	}
	golden(t, "statement.csv", out.Bytes())
}

func TestStatementsRefused(t *testing.T) {
	t.Parallel()
	w := open(t)
	now := w.Clock.Now()
	for name, c := range map[string]struct {
		actor    authz.Actor
		merchant int64
		month    string
		code     string
	}{
		"nobody":                         {authz.Actor{}, w.us, "2025-03", "permission_denied"},
		"another application's merchant": {w.ActorOf(w.Other), w.us, "2025-03", "resource_missing"},
		"no merchant":                    {w.Actor(), 0, "2025-03", "resource_missing"},
		"no month":                       {w.Actor(), w.us, "", "parameter_invalid"},
		"a month too many":               {w.Actor(), w.us, "2025-13", "parameter_invalid"},
		"a day":                          {w.Actor(), w.us, "2025-03-01", "parameter_invalid"},
		"a month of another age":         {w.Actor(), w.us, "0001-01", "parameter_invalid"},
		"a month to come":                {w.Actor(), w.us, now.AddDate(0, 2, 0).Format("2006-01"), "parameter_invalid"},
	} {
		in := statement.MonthInput{MerchantID: c.merchant, Month: c.month}
		if st, err := w.Statements.Get(t.Context(), c.actor, in); !fault.HasCode(err, c.code) {
			t.Errorf("%s: %+v, %v", name, st, err)
		}
		var out bytes.Buffer
		if err := w.Statements.CSV(t.Context(), c.actor, in, &out); !fault.HasCode(err, c.code) || out.Len() > 0 {
			t.Errorf("%s: %s, %v", name, out.String(), err)
		}
	}
}

// TestAnyMonths posts at random around the ends of months: each statement adds up, the next goes on
// where it ends, and the file has its entries, once, with the balance after each.
func TestAnyMonths(t *testing.T) {
	t.Parallel()
	w := open(t)
	zone, _ := calendar.Zone("America/New_York")
	months := []string{"2025-01", "2025-02", "2025-03", "2025-04"}
	var rules []ledger.Rule
	for _, r := range ledger.Rules() {
		if slices.Contains(ledger.MerchantKinds(), r.Kind) {
			rules = append(rules, r)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		for range rapid.IntRange(1, 4).Draw(rt, "postings") {
			r := rapid.SampledFrom(rules).Draw(rt, "rule")
			pair := rapid.SampledFrom(r.Allowed()).Draw(rt, "pair")
			end := time.Date(2025, time.Month(rapid.IntRange(1, 5).Draw(rt, "month")), 1, 0, 0, 0, 0, zone)
			at := end.Add(
				time.Duration(rapid.Int64Range(-2_000, 2_000).Draw(rt, "from its beginning")) * time.Millisecond)
			w.post(rt, at, r.Kind, pair.Debit, pair.Credit,
				money.Amount(rapid.Int64Range(1, 99_999).Draw(rt, "amount")))
		}
		var before statement.Statement
		for i, month := range months {
			st := w.statement(rt, month)
			sum, entries := st.OpeningBalance, 0
			for _, l := range st.Lines {
				sum, entries = sum+l.Amount, entries+l.Count
			}
			if sum != st.ClosingBalance || st.Closing.Total() != st.ClosingBalance || i > 0 &&
				before.ClosingBalance != st.OpeningBalance {
				rt.Fatalf("%s: %d and the lines are %d, not %d; before %d", month, st.OpeningBalance, sum,
					st.ClosingBalance, before.ClosingBalance)
			}
			w.tableFits(rt, st, entries)
			before = st
		}
	})
}

// tableFits compares the file of a month with its statement.
func (w place) tableFits(t fatal, st statement.Statement, entries int) {
	t.Helper()
	table := w.table(t, st.Month)
	first, last, rows := table[0], table[len(table)-1], table[1:len(table)-1]
	if first[3] != "opening_balance" || number(t, first[7]) != st.OpeningBalance || last[3] != "closing_balance" ||
		number(t, last[7]) != st.ClosingBalance || len(rows) != entries {
		t.Fatalf("%d entries, from %v to %v; want %+v", len(rows), first, last, st)
	}
	balance, byKind, seen, at := st.OpeningBalance, map[string]money.Amount{}, map[string]bool{}, ""
	for _, r := range rows {
		amount := number(t, r[6])
		balance += amount
		byKind[r[3]] += amount
		when, err := time.Parse(time.RFC3339, r[0])
		if err != nil || number(t, r[7]) != balance || seen[r[1]] || when.UTC().Format(time.RFC3339) < at ||
			r[2] != string(statement.GroupOf(r[3])) {
			t.Fatalf("%v after %s, balance %d", r, at, balance)
		}
		seen[r[1]], at = true, when.UTC().Format(time.RFC3339)
	}
	for _, l := range st.Lines {
		if byKind[l.Kind] != l.Amount {
			t.Fatalf("%s: %d in the file, %d in the statement", l.Kind, byKind[l.Kind], l.Amount)
		}
	}
}

// TestPayoutsCountWhenTheyArrive goes through a payout that arrives, and one that comes back.
func TestPayoutsCountWhenTheyArrive(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.BankAccount(w.App, w.us)
	pay := func(amount money.Amount) payout.Payout {
		t.Helper()
		w.post(t, w.Clock.Now(), ledger.KindCapture, ledger.ProcessorReceivable, ledger.MerchantPending, amount)
		w.post(t, w.Clock.Now(), ledger.KindCapture, ledger.MerchantPending, ledger.MerchantAvailable, amount)
		m, err := w.Merchants.Find(t.Context(), w.App.AppID, w.us)
		if err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(m.NextPayoutAt.Sub(w.Clock.Now()))
		v, err := w.Clocks.Of(t.Context(), w.App.AppID)
		if err == nil {
			_, err = w.Payouts.Run(t.Context(), v)
		}
		if err != nil {
			t.Fatal(err)
		}
		list, err := w.Payouts.List(t.Context(), w.Actor(), payout.ListInput{Page: pageOfOne})
		if err != nil || len(list.Items) != 1 || list.Items[0].Amount != amount {
			t.Fatalf("%+v, %v", list, err)
		}
		return list.Items[0]
	}
	tell := func(p payout.Payout) processor.Event {
		return processor.Event{Adapter: "sandbox", Account: processor.MerchantAccount(w.App.AppID, w.us),
			Reference: p.Processor.Reference, ReturnCode: "R02"}
	}
	zone, _ := calendar.Zone("America/New_York")
	here := func() string { return w.Clock.Now().In(zone).Format("2006-01") }
	start := here()
	first := pay(700)
	if st := w.statement(t, here()); st.ClosingBalance != 700 || st.Closing.InTransit != 700 || st.Complete ||
		len(st.Payouts) != 0 {
		t.Errorf("on its way: %+v", st)
	}
	if err := w.Payouts.Paid(t.Context(), tell(first)); err != nil {
		t.Fatal(err)
	}
	second := pay(300)
	if err := w.Payouts.Returned(t.Context(), tell(second)); err != nil {
		t.Fatal(err)
	}
	st := w.statement(t, here())
	if st.ClosingBalance != 300 || st.Closing.Available != 300 {
		t.Errorf("%+v", st)
	}
	if here() == start { // else the first one is in the month before
		if len(st.Payouts) != 2 || st.Payouts[0].ID != first.ID || st.Payouts[0].Status != payout.Paid ||
			st.Payouts[1].ReturnedAt == nil || st.Payouts[1].BankLast4 != "6789" {
			t.Errorf("%+v", st.Payouts)
		}
		want := []statement.Line{{statement.Charges, "capture", 2, 1_000},
			{statement.Payouts, "payout_paid", 2, -1_000}, {statement.Payouts, "payout_returned", 1, 300}}
		if !slices.Equal(st.Lines, want) {
			t.Errorf("%+v", st.Lines)
		}
	}
	w.Clock.Advance(45 * 24 * time.Hour)
	if later := w.statement(t, here()); later.OpeningBalance != 300 || len(later.Payouts) != 0 ||
		len(later.Lines) != 0 {
		t.Errorf("%+v", later)
	}
}
