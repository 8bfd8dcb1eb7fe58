package daf_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/daf"
	"svcpay/internal/daf/provider"
)

// event is what the provider tells of a donation's grant.
func event(d daf.Donation, id string, at time.Time) provider.Event {
	return provider.Event{ID: id, Reference: d.ID.String(), TrackingID: trackingOf(d.ID.String()), At: at}
}

// tell hands one event over.
func (w *world) tell(ev provider.Event) error {
	if ev.Kind == provider.GrantCompleted {
		return w.DAF.Completed(w.T.Context(), ev)
	}
	return w.DAF.Canceled(w.T.Context(), ev)
}

func TestProviderDrivesAnIntegratedDonation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.make(daf.Integrated, 12_500)
	ev := event(d, "e1", w.Clock.Now())
	for range 3 {
		if err := w.DAF.Completed(t.Context(), ev); err != nil {
			t.Fatal(err)
		}
	}
	got := w.get(d.ID)
	if got.Status != daf.Completed || got.CompletedAt == nil || got.Version != 3 || len(got.StatusHistory) != 2 ||
		got.StatusHistory[1].Source != daf.FromProvider || got.StatusHistory[1].KeyName != nil {
		t.Errorf("%s", jsonOf(t, got))
	}
	if events := w.told(d.ID); !slices.Equal(events, []string{"daf_donation.created", "daf_donation_updated", "daf_donation_updated", "daf_donation.completed"}) {
		t.Errorf("%v", events)
	}
	w.audit()
}

func TestEventsThatDoNotFit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.make(daf.Integrated, 100)
	none := w.make(daf.Nonintegrated, 100)
	other, unknown := event(d, "e1", w.Clock.Now()), event(d, "e1", w.Clock.Now())
	other.TrackingID, unknown.Reference = "0000000000", "daf_01jq8z6k4t8m2x9v5c7b1n3d0f"
	for what, ev := range map[string]provider.Event{"another tracking id": other, "a grant of which nothing is known": unknown, "no grant of the provider": event(none, "e1", w.Clock.Now())} {
		err := w.DAF.Completed(t.Context(), ev)
		if want := what == "another tracking id"; err == nil || errors.Is(err, daf.ErrNotice) != want || !want && code(err) != "resource_missing" {
			t.Errorf("%s: %v", what, err)
		}
	}
	if got := w.get(d.ID); got.Version != 2 {
		t.Errorf("%s", jsonOf(t, got))
	}
}

// What a person set gives way to an event that was not heard before, and stands after one that was.
func TestEventsAndChangesByHand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.make(daf.Integrated, 12_500)
	began := w.Clock.Now()
	must := func(what string, err error, want daf.Status, version int) {
		t.Helper()
		if got := w.get(d.ID); err != nil || got.Status != want || got.Version != version {
			t.Fatalf("%s: %v; it is %s, version %d", what, err, got.Status, got.Version)
		}
		w.audit()
	}
	_, err := w.set(d.ID, daf.Completed)
	must("completed by hand", err, daf.Completed, 3)
	completed := event(d, "e2", began.Add(time.Second))
	must("the provider says so too", w.DAF.Completed(t.Context(), completed), daf.Completed, 3)
	_, err = w.set(d.ID, daf.Initiated)
	must("corrected", err, daf.Initiated, 4)
	must("the provider repeats itself", w.DAF.Completed(t.Context(), completed), daf.Initiated, 4)
	must("it tells of what was before", w.DAF.Canceled(t.Context(), event(d, "e1", began)), daf.Initiated, 4)
	must("it has news that are older than the correction", w.DAF.Canceled(t.Context(), event(d, "e3", began.Add(2*time.Second))), daf.Canceled, 5)
	_, err = w.set(d.ID, daf.Completed)
	if code(err) != "daf_status_not_allowed" {
		t.Error(err)
	}
	must("of one moment the higher id counts", w.DAF.Completed(t.Context(), event(d, "e4", began.Add(2*time.Second))), daf.Completed, 6)
}

// In whatever order events come, and however often, the last one that happened counts, the history tells each
// move once, and the books have the fees exactly while the donation is completed.
func TestAnyOrderOfEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rapid.Check(t, func(t *rapid.T) {
		d := w.make(daf.Integrated, 100*1+2_400)
		n := rapid.IntRange(1, 5).Draw(t, "events")
		events := make([]provider.Event, n)
		for i := range events {
			// Some happen in one moment.
			events[i] = event(d, fmt.Sprint("e", i), w.Clock.Now().Add(time.Duration(i/2)*time.Second))
			events[i].Kind = rapid.SampledFrom([]provider.EventKind{provider.GrantCompleted, provider.GrantCanceled}).Draw(t, "kind")
		}
		last := events[n-1]
		for _, ev := range rapid.Permutation(slices.Concat(events, events)).Draw(t, "order") {
			if err := w.tell(ev); err != nil {
				t.Fatal(err)
			}
		}
		want := daf.Completed
		if last.Kind == provider.GrantCanceled {
			want = daf.Canceled
		}
		if got := w.get(d.ID); got.Status != want || got.Version < 3 || got.Version > 2+n {
			t.Fatalf("%s, version %d; want %s", got.Status, got.Version, want)
		}
	})
	w.audit()
}
