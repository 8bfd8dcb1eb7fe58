package daf_test

import (
	"testing"

	"svcpay/internal/daf"
	"svcpay/internal/fault"
)

// Who may read a merchant sees how its enrollment stands, though only its organization enrolls it.
func TestEnrollmentIsSeenByWhoSeesTheMerchant(t *testing.T) {
	t.Parallel()
	w := enrollWorld(t)
	id := w.App.Merchants.US
	if _, err := w.daf.EnrollmentOf(t.Context(), w.Actor(), id); !fault.HasCode(err, "resource_missing") {
		t.Errorf("before there is one: %v", err)
	}
	made, err := w.enroll(t, id, foodBank)
	if err != nil {
		t.Fatal(err)
	}
	if e, err := w.daf.EnrollmentOf(t.Context(), w.Actor(), id); err != nil || e.ID != made.ID ||
		e.State != daf.Enrolled {
		t.Errorf("%+v, %v", e, err)
	}
	other := w.OrganizationAdmin()
	other.Merchants = []int64{w.App.Merchants.CA}
	for name, a := range map[string]struct{ err error }{
		"another application":  {second(w.daf.EnrollmentOf(t.Context(), w.ActorOf(w.Other), id))},
		"another organization": {second(w.daf.EnrollmentOf(t.Context(), other, id))},
	} {
		if !fault.HasCode(a.err, "resource_missing") {
			t.Errorf("%s: %v", name, a.err)
		}
	}
}

func second(_ daf.Enrollment, err error) error { return err }
