package daf_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svcpay/internal/authz"
	"svcpay/internal/daf"
	"svcpay/internal/daf/provider"
	"svcpay/internal/instant"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/pg"
)

func TestAMerchantIsEnrolled(t *testing.T) {
	t.Parallel()
	w := enrollWorld(t)
	id := w.App.Merchants.US
	found, err := w.daf.LookUp(t.Context(), w.OrganizationAdmin(), daf.LookUpInput{MerchantID: id, EIN: foodBank})
	if err != nil || found.Outcome != daf.Eligible || found.Organization.Name != "Riverside Food Bank Inc" ||
		found.MerchantID != id {
		t.Fatalf("%+v, %v", found, err)
	}
	w.Clock.Advance(time.Minute)
	e, err := w.daf.Enroll(t.Context(), w.OrganizationAdmin(),
		daf.EnrollInput{MerchantID: id, EIN: foodBank, Name: " riverside FOOD bank inc"})
	if err != nil || e.State != daf.Enrolled || e.FinishedAt == nil || e.Name != "Riverside Food Bank Inc" ||
		e.Provider != w.Funds.Name() {
		t.Fatalf("%+v, %v", e, err)
	}
	m := w.get(t, id)
	if m.DAFProviderConnectID == nil || *m.DAFProviderConnectID != w.connection(t, foodBank) || m.Version != 2 ||
		m.CanProcess.DAF || !m.UpdatedAt.Equal(w.Clock.Now()) {
		t.Errorf("%+v", m)
	}
	if d := cmp.Diff([]map[string]any{
		{"daf_provider_connect_id": nil, "version": 1.0, "updated_at": m.CreatedAt.UTC().Format(instant.Layout)}},
		w.told(t, id)); d != "" {
		t.Errorf("the events:\n%s", d)
	}
	if len(w.directory.calls) != 1 ||
		w.directory.calls[0] != (provider.Enrollment{Reference: e.ID.String(), EIN: foodBank, Name: e.Name}) {
		t.Errorf("the provider was asked for %+v", w.directory.calls)
	}
	last, err := w.daf.LastEnrollment(t.Context(), w.OrganizationAdmin(), id)
	if err != nil || last.ID != e.ID || last.State != daf.Enrolled {
		t.Errorf("%+v, %v", last, err)
	}
}

// Both are needed, each is told once, and a merchant that is stopped takes nothing.
func TestSwitchAndEnrollmentLetAMerchantTakeDonations(t *testing.T) {
	t.Parallel()
	w := enrollWorld(t)
	id := w.App.Merchants.US
	if _, err := w.enroll(t, id, foodBank); err != nil {
		t.Fatal(err)
	}
	on := merchant.UpdateInput{}
	on.HasDAFProvider.Given, on.HasDAFProvider.Value = true, ptr(true)
	for range 2 { // the second changes nothing
		if _, err := w.Merchants.Update(t.Context(), w.Actor(), id, on, nil); err != nil {
			t.Fatal(err)
		}
	}
	if m, told := w.get(t, id), w.told(t, id); !m.CanProcess.DAF || len(told) != 2 ||
		told[1]["has_daf_provider"] != false {
		t.Errorf("%+v, events %v", m, told)
	}
	for status, want := range map[merchant.Status]bool{merchant.Suspended: false, merchant.Active: true} {
		if m, err := w.Merchants.SetStatus(t.Context(), w.Admin(),
			merchant.StatusInput{MerchantID: id, Status: merchant.Suspended, Reason: "A test"}); err != nil ||
			m.CanProcess.DAF {
			t.Errorf("suspended: %v, %v", m.CanProcess, err)
		}
		if m, err := w.Merchants.SetStatus(t.Context(), w.Admin(),
			merchant.StatusInput{MerchantID: id, Status: status, Reason: "A test"}); err != nil ||
			m.CanProcess.DAF != want {
			t.Errorf("%s: %v, %v", status, m.CanProcess, err)
		}
	}
}

// Whatever is in the way is told by a look-up, and refused by name.
func TestEveryOutcomeIsTold(t *testing.T) {
	t.Parallel()
	w := enrollWorld(t)
	us := w.App.Merchants.US
	suspended := w.charityOf("")
	if _, err := w.Merchants.SetStatus(t.Context(), w.Admin(),
		merchant.StatusInput{MerchantID: suspended.ID, Status: merchant.Suspended, Reason: "A test"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.enroll(t, us, foodBank); err != nil {
		t.Fatal(err)
	}
	w.directory.plan(func(provider.Enrollment) error { return errDown }, nil)
	waiting := w.charityOf("20-2000000")
	if e, err := w.enroll(t, waiting.ID, good); err != nil || e.State != daf.Processing {
		t.Fatalf("%+v, %v", e, err)
	}
	cases := map[daf.Outcome]daf.LookUpInput{
		daf.MerchantNotUS:        {MerchantID: w.App.Merchants.CA, EIN: foodBank},
		daf.MerchantNotNonprofit: {MerchantID: w.Merchant(merchant.CreateInput{}).ID, EIN: foodBank},
		daf.MerchantNotActive:    {MerchantID: suspended.ID, EIN: "11-1111111"},
		daf.AlreadyEnrolled:      {MerchantID: us, EIN: foodBank},
		daf.InProgress:           {MerchantID: waiting.ID, EIN: good},
		daf.EINDiffers:           {MerchantID: w.App.Merchants.USQ, EIN: "11-1111111"},
		daf.EINTaken:             {MerchantID: w.charityOf(foodBank).ID, EIN: foodBank},
		daf.NotFound:             {MerchantID: w.charityOf("").ID, EIN: "11-1111111"},
		daf.OrganizationNotUS:    {MerchantID: w.charityOf("").ID, EIN: foreign},
		daf.NotCharity:           {MerchantID: w.charityOf(league).ID, EIN: league},
		daf.NotInGoodStanding:    {MerchantID: w.charityOf("").ID, EIN: lapsed},
	}
	w.directory.plan(nil, nil)
	for want, in := range cases {
		found, err := w.daf.LookUp(t.Context(), w.OrganizationAdmin(), in)
		if err != nil || found.Outcome != want {
			t.Errorf("%s: %+v, %v", want, found, err)
		}
		if seen := found.Organization != nil; seen != slices.Contains([]daf.Outcome{daf.OrganizationNotUS,
			daf.NotCharity, daf.NotInGoodStanding}, want) {
			t.Errorf("%s: an organization is shown: %v", want, seen)
		}
		if _, err := w.enroll(t, in.MerchantID, in.EIN); code(err) != "daf_"+string(want) || want.Text() == "" {
			t.Errorf("%s: %v", want, err)
		}
	}
	w.directory.down = true
	free := w.charityOf("")
	if _, err := w.daf.LookUp(t.Context(), w.OrganizationAdmin(),
		daf.LookUpInput{MerchantID: free.ID, EIN: "11-1111111"}); code(err) != "daf_unanswered" {
		t.Errorf("%v", err)
	}
	if _, err := w.enroll(t, free.ID, "11-1111111"); code(err) != "daf_unanswered" {
		t.Errorf("%v", err)
	}
	if n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM daf_enrollments`, pg.Args{}); n != 2 ||
		err != nil {
		t.Errorf("%d attempts are written down, %v", n, err)
	}
}

// An EIN that another merchant has in its record cannot be used by one that has none.
func TestAnEINOfAnotherMerchantIsTaken(t *testing.T) {
	t.Parallel()
	w := enrollWorld(t)
	mine, bare := w.charityOf(good), w.charityOf("")
	if _, err := w.enroll(t, bare.ID, good); code(err) != "daf_ein_taken" {
		t.Errorf("%v", err)
	}
	if e, err := w.enroll(t, mine.ID, good); err != nil || e.State != daf.Enrolled {
		t.Errorf("%+v, %v", e, err)
	}
	// A merchant without one is given it. Another application's merchants do not count.
	if e, err := w.enroll(t, bare.ID, foodBank); code(err) != "daf_ein_taken" { // the demo's own
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := w.enroll(t, bare.ID, "59-7654321"); err != nil {
		t.Fatal(err)
	}
	if m := w.get(t, bare.ID); *m.EIN != "59-7654321" || w.told(t, bare.ID)[0]["ein"] != nil {
		t.Errorf("%+v", m)
	}
}

func TestWhoMayEnroll(t *testing.T) {
	t.Parallel()
	w := enrollWorld(t)
	strangers := w.Merchant(merchant.CreateInput{Nonprofit: ptr(true),
		Organization: &merchant.NewOrganization{Name: ptr("Strangers")}})
	admin := w.OrganizationAdmin()
	nobodys := admin
	nobodys.OrganizationID = 0
	for name, c := range map[string]struct {
		actor authz.Actor
		id    int64
		want  string
	}{
		"a server":                   {w.Actor(), w.App.Merchants.US, "permission_denied"},
		"a system administrator":     {w.Admin(), w.App.Merchants.US, "permission_denied"},
		"another organization's":     {admin, strangers.ID, "resource_missing"},
		"another application's":      {admin, w.Other.Merchants.US, "resource_missing"},
		"nobody's":                   {admin, 1 << 40, "resource_missing"},
		"one without an organzation": {nobodys, w.App.Merchants.US, "resource_missing"},
	} {
		_, looked := w.daf.LookUp(t.Context(), c.actor, daf.LookUpInput{MerchantID: c.id, EIN: foodBank})
		_, enrolled := w.daf.Enroll(t.Context(), c.actor, daf.EnrollInput{MerchantID: c.id, EIN: foodBank, Name: "x"})
		_, left := w.daf.OptOut(t.Context(), c.actor, c.id)
		_, last := w.daf.LastEnrollment(t.Context(), c.actor, c.id)
		for _, err := range []error{looked, enrolled, left, last} {
			if code(err) != c.want {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	for _, in := range []daf.EnrollInput{
		{MerchantID: w.App.Merchants.US, EIN: "043567500", Name: "x"},
		{MerchantID: w.App.Merchants.US, EIN: "00-3567500", Name: "x"},
		{MerchantID: w.App.Merchants.US, EIN: foodBank, Name: "Riverside Food Bank"},
	} {
		if _, err := w.daf.Enroll(t.Context(), admin, in); code(err) != "parameter_invalid" {
			t.Errorf("%+v: %v", in, err)
		}
	}
	if _, err := w.daf.Enroll(t.Context(), admin,
		daf.EnrollInput{MerchantID: w.App.Merchants.US, EIN: foodBank, Name: " "}); code(err) != "parameter_missing" {
		t.Errorf("%v", err)
	}
	if _, err := w.daf.LookUp(t.Context(), admin,
		daf.LookUpInput{MerchantID: w.App.Merchants.US, EIN: "04-35675000"}); code(err) != "parameter_invalid" {
		t.Errorf("%v", err)
	}
	if len(w.directory.calls) != 0 {
		t.Errorf("the provider was asked for %v", w.directory.calls)
	}
}

// However many try at once, a merchant is enrolled once, and an EIN is one merchant's.
func TestManyEnrollAtOnce(t *testing.T) {
	t.Parallel()
	w := enrollWorld(t)
	twins := []merchant.Merchant{w.charityOf(good), w.charityOf(good)}
	var mu sync.Mutex
	codes := map[string]int{}
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			_, err := w.enroll(t, twins[i%2].ID, good)
			mu.Lock()
			defer mu.Unlock()
			codes[code(err)]++
		})
	}
	all.Wait()
	if codes["<nil>"] != 1 || codes["<nil>"]+codes["daf_in_progress"]+codes["daf_already_enrolled"]+
		codes["daf_ein_taken"] != 12 {
		t.Errorf("%v", codes)
	}
	a, b := w.get(t, twins[0].ID), w.get(t, twins[1].ID)
	if (a.DAFProviderConnectID == nil) == (b.DAFProviderConnectID == nil) ||
		len(w.told(t, a.ID))+len(w.told(t, b.ID)) != 1 || len(w.directory.calls) != 1 {
		t.Errorf("%v and %v, %d calls", a.DAFProviderConnectID, b.DAFProviderConnectID, len(w.directory.calls))
	}
}

// An attempt whose outcome is unknown is asked about under its reference until it is known.
func TestAnUnknownOutcomeIsAskedFor(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]func(*directory){
		"the call is lost":   func(d *directory) { d.plan(func(provider.Enrollment) error { return errDown }, nil) },
		"the answer is lost": func(d *directory) { d.plan(nil, func(provider.Enrollment) error { return context.DeadlineExceeded }) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enrollWorld(t)
			id := w.App.Merchants.US
			lost(w.directory)
			e, err := w.enroll(t, id, foodBank)
			if err != nil || e.State != daf.Processing {
				t.Fatalf("%+v, %v", e, err)
			}
			if m := w.get(t, id); m.Version != 1 || m.DAFProviderConnectID != nil {
				t.Errorf("%+v", m)
			}
			for range 3 {
				w.Clock.Advance(time.Minute)
				if n, err := w.daf.ResolveEnrollments(t.Context()); n != 1 || err != nil {
					t.Fatalf("%d, %v", n, err)
				}
				if n, err := w.daf.ResolveEnrollments(t.Context()); n != 0 || err != nil {
					t.Fatalf("again at once: %d, %v", n, err)
				}
			}
			w.directory.plan(nil, nil)
			w.Clock.Advance(time.Minute)
			for range 2 {
				if _, err := w.daf.ResolveEnrollments(t.Context()); err != nil {
					t.Fatal(err)
				}
				w.Clock.Advance(time.Hour)
			}
			last, err := w.daf.LastEnrollment(t.Context(), w.OrganizationAdmin(), id)
			if err != nil || last.ID != e.ID || last.State != daf.Enrolled || last.Checks != 4 {
				t.Errorf("%+v, %v", last, err)
			}
			if m := w.get(t, id); m.Version != 2 || m.DAFProviderConnectID == nil || len(w.told(t, id)) != 1 ||
				len(w.directory.calls) != 5 {
				t.Errorf("%+v, %d calls", m, len(w.directory.calls))
			}
			for _, c := range w.directory.calls {
				if c.Reference != e.ID.String() {
					t.Errorf("asked under %s", c.Reference)
				}
			}
		})
	}
}
