package fee_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/sandbox/demo"
)

func names(lines []fee.Line) (out []string) {
	for _, l := range lines {
		out = append(out, l.Fee)
	}
	return out
}

func TestWorkedExample(t *testing.T) {
	t.Parallel()
	s := fee.Schedule{ID: ids.NewFeeSchedule(time.UnixMilli(1)), Rates: demo.Rates()}
	authorized, captured := s.Lines(fee.Authorized, 10_000, "amex"), s.Lines(fee.Captured, 10_000, "amex")
	all := slices.Concat(authorized, captured)
	want := []string{"authorization_fee", "capture_fee", "amex_surcharge_percentage", "platform_flat_fee",
		"platform_percentage"}
	if fee.Total(all) != 185 || !slices.Equal(names(all), want) {
		t.Errorf("%d for %v", fee.Total(all), names(all))
	}
	if got := s.Lines(fee.Captured, 10_000, "visa"); fee.Total(got) != 125 ||
		slices.Contains(names(got), "amex_surcharge_percentage") {
		t.Errorf("visa pays %d for %v", fee.Total(got), names(got))
	}
	text, err := json.Marshal(captured[1:3])
	id := s.ID.String()
	if err != nil ||
		string(text) != `[{"fee":"amex_surcharge_percentage","basis":10000,"rate":0.5,"amount":50,"schedule_id":"`+id+
			`"},`+
			`{"fee":"platform_flat_fee","amount":5,"schedule_id":"`+id+`"}]` {
		t.Errorf("%s, %v", text, err)
	}
}

func TestLinesAreRoundedByThemselves(t *testing.T) {
	t.Parallel()
	half := money.Percent(500)
	s := fee.Schedule{Rates: fee.Rates{AmexSurchargePercentage: 500, PlatformPercentage: &half}}
	if got := s.Lines(fee.Captured, 100, "amex"); fee.Total(got) != 2 { // 0.5 and 0.5: not 1 together
		t.Errorf("two halves cost %d: %v", fee.Total(got), got)
	}
	if got := s.Lines(fee.Captured, 99, "amex"); len(got) != 0 { // 0.495 is nothing
		t.Errorf("less than half costs %v", got)
	}
}

var kinds = []fee.Kind{fee.Authorized, fee.Captured, fee.BankSettled, fee.BankFailed, fee.BankReturned, fee.Chargeback,
	fee.Retrieval}

func flats() *rapid.Generator[money.Amount] {
	return rapid.Map(rapid.Int64Range(0, 300), func(v int64) money.Amount { return money.Amount(v) })
}

func percents() *rapid.Generator[money.Percent] {
	return rapid.Map(rapid.Int64Range(0, int64(money.PercentMax)),
		func(v int64) money.Percent { return money.Percent(v) })
}

func rates() *rapid.Generator[fee.Rates] {
	return rapid.Custom(func(t *rapid.T) fee.Rates {
		f := func(n string) money.Amount { return flats().Draw(t, n) }
		p := func(n string) money.Percent { return percents().Draw(t, n) }
		return fee.Rates{
			AuthorizationFee: f("authorization"), CaptureFee: f("capture"), AmexSurchargePercentage: p("amex"),
			ACHTransferFlatFee: f("ach flat"), ACHTransferPercentage: p("ach"), ACHTransferFailedFee: f("failed"),
			ACHReturnFee: f("return"), ChargebackFee: f("chargeback"), RetrievalFee: f("retrieval"),
			DAFPercentage: p("daf"), PlatformFlatFee: rapid.Ptr(flats(), true).Draw(t, "platform flat"),
			PlatformPercentage: rapid.Ptr(percents(), true).Draw(t, "platform"),
		}
	})
}

// halfUp is the rule of rounding, said in another way than the code's.
func halfUp(base money.Amount, p money.Percent) money.Amount {
	whole, rest := int64(base)*int64(p)/100_000, int64(base)*int64(p)%100_000
	if 2*rest >= 100_000 {
		whole++
	}
	return money.Amount(whole)
}

// expected is the domain's table of fees, written by hand: what an event costs, by name.
func expected(r fee.Rates, kind fee.Kind, base money.Amount, brand string) map[string]money.Amount {
	all := map[string]money.Amount{}
	platform := func() {
		if r.PlatformFlatFee != nil {
			all["platform_flat_fee"] = *r.PlatformFlatFee
		}
		if r.PlatformPercentage != nil {
			all["platform_percentage"] = halfUp(base, *r.PlatformPercentage)
		}
	}
	switch kind {
	case fee.Authorized:
		all["authorization_fee"] = r.AuthorizationFee
	case fee.Captured:
		all["capture_fee"] = r.CaptureFee
		if brand == "amex" {
			all["amex_surcharge_percentage"] = halfUp(base, r.AmexSurchargePercentage)
		}
		platform()
	case fee.BankSettled:
		all["ach_transfer_flat_fee"], all["ach_transfer_percentage"] = r.ACHTransferFlatFee, halfUp(base,
			r.ACHTransferPercentage)
		platform()
	case fee.BankFailed:
		all["ach_transfer_failed_fee"] = r.ACHTransferFailedFee
	case fee.BankReturned:
		all["ach_return_fee"] = r.ACHReturnFee
	case fee.Chargeback:
		all["chargeback_fee"] = r.ChargebackFee
	case fee.Retrieval:
		all["retrieval_fee"] = r.RetrievalFee
	}
	for name, amount := range all {
		if amount == 0 {
			delete(all, name)
		}
	}
	return all
}

func TestLinesOfAnyRates(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := fee.Schedule{ID: ids.NewFeeSchedule(time.UnixMilli(1)), Rates: rates().Draw(t, "rates")}
		base := money.Amount(rapid.Int64Range(0, int64(money.MaxCharge)).Draw(t, "base"))
		brand := rapid.SampledFrom([]string{"amex", "visa", ""}).Draw(t, "brand")
		kind := rapid.SampledFrom(kinds).Draw(t, "kind")
		lines := s.Lines(kind, base, brand)
		want := expected(s.Rates, kind, base, brand)
		var sum money.Amount
		for _, l := range lines {
			sum += l.Amount
			if want[l.Fee] != l.Amount || l.ScheduleID != s.ID || (l.Basis == nil) != (l.Rate == nil) {
				t.Fatalf("line %+v, want %v", l, want)
			}
			if l.Rate != nil && (l.Rate.Of(*l.Basis) != l.Amount || *l.Basis != base) {
				t.Fatalf("line %+v does not follow from its own members", l)
			}
			delete(want, l.Fee)
		}
		if sum != fee.Total(lines) || len(want) > 0 {
			t.Fatalf("%s of %s costs %d: %v, without %v", kind, brand, sum, lines, want)
		}
	})
}

func TestTermsAssessBothSchedules(t *testing.T) {
	t.Parallel()
	of := func(r fee.Rates) fee.Schedule {
		return fee.Schedule{ID: ids.NewFeeSchedule(time.UnixMilli(1)), Rates: r}
	}
	merchant, service := of(fee.Rates{CaptureFee: 20}), of(fee.Rates{CaptureFee: 7})
	with := fee.Terms{Merchant: merchant, Service: service}.Event(fee.Merchant{}, [16]byte{1}, fee.Captured, 100,
		"visa", time.UnixMilli(1))
	if fee.Total(with.Lines) != 20 || fee.Total(with.ServiceLines) != 7 || with.ScheduleID != merchant.ID ||
		with.ServiceScheduleID != service.ID {
		t.Errorf("%+v", with)
	}
	without := fee.Terms{Merchant: merchant}.Event(fee.Merchant{}, [16]byte{1}, fee.Captured, 100, "visa",
		time.UnixMilli(1))
	if fee.Total(without.Lines) != 20 || len(without.ServiceLines) != 0 || !without.ServiceScheduleID.IsZero() {
		t.Errorf("%+v", without)
	}
}

func TestValidationNamesEveryRate(t *testing.T) {
	t.Parallel()
	least, most := money.Amount(-1), money.PercentMax+1
	bad := fee.Rates{AuthorizationFee: -1, CaptureFee: money.MaxCharge + 1, AmexSurchargePercentage: -1,
		ACHTransferFlatFee:    -1,
		ACHTransferPercentage: money.PercentMax + 1, ACHTransferFailedFee: -1, ACHReturnFee: -1, ChargebackFee: -1,
		RetrievalFee:    -1,
		PlatformFlatFee: &least, PlatformPercentage: &most, DAFPercentage: -1}
	var got []string
	for _, f := range bad.Validate() {
		got = append(got, f.Param)
	}
	var all []string
	for _, s := range fee.Settings() {
		all = append(all, s.Name)
	}
	if !slices.Equal(got, all) || len(all) != 12 {
		t.Errorf("mistakes of %v, settings %v", got, all)
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rates().Draw(t, "a"), rates().Draw(t, "b")
		if fs := a.Validate(); len(fs) > 0 {
			t.Fatalf("%v", fs)
		}
		textA, _ := json.Marshal(a)
		textB, _ := json.Marshal(b)
		if !a.Equal(a) || a.Equal(b) != (string(textA) == string(textB)) {
			t.Fatalf("%s, %s", textA, textB)
		}
	})
	if zero := money.Amount(0); (fee.Rates{PlatformFlatFee: &zero}).Equal(fee.Rates{}) {
		t.Error("zero and off are told apart nowhere")
	}
}

func TestOnlyOneSettingIsWrittenThroughTheAPI(t *testing.T) {
	t.Parallel()
	for _, s := range fee.Settings() {
		err := fee.PortalOnly("name", s.Name)
		f, refused := fault.As(err)
		if want := s.Name != "daf_percentage"; refused != want || refused &&
			(f.Kind != fault.KindForbidden || f.Code != "fee_portal_only" || f.Param != s.Name) {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
	if err := fee.PortalOnly("metadata", "domains"); err != nil {
		t.Error(err)
	}
}

// TestSettingsDocument compares docs/fees.md with the settings that the code computes with.
func TestSettingsDocument(t *testing.T) {
	t.Parallel()
	var want strings.Builder
	want.WriteString("| setting | unit | events | posted when | percentage of |\n|---|---|---|---|---|\n")
	for _, s := range fee.Settings() {
		unit, events, base := string(s.Unit), "–", "–"
		if s.Optional {
			unit += ", null = off"
		}
		for i, k := range s.Kinds {
			if events = "`" + string(k) + "`"; i > 0 {
				events = "`" + string(s.Kinds[0]) + "`, " + events
			}
		}
		if s.Base != "" {
			base = s.Base
		}
		fmt.Fprintf(&want, "| `%s` | %s | %s | %s | %s |\n", s.Name, unit, events, s.Posted, base)
	}
	text, err := os.ReadFile("../../docs/fees.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), want.String()) {
		t.Errorf("docs/fees.md must contain this table:\n%s", want.String())
	}
}
