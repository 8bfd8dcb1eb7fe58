package daf_test

import (
	"maps"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/check/patch"
	"svcpay/internal/daf"
	"svcpay/internal/ids"
)

// person is someone of the first application's organization, in a request of its own.
func (w *world) person() authz.Actor {
	a := w.OrganizationAdmin()
	a.RequestID = ids.NewRequest(w.Clock.Now())
	return a
}

func TestWhatARequestDidIsTakenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one, two, later := w.make(daf.Nonintegrated, 100), w.make(daf.Nonintegrated, 200), w.make(daf.Nonintegrated, 300)
	before := status(daf.Initiated)
	before.Note, before.Metadata = patch.Set("The fund called"), patch.Set(map[string]string{"campaign": "winter"})
	if _, err := w.DAF.Update(t.Context(), w.person(), one.ID.String(), before, nil); err != nil {
		t.Fatal(err)
	}
	did := w.person()
	in := daf.BulkInput{Status: daf.Completed, Note: ptr("The check came")}
	for _, d := range []daf.Donation{one, two, later} {
		in.Donations = append(in.Donations,
			daf.BulkOne{ID: d.ID.String(), Pairs: map[string]string{"check_number": "1042", "received_on": ""}})
	}
	if _, err := w.DAF.SetStatuses(t.Context(), did, in); err != nil {
		t.Fatal(err)
	}
	if d := w.get(one.ID); !maps.Equal(d.Metadata, map[string]string{"campaign": "winter", "check_number": "1042"}) ||
		deref(d.Note) != "The check came" {
		t.Errorf("%s", jsonOf(t, d))
	}
	if _, err := w.set(later.ID, daf.Canceled); err != nil {
		t.Fatal(err)
	}
	out, err := w.DAF.Undo(t.Context(), w.person(), did.RequestID)
	if err != nil || len(out) != 3 {
		t.Fatalf("%+v, %v", out, err)
	}
	for _, one := range out { // ids of one millisecond have no order
		if changed := one.Refused != nil &&
			one.Refused.Code == "object_changed"; changed != (one.ID == later.ID.String()) {
			t.Errorf("%s: %v", one.ID, one.Refused)
		}
	}
	if d := w.get(one.ID); d.Status != daf.Initiated || deref(d.Note) != "The fund called" ||
		!maps.Equal(d.Metadata, map[string]string{"campaign": "winter"}) {
		t.Errorf("%s", jsonOf(t, d))
	}
	if d := w.get(two.ID); d.Status != daf.Unknown || d.Note != nil || len(d.Metadata) != 0 || d.CompletedAt != nil {
		t.Errorf("%s", jsonOf(t, d))
	}
	if d := w.get(later.ID); d.Status != daf.Canceled {
		t.Errorf("%s", jsonOf(t, d))
	}
	w.audit()
}

func TestUndoIsForThoseWhoMay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	did := w.person()
	if _, err := w.DAF.Update(t.Context(), did, w.make(daf.Nonintegrated, 100).ID.String(), status(daf.Completed),
		nil); err != nil {
		t.Fatal(err)
	}
	for who, want := range map[authz.Role]string{authz.RoleSupportStaff: "permission_denied",
		authz.RoleApplicationAdmin: "permission_denied"} {
		if _, err := w.DAF.Undo(t.Context(), w.Person(who), did.RequestID); code(err) != want {
			t.Errorf("%s: %v", who, err)
		}
	}
	if _, err := w.DAF.Undo(t.Context(), w.PersonOf(authz.RoleOrganizationAdmin, w.Other),
		did.RequestID); code(err) != "resource_missing" {
		t.Errorf("another organization: %v", err)
	}
	if _, err := w.DAF.Undo(t.Context(), did, ids.NewRequest(w.Clock.Now())); code(err) != "resource_missing" {
		t.Errorf("a request that did nothing: %v", err)
	}
	many := map[string]string{}
	for i := range 51 {
		many[string(rune('a'+i))] = "x"
	}
	if _, err := w.DAF.Update(t.Context(), did, w.make(daf.Nonintegrated, 100).ID.String(),
		daf.UpdateInput{Pairs: many}, nil); code(err) != "parameter_invalid" {
		t.Errorf("too many pairs: %v", err)
	}
}
