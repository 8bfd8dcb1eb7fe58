package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
)

var balanceResource = resource{
	shapes: map[string]any{"Balance": ledger.MerchantBalance{}, "BalanceEntry": ledger.Entry{},
		"BalanceEntryList": list{}},
	enums: map[string][]string{"BalanceEntryKind": ledger.MerchantKinds(), "BalanceAccount": ledger.AccountNames()},
}

func (s *site) balance(t testing.TB, merchant int64) ledger.MerchantBalance {
	t.Helper()
	var b ledger.MerchantBalance
	if err := json.Unmarshal(s.get(t, fmt.Sprint("/api/balance?merchant_id=", merchant)).want(t, 200, "").body,
		&b); err != nil {
		t.Fatal(err)
	}
	return b
}

// entriesPage is a list of balance entries as callers read it.
type entriesPage struct {
	Data           []ledger.Entry
	Next, Previous *string
}

func (s *site) entries(t testing.TB, query string) entriesPage {
	t.Helper()
	var p entriesPage
	if err := json.Unmarshal(s.get(t, "/api/balance_entries?"+query).want(t, 200, "").body, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p entriesPage) kinds() []string {
	out := []string{}
	for _, e := range p.Data {
		out = append(out, e.Kind)
	}
	slices.Sort(out)
	return out
}

func TestBalanceAndItsEntriesAgree(t *testing.T) {
	t.Parallel()
	s := open(t)
	if b := s.balance(t, s.App.Merchants.CA); b.Accounts != (ledger.Accounts{}) || b.Currency != money.CAD ||
		b.Object != "balance" || b.Livemode {
		t.Errorf("nothing happened yet: %+v", b)
	}
	charge := s.post(t, s.body(s.Token("378282246310005"), "amount", "10000")).charge(t)
	if b := s.balance(t, s.App.Merchants.US); b.Accounts != (ledger.Accounts{Pending: 9_815}) || b.Total != 9_815 ||
		b.MerchantID != s.App.Merchants.US {
		t.Errorf("%+v", b)
	}
	s.Clock.Advance(time.Second)
	if err := pg.InTx(t.Context(), s.Pool, func(tx *pg.Tx) error {
		return ledger.ReleaseTx(t.Context(), tx, instant.Both(s.Clock.Now()), s.App.AppID, []ids.Charge{charge.ID})
	}); err != nil {
		t.Fatal(err)
	}
	b := s.balance(t, s.App.Merchants.US)
	if b.Accounts != (ledger.Accounts{Available: 9_815}) || b.Total != 9_815 {
		t.Errorf("released: %+v", b)
	}
	var sum ledger.Accounts
	var amount money.Amount
	var got []ledger.Entry
	for p := s.entries(t, "limit=5"); ; p = s.entries(t, "limit=5&starting_after="+*p.Next) {
		got = append(got, p.Data...)
		if p.Next == nil {
			break
		}
	}
	for _, e := range got {
		sum.Pending, sum.Available, amount = sum.Pending+e.Pending, sum.Available+e.Available, amount+e.Amount
		if e.Source != charge.ID.String() || e.ChargeID == nil || *e.ChargeID != charge.ID ||
			e.Object != "balance_entry" {
			t.Errorf("%+v", e)
		}
	}
	if sum != b.Accounts || amount != b.Total || len(got) != 12 {
		t.Errorf("%d entries sum to %+v and %d", len(got), sum, amount)
	}
	first := s.entries(t, "limit=5&order=asc&starting_after="+got[len(got)-1].ID.String())
	back := s.entries(t, "limit=100&order=asc&ending_before="+first.Data[0].ID.String())
	if len(back.Data) != 1 || back.Data[0].ID != got[len(got)-1].ID {
		t.Errorf("back lies %+v", back)
	}
}

func TestFiltersOfBalanceEntries(t *testing.T) {
	t.Parallel()
	s := open(t)
	charge := s.post(t, s.body(s.Token(good), "amount", "10000")).charge(t)
	s.Clock.Advance(time.Hour)
	dispute, payout := ids.NewDispute(s.Clock.Now()), ids.NewPayout(s.Clock.Now())
	p := ledger.Posting{ApplicationID: s.App.AppID, MerchantID: s.App.Merchants.US, Amount: 10_000, Currency: money.USD}
	held, paid := p, p
	held.Kind, held.Debit, held.Credit, held.BusinessKey = ledger.KindChargeback, ledger.MerchantAvailable,
		ledger.MerchantReserved, "held"
	held.SourceID, held.ChargeID = dispute.Bytes(), charge.ID
	paid.Kind, paid.Debit, paid.Credit, paid.BusinessKey = ledger.KindPayout, ledger.MerchantAvailable,
		ledger.MerchantInTransit, "paid"
	paid.SourceID = payout.Bytes()
	if err := pg.InTx(t.Context(), s.Pool, func(tx *pg.Tx) error {
		ledger.PostTx(tx, instant.Both(s.Clock.Now()), held, paid)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	begin := []string{"authorization_fee", "capture", "capture_fee", "platform_flat_fee", "platform_percentage"}
	later := s.Clock.Now().UTC().Format(time.RFC3339Nano)
	other := s.post(t, s.body(s.TokenIn(s.SessionOf(s.App, s.App.Merchants.CA), good), "merchant_id",
		fmt.Sprint(s.App.Merchants.CA))).charge(t)
	for query, want := range map[string][]string{
		fmt.Sprint("merchant_id=", s.App.Merchants.US): append([]string{
			"chargeback", "payout"}, begin...),
		fmt.Sprint("merchant_id=", s.App.Merchants.US, ",", s.App.Merchants.CA,
			"&limit=100"): append(append([]string{"chargeback", "payout"}, begin...), begin...),
		fmt.Sprint("merchant_id=", s.Other.Merchants.US):               {},
		fmt.Sprint("account=pending&merchant_id=", s.App.Merchants.US): begin,
		"account=available":                                         {"chargeback", "payout"},
		"account=reserved,in_transit":                               {"chargeback", "payout"},
		"account=reserved&kind=payout":                              {},
		"kind=capture,chargeback":                                   {"capture", "capture", "chargeback"},
		"charge_id=" + charge.ID.String():                           append([]string{"chargeback"}, begin...),
		"source=" + charge.ID.String():                              begin,
		"source=" + other.ID.String() + "&kind=capture":             {"capture"},
		"source=" + dispute.String():                                {"chargeback"},
		"source=" + payout.String():                                 {"payout"},
		"source=" + ids.RefundFrom(dispute.Bytes()).String():        {},
		"created_at[lt]=" + later + "&source=" + charge.ID.String(): begin,
		"created_at[gt]=" + later:                                   {},
		"created_at[gte]=" + later + "&account=reserved":            {"chargeback"},
	} {
		slices.Sort(want)
		if got := s.entries(t, query).kinds(); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
	s.send(t, call{method: http.MethodGet, path: "/api/balance_entries?charge_id=" + charge.ID.String(),
		as: &s.Other}).want(t, 200, "")
}

func TestWhatABalanceIsNotToldFor(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, c := range []struct {
		path   string
		status int
		code   string
		param  string
	}{
		{"/api/balance", 400, "parameter_missing", "merchant_id"},
		{"/api/balance?merchant_id=", 400, "parameter_invalid", "merchant_id"},
		{"/api/balance?merchant_id=0", 400, "parameter_invalid", "merchant_id"},
		{"/api/balance?merchant_id=" + marker, 400, "parameter_invalid", "merchant_id"},
		{"/api/balance?merchant_id=1,2", 400, "parameter_invalid", "merchant_id"},
		{"/api/balance?merchant_id=1&merchant_id=1", 400, "parameter_invalid", "merchant_id"},
		{"/api/balance?merchant_id=9223372036854775808", 400, "parameter_invalid", "merchant_id"},
		{"/api/balance?merchant_id=9223372036854775807", 403, "merchant_not_associated", "merchant_id"},
		{fmt.Sprint("/api/balance?merchant_id=", s.Other.Merchants.US), 403, "merchant_not_associated", "merchant_id"},
		{"/api/balance?currency=usd", 400, "validation_failed", "merchant_id"},
		{"/api/balance_entries?kind=" + marker, 400, "parameter_invalid", "kind"},
		{"/api/balance_entries?kind=service_capture_fee", 400, "parameter_invalid", "kind"},
		{"/api/balance_entries?account=merchant_pending", 400, "parameter_invalid", "account"},
		{"/api/balance_entries?account=", 400, "parameter_invalid", "account"},
		{"/api/balance_entries?source=bal_01jq8z6k4t8m2x9v5c7b1n3d0f", 400, "parameter_invalid", "source"},
		{"/api/balance_entries?source=" + marker, 400, "parameter_invalid", "source"},
		{"/api/balance_entries?charge_id=re_01jq8z6k4t8m2x9v5c7b1n3d0f", 400, "parameter_invalid", "charge_id"},
		{"/api/balance_entries?starting_after=ch_01jq8z6k4t8m2x9v5c7b1n3d0f", 400, "cursor_invalid", "starting_after"},
		{"/api/balance_entries?source=1&kind=2", 400, "validation_failed", "kind"},
	} {
		if e := s.get(t, c.path).want(t, c.status, c.code).error(); e.Param != c.param {
			t.Errorf("%s names %q", c.path, e.Param)
		}
	}
}
