package webhook_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/webhook"
)

// What did not arrive is told by why, until it has arrived.
func TestFailuresAreGroupedUntilTheyArrive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	since := w.Clock.Now()
	var well atomic.Bool
	r := receive(t, func(rw http.ResponseWriter, q *http.Request) {
		if !well.Load() {
			rw.WriteHeader(http.StatusBadGateway)
			_, _ = rw.Write([]byte("no upstream"))
		}
	})
	e := w.listen(r, "charge.*")
	w.emit(2, "charge.created")
	w.emit(1, "charge.captured")
	w.work()
	w.attempted(e, 1)
	reader := w.Person(authz.RoleApplicationAdmin)
	all, err := w.Webhooks.Failures(t.Context(), reader, e.ID)
	if err != nil || len(all) != 1 || all[0].Deliveries != 3 || *all[0].StatusCode != 502 ||
		all[0].Status != "pending" || len(all[0].Types) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	if d, err := w.Webhooks.Delivery(t.Context(), reader, e.ID.String(), all[0].Latest.String()); err != nil ||
		d.Attempts[0].ResponseBody != "no upstream" || len(d.Attempts[0].Response) == 0 {
		t.Errorf("%+v, %v", d, err)
	} else if of, err := w.Webhooks.DeliveriesOf(t.Context(), reader, d.EventID); err != nil || len(of) != 1 ||
		of[0].ID != d.ID {
		t.Errorf("of its event: %+v, %v", of, err)
	}
	if d, err := w.Webhooks.Delivery(t.Context(), w.Person(authz.RoleSupportStaff), e.ID.String(),
		all[0].Latest.String()); err != nil || d.Attempts[0].ResponseBody != "" ||
		len(d.Attempts[0].Request)+len(d.Attempts[0].Response) > 0 {
		t.Errorf("support staff sees %+v, %v", d, err)
	}
	for _, one := range []webhook.Endpoint{{}, w.listen(r)} {
		if _, err := w.Webhooks.Delivery(t.Context(), reader, one.ID.String(),
			all[0].Latest.String()); !fault.HasCode(err, "resource_missing") {
			t.Errorf("by another endpoint: %v", err)
		}
	}
	if _, err := w.Webhooks.Delivery(t.Context(), w.PersonOf(authz.RoleApplicationAdmin, w.Other), e.ID.String(),
		all[0].Latest.String()); !fault.HasCode(err, "resource_missing") {
		t.Errorf("of another application: %v", err)
	}

	if _, err := w.Webhooks.Disable(t.Context(), w.Actor(), e.ID.String(), nil); err != nil {
		t.Fatal(err)
	}
	if all, err = w.Webhooks.Failures(t.Context(), reader, e.ID); err != nil || len(all) != 1 ||
		all[0].Status != "canceled" {
		t.Errorf("once they are canceled: %+v, %v", all, err)
	}
	well.Store(true)
	if _, err := w.Webhooks.Enable(t.Context(), w.Actor(), e.ID.String(), nil); err != nil {
		t.Fatal(err)
	}
	again := w.replay(e, webhook.ReplayInput{Since: &since, Which: ptr("failed")})
	eventually(t, func() bool {
		counts, before, err := w.Webhooks.Progress(t.Context(), reader, again)
		return err == nil && counts["succeeded"] == 3 && len(before) == 0
	}, "three that arrived")
	if all, err = w.Webhooks.Failures(t.Context(), reader, e.ID); err != nil || len(all) != 0 {
		t.Errorf("once they have arrived: %+v, %v", all, err)
	}
	if past, err := w.Webhooks.Replays(t.Context(), reader, e.ID, 5); err != nil || len(past) != 1 ||
		past[0].ID != again.ID || past[0].Object == "" {
		t.Errorf("replays: %+v, %v", past, err)
	}
	for name, read := range map[string]func() error{
		"failures": func() error {
			_, err := w.Webhooks.Failures(t.Context(), w.OrganizationAdmin(), e.ID)
			return err
		},
		"delivery": func() error {
			_, err := w.Webhooks.Delivery(t.Context(), w.OrganizationAdmin(), e.ID.String(), "")
			return err
		},
		"replays": func() error {
			_, err := w.Webhooks.Replays(t.Context(), w.OrganizationAdmin(), e.ID, 5)
			return err
		},
		"progress": func() error {
			_, _, err := w.Webhooks.Progress(t.Context(), w.OrganizationAdmin(), again)
			return err
		},
	} {
		if err := read(); !fault.HasCode(err, "permission_denied") {
			t.Errorf("an organization's administrator reads %s: %v", name, err)
		}
	}
}

// What waits from before the span of a replay is counted apart from what is in it.
func TestAReplayCountsWhatWaitsFromBeforeApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := receive(t, answer(http.StatusBadGateway))
	e := w.listen(r, "charge.*")
	w.emit(3, "charge.created")
	w.work()
	w.attempted(e, 1)
	w.Clock.Advance(6 * time.Second)
	w.attempted(e, 2) // the third waits for minutes
	w.Clock.Advance(time.Second)
	since := w.Clock.Now()
	w.emit(2, "charge.created")
	again := w.replay(e, webhook.ReplayInput{Since: &since, Which: ptr("failed")})
	within, before, err := w.Webhooks.Progress(t.Context(), w.Actor(), again)
	if sum := before["pending"] + before["failed"]; err != nil || sum != 3 ||
		within["pending"]+within["failed"]+within["succeeded"] > 2 {
		t.Errorf("%v, %v, %+v, %v", within, before, again, err)
	}
}

// What waits for its next attempt is attempted when what was missed is replayed, and not twice.
func TestAReplayHurriesWhatWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	since := w.Clock.Now()
	var well atomic.Bool
	r := receive(t, func(rw http.ResponseWriter, _ *http.Request) {
		if !well.Load() {
			rw.WriteHeader(http.StatusBadGateway)
		}
	})
	e := w.listen(r, "charge.*")
	told := w.emit(3, "charge.created")
	w.work()
	w.attempted(e, 1)
	w.Clock.Advance(6 * time.Second) // the second attempt is made, the third waits for minutes
	w.attempted(e, 2)
	well.Store(true)
	again := w.replay(e, webhook.ReplayInput{Since: &since, Which: ptr("failed")})
	w.awaitDeliveries(e, 3, "succeeded")
	counts, before, err := w.Webhooks.Progress(t.Context(), w.Actor(), again)
	if err != nil || counts["succeeded"] != 3 || len(counts) != 1 || len(before) != 0 || again.Queued != 0 {
		t.Errorf("%v, %v, %+v, %v", counts, before, again, err)
	}
	if got := r.messages(); len(got) != 9 || got[6].ID == got[7].ID {
		t.Errorf("%d messages came of %v", len(got), told)
	}
}
