package merchant_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/check/patch"
	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

func pageOf(limit int) page.Input[int64] { return page.Input[int64]{Limit: limit} }

// update carries out what a body says.
func update(t testing.TB, w *fixture.World, id int64, body string) (merchant.Merchant, error) {
	t.Helper()
	var in merchant.UpdateInput
	if err := json.Unmarshal([]byte(body), &in); err != nil {
		t.Fatal(err)
	}
	out, err := w.Merchants.Update(t.Context(), w.Actor(), id, in, nil)
	return out.Object, err
}

func TestUpdatesAreMerged(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	id := w.App.Merchants.US
	before := get(t, w, id)
	w.Clock.Advance(time.Minute)
	m, err := update(t, w, id,
		`{"name":"Riverside Pantry","time_zone":"America/Denver","payout_schedule":"monthly","payout_day_of_month":15,
		"bank_processor":"q","statement_descriptor":"RIVERSIDE PANTRY","external_id":"r-1","metadata":{"a":"b","c":"d"},
		"has_wallet_a":false,"has_daf_provider":true,"domains":["b.example","A.example","b.example"],"daf_percentage":2.5}`)
	if err != nil {
		t.Fatal(err)
	}
	next, _ := m.NextPayout(w.Clock.Now())
	want := before
	want.Version, want.Name, want.TimeZone, want.PayoutSchedule, want.PayoutDayOfMonth = 2, "Riverside Pantry",
		"America/Denver", merchant.Monthly, ptr(15)
	want.BankProcessor, want.ChosenBankProcessor, want.StatementDescriptor, want.ExternalID, want.Metadata = "q", "q",
		"RIVERSIDE PANTRY", ptr("r-1"), map[string]string{"a": "b", "c": "d"}
	want.HasWalletA, want.HasDAFProvider, want.Domains, want.DAFPercentage = false, true, []string{
		"b.example", "a.example"}, 2500
	want.CanProcess.WalletA, want.UpdatedAt = false, m.UpdatedAt
	if !reflect.DeepEqual(m, want) || !m.UpdatedAt.Equal(w.Clock.Now()) {
		t.Errorf("%+v, want %+v", m, want)
	}
	if stored := get(t, w, id); !stored.NextPayoutAt.Equal(next) || stored.DAFPercentage != 2500 {
		t.Errorf("%+v", stored)
	}
	previous, err := pg.Value[map[string]any](t.Context(), w.Pool, `SELECT previous_attributes FROM events
		WHERE object_id = @id AND position = 2 AND type = 'merchant.updated'`,
		pg.Args{"id": merchant.ObjectID(id)})
	if err != nil || previous["name"] != before.Name || previous["daf_percentage"] != float64(2) ||
		previous["country"] != nil || previous["can_process"] == nil {
		t.Errorf("%v, %v", previous, err)
	}
	rates, err := w.Fees.Current(t.Context(), w.Actor(), id)
	if err != nil || rates.DAFPercentage != 2500 || rates.CaptureFee != 20 {
		t.Errorf("%+v, %v", rates, err)
	}
	m, err = update(t, w, id,
		`{"external_id":null,"metadata":null,"domains":null,"payout_schedule":"daily","ein":null}`)
	if err != nil || m.ExternalID != nil || len(m.Metadata) != 0 || len(m.Domains) != 0 ||
		m.PayoutSchedule != merchant.Daily || m.PayoutDayOfMonth != nil || m.EIN != nil || m.Version != 3 {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestUpdatesThatChangeNothing(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	before := get(t, w, w.App.Merchants.US)
	rows := count(t, w, `fee_schedules`, pg.Args{})
	for _, body := range []string{
		`{}`, `{"domains":["SHOP.example","shop.example"]}`, `{"metadata":{}}`, `{"metadata":null}`,
		`{"external_id":null}`, `{"daf_percentage":2.000}`,
		`{"payout_schedule":"daily","payout_weekday":null}`,
		`{"ein":"04-3567500","nonprofit":true,"has_wallet_a":true,"time_zone":"America/New_York"}`,
	} {
		if m, err := update(t, w, before.ID, body); err != nil || !reflect.DeepEqual(m, before) {
			t.Errorf("%s: %+v, %v", body, m, err)
		}
	}
	if n := count(t, w, `events WHERE object_id = @id`, pg.Args{"id": merchant.ObjectID(before.ID)}); n != 1 ||
		count(t, w, `fee_schedules`, pg.Args{}) != rows {
		t.Errorf("%d events", n)
	}
}

func TestUpdatesThatAreRefused(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	w.Merchant(merchant.CreateInput{ExternalID: ptr("taken")})
	taken := count(t, w, `merchants WHERE external_id = 'taken'`, pg.Args{})
	for body, want := range map[string]string{
		`{"name":null,"nonprofit":null,"has_wallet_a":null}`: "name parameter_invalid|nonprofit parameter_invalid|has_wallet_a parameter_invalid",
		`{"bank_processor":null,"time_zone":null,"payout_schedule":null,"has_daf_provider":null,"daf_percentage":null,"statement_descriptor":null}`: "bank_processor parameter_invalid|time_zone parameter_invalid|" +
			"payout_schedule parameter_invalid|has_daf_provider parameter_invalid|daf_percentage parameter_invalid|statement_descriptor parameter_invalid",
		`{"name":""}`: "name parameter_invalid", `{"time_zone":"Mars"}`: "time_zone parameter_invalid",
		`{"ein":"1"}`:                   "ein parameter_invalid",
		`{"payout_schedule":"weekly"}`:  "payout_weekday parameter_invalid",
		`{"payout_weekday":1}`:          "payout_weekday parameter_invalid",
		`{"payout_schedule":"x"}`:       "payout_schedule parameter_invalid",
		`{"domains":["a.example","b"]}`: "domains[1] domain_invalid",
		`{"metadata":{"":"x"}}`:         "metadata parameter_invalid",
		`{"external_id":""}`:            "external_id parameter_invalid",
		`{"bank_processor":"x"}`:        "bank_processor parameter_invalid",
	} {
		if _, err := update(t, w, w.App.Merchants.US, body); strings.Join(mistakes(err), "|") != want {
			t.Errorf("%s: %v", body, mistakes(err))
		}
	}
	for _, c := range []struct {
		id         int64
		body, code string
	}{
		{w.App.Merchants.CA, `{"has_daf_provider":true,"nonprofit":true}`, "daf_not_eligible"},
		{w.App.Merchants.CA, `{"ein":"04-3567500"}`, "parameter_invalid"},
		{w.App.Merchants.US, `{"has_daf_provider":true,"nonprofit":false}`, "daf_not_eligible"},
		{w.App.Merchants.US, `{"external_id":"taken"}`, "external_id_taken"},
		{w.Other.Merchants.US, `{"name":"x"}`, "resource_missing"}, {0, `{}`, "resource_missing"},
		{-1, `{}`, "resource_missing"}, {1 << 40, `{}`, "resource_missing"},
	} {
		if _, err := update(t, w, c.id, c.body); !fault.HasCode(err, c.code) {
			t.Errorf("%d %s: %v", c.id, c.body, err)
		}
	}
	if m := get(t, w, w.App.Merchants.US); m.Version != 1 || taken != 1 {
		t.Errorf("%+v", m)
	}
}

func TestEnrollmentKeepsItsEIN(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	id := w.App.Merchants.US
	if _, err := pg.Exec(t.Context(), w.Pool, `UPDATE merchants SET daf_provider_connect_id = 'conn_1'
		WHERE id = @id`, pg.Args{"id": id}); err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{`{"ein":null}`, `{"ein":"04-3567501"}`} {
		if _, err := update(t, w, id, body); !slices.Equal(mistakes(err), []string{"ein parameter_read_only"}) {
			t.Errorf("%s: %v", body, err)
		}
	}
	if m, err := update(t, w, id, `{"ein":"04-3567500","has_daf_provider":true}`); err != nil || !m.CanProcess.DAF ||
		m.Version != 2 {
		t.Errorf("%+v, %v", m, err)
	}
	if m, err := update(t, w, id, `{"has_daf_provider":false,"nonprofit":false}`); err != nil || m.CanProcess.DAF {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestUpdatesOfTheVersionThatWasRead(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	id := w.App.Merchants.US
	in := merchant.UpdateInput{Name: patch.Set("New"), IfVersion: ptr(2)}
	claim := &idempotency.Claim{ApplicationID: w.App.AppID, Key: "k", Method: "PUT", Params: map[string]string{},
		RequestID: w.Actor().RequestID}
	if _, err := w.Merchants.Update(t.Context(), w.Actor(), id, in, claim); !fault.HasCode(err, "object_changed") {
		t.Errorf("%v", err)
	}
	in.IfVersion = ptr(1)
	if out, err := w.Merchants.Update(t.Context(), w.Actor(), id, in, claim); err != nil || out.Object.Version != 2 {
		t.Errorf("%+v, %v", out, err)
	}
	if out, err := w.Merchants.Update(t.Context(), w.Actor(), id, in, claim); err != nil || out.Prior == nil {
		t.Errorf("again: %+v, %v", out, err)
	}
}

// TestConcurrentUpdatesLoseNothing: each of several programs that write a member of their own finds it there.
func TestConcurrentUpdatesLoseNothing(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	id := w.App.Merchants.US
	bodies := []string{`{"name":"A"}`, `{"nonprofit":false}`, `{"external_id":"x"}`, `{"metadata":{"a":"b"}}`,
		`{"domains":["x.example"]}`, `{"daf_percentage":7}`}
	var all sync.WaitGroup
	for _, body := range bodies {
		all.Go(func() {
			if _, err := update(t, w, id, body); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	m := get(t, w, id)
	if m.Name != "A" || m.Nonprofit || *m.ExternalID != "x" || m.Metadata["a"] != "b" || m.Domains[0] != "x.example" ||
		m.DAFPercentage != 7000 || m.Version != 1+len(bodies) {
		t.Errorf("%+v", m)
	}
	if n := count(t, w, `events WHERE object_id = @id`, pg.Args{"id": merchant.ObjectID(id)}); n != m.Version {
		t.Errorf("%d events for version %d", n, m.Version)
	}
}

// TestAnExternalIDIsTakenOnce also when several want it at once.
func TestAnExternalIDIsTakenOnce(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	var all sync.WaitGroup
	errs := make([]error, 6)
	for i := range errs {
		all.Go(func() {
			if i%2 == 0 {
				_, errs[i] = update(t, w, []int64{w.App.Merchants.US, w.App.Merchants.USQ, w.App.Merchants.CA}[i/2],
					`{"external_id":"one"}`)
				return
			}
			in := least(w, "x", "US")
			in.ExternalID = ptr("one")
			_, errs[i] = w.Merchants.Create(t.Context(), w.Actor(), in, nil)
		})
	}
	all.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if f, ok := fault.As(err); !ok || f.Code != "external_id_taken" || f.Detail["merchant_id"] == nil {
			t.Error(err)
		}
	}
	if won != 1 {
		t.Errorf("%d have it: %v", won, errors.Join(errs...))
	}
}

func TestDAFPercentageIsTheOneInForce(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	id := w.App.Merchants.US
	now, err := w.Fees.Current(t.Context(), w.Admin(), id)
	if err != nil {
		t.Fatal(err)
	}
	later := w.Clock.Now().Add(48 * time.Hour)
	now.DAFPercentage = 3125
	if _, err := w.Fees.Schedule(t.Context(), w.Admin(), id,
		fee.Change{Rates: now.Rates, EffectiveAt: &later, Reason: "agreed", Base: now.Latest}); err != nil {
		t.Fatal(err)
	}
	if m := get(t, w, id); m.DAFPercentage != 2000 {
		t.Errorf("%v before it is due", m.DAFPercentage)
	}
	if err := w.Clocks.Advance(t.Context(), w.App.AppID, 48*time.Hour); err != nil { // the application's time counts
		t.Fatal(err)
	}
	if m := get(t, w, id); m.DAFPercentage != 3125 {
		t.Errorf("%v when it is due", m.DAFPercentage)
	}
	if m := get(t, w, w.App.Merchants.CA); m.DAFPercentage != money.Percent(2000) {
		t.Errorf("%v of another merchant", m.DAFPercentage)
	}
}

// TestUpdatesOfAnyKind: what is written is what is read, each change has a version and an event with
// the former values, and the same again changes nothing.
func TestUpdatesOfAnyKind(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	id := w.App.Merchants.US
	members := map[string]*rapid.Generator[string]{
		"name": rapid.SampledFrom([]string{`"A"`, `"B"`}), "nonprofit": rapid.SampledFrom([]string{`true`, `false`}),
		"ein":             rapid.SampledFrom([]string{`null`, `"04-3567500"`, `"12-1111111"`}),
		"has_wallet_a":    rapid.SampledFrom([]string{`true`, `false`}),
		"domains":         rapid.SampledFrom([]string{`null`, `[]`, `["a.example"]`, `["b.example","a.example"]`}),
		"metadata":        rapid.SampledFrom([]string{`null`, `{}`, `{"a":"1"}`, `{"b":"2"}`}),
		"daf_percentage":  rapid.SampledFrom([]string{`2`, `3.5`}),
		"external_id":     rapid.SampledFrom([]string{`null`, `"x"`}),
		"payout_schedule": rapid.SampledFrom([]string{`"daily"`}),
	}
	names := []string{"name", "nonprofit", "ein", "has_wallet_a", "domains", "metadata", "daf_percentage",
		"external_id", "payout_schedule"}
	rapid.Check(t, func(rt *rapid.T) {
		before := get(t, w, id)
		var parts []string
		for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom(names), rapid.ID[string]).Draw(rt, "names") {
			parts = append(parts, `"`+name+`":`+members[name].Draw(rt, name))
		}
		body := "{" + strings.Join(parts, ",") + "}"
		after, err := update(t, w, id, body)
		if err != nil || !reflect.DeepEqual(get(t, w, id), after) {
			rt.Fatalf("%s: %+v, read as %+v, %v", body, after, get(t, w, id), err)
		}
		if again, err := update(t, w, id, body); err != nil || !reflect.DeepEqual(again, after) {
			rt.Fatalf("%s again: %+v, %v", body, again, err)
		}
		same := before
		same.Version, same.UpdatedAt = after.Version, after.UpdatedAt
		if (after.Version == before.Version) != reflect.DeepEqual(same, after) || after.Version > before.Version+1 {
			rt.Fatalf("%s: version %d after %d, %+v", body, after.Version, before.Version, after)
		}
		if n := count(t, w, `events WHERE object_id = @id`, pg.Args{"id": merchant.ObjectID(id)}); n != after.Version {
			rt.Fatalf("%d events for version %d", n, after.Version)
		}
	})
}

func TestMerchantsAreListed(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	us, usq, ca := w.App.Merchants.US, w.App.Merchants.USQ, w.App.Merchants.CA
	w.Clock.Advance(time.Hour)
	more := w.Merchant(merchant.CreateInput{Organization: &merchant.NewOrganization{Name: ptr("New")},
		ExternalID: ptr("x"), Metadata: map[string]string{"a": "1", "b": "2"},
		Nonprofit: ptr(true), HasDAFProvider: ptr(true)})
	if _, err := w.Merchants.SetStatus(t.Context(), w.Admin(),
		merchant.StatusInput{MerchantID: ca, Status: merchant.Closed, Reason: "x"}); err != nil {
		t.Fatal(err)
	}
	list := func(change func(*merchant.ListInput)) []int64 {
		t.Helper()
		in := merchant.ListInput{Page: pageOf(10)}
		change(&in)
		p, err := w.Merchants.List(t.Context(), w.Actor(), in)
		if err != nil {
			t.Fatal(err)
		}
		out := []int64{}
		for _, m := range p.Items {
			if out = append(out, m.ID); m.ApplicationID != w.App.AppID || m.Object != "merchant" || m.Domains == nil {
				t.Errorf("%+v", m)
			}
		}
		return out
	}
	hour := w.Clock.Now().Add(-time.Minute)
	for name, c := range map[string]struct {
		change func(*merchant.ListInput)
		want   []int64
	}{
		"all":            {func(*merchant.ListInput) {}, []int64{more.ID, ca, usq, us}},
		"up":             {func(in *merchant.ListInput) { in.Page.Ascending = true }, []int64{us, usq, ca, more.ID}},
		"after":          {func(in *merchant.ListInput) { in.Page.After = ca }, []int64{usq, us}},
		"before":         {func(in *merchant.ListInput) { in.Page.Before = us }, []int64{more.ID, ca, usq}},
		"one before":     {func(in *merchant.ListInput) { in.Page.Before, in.Page.Limit = us, 1 }, []int64{usq}},
		"closed":         {func(in *merchant.ListInput) { in.Statuses = []string{"closed", "suspended"} }, []int64{ca}},
		"organization":   {func(in *merchant.ListInput) { in.Organizations = []int64{more.Organization.ID} }, []int64{more.ID}},
		"country":        {func(in *merchant.ListInput) { in.Countries = []string{"CA"} }, []int64{ca}},
		"currency":       {func(in *merchant.ListInput) { in.Currencies = []string{"usd"} }, []int64{more.ID, usq, us}},
		"external id":    {func(in *merchant.ListInput) { in.ExternalID = ptr("x") }, []int64{more.ID}},
		"wallet":         {func(in *merchant.ListInput) { in.HasWalletA = ptr(true) }, []int64{usq, us}},
		"no wallet":      {func(in *merchant.ListInput) { in.HasWalletA = ptr(false) }, []int64{more.ID, ca}},
		"daf":            {func(in *merchant.ListInput) { in.HasDAFProvider = ptr(true) }, []int64{more.ID}},
		"metadata":       {func(in *merchant.ListInput) { in.Metadata = map[string]string{"b": "2"} }, []int64{more.ID}},
		"other metadata": {func(in *merchant.ListInput) { in.Metadata = map[string]string{"b": "1"} }, []int64{}},
		"since":          {func(in *merchant.ListInput) { in.Created.From = &hour }, []int64{more.ID}},
		"until":          {func(in *merchant.ListInput) { in.Created.Until = &hour }, []int64{ca, usq, us}},
	} {
		if got := list(c.change); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
