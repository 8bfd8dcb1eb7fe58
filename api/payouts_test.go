package api

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/payout"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/report/statement"
	"svcpay/internal/report/timeline"
	"svcpay/internal/sandbox/demo"
)

var payoutResource = resource{
	expands: map[string][]string{"Payout": {"merchant"}},
	shapes: map[string]any{
		"Payout": payout.Payout{}, "PayoutList": list{}, "Payout.bank_account": payout.Destination{},
		"Payout.failure":   payout.Failure{},
		"Payout.processor": payout.ProcessorRef{}, "PayoutEntry": payout.Entry{}, "PayoutEntryList": list{},
		"Statement": statement.Statement{}, "Statement.organization": merchant.Organization{},
		"Statement.closing": ledger.Accounts{},
		"TimelineEntry":     timeline.Entry{}, "TimelineEntryList": list{}, "StatementLine": statement.Line{},
		"StatementPayout": statement.PayoutLine{},
	},
	enums: map[string][]string{"PayoutStatus": payout.Statuses(), "PayoutFailureCode": payout.FailureCodes(),
		"StatementGroup": groups()},
	theirs: map[string]func(*testing.T, *site) string{
		"/api/payouts/:id": func(t *testing.T, s *site) string { return s.payout(t, s.Other, 50_000_000).ID.String() },
		"/api/merchants/:id": func(_ *testing.T, s *site) string {
			return fmt.Sprint(s.Other.Merchants.US)
		},
	},
}

func groups() (out []string) {
	for _, g := range statement.Groups() {
		out = append(out, string(g))
	}
	return out
}

// payout makes an amount available to an application's US merchant, and lets it be paid out.
func (s *site) payout(t *testing.T, a demo.Application, amount money.Amount) payout.Payout {
	t.Helper()
	s.BankAccount(a, a.Merchants.US)
	mine := fmt.Sprint("merchant_id=", a.Merchants.US)
	before := len(s.payoutsOf(t, a, mine).Data)
	c := ids.NewCharge(s.Clock.Now())
	p := ledger.Posting{ApplicationID: a.AppID, MerchantID: a.Merchants.US, BusinessKey: c.String(),
		Kind: ledger.KindCapture, Debit: ledger.MerchantPending,
		Credit: ledger.MerchantAvailable, Amount: amount, Currency: money.USD, SourceID: c.Bytes(), ChargeID: c}
	m, err := s.Clocks.Moment(t.Context(), a.AppID)
	if err == nil {
		err = pg.InTx(t.Context(), s.Pool,
			func(tx *pg.Tx) error { ledger.PostTx(tx, instant.Both(m.At), p); return nil })
	}
	if err != nil {
		t.Fatal(err)
	}
	next, err := s.Payouts.NextRun(t.Context(), a.AppID, m.At)
	// some day of them has a run of the US
	for first := true; err == nil && (first || next != nil && next.Sub(m.At) < 6*24*time.Hour); first = false {
		now, _ := s.Clocks.Moment(t.Context(), a.AppID)
		if err = s.Clocks.Advance(t.Context(), a.AppID, max(0, next.Sub(now.At))); err != nil {
			break
		}
		v, _ := s.Clocks.Of(t.Context(), a.AppID)
		if _, err = s.Payouts.Run(t.Context(), v); err != nil {
			break
		}
		if l := s.payoutsOf(t, a, mine); len(l.Data) > before {
			return l.Data[0]
		}
		next, err = s.Payouts.NextRun(t.Context(), a.AppID, v.Moment.At)
	}
	t.Fatalf("no payout was made: %v", err)
	return payout.Payout{}
}

// payoutsPage is a list of payouts as callers read it.
type payoutsPage struct {
	Data []payout.Payout
	Next *string
}

func (s *site) payoutsOf(t testing.TB, a demo.Application, query string) payoutsPage {
	t.Helper()
	var p payoutsPage
	answer := s.send(t, call{method: http.MethodGet, path: "/api/payouts?" + query, as: &a}).want(t, 200, "")
	if err := json.Unmarshal(answer.body, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPayoutsAreRead(t *testing.T) {
	t.Parallel()
	s := open(t)
	first := s.payout(t, s.App, 12_345)
	a := s.get(t, "/api/payouts/"+first.ID.String()).want(t, 200, "")
	var read payout.Payout
	if err := json.Unmarshal(a.body, &read); err != nil || read.Status != payout.Processing || read.Amount != 12_345 ||
		read.Destination.Last4 != "6789" || a.header.Get("ETag") != `"1"` {
		t.Errorf("%s, %v", a.body, err)
	}
	event := processor.Event{Adapter: "sandbox", Account: processor.MerchantAccount(s.App.AppID, s.App.Merchants.US),
		Reference: first.Processor.Reference, ReturnCode: "R02"}
	if err := s.Payouts.Returned(t.Context(), event); err != nil {
		t.Fatal(err)
	}
	a = s.get(t, "/api/payouts/"+first.ID.String()).want(t, 200, "")
	if !strings.Contains(string(a.body), `"failure":{"code":"bank_returned"`) || a.header.Get("ETag") != `"3"` {
		t.Errorf("%s", a.body)
	}
	if _, err := s.Payouts.Resume(t.Context(), s.Admin(), s.App.Merchants.US); err != nil {
		t.Fatal(err)
	}
	s.Clock.Advance(time.Second)
	if err := pg.InTx(t.Context(), s.Pool, func(tx *pg.Tx) error {
		r := ids.NewRefund(s.Clock.Now())
		ledger.PostTx(tx, instant.Both(s.Clock.Now()),
			ledger.Posting{ApplicationID: s.App.AppID, MerchantID: s.App.Merchants.US, BusinessKey: r.String(),
				Kind:  ledger.KindRefund,
				Debit: ledger.MerchantAvailable, Credit: ledger.ProcessorReceivable, Amount: 12_345,
				Currency: money.USD, SourceID: r.Bytes(), ChargeID: ids.NewCharge(s.Clock.Now())})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	second := s.payout(t, s.App, 55) // of three entries
	var entries struct{ Data []payout.Entry }
	text := s.get(t, "/api/payouts/"+second.ID.String()+"/entries?limit=100").want(t, 200, "").body
	var sum money.Amount
	if err := json.Unmarshal(text, &entries); err != nil || len(entries.Data) != 3 {
		t.Errorf("%s, %v", text, err)
	}
	for _, e := range entries.Data {
		sum += e.Amount
	}
	if sum != 55 {
		t.Errorf("the entries of 55 add up to %d", sum)
	}
	arriving := 1
	if first.ArrivalOn == second.ArrivalOn {
		arriving = 2
	}
	for query, want := range map[string]int{
		"": 2, "status=returned": 1, "status=processing,paid": 1, "status=failed": 0, fmt.Sprint("merchant_id=",
			s.App.Merchants.CA): 0,
		"currency=usd": 2, "currency=cad": 0, "amount=55": 1, "amount[gt]=55": 1, "amount[lt]=55": 0,
		"amount[gte]=55&status=returned": 1,
		"arrival_on[gte]=" + string(second.ArrivalOn) + "&arrival_on[lte]=" + string(second.ArrivalOn): arriving,
		"arrival_on[gt]=" + string(second.ArrivalOn):                                                   0,
		"arrival_on[lt]=" + string(first.ArrivalOn):                                                    0,
		"created_at[gt]=" + first.CreatedAt.Format(time.RFC3339Nano):                                   1, "limit=1": 1,
		"starting_after=" +
			second.ID.String(): 1,
	} {
		if got := s.payoutsOf(t, s.App, query); len(got.Data) != want {
			t.Errorf("%q: %d payouts, want %d", query, len(got.Data), want)
		}
	}
	if got := s.payoutsOf(t, s.Other, ""); len(got.Data) != 0 {
		t.Errorf("another application reads %+v", got)
	}
	for path, param := range map[string]string{
		"/api/payouts?status=" + marker: "status", "/api/payouts?merchant_id=x": "merchant_id",
		"/api/payouts?created_at[gte]=x":                   "created_at[gte]",
		"/api/payouts?arrival_on[gte]=2026-02-30":          "arrival_on[gte]",
		"/api/payouts?arrival_on[lt]=2026-12-01T00:00:00Z": "arrival_on[lt]",
		"/api/payouts?currency=USD":                        "currency", "/api/payouts?amount[gte]=1.5": "amount[gte]",
		"/api/payouts/" + second.ID.String() + "/entries?limit=0": "limit",
	} {
		if e := s.get(t, path).want(t, 400, "parameter_invalid").error(); e.Param != param {
			t.Errorf("%s names %q", path, e.Param)
		}
	}
}

func TestStatementInEveryForm(t *testing.T) {
	t.Parallel()
	s := open(t)
	charge := s.post(t, s.body(s.Token("378282246310005"), "amount", "10000", "external_id", `"=gift"`)).charge(t)
	path := fmt.Sprintf("/api/merchants/%d/statement?month=%s", s.App.Merchants.US, month(t, charge.CreatedAt.Time))
	a := s.get(t, path).want(t, 200, "")
	var st statement.Statement
	if err := json.Unmarshal(a.body, &st); err != nil || st.ClosingBalance != 9_815 || st.OpeningBalance != 0 ||
		len(st.Lines) != 6 || st.Closing.Pending != 9_815 || a.header.Get("Content-Disposition") != "" {
		t.Errorf("%s, %v", a.body, err)
	}
	table := fmt.Sprintf("capture,%s,'=gift,10000,", charge.ID)
	for name, c := range map[string]struct{ query, accept, media, file, holds string }{
		"by its format":                   {"&format=csv", "", "text/csv; charset=utf-8", ".csv", table},
		"as is liked":                     {"", "text/csv", "text/csv; charset=utf-8", ".csv", table},
		"as is liked best":                {"", "text/csv;q=0.5, application/pdf", "application/pdf", ".pdf", "%PDF-"},
		"the format before what is liked": {"&format=pdf", "application/json", "application/pdf", ".pdf", "/MediaBox [0 0 612.00 792.00]"},
		"on the paper of elsewhere":       {"&format=pdf&paper=a4", "", "application/pdf", ".pdf", "/MediaBox [0 0 595.28 841.89]"},
		"an object after all":             {"&format=json&paper=a4", "", "application/json", "", `"object":"statement"`},
	} {
		r := call{method: http.MethodGet, path: path + c.query}
		if c.accept != "" {
			r = r.header1("Accept", c.accept)
		}
		a := s.send(t, r).want(t, 200, "")
		if a.header.Get("Content-Type") != c.media || !strings.HasSuffix(a.header.Get("Content-Disposition"), c.file) ||
			!strings.Contains(string(a.body), c.holds) {
			t.Errorf("%s: %v\n%.300s", name, a.header, a.body)
		}
	}
}

// month is a time's month at the demo's US merchants.
func month(t *testing.T, at time.Time) string {
	t.Helper()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	return at.In(zone).Format("2006-01")
}

// A file whose length no one knows before says that it broke off by breaking the connection off.
func TestAStatementThatBreaksOffIsNotWhole(t *testing.T) {
	t.Parallel()
	s := open(t)
	c := s.post(t, s.body(s.Token(good))).charge(t)
	s.execute(t, `ALTER TABLE charges RENAME TO lost`, pg.Args{}) // which its lines are read from, and its sums are not
	path := fmt.Sprintf("/api/merchants/%d/statement?format=csv&month=%s", s.App.Merchants.US,
		month(t, c.CreatedAt.Time))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-API-Key", s.App.SecretKey)
	r.Header.Set("X-App-ID", fmt.Sprint(s.App.AppID))
	a, err := http.DefaultClient.Do(r)
	if err == nil {
		_, err = io.Copy(io.Discard, a.Body)
		_ = a.Body.Close()
	}
	if err == nil {
		t.Errorf("the caller takes it for whole: %d", a.StatusCode)
	}
}

func TestStatementsThatAreNone(t *testing.T) {
	t.Parallel()
	s := open(t)
	base := fmt.Sprintf("/api/merchants/%d/statement?", s.App.Merchants.US)
	for query, want := range map[string]struct{ code, param string }{
		"":                               {"parameter_missing", "month"},
		"month=":                         {"parameter_invalid", "month"},
		"month=2025-13":                  {"parameter_invalid", "month"},
		"month=" + marker:                {"parameter_invalid", "month"},
		"month=9999-12":                  {"parameter_invalid", "month"},
		"month=2025-03&month=2025-03":    {"parameter_invalid", "month"},
		"month=2025-03&format=" + marker: {"parameter_invalid", "format"},
		"month=2025-03&format=":          {"parameter_invalid", "format"},
		"month=2025-03&paper=a5":         {"parameter_invalid", "paper"},
		"paper=a5":                       {"validation_failed", "month"},
	} {
		if e := s.get(t, base+query).want(t, 400, want.code).error(); e.Param != want.param {
			t.Errorf("%s names %q", query, e.Param)
		}
	}
	s.send(t, call{method: http.MethodGet, path: base + "month=2025-03"}.header1("Accept", "image/png")).want(t, 406,
		"not_acceptable")
	for _, media := range []string{"json", "csv", "pdf"} {
		s.get(t, fmt.Sprintf("/api/merchants/%d/statement?month=2025-03&format=%s", s.Other.Merchants.US, media)).want(
			t, 404, "resource_missing")
		s.get(t, fmt.Sprintf("/api/merchants/x%s/statement?month=2025-03&format=%s", marker, media)).want(t, 404,
			"resource_missing")
	}
}
