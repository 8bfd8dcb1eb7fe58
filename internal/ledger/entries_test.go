package ledger_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

var one = page.Input[ids.Entry]{Limit: 1}

// all lists every balance entry that a filter selects, oldest first.
func all(t rapid.TB, w *fixture.World, in ledger.ListInput) (out []ledger.Entry) {
	t.Helper()
	in.Page = page.Input[ids.Entry]{Limit: 7, Ascending: true}
	for {
		p, err := w.Ledger.List(w.T.Context(), w.Actor(), in)
		if err != nil {
			t.Fatal(err)
		}
		if out = append(out, p.Items...); !p.HasMore {
			return out
		}
		in.Page.After = out[len(out)-1].ID
	}
}

func TestEntriesSumToTheBalance(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	merchants := []int64{w.App.Merchants.US, w.App.Merchants.CA}
	rapid.Check(t, func(rt *rapid.T) {
		merchant := rapid.SampledFrom(merchants).Draw(rt, "merchant")
		if err := post(w, some(rt, w, merchant, 3)...); err != nil {
			rt.Fatal(err)
		}
		b, err := w.Ledger.Balance(w.T.Context(), w.Actor(), merchant)
		if err != nil {
			rt.Fatal(err)
		}
		several, err := w.Ledger.Several(w.T.Context(), w.Actor(), append([]int64{w.Other.Merchants.US}, merchants...))
		if err != nil || len(several) != len(merchants) || several[merchant] != b.Balance {
			rt.Fatalf("%+v, %v", several, err)
		}
		var sum ledger.Accounts
		var total money.Amount
		for _, e := range all(rt, w, ledger.ListInput{Merchants: []int64{merchant}}) {
			sum.Pending, sum.Available = sum.Pending+e.Pending, sum.Available+e.Available
			sum.Reserved, sum.InTransit = sum.Reserved+e.Reserved, sum.InTransit+e.InTransit
			total += e.Amount
			if e.Amount != e.Total() || e.MerchantID != merchant || e.Currency != b.Currency ||
				e.Accounts == (ledger.Accounts{}) {
				rt.Fatalf("%+v", e)
			}
		}
		if sum != b.Accounts || total != b.Total || b.Total != b.Accounts.Total() {
			rt.Fatalf("entries sum to %+v and %d, the balance is %+v", sum, total, b)
		}
	})
}

func TestEntryAsTheAPIShowsIt(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	dispute, charge := ids.NewDispute(w.Clock.Now()), ids.NewCharge(w.Clock.Now())
	p := posting(w, "a")
	p.Kind, p.Debit, p.Credit, p.SourceID, p.ChargeID = ledger.KindChargeback, ledger.MerchantAvailable,
		ledger.MerchantReserved, dispute.Bytes(), charge
	if err := post(w, p); err != nil {
		t.Fatal(err)
	}
	got := all(t, w, ledger.ListInput{})
	text, err := json.Marshal(got)
	at, _ := json.Marshal(instant.Of(w.Clock.Now()))
	want := fmt.Sprintf(
		`[{"id":"%s","object":"balance_entry","livemode":false,"merchant_id":%d,"kind":"chargeback","amount":0,"currency":"usd",`+
			`"pending":0,"available":-100,"reserved":100,"in_transit":0,"source":"%s","charge_id":"%s","created_at":%s}]`,
		got[0].ID, w.App.Merchants.US, dispute, charge, at)
	if err != nil || string(text) != want {
		t.Errorf("%s, %v; want\n%s", text, err, want)
	}
	b, err := w.Ledger.Balance(t.Context(), w.Actor(), w.App.Merchants.US)
	if err != nil {
		t.Fatal(err)
	}
	text, err = json.Marshal(b)
	if want := fmt.Sprintf(`{"object":"balance","livemode":false,"merchant_id":%d,"currency":"usd",`+
		`"pending":0,"available":-100,"reserved":100,"in_transit":0,"total":0}`, w.App.Merchants.US); err != nil ||
		string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
	live := ledger.New(ledger.Deps{Pool: w.Pool, Check: w.Gate, Livemode: true, Now: w.Clock.Now})
	p1, err := live.List(t.Context(), w.Actor(), ledger.ListInput{Page: one})
	if b, err2 := live.Balance(t.Context(), w.Actor(), w.App.Merchants.CA); err != nil || err2 != nil || !b.Livemode ||
		!p1.Items[0].Livemode || b.Currency != money.CAD {
		t.Errorf("%+v %+v", p1, b)
	}
}

func TestSourceOfEveryKind(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	id := ids.NewCharge(w.Clock.Now()).Bytes()
	printed := map[ledger.SourceKind]string{
		ledger.FromCharge: ids.ChargeFrom(id).String(), ledger.FromRefund: ids.RefundFrom(id).String(),
		ledger.FromDispute: ids.DisputeFrom(id).String(), ledger.FromPayout: ids.PayoutFrom(id).String(),
	}
	want := map[string]string{}
	for i, r := range ledger.Rules() {
		p := posting(w, fmt.Sprint(i))
		p.Kind, p.Debit, p.Credit, p.SourceID = r.Kind, r.Pairs[0].Debit, r.Pairs[0].Credit, id
		if err := post(w, p); err != nil {
			t.Fatal(err)
		}
		want[r.Kind] = printed[r.Source]
	}
	seen := 0
	for _, e := range all(t, w, ledger.ListInput{}) {
		if seen++; e.Source != want[e.Kind] {
			t.Errorf("%s comes from %s, want %s", e.Kind, e.Source, want[e.Kind])
		}
	}
	if seen != len(ledger.MerchantKinds()) {
		t.Errorf("%d entries", seen)
	}
	for kind, text := range printed {
		if s, err := ledger.ParseSource(text); err != nil || s != (ledger.Source{Kind: kind, ID: id}) {
			t.Errorf("%s: %+v, %v", text, s, err)
		}
	}
	for _, text := range []string{"", "ch_", ids.NewEntry(w.Clock.Now()).String(), "x" + printed[ledger.FromCharge]} {
		if s, err := ledger.ParseSource(text); err == nil {
			t.Errorf("%q is read as %+v", text, s)
		}
	}
}

// matches is what a filter means.
func matches(in ledger.ListInput, e ledger.Entry) bool {
	changed := map[string]money.Amount{"pending": e.Pending, "available": e.Available, "reserved": e.Reserved,
		"in_transit": e.InTransit}
	switch {
	case in.Merchants != nil && !slices.Contains(in.Merchants, e.MerchantID),
		in.Kinds != nil && !slices.Contains(in.Kinds, e.Kind),
		in.Accounts != nil && !slices.ContainsFunc(in.Accounts, func(a string) bool { return changed[a] != 0 }),
		in.Charge != nil && (e.ChargeID == nil || *in.Charge != *e.ChargeID),
		in.Created.From != nil && e.CreatedAt.Before(*in.Created.From),
		in.Created.Until != nil && !e.CreatedAt.Before(*in.Created.Until):
		return false
	}
	if in.Source == nil {
		return true
	}
	s, err := ledger.ParseSource(e.Source)
	return err == nil && s == *in.Source
}

func sourceKind(kind string) ledger.SourceKind {
	for _, r := range ledger.Rules() {
		if r.Kind == kind {
			return r.Source
		}
	}
	return ""
}

// TestListOfRandomEntries compares pages in both directions, under any filter, with a list in memory.
func TestListOfRandomEntries(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	start := w.Clock.Now()
	things := [][16]byte{ids.NewCharge(start).Bytes(), ids.NewCharge(start).Bytes(), ids.NewCharge(start).Bytes()}
	others := [][16]byte{ids.NewRefund(start).Bytes(), ids.NewDispute(start).Bytes(), ids.NewPayout(start).Bytes()}
	merchants := []int64{w.App.Merchants.US, w.App.Merchants.CA}
	rapid.Check(t, func(rt *rapid.T) {
		thing, other := rapid.SampledFrom(things), rapid.SampledFrom(others)
		var batch []ledger.Posting
		for range 3 {
			p := anyPosting(rt, w, rapid.SampledFrom(merchants).Draw(rt, "merchant"))
			p.ChargeID, p.SourceID = ids.ChargeFrom(thing.Draw(rt, "charge")), other.Draw(rt, "source")
			switch sourceKind(p.Kind) {
			case ledger.FromCharge:
				p.SourceID = p.ChargeID.Bytes()
			case ledger.FromPayout:
				p.ChargeID = ids.Charge{}
			}
			batch = append(batch, p)
		}
		w.Clock.Advance(time.Millisecond)
		if err := post(w, batch...); err != nil {
			rt.Fatal(err)
		}
		in := ledger.ListInput{
			Merchants: rapid.SampledFrom([][]int64{nil, nil, merchants[:1], merchants, {w.Other.Merchants.US}}).Draw(rt,
				"merchants"),
			Kinds: rapid.SampledFrom([][]string{nil, nil, {"capture", "refund", "payout"}, {"chargeback_fee"},
				{"service_capture_fee"}, {}}).Draw(rt, "kinds"),
			Accounts: rapid.SampledFrom([][]string{nil, nil, {"pending"}, {"available", "reserved"},
				{"in_transit"}}).Draw(rt, "accounts"),
			Created: page.Times{
				From:  rapid.SampledFrom([]*time.Time{nil, nil, &start, at(start, 10), at(start, 40)}).Draw(rt, "from"),
				Until: rapid.SampledFrom([]*time.Time{nil, nil, at(start, 30), at(start, 90)}).Draw(rt, "until"),
			},
		}
		if rapid.IntRange(0, 2).Draw(rt, "by charge") == 0 {
			id := ids.ChargeFrom(thing.Draw(rt, "of charge"))
			in.Charge = &id
		}
		if rapid.IntRange(0, 2).Draw(rt, "by source") == 0 {
			kind := rapid.SampledFrom([]ledger.SourceKind{ledger.FromCharge, ledger.FromRefund, ledger.FromDispute,
				ledger.FromPayout})
			in.Source = &ledger.Source{Kind: kind.Draw(rt, "source kind"),
				ID: rapid.OneOf(thing, other).Draw(rt, "of source")}
		}
		whole := all(rt, w, ledger.ListInput{})
		want := slices.DeleteFunc(slices.Clone(whole), func(e ledger.Entry) bool { return !matches(in, e) })
		if got := all(rt, w, in); len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
			rt.Fatalf("%+v selects %d of %d entries, want %d", in, len(got), len(whole), len(want))
		}
		in.Page.Limit = rapid.IntRange(1, 6).Draw(rt, "limit")
		in.Page.Ascending = rapid.Bool().Draw(rt, "ascending")
		if !in.Page.Ascending {
			slices.Reverse(want)
		}
		walk(rt, w, in, want)
	})
	if n := entries(t, w); n == 0 {
		t.Errorf("%d entries", n)
	}
}

func at(start time.Time, ms int) *time.Time {
	v := start.Add(time.Duration(ms) * time.Millisecond)
	return &v
}

// walk pages through a list to its end and back.
func walk(t rapid.TB, w *fixture.World, in ledger.ListInput, want []ledger.Entry) {
	t.Helper()
	read := func(after, before ids.Entry) page.Of[ledger.Entry] {
		t.Helper()
		in.Page.After, in.Page.Before = after, before
		p, err := w.Ledger.List(w.T.Context(), w.Actor(), in)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	var cursor ids.Entry
	for i := 0; ; i += in.Page.Limit {
		end := min(i+in.Page.Limit, len(want))
		p := read(cursor, ids.Entry{})
		if p.Items == nil || len(p.Items) != end-i || p.HasMore != (end < len(want)) || end > i &&
			!reflect.DeepEqual(p.Items, want[i:end]) {
			t.Fatalf("page from %d: %+v", i, p)
		}
		if i > 0 && i < len(want) {
			first := max(0, i-in.Page.Limit)
			back := read(ids.Entry{}, want[i].ID)
			if !reflect.DeepEqual(back.Items, want[first:i]) || back.HasMore != (first > 0) {
				t.Fatalf("page before %d: %+v", i, back)
			}
		}
		if !p.HasMore {
			return
		}
		cursor = p.Items[len(p.Items)-1].ID
	}
}

func TestWhoMaySeeBalances(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	if err := post(w, posting(w, "a")); err != nil {
		t.Fatal(err)
	}
	payer := authz.Actor{Role: authz.RolePublicKey, ApplicationID: w.App.AppID}
	_, err := w.Ledger.Balance(t.Context(), payer, w.App.Merchants.US)
	_, err2 := w.Ledger.List(t.Context(), payer, ledger.ListInput{Page: one})
	if _, err := w.Ledger.Several(t.Context(), payer, []int64{w.App.Merchants.US}); !fault.HasCode(err,
		"permission_denied") {
		t.Errorf("a payer's browser gets %v", err)
	}
	if !fault.HasCode(err, "permission_denied") || !fault.HasCode(err2, "permission_denied") {
		t.Errorf("a payer's browser gets %v, %v", err, err2)
	}
	for _, merchant := range []int64{w.App.Merchants.US, 0, -1, 999_999} {
		_, err := w.Ledger.Balance(t.Context(), w.ActorOf(w.Other), merchant)
		if f, ok := fault.As(err); !ok || f.Code != "merchant_not_associated" || f.Kind != fault.KindForbidden ||
			f.Param != "merchant_id" {
			t.Errorf("merchant %d: %v", merchant, err)
		}
	}
	if p, err := w.Ledger.List(t.Context(), w.ActorOf(w.Other),
		ledger.ListInput{Page: one, Merchants: []int64{w.App.Merchants.US}}); err != nil || len(p.Items) != 0 {
		t.Errorf("another application sees %+v, %v", p, err)
	}
	if b, err := w.Ledger.Balance(t.Context(), w.Actor(), w.App.Merchants.US); err != nil || b.Pending != 100 {
		t.Errorf("%+v, %v", b, err)
	}
}

// TestBalanceWithinATransaction reads what the transaction itself has posted.
func TestBalanceWithinATransaction(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	err := pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
		ledger.PostTx(tx, instant.Both(w.Clock.Now()), posting(w, "a"))
		if err := tx.Flush(t.Context()); err != nil {
			return err
		}
		b, err := ledger.BalanceOf(t.Context(), tx, w.App.AppID, w.App.Merchants.US)
		if b.Pending != 100 {
			t.Errorf("%+v", b)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestSourceAndChargeTogether(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	charge, other, refund := ids.NewCharge(w.Clock.Now()), ids.NewCharge(w.Clock.Now()), ids.NewRefund(w.Clock.Now())
	captured, refunded := posting(w, "a"), posting(w, "b")
	captured.SourceID, captured.ChargeID = charge.Bytes(), charge
	refunded.Kind, refunded.Debit, refunded.Credit = ledger.KindRefund, ledger.MerchantPending,
		ledger.ProcessorReceivable
	refunded.SourceID, refunded.ChargeID = refund.Bytes(), charge
	if err := post(w, captured, refunded); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		source string
		charge *ids.Charge
		want   int
	}{
		{charge.String(), nil, 1},
		{charge.String(), &charge, 1},
		{charge.String(), &other, 0},
		{other.String(), &charge, 0},
		{refund.String(), nil, 1},
		{refund.String(), &charge, 1},
		{refund.String(), &other, 0},
		{"", &charge, 2},
	} {
		in := ledger.ListInput{Charge: c.charge}
		if source, err := ledger.ParseSource(c.source); err == nil {
			in.Source = &source
		}
		if got := all(t, w, in); len(got) != c.want {
			t.Errorf("%s of %v: %+v", c.source, c.charge, got)
		}
	}
}

func TestBalanceHasOneCurrency(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	foreign := posting(w, "b")
	foreign.Currency = money.CAD
	if err := post(w, posting(w, "a"), foreign); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		now := w.Clock.Now()
		b, err := ledger.BalanceOf(t.Context(), w.Pool, w.App.AppID, w.App.Merchants.US)
		sums, err2 := ledger.SumsBetween(t.Context(), w.Pool, w.App.AppID, w.App.Merchants.US, now.Add(-time.Hour),
			now.Add(time.Hour))
		if err != nil || err2 != nil || b.Currency != money.USD || b.Total() != 100 || sums.Closing != b.Accounts ||
			sums.Opening.Total() != 0 {
			t.Errorf("%+v, %+v, %v, %v", b, sums, err, err2)
		}
		w.Clock.Advance(longAgo)
		fold(t, w.Ledger) // the same from the totals
	}
}
