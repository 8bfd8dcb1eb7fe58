package daf_test

import (
	"testing"
	"time"

	"svcpay/internal/check/patch"
	"svcpay/internal/daf"
	"svcpay/internal/daf/provider"
	"svcpay/internal/merchant"
)

func TestOptOut(t *testing.T) {
	t.Parallel()
	w := enrollWorld(t)
	id := w.App.Merchants.US
	if m, err := w.daf.OptOut(t.Context(), w.OrganizationAdmin(), id); err != nil || m.Version != 1 ||
		len(w.told(t, id)) != 0 {
		t.Errorf("not enrolled: %+v, %v", m, err)
	}
	first, err := w.enroll(t, id, foodBank)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second changes nothing
		if m, err := w.daf.OptOut(t.Context(), w.OrganizationAdmin(), id); err != nil ||
			m.DAFProviderConnectID != nil || m.Version != 3 || *m.EIN != foodBank {
			t.Errorf("%+v, %v", m, err)
		}
	}
	told := w.told(t, id)
	if len(told) != 2 || told[1]["daf_provider_connect_id"] != w.connection(t, foodBank) {
		t.Errorf("%v", told)
	}
	if e, err := w.daf.LastEnrollment(t.Context(), w.OrganizationAdmin(), id); err != nil || e.ID != first.ID ||
		e.State != daf.Left || e.LeftAt == nil {
		t.Errorf("%+v, %v", e, err)
	}
	w.Clock.Advance(time.Second)
	again, err := w.enroll(t, id, foodBank)
	if m := w.get(t, id); err != nil || again.ID == first.ID || m.DAFProviderConnectID == nil || m.Version != 4 {
		t.Errorf("%+v, %v: %+v", again, err, m)
	}
}

// Anyone who opts out before the provider has answered is not enrolled by the answer.
func TestOptOutOvertakesTheAnswer(t *testing.T) {
	t.Parallel()
	w := enrollWorld(t)
	id := w.App.Merchants.US
	w.directory.plan(nil, func(provider.Enrollment) error {
		if m, err := w.daf.OptOut(t.Context(), w.OrganizationAdmin(), id); err != nil || m.Version != 1 {
			t.Errorf("%+v, %v", m, err)
		}
		return nil
	})
	e, err := w.enroll(t, id, foodBank)
	if m := w.get(t, id); err != nil || e.State != daf.Withdrawn || m.DAFProviderConnectID != nil || m.Version != 1 {
		t.Errorf("%+v, %v: %+v", e, err, m)
	}
	w.Clock.Advance(time.Hour)
	if n, err := w.daf.ResolveEnrollments(t.Context()); n != 0 || err != nil {
		t.Errorf("%d are asked about, %v", n, err)
	}
}

// What changes while the provider is asked counts when its answer is written down.
func TestAMerchantThatChangesMeanwhileIsNotEnrolled(t *testing.T) {
	t.Parallel()
	for want, change := range map[daf.Outcome]merchant.UpdateInput{
		daf.EINDiffers:           {EIN: patch.Member[string]{Given: true, Value: ptr("11-1111111")}},
		daf.MerchantNotNonprofit: {Nonprofit: patch.Member[bool]{Given: true, Value: ptr(false)}},
	} {
		w := enrollWorld(t)
		m := w.charityOf(good)
		w.directory.plan(nil, func(provider.Enrollment) error {
			_, err := w.Merchants.Update(t.Context(), w.Actor(), m.ID, change, nil)
			return err
		})
		e, err := w.enroll(t, m.ID, good)
		if after := w.get(t, m.ID); err != nil || e.State != daf.Refused || *e.Refusal != want ||
			after.DAFProviderConnectID != nil || after.Version != 2 {
			t.Errorf("%s: %+v, %v: %+v", want, e, err, after)
		}
	}
}

// An organization that the provider forgets between look-up and enrollment is not found; a provider that
// never answers is given up, and may be asked again.
func TestAttemptsThatEndWithoutAnEnrollment(t *testing.T) {
	t.Parallel()
	w := enrollWorld(t)
	id := w.App.Merchants.US
	w.directory.plan(func(provider.Enrollment) error { return provider.ErrNotFound }, nil)
	if e, err := w.enroll(t, id, foodBank); err != nil || e.State != daf.Refused || *e.Refusal != daf.NotFound {
		t.Errorf("%+v, %v", e, err)
	}
	w.Clock.Advance(time.Second)
	w.directory.plan(func(provider.Enrollment) error { return errDown }, nil)
	if e, err := w.enroll(t, id, foodBank); err != nil || e.State != daf.Processing {
		t.Fatalf("%+v, %v", e, err)
	}
	asked := 0
	for began := w.Clock.Now(); w.Clock.Now().Sub(began) < 48*time.Hour; w.Clock.Advance(6 * time.Minute) {
		n, err := w.daf.ResolveEnrollments(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		asked += n
	}
	e, err := w.daf.LastEnrollment(t.Context(), w.OrganizationAdmin(), id)
	if err != nil || e.State != daf.Refused || *e.Refusal != daf.Unanswered || asked != 300 {
		t.Errorf("%+v, %v after %d", e, err, asked)
	}
	w.directory.plan(nil, nil)
	if e, err := w.enroll(t, id, foodBank); err != nil || e.State != daf.Enrolled {
		t.Errorf("%+v, %v", e, err)
	}
	if m := w.get(t, id); m.Version != 2 || len(w.told(t, id)) != 1 {
		t.Errorf("%+v", m)
	}
}
