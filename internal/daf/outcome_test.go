package daf_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/daf"
	"svcpay/internal/daf/provider"
	"svcpay/internal/fault"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
)

func TestFundThatRefuses(t *testing.T) {
	t.Parallel()
	for given, c := range map[string]struct{ code, message string }{
		"insufficient_funds": {"insufficient_funds", "The fund declined the grant: its balance is too low."},
		"generic_decline":    {"generic_decline", "The fund declined the grant."},
		"words of their own": {"generic_decline", "The fund declined the grant."},
	} {
		w := newWorld(t)
		w.p.grant = w.p.decline(given)
		in, claim := w.input(daf.Integrated, 700), w.claim("k")
		for range 3 { // with the key first, then again, then without it
			_, err := w.DAF.Create(t.Context(), w.Actor(), in, claim)
			if out, again := w.DAF.Create(t.Context(), w.Actor(), in, claim); claim != nil && err == nil &&
				again == nil {
				err = out.Prior.Outcome.Refusal
			}
			f, ok := fault.As(err)
			d := w.only()
			if !ok || f.Code != "daf_session_declined" || f.Kind != fault.KindDeclined || f.Message != c.message ||
				f.Detail["decline_code"] != c.code ||
				f.Detail["donation_id"] != d.ID.String() || f.Detail["retryable"] != false {
				t.Errorf("%s: %v, %+v", given, err, f)
			}
			if d.Status != daf.Canceled || d.Failure == nil || d.Failure.Code != "daf_session_declined" ||
				d.TrackingID != nil || d.CanceledAt == nil || d.Version != 2 {
				t.Errorf("%s: %s", given, jsonOf(t, d))
			}
			claim = nil
		}
		d := w.only()
		if got := w.told(d.ID); !slices.Equal(got,
			[]string{"daf_donation.created", "daf_donation_updated", "daf_donation.canceled"}) || len(w.p.calls) != 1 {
			t.Errorf("%s: %v, %d grants", given, got, len(w.p.calls))
		}
		if h := d.StatusHistory; len(h) != 2 || h[1].Status != daf.Canceled || h[1].Source != daf.FromProvider ||
			h[1].KeyName != nil {
			t.Errorf("%s: %s", given, jsonOf(t, h))
		}
		w.audit()
	}
}

// An answer that is lost is asked for by our reference; the key and a repetition say the outcome of it.
func TestLostAnswerIsAskedFor(t *testing.T) {
	t.Parallel()
	for declined, want := range map[string]daf.Status{"": daf.Initiated, "insufficient_funds": daf.Canceled} {
		w := newWorld(t)
		w.p.grant = w.p.lose(declined)
		in, claim := w.input(daf.Integrated, 700), w.claim("k")
		out := w.create(in, claim)
		if !out.Unknown || out.Object.Status != daf.Initiated || out.Object.TrackingID != nil {
			t.Errorf("%+v", out)
		}
		w.audit()
		if again := w.create(in, claim); !again.Unknown || again.Object.ID != out.Object.ID {
			t.Errorf("the key told %+v meanwhile", again)
		}
		if again := w.create(in, nil); !again.Unknown || !again.Existing {
			t.Errorf("a repetition was told %+v meanwhile", again)
		}
		w.resolve(time.Second, 1)
		d := w.get(out.Object.ID)
		if d.Status != want || (d.TrackingID != nil) != (want == daf.Initiated) || d.Version != 2 ||
			len(w.p.calls) != 1 {
			t.Errorf("%s", jsonOf(t, d))
		}
		again := w.create(in, claim)
		if again.Prior == nil || again.Prior.State != idempotency.Done ||
			(again.Prior.Outcome.Refusal != nil) != (want == daf.Canceled) {
			t.Errorf("the key tells %+v", again)
		}
		if _, err := w.DAF.Create(t.Context(), w.Actor(), in, nil); (err != nil) != (want == daf.Canceled) {
			t.Errorf("a repetition is told %v", err)
		}
		w.resolve(time.Hour, 0)
		w.audit()
	}
}

func TestGrantThatNeverArrived(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.p.grant = drop
	in, claim := w.input(daf.Integrated, 700), w.claim("k")
	id := w.create(in, claim).Object.ID
	w.resolve(time.Second, 1)
	if d := w.get(id); d.Status != daf.Initiated || d.Version != 1 {
		t.Errorf("it was given up too early: %s", jsonOf(t, d))
	}
	w.resolve(window+time.Second, 1)
	d := w.get(id)
	if d.Status != daf.Canceled || d.Failure == nil || d.Failure.Code != "not_submitted" {
		t.Errorf("%s", jsonOf(t, d))
	}
	prior := w.create(in, claim).Prior
	if f := prior.Outcome.Refusal; f == nil || f.Code != "processor_error" || f.Detail["donation_id"] != id.String() ||
		f.Detail["advice"] != "authorize_again" {
		t.Errorf("%+v", f)
	}
	if _, err := w.DAF.Create(t.Context(), w.Actor(), in, nil); code(err) != "processor_error" {
		t.Error(err)
	}
	w.audit()
}

// A grant that turns up after it was given up brings its donation back.
func TestGrantThatArrivesLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.p.grant = drop
	d := w.create(w.input(daf.Integrated, 700), nil).Object
	w.resolve(window+time.Second, 1)
	w.resolve(2*time.Minute, 1) // still nothing
	if got := w.get(d.ID); got.Status != daf.Canceled {
		t.Fatal(got.Status)
	}
	w.p.answer(d.ID.String(), provider.Answer{Approved: true})
	w.resolve(10*time.Minute, 1)
	got := w.get(d.ID)
	if got.Status != daf.Initiated || got.Failure != nil || got.CanceledAt != nil ||
		deref(got.TrackingID) != trackingOf(d.ID.String()) {
		t.Errorf("%s", jsonOf(t, got))
	}
	if events := w.told(d.ID); events[len(events)-1] != "daf_donation_updated" || len(got.StatusHistory) != 3 {
		t.Errorf("%v, %s", events, jsonOf(t, got.StatusHistory))
	}
	w.resolve(25*time.Hour, 0)
	w.audit()
}

// The server dies between the first step and the last: the donation is finished all the same.
func TestWhoDiesBetweenTheStepsIsFinishedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.p.grant = func(ctx context.Context, g provider.Grant) (provider.Answer, error) {
		_, _ = w.p.approve(ctx, g)
		panic("the server dies")
	}
	in, claim := w.input(daf.Integrated, 700), w.claim("k")
	d := w.create(in, claim).Object
	// as if no one had been told to wait
	w.sql(`UPDATE idempotency_keys SET state = 'claimed' WHERE key = 'k'`, pg.Args{})
	if _, err := w.DAF.Create(t.Context(), w.Actor(), in, claim); code(err) != "idempotency_key_in_use" {
		t.Error(err)
	}
	w.Clock.Advance(idempotency.InFlight)
	again := w.create(in, claim)
	if again.Prior == nil || !strings.Contains(string(again.Prior.Outcome.Result), trackingOf(d.ID.String())) {
		t.Errorf("%+v", again)
	}
	w.resolve(time.Hour, 0)
	w.audit()
}

// The provider's own event may be quicker than the answer to the grant.
func TestEventBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	for declined := range map[string]bool{"": true, "generic_decline": true} {
		w := newWorld(t)
		w.p.grant = w.p.lose(declined)
		d := w.create(w.input(daf.Integrated, 700), w.claim("k")).Object
		if _, err := w.set(d.ID, daf.Completed); code(err) != "operation_in_progress" {
			t.Errorf("it was completed by hand: %v", err)
		}
		ev := event(d, "e1", w.Clock.Now())
		if err := w.DAF.Completed(t.Context(), ev); err != nil {
			t.Fatal(err)
		}
		if got := w.get(d.ID); got.Status != daf.Completed || deref(got.TrackingID) != ev.TrackingID ||
			got.Version != 2 {
			t.Errorf("%s", jsonOf(t, got))
		}
		w.resolve(time.Second, 1)
		if got := w.get(d.ID); got.Status != daf.Completed || got.Version != 2 {
			t.Errorf("after the answer %q: %s", declined, jsonOf(t, got))
		}
		w.audit()
	}
}
