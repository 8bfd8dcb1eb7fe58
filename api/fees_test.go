package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fee"
	"svcpay/internal/money"
)

var feeResource = resource{
	shapes: map[string]any{
		"Fees": fee.Fees{}, "FeeSchedule": fee.Record{}, "FeeScheduleList": list{}, "ChangeFees": feesInput{},
		"FeeProposal": fee.Proposal{},
		"FeeDefaults": fee.Defaults{}, "FeePreview": fee.Preview{}, "FeePreviewFee": fee.PreviewFee{},
		"FeePreviewEvent": fee.PreviewEvent{},
		"FeeEditor":       fee.By{}, "FeeSchedule.canceled_by": fee.By{}, "Fees.canceled_by": fee.By{},
		"FeeChange": fee.Notice{}, "FeeDifference": fee.Difference{},
	},
	always: map[string][]string{"Fees": {"merchant_id"}, "FeeSchedule": {"merchant_id"}},
	enums: map[string][]string{
		"FeeScheduleStatus":    {string(fee.Scheduled), string(fee.InForce), string(fee.Superseded), string(fee.Canceled)},
		"FeePreviewEvent.kind": kindsOfFees(),
	},
	theirs: map[string]func(*testing.T, *site) string{
		"/api/merchants/:id": func(_ *testing.T, s *site) string { return fmt.Sprint(s.Other.Merchants.US) },
	},
}

// kindsOfFees are the events that some fee is posted for.
func kindsOfFees() (out []string) {
	seen := make(map[fee.Kind]bool)
	for _, set := range fee.Settings() {
		for _, k := range set.Kinds {
			if !seen[k] {
				seen[k], out = true, append(out, string(k))
			}
		}
	}
	return out
}

// ofUS is a path below the first application's US merchant.
func ofUS(s *site, rest string) string {
	return fmt.Sprintf("/api/merchants/%d%s", s.App.Merchants.US, rest)
}

func readAs[T any](t testing.TB, a answer) (out T) {
	t.Helper()
	if err := json.Unmarshal(a.body, &out); err != nil || a.status >= 300 {
		t.Fatalf("%v: %d %s", err, a.status, a.body)
	}
	return out
}

// schedule changes the US merchant's rates as a person in the portal does.
func (s *site) schedule(t testing.TB, at *time.Time, change func(*fee.Rates)) fee.Record {
	t.Helper()
	admin := authz.Actor{Role: authz.RoleSystemAdmin, ApplicationID: s.App.AppID}
	now, err := s.Fees.Current(t.Context(), admin, s.App.Merchants.US)
	if err != nil {
		t.Fatal(err)
	}
	change(&now.Rates)
	r, err := s.Fees.Schedule(t.Context(), admin, s.App.Merchants.US,
		fee.Change{Rates: now.Rates, EffectiveAt: at, Reason: "agreed", Base: now.Latest})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFeesAreReadAndChanged(t *testing.T) {
	t.Parallel()
	s := open(t)
	later := s.Clock.Now().Add(48 * time.Hour)
	flat := money.Amount(7)
	planned := s.schedule(t, &later, func(r *fee.Rates) { r.CaptureFee, r.PlatformFlatFee = 33, &flat })
	a := s.get(t, ofUS(s, "/fees")).want(t, 200, "")
	before := readAs[fee.Fees](t, a)
	if before.Status != fee.InForce || len(before.Scheduled) != 1 || before.Scheduled[0].ID != planned.ID ||
		before.Latest != planned.ID ||
		a.header.Get("ETag") != fmt.Sprintf(`"%d"`, before.Version) {
		t.Errorf("the fees are %v %s", a.header, a.body)
	}
	put := func(body string) answer { return s.on(t, http.MethodPut, ofUS(s, "/fees"), body, "") }
	b := put(`{"daf_percentage":2.125}`).want(t, 200, "")
	changed := readAs[fee.Record](t, b)
	if changed.DAFPercentage != 2125 || changed.CaptureFee != before.CaptureFee || changed.CreatedBy.Kind != "api" ||
		changed.Status != fee.InForce {
		t.Errorf("changed to %s", b.body)
	}
	if again := put(`{"daf_percentage":2.125}`).want(t, 200, ""); !bytes.Equal(again.body, b.body) {
		t.Errorf("changed to\n%s\nand again\n%s", b.body, again.body)
	}
	now := readAs[fee.Fees](t, s.get(t, ofUS(s, "/fees")))
	if now.ID != changed.ID || len(now.Scheduled) != 1 || now.Scheduled[0].Replaces != planned.ID ||
		now.Scheduled[0].DAFPercentage != 2125 || now.Scheduled[0].CaptureFee != 33 {
		t.Errorf("now %+v", now)
	}
}

func TestFeesThatAreRefused(t *testing.T) {
	t.Parallel()
	s := open(t)
	before := s.rows(t)
	put := func(body string, status int, code, param string) {
		t.Helper()
		if e := s.on(t, http.MethodPut, ofUS(s, "/fees"), body, "").want(t, status, code).error(); e.Param != param {
			t.Errorf("%s is told of %q", body, e.Param)
		}
	}
	n := 0
	for _, set := range fee.Settings() {
		if set.Name != "daf_percentage" {
			n++
			put(`{"`+set.Name+`":1}`, 403, "fee_portal_only", set.Name)
			put(`{"daf_percentage":3,"`+set.Name+`":null}`, 403, "fee_portal_only", set.Name)
		}
	}
	if n != 11 {
		t.Errorf("%d rates are the portal's", n)
	}
	for _, percent := range []string{"-1", "100.001", "2.0001", "1e1", `"2"`, "true", `"` + marker + `"`, "{}"} {
		put(`{"daf_percentage":`+percent+`}`, 400, "parameter_invalid", "daf_percentage")
	}
	put(`{"daf_percentage":null}`, 400, "parameter_missing", "daf_percentage")
	put(`{"daf_percentages":3}`, 400, "validation_failed", "daf_percentage")
	if after := s.rows(t); after != before {
		t.Errorf("%d rows were written", after-before)
	}
	put(`{"daf_percentage":0}`, 200, "", "")
	put(`{"daf_percentage":100}`, 200, "", "")
}

func TestHistoryOfFees(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.schedule(t, nil, func(r *fee.Rates) { r.CaptureFee = 21 })
	last := s.schedule(t, nil, func(r *fee.Rates) { r.CaptureFee = 22 })
	type pageOf struct {
		Data    []fee.Record
		HasMore bool `json:"has_more"`
		URL     string
	}
	path := ofUS(s, "/fees/history")
	all := readAs[pageOf](t, s.get(t, path).want(t, 200, ""))
	if len(all.Data) != 3 || all.Data[0].ID != last.ID || all.Data[1].Status != fee.Superseded || all.URL != path ||
		all.HasMore {
		t.Errorf("the history is %+v", all)
	}
	if rest := readAs[pageOf](t, s.get(t, path+"?limit=1&starting_after="+last.ID.String())); len(rest.Data) != 1 ||
		rest.Data[0].CaptureFee != 21 || !rest.HasMore {
		t.Errorf("after the last %+v", rest)
	}
	if up := readAs[pageOf](t, s.get(t, path+"?order=asc&limit=1")); len(up.Data) != 1 ||
		up.Data[0].CreatedBy.Kind != "service" {
		t.Errorf("first %+v", up)
	}
	s.get(t, path+"?limit=0").want(t, 400, "parameter_invalid")
}

func TestPreviewOfFees(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.schedule(t, nil, func(r *fee.Rates) {
		one := money.Percent(1000)
		*r = fee.Rates{CaptureFee: 20, PlatformPercentage: &one}
	})
	c := s.post(t, s.body(s.Token(good))).charge(t)
	preview := func(body string) fee.Preview {
		t.Helper()
		a := s.on(t, http.MethodPost, ofUS(s, "/fees/preview"), body, "").want(t, 200, "")
		return readAs[fee.Preview](t, a)
	}
	for body, want := range map[string]money.Amount{
		`{}`: 145, `{"capture_fee":25}`: 150, `{"capture_fee":null}`: 145, `{"platform_percentage":null}`: 20,
		`{"platform_percentage":2}`: 270,
		`{"platform_flat_fee":5}`:   150, `{"authorization_fee":1,"capture_fee":0,"platform_percentage":null}`: 1,
		`{"daf_percentage":9.5}`: 145,
	} {
		if p := preview(body); p.OldTotal != 145 || p.NewTotal != want || p.Events != 2 ||
			p.Examples[0].SourceID != c.ID.String() {
			t.Errorf("%s: %+v", body, p)
		}
	}
	refused := func(body, code, param string) {
		t.Helper()
		if e := s.on(t, http.MethodPost, ofUS(s, "/fees/preview"), body, "").want(t, 400,
			code).error(); e.Param != param {
			t.Errorf("%s is told of %q", body, e.Param)
		}
	}
	for _, name := range []string{"capture_fee", "platform_flat_fee"} {
		refused(`{"`+name+`":1.5}`, "amount_not_integer", name)
		refused(`{"`+name+`":"`+marker+`"}`, "amount_not_integer", name)
		refused(`{"`+name+`":-1}`, "parameter_invalid", name)
		refused(`{"`+name+`":100000000}`, "parameter_invalid", name)
		refused(`{"`+name+`":-`+strings.Repeat("9", 30)+`}`, "amount_too_small", name)
		refused(`{"`+name+`":`+strings.Repeat("9", 30)+`}`, "amount_too_large", name)
	}
	for _, name := range []string{"daf_percentage", "platform_percentage"} {
		refused(`{"`+name+`":100.5}`, "parameter_invalid", name)
		refused(`{"`+name+`":"`+marker+`"}`, "parameter_invalid", name)
	}
	if now := readAs[fee.Fees](t, s.get(t, ofUS(s, "/fees"))); now.CaptureFee != 20 {
		t.Errorf("a preview changed the fees to %+v", now)
	}
}

func TestFeeDefaultsAreRead(t *testing.T) {
	t.Parallel()
	s := open(t)
	a := s.get(t, "/api/fee_defaults").want(t, 200, "")
	if d := readAs[fee.Defaults](t, a); d.Version == 0 &&
		(a.header.Get("ETag") != "" || !d.Rates.Equal(fee.Fallback())) {
		t.Errorf("never set: %v %s", a.header, a.body)
	}
	d := readAs[fee.Defaults](t, a)
	admin := authz.Actor{Role: authz.RoleSystemAdmin, ApplicationID: s.App.AppID}
	set, err := s.Fees.SetDefaults(t.Context(), admin, d.Version, fee.Rates{CaptureFee: 42})
	if err != nil {
		t.Fatal(err)
	}
	b := s.get(t, "/api/fee_defaults").want(t, 200, "")
	if now := readAs[fee.Defaults](t, b); now.CaptureFee != 42 || now.Version != set.Version ||
		b.header.Get("ETag") != fmt.Sprintf(`"%d"`, set.Version) {
		t.Errorf("%v %s", b.header, b.body)
	}
}

func TestFeesAreChangedOncePerKey(t *testing.T) {
	t.Parallel()
	s := open(t)
	first := s.once(t, http.MethodPut, ofUS(s, "/fees"), `{"daf_percentage":2.5}`, `{"daf_percentage":3}`, 200)
	version := first.header.Get("ETag")
	change := func(body string) call {
		return call{method: http.MethodPut, path: ofUS(s, "/fees"), body: body}.header1("If-Match", version)
	}
	s.send(t, change(`{"daf_percentage":3}`)).want(t, 200, "")
	s.send(t, change(`{"daf_percentage":3.5}`)).want(t, 412, "object_changed")
	if now := readAs[fee.Fees](t, s.get(t, ofUS(s, "/fees"))); now.DAFPercentage != 3000 {
		t.Errorf("it is %d", now.DAFPercentage)
	}
}
