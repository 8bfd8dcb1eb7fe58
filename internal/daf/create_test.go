package daf_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/daf"
	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
)

func TestIntegratedDonation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := w.input(daf.Integrated, 12_500)
	in.User = &daf.UserInput{FirstName: ptr("Ada"), LastName: ptr("Byron"), Email: ptr("ada@example.org"),
		Note: ptr("For\nthe roof")}
	in.ExternalID, in.Metadata, in.Anonymous = ptr("gift-1"), map[string]string{"campaign": "spring"}, ptr(true)
	actor := w.Actor()
	actor.KeyName = "Server"
	out, err := w.DAF.Create(t.Context(), actor, in, nil)
	if err != nil || out.Existing || out.Unknown {
		t.Fatalf("%+v, %v", out, err)
	}
	d := out.Object
	if got := w.get(d.ID); !reflect.DeepEqual(got, d) {
		t.Errorf("it is read as %s\nwas told as %s", jsonOf(t, got), jsonOf(t, d))
	}
	if d.Kind != daf.Integrated || d.Status != daf.Initiated || d.Amount != 12_500 || d.Currency != money.USD ||
		deref(d.TrackingID) != trackingOf(d.ID.String()) ||
		deref(d.WorkflowSessionID) != *in.WorkflowSessionID || d.GrantID != nil || d.Provider == nil ||
		d.Provider.Name != "scripted" || d.Provider.Reference != d.ID.String() {
		t.Errorf("%s", jsonOf(t, d))
	}
	if d.User != (daf.User{FirstName: "Ada", LastName: "Byron", Email: "ada@example.org", Note: "For\nthe roof"}) ||
		!d.Anonymous ||
		deref(d.ExternalID) != "gift-1" || d.Metadata["campaign"] != "spring" || d.Fund.Name == "" ||
		d.Object != "daf_donation" || d.Livemode {
		t.Errorf("%s", jsonOf(t, d))
	}
	fees := jsonOf(t, d.Fees)
	schedule := d.Fees[0].ScheduleID.String()
	if want := `[{"fee":"daf_percentage","basis":12500,"rate":2,"amount":250,"schedule_id":"` + schedule + `"},` +
		`{"fee":"daf_provider_percentage","basis":12500,"rate":2.9,"amount":363}]`; fees != want || schedule == "" ||
		d.FeeTotal != 613 || d.Net != 11_887 {
		t.Errorf("%s, %d, %d", fees, d.FeeTotal, d.Net)
	}
	if h := d.StatusHistory; len(h) != 1 || h[0].Status != daf.Initiated || h[0].Source != daf.FromAPI ||
		deref(h[0].KeyName) != "Server" || h[0].User != nil || h[0].At != d.CreatedAt {
		t.Errorf("%s", jsonOf(t, h))
	}
	if events := w.told(d.ID); d.Version != 2 ||
		!slices.Equal(events, []string{"daf_donation.created", "daf_donation_updated"}) {
		t.Errorf("version %d, %v", d.Version, events)
	}
	if g := w.p.calls; len(g) != 1 || g[0].Reference != d.ID.String() || g[0].Amount != 12_500 || g[0].VisitID == "" {
		t.Errorf("%+v", g)
	}
	w.audit()
}

func TestNonintegratedDonation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := w.input(daf.Nonintegrated, 5_000)
	in.User, in.Anonymous = nil, ptr(true)
	d := w.create(in, nil).Object
	if got := w.get(d.ID); !reflect.DeepEqual(got, d) {
		t.Errorf("it is read as %s\nwas told as %s", jsonOf(t, got), jsonOf(t, d))
	}
	if d.Status != daf.Unknown || d.TrackingID != nil || d.Provider != nil || len(d.Fees) != 0 || d.FeeTotal != 0 ||
		d.Net != 5_000 || d.User != (daf.User{}) ||
		d.WorkflowSessionID != nil || deref(d.GrantID) != *in.GrantID || d.Version != 1 || len(w.p.calls) != 0 ||
		!slices.Equal(w.told(d.ID), []string{"daf_donation.created"}) {
		t.Errorf("%s, %v, %v", jsonOf(t, d), w.p.calls, w.told(d.ID))
	}
	if text := jsonOf(t, d); !strings.Contains(text, `"fees":[]`) ||
		!strings.Contains(text, `"status_history":[{"status":"unknown"`) {
		t.Error(text)
	}
	w.audit()
}

// The donor of a nonintegrated donation makes the grant: the amount is what the application says.
func TestAmountOfANonintegratedDonationMayDiffer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := w.input(daf.Nonintegrated, 5_000)
	in.Amount = ptr[money.Amount](7_500)
	if d := w.create(in, nil).Object; d.Amount != 7_500 {
		t.Errorf("%d", d.Amount)
	}
}

func TestRefusalsLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	us := w.App.Merchants.US
	merchantIs := func(set string) func() {
		return func() { w.sql(`UPDATE merchants SET `+set+` WHERE id = @id`, pg.Args{"id": us}) }
	}
	for name, c := range map[string]struct {
		change func(*daf.CreateInput)
		before func()
		want   string
		param  string
	}{
		"forged":             {func(in *daf.CreateInput) { in.WorkflowSessionID = ptr("ws_" + strings.Repeat("a", 26)) }, nil, "daf_session_not_found", "workflowSessionId"},
		"forged grant":       {func(in *daf.CreateInput) { in.WorkflowSessionID, in.GrantID = nil, ptr("gr_x") }, nil, "daf_session_not_found", "grantId"},
		"another merchant's": {func(in *daf.CreateInput) { in.MerchantID = &w.App.Merchants.CA }, nil, "daf_session_not_found", "workflowSessionId"},
		"no such merchant":   {func(in *daf.CreateInput) { in.MerchantID = ptr[int64](1 << 40) }, nil, "merchant_not_associated", "merchant_id"},
		"a foreign merchant": {func(in *daf.CreateInput) { in.MerchantID = &w.Other.Merchants.US }, nil, "merchant_not_associated", "merchant_id"},
		"another amount":     {func(in *daf.CreateInput) { in.Amount = ptr[money.Amount](600) }, nil, "daf_amount_mismatch", "amount"},
		"no whole dollars":   {func(in *daf.CreateInput) { in.Amount = ptr[money.Amount](550) }, nil, "daf_amount_not_whole_dollar", "amount"},
		"suspended":          {nil, merchantIs(`status = 'suspended'`), "merchant_not_active", "merchant_id"},
		"Canadian": {func(in *daf.CreateInput) {
			in.MerchantID = &w.App.Merchants.CA
			in.WorkflowSessionID = ptr(w.Authorized(w.App, w.App.Merchants.CA, daf.Integrated, 500))
		}, nil, "daf_not_eligible", "merchant_id"},
		"for profit":                {nil, merchantIs(`nonprofit = false, has_daf_provider = false`), "daf_not_eligible", "merchant_id"},
		"not enabled":               {nil, merchantIs(`has_daf_provider = false`), "daf_not_enabled", "merchant_id"},
		"not enrolled":              {nil, merchantIs(`daf_provider_connect_id = NULL`), "daf_not_enrolled", "merchant_id"},
		"neither":                   {nil, merchantIs(`has_daf_provider = false, daf_provider_connect_id = NULL`), "daf_not_enabled", "merchant_id"},
		"a second too late":         {nil, func() { w.Clock.Advance(15*time.Minute + time.Millisecond) }, "daf_session_expired", "workflowSessionId"},
		"a bad body":                {func(in *daf.CreateInput) { in.GrantID = in.WorkflowSessionID }, nil, "parameters_exclusive", "grantId"},
		"a taken external id, then": {func(in *daf.CreateInput) { in.ExternalID = ptr("taken") }, nil, "external_id_taken", "external_id"},
	} {
		if c.want == "external_id_taken" {
			in := w.input(daf.Nonintegrated, 100)
			in.ExternalID = ptr("taken")
			d := w.create(in, nil).Object
			w.sql(`DELETE FROM events WHERE object_id = @id`, pg.Args{"id": d.ID.Bytes()})
			w.sql(`DELETE FROM daf_workflows WHERE donation_id = @id`, pg.Args{"id": d.ID})
		}
		in := w.input(daf.Integrated, 500)
		if c.change != nil {
			c.change(&in)
		}
		if c.before != nil {
			c.before()
		}
		claim := w.claim(name)
		_, err := w.DAF.Create(t.Context(), w.Actor(), in, claim)
		f, ok := fault.As(err)
		if !ok || f.Code != c.want || f.Param != c.param {
			t.Errorf("%s: %v on %q", name, err, f.Param)
		}
		prior, err := idempotency.Find(t.Context(), w.Pool, claim)
		if n := w.count(`daf_donations WHERE external_id IS DISTINCT FROM 'taken'`) + w.count(`processor_operations`) +
			w.count(`daf_workflows WHERE donation_id IS NOT NULL`) +
			w.count(`events WHERE type LIKE 'daf%'`); n != 0 || err != nil || prior != nil || len(w.p.calls) != 0 {
			t.Errorf("%s left %d rows, %v, %v, %v", name, n, prior, err, w.p.calls)
		}
		w.sql(`UPDATE merchants SET status = 'active' WHERE id = @id`, pg.Args{"id": us})
		w.TakesDAF(us)
	}
}

func TestLastMomentOfAnAuthorization(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := w.input(daf.Integrated, 100)
	w.Clock.Advance(15 * time.Minute)
	d := w.create(in, nil).Object
	w.Clock.Advance(24 * time.Hour)
	if again := w.create(in, nil); again.Object.ID != d.ID || !again.Existing {
		t.Errorf("a repetition after a day made %v", again.Object.ID)
	}
}

func TestMayNot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.make(daf.Nonintegrated, 100)
	in := w.input(daf.Integrated, 100)
	limited := authz.Actor{Role: authz.RoleRestrictedKey, ApplicationID: w.App.AppID,
		Restriction: &authz.Restriction{Rights: []authz.Right{"donation:write"},
			Merchants: []int64{w.App.Merchants.CA}}}
	if _, err := w.DAF.Create(t.Context(), limited, in, nil); code(err) != "merchant_not_associated" {
		t.Error(err)
	}
	if _, err := w.DAF.Update(t.Context(), limited, d.ID.String(), status(daf.Completed),
		nil); code(err) != "resource_missing" {
		t.Error(err)
	}
	w.Gate.Shut()
	_, create := w.DAF.Create(t.Context(), w.Actor(), in, nil)
	_, get := w.DAF.Get(t.Context(), w.Actor(), d.ID.String())
	_, list := w.DAF.List(t.Context(), w.Actor(), daf.ListInput{})
	_, update := w.DAF.Update(t.Context(), w.Actor(), d.ID.String(), daf.UpdateInput{}, nil)
	_, bulk := w.DAF.SetStatuses(t.Context(), w.Actor(), daf.BulkInput{})
	for i, err := range []error{create, get, list, update, bulk} {
		if code(err) != "permission_denied" {
			t.Errorf("%d: %v", i, err)
		}
	}
}

func TestSameRequestAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, kind := range []daf.Kind{daf.Integrated, daf.Nonintegrated} {
		in := w.input(kind, 900)
		in.Metadata, in.ExternalID = map[string]string{}, ptr(string(kind))
		first := w.create(in, nil).Object
		in.Metadata, in.Anonymous = nil, ptr(false) // says the same
		again := w.create(in, nil)
		if !again.Existing || again.Unknown || !reflect.DeepEqual(again.Object, first) {
			t.Errorf("%s: %+v", kind, again)
		}
		w.sql(`UPDATE merchants SET status = 'suspended', has_daf_provider = false
			WHERE id = @id`, pg.Args{"id": w.App.Merchants.US})
		if again := w.create(in,
			w.claim("of a merchant that takes no more "+string(kind))); again.Object.ID != first.ID {
			t.Errorf("%s: %+v", kind, again)
		}
		w.sql(`UPDATE merchants SET status = 'active', has_daf_provider = true
			WHERE id = @id`, pg.Args{"id": w.App.Merchants.US})
	}
	if n := w.count(`daf_donations`); n != 2 || len(w.p.calls) != 1 {
		t.Errorf("%d donations, %d grants", n, len(w.p.calls))
	}
	if n := w.count(`idempotency_keys`); n != 0 {
		t.Errorf("%d keys of repetitions are taken", n)
	}
	w.audit()
}

func TestOtherRequestOfOneAuthorization(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, kind := range []daf.Kind{daf.Integrated, daf.Nonintegrated} {
		in := w.input(kind, 900)
		d := w.create(in, nil).Object
		for what, change := range map[string]func(*daf.CreateInput){
			"amount": func(in *daf.CreateInput) { in.Amount = ptr[money.Amount](1000) },
			"user": func(in *daf.CreateInput) {
				in.User = &daf.UserInput{FirstName: ptr("Eve"), LastName: ptr(""), Email: ptr("")}
			},
			"anonymous":   func(in *daf.CreateInput) { in.Anonymous = ptr(true) },
			"external id": func(in *daf.CreateInput) { in.ExternalID = ptr("x") },
			"metadata":    func(in *daf.CreateInput) { in.Metadata = map[string]string{"a": "b"} },
		} {
			other := in
			change(&other)
			_, err := w.DAF.Create(t.Context(), w.Actor(), other, nil)
			if f, ok := fault.As(err); !ok || f.Code != "daf_session_already_used" ||
				f.Detail["donation_id"] != d.ID.String() {
				t.Errorf("%s, other %s: %v", kind, what, err)
			}
		}
	}
	if n := w.count(`daf_donations`); n != 2 {
		t.Errorf("%d donations", n)
	}
}

// Many posts of one authorization, some with keys, make one donation, one grant and one answer.
func TestConcurrentPostsMakeOneDonation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := w.input(daf.Integrated, 2_500)
	const posts = 12
	var wg sync.WaitGroup
	var mu sync.Mutex
	donations, made, busy := map[string]int{}, 0, 0
	for i := range posts {
		wg.Go(func() {
			var claim *idempotency.Claim
			switch {
			case i%3 == 1:
				claim = w.claim("the same key")
			case i%3 == 2:
				claim = w.claim("key " + string(rune('a'+i)))
			}
			out, err := w.DAF.Create(t.Context(), w.Actor(), in, claim)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case code(err) == "idempotency_key_in_use":
				busy++
			case err != nil:
				t.Error(err)
			case out.Prior != nil && out.Prior.State == idempotency.Done:
				donations[strings.Split(string(out.Prior.Outcome.Result), `"`)[3]]++
			default:
				donations[out.Object.ID.String()]++
				if !out.Existing && out.Prior == nil {
					made++
				}
			}
		})
	}
	wg.Wait()
	if len(donations) != 1 || made != 1 || w.count(`daf_donations`) != 1 || len(w.p.calls) != 1 {
		t.Errorf("donations %v, %d made, %d busy, %d grants", donations, made, busy, len(w.p.calls))
	}
	w.audit()
}

func TestKeyGivesTheDonationAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, kind := range []daf.Kind{daf.Integrated, daf.Nonintegrated} {
		in, claim := w.input(kind, 300), w.claim("key of "+string(kind))
		d := w.create(in, claim).Object
		again := w.create(in, claim)
		if again.Prior == nil || string(again.Prior.Outcome.Result) != jsonOf(t, d) {
			t.Errorf("%s: %+v", kind, again)
		}
		other := *claim
		other.Fingerprint[0]++
		if _, err := w.DAF.Create(t.Context(), w.Actor(), in, &other); code(err) != "idempotency_key_reused" {
			t.Error(err)
		}
	}
	w.audit()
}

func TestValidateTellsAllMistakes(t *testing.T) {
	t.Parallel()
	in := daf.CreateInput{MerchantID: ptr[int64](0), Amount: ptr[money.Amount](0), ExternalID: ptr(""),
		Metadata:          map[string]string{"": ""},
		WorkflowSessionID: ptr(""), GrantID: ptr(strings.Repeat("x", 200)),
		User: &daf.UserInput{FirstName: ptr("4242424242424242"), LastName: ptr("a\x00"), Email: ptr("no address"),
			Note: ptr(strings.Repeat("x", 501))}}
	got := map[string]string{}
	for _, f := range in.Validate() {
		got[f.Param] += f.Code + " "
	}
	want := map[string]string{"merchant_id": "parameter_invalid ", "amount": "amount_too_small ",
		"external_id": "parameter_invalid ", "metadata": "parameter_invalid ",
		"workflowSessionId": "parameter_invalid ", "grantId": "parameter_invalid ",
		"user.firstName": "parameter_invalid ",
		"user.lastName":  "parameter_invalid ", "user.email": "parameter_invalid ", "user.note": "parameter_invalid "}
	if !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
	missing := map[string]string{}
	for _, f := range (daf.CreateInput{}).Validate() {
		missing[f.Param] = f.Code
	}
	if want := map[string]string{"merchant_id": "parameter_missing", "amount": "parameter_missing",
		"workflowSessionId": "parameter_missing",
		"user.firstName":    "parameter_missing", "user.lastName": "parameter_missing",
		"user.email": "parameter_missing"}; !maps.Equal(missing, want) {
		t.Errorf("%v", missing)
	}
	whole := daf.CreateInput{MerchantID: ptr[int64](1), Amount: ptr[money.Amount](100), GrantID: ptr("gr_1"),
		User: &daf.UserInput{FirstName: ptr(""), LastName: ptr(""), Email: ptr(""), Note: ptr("")}}
	if fs := whole.Validate(); fs != nil {
		t.Errorf("%v", fs)
	}
	whole.User = nil
	if fs := whole.Validate(); len(fs) != 3 {
		t.Errorf("a donation without a donor: %v", fs)
	}
	whole.Anonymous = ptr(true)
	if fs := whole.Validate(); fs != nil {
		t.Errorf("an anonymous donation: %v", fs)
	}
}

func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
