package webhook_test

import (
	"net/http"
	"slices"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/webhook"
)

// What was sent of some events is that of all endpoints, of no other events and of no one else's.
func TestDeliveriesOfSomeEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := receive(t, func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write([]byte("taken")) })
	one, two := w.listen(r, "charge.*"), w.listen(r, "charge.captured")
	wanted, other := w.emit(1, "charge.captured")[0], w.emit(1, "charge.created")[0]
	w.number()
	w.work()
	w.attempted(one, 1)
	w.attempted(two, 1)
	reader := w.Person(authz.RoleApplicationAdmin)
	got, err := w.Webhooks.OfEvents(t.Context(), reader, []ids.Event{wanted})
	if err != nil || len(got) != 2 || !slices.ContainsFunc(got, of(one)) || !slices.ContainsFunc(got, of(two)) ||
		got[0].ID.String() >= got[1].ID.String() {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, d := range got {
		if d.EventID != wanted || d.Status != "succeeded" || d.Attempts[0].ResponseBody != "taken" {
			t.Errorf("%+v", d)
		}
	}
	if both, err := w.Webhooks.OfEvents(t.Context(), reader, []ids.Event{wanted, other}); err != nil || len(both) != 3 {
		t.Errorf("of both: %d, %v", len(both), err)
	}
	if none, err := w.Webhooks.OfEvents(t.Context(), w.PersonOf(authz.RoleApplicationAdmin, w.Other),
		[]ids.Event{wanted}); err != nil || len(none) != 0 {
		t.Errorf("another application sees %+v, %v", none, err)
	}
	if plain, err := w.Webhooks.OfEvents(t.Context(), w.Person(authz.RoleSupportStaff),
		[]ids.Event{wanted}); err != nil || len(plain) != 2 || plain[0].Attempts[0].ResponseBody != "" {
		t.Errorf("support staff sees %+v, %v", plain, err)
	}
	if _, err := w.Webhooks.OfEvents(t.Context(), w.Person(authz.RoleOrganizationAdmin),
		[]ids.Event{wanted}); !fault.HasCode(err, "permission_denied") {
		t.Errorf("an organization gets %v", err)
	}
}

// of reports whether a delivery is to an endpoint.
func of(e webhook.Endpoint) func(webhook.Delivery) bool {
	return func(d webhook.Delivery) bool { return d.EndpointID == e.ID }
}
