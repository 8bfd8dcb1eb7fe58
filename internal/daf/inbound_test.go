package daf_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/daf"
	"svcpay/internal/daf/provider"
	"svcpay/internal/processor"
)

// event is what the provider reports a donation's grant.
func event(d daf.Donation, id string, at time.Time) provider.Event {
	return provider.Event{ID: id, Account: processor.MerchantAccount(d.ApplicationID, d.MerchantID),
		Reference: d.ID.String(), TrackingID: trackingOf(d.ID.String()), At: at}
}

// forgeries are events that look like one of a donation's grant, of a later time than all that are true, and fit
// nothing of ours.
func (w *world) forgeries(d daf.Donation) map[string]provider.Event {
	out := map[string]provider.Event{}
	for what, how := range map[string]func(*provider.Event){
		"another application's account": func(ev *provider.Event) { ev.Account = processor.MerchantAccount(w.Other.AppID, w.Other.Merchants.US) },
		"another merchant's account":    func(ev *provider.Event) { ev.Account = processor.MerchantAccount(d.ApplicationID, w.App.Merchants.CA) },
		"no account":                    func(ev *provider.Event) { ev.Account = "" },
		"another tracking id":           func(ev *provider.Event) { ev.TrackingID = "0000000000" },
		"an unknown grant":              func(ev *provider.Event) { ev.Reference = "daf_01jq8z6k4t8m2x9v5c7b1n3d0f" },
	} {
		ev := event(d, "forged", w.Clock.Now().Add(time.Hour))
		how(&ev)
		out[what] = ev
	}
	return out
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
	if events := w.told(d.ID); !slices.Equal(events,
		[]string{"daf_donation.created", "daf_donation_updated", "daf_donation_updated", "daf_donation.completed"}) {
		t.Errorf("%v", events)
	}
	w.audit()
}

func TestEventsThatDoNotFit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.make(daf.Integrated, 100)
	none := w.make(daf.Nonintegrated, 100)
	unfit := w.forgeries(d)
	unfit["no grant of the provider"] = event(none, "e1", w.Clock.Now())
	for what, ev := range unfit {
		for _, tell := range []func(context.Context, provider.Event) error{w.DAF.Completed, w.DAF.Canceled} {
			err := tell(t.Context(), ev)
			if want := what == "another tracking id"; err == nil || errors.Is(err, daf.ErrNotice) != want || !want &&
				code(err) != "resource_missing" {
				t.Errorf("%s: %v", what, err)
			}
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
	must("it has news that are older than the correction",
		w.DAF.Canceled(t.Context(), event(d, "e3", began.Add(2*time.Second))), daf.Canceled, 5)
	_, err = w.set(d.ID, daf.Completed)
	if code(err) != "daf_status_not_allowed" {
		t.Error(err)
	}
	must("of one moment the higher id counts", w.DAF.Completed(t.Context(), event(d, "e4", began.Add(2*time.Second))),
		daf.Completed, 6)
}

// In whatever order events come, and however often, with forged ones among them, the last one that happened counts, the
// history tells each move once, and the books have the fees exactly while the donation is completed.
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
			events[i].Kind = rapid.SampledFrom([]provider.EventKind{provider.GrantCompleted,
				provider.GrantCanceled}).Draw(t, "kind")
		}
		last := events[n-1]
		forgeries := w.forgeries(d)
		for i, what := range rapid.SliceOfN(rapid.SampledFrom(slices.Sorted(maps.Keys(forgeries))), 0, 3).Draw(t,
			"forged") {
			ev := forgeries[what]
			ev.ID, ev.Kind = fmt.Sprint("forged", i), provider.GrantCompleted
			if last.Kind == ev.Kind {
				ev.Kind = provider.GrantCanceled
			}
			events = append(events, ev)
		}
		for _, ev := range rapid.Permutation(slices.Concat(events, events)).Draw(t, "order") {
			if err := w.tell(ev); (err != nil) != strings.HasPrefix(ev.ID, "forged") {
				t.Fatalf("%+v: %v", ev, err)
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
