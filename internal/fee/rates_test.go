package fee_test

import (
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// The service's own rates to an application.

type recorded struct {
	ScheduleID        ids.FeeSchedule `db:"schedule_id"`
	Lines             []fee.Line      `db:"lines"`
	Total             money.Amount    `db:"total"`
	ServiceScheduleID ids.FeeSchedule `db:"service_schedule_id"`
	ServiceLines      []fee.Line      `db:"service_lines"`
	ServiceTotal      money.Amount    `db:"service_total"`
}

func (w *world) recorded(t *testing.T, e fee.Event) recorded {
	t.Helper()
	r, err := pg.One[recorded](t.Context(), w.Pool, `
		SELECT schedule_id, lines, total, service_schedule_id, service_lines, service_total FROM fee_events
		WHERE application_id = @app AND source_id = @id
			AND kind = @kind`, pg.Args{"app": e.ApplicationID, "id": e.SourceID, "kind": e.Kind})
	must(t, err)
	return r
}

// TestASettingChangesOnlyItself sets each of the rates, and switches off those that can be.
func TestASettingChangesOnlyItself(t *testing.T) {
	t.Parallel()
	for i, s := range fee.Settings() {
		flat, percent := money.Amount(100+i), money.Percent(1000+i)
		for _, off := range []bool{false, true} {
			var r fee.Rates
			var wantFlat *money.Amount
			var wantPercent *money.Percent
			switch {
			case off && !s.Optional:
				continue
			case off:
				s.Put(&r, &flat, &percent)
			case s.Unit == fee.Flat:
				wantFlat = &flat
			default:
				wantPercent = &percent
			}
			s.Put(&r, wantFlat, wantPercent)
			if gotFlat, gotPercent := s.In(r); !equal(gotFlat, wantFlat) || !equal(gotPercent, wantPercent) {
				t.Errorf("%s, off %t: %v, %v", s.Name, off, gotFlat, gotPercent)
			}
			for _, other := range fee.Settings() {
				f, p := other.In(r)
				if of, op := other.In(fee.Rates{}); other.Name != s.Name && (!equal(f, of) || !equal(p, op)) {
					t.Errorf("%s changes %s", s.Name, other.Name)
				}
			}
		}
	}
}

func TestTheServiceHasItsOwnRatesToAnApplication(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	root := authz.Actor{Role: authz.RoleSystemAdmin}
	at := func(when time.Time) fee.Terms { return w.terms(t, w.us(), when) }
	captured := func() fee.Event {
		return w.record(t, w.us(), fee.Event{SourceID: ids.NewCharge(w.Clock.Now()).Bytes(), Kind: fee.Captured,
			Base: 10_000, Brand: "visa", At: w.Clock.Now()})
	}
	none, err := w.fees.ServiceRates(t.Context(), root, w.App.AppID)
	if err != nil || !none.ID.IsZero() || !none.Latest.IsZero() || len(none.Scheduled) != 0 {
		t.Fatalf("at first: %+v, %v", none, err)
	}
	free := w.recorded(t, captured())
	if free.Total != 125 || free.ServiceTotal != 0 || len(free.ServiceLines) != 0 || !free.ServiceScheduleID.IsZero() {
		t.Errorf("without rates: %+v", free)
	}

	w.Clock.Advance(time.Millisecond)
	half := money.Percent(500)
	first, err := w.fees.ScheduleServiceRates(t.Context(), root, w.App.AppID,
		fee.Change{Rates: fee.Rates{CaptureFee: 3, PlatformPercentage: &half}, Reason: "Agreed"})
	if err != nil || first.Object != "service_fee_schedule" || first.MerchantID != 0 || first.Status != fee.InForce {
		t.Fatalf("%+v, %v", first, err)
	}
	next, err := w.fees.ScheduleServiceRates(t.Context(), root, w.App.AppID,
		fee.Change{Rates: fee.Rates{CaptureFee: 4}, EffectiveAt: w.in(day), Reason: "Agreed", Base: first.ID})
	must(t, err)
	now := w.recorded(t, captured())
	if now.Total != 125 || now.ServiceTotal != 53 || len(now.ServiceLines) != 2 || now.ServiceScheduleID != first.ID ||
		now.ServiceLines[0].ScheduleID != first.ID {
		t.Errorf("with rates: %+v", now)
	}
	if a, b := at(w.Clock.Now().Add(day-time.Millisecond)).Service,
		at(w.Clock.Now().Add(day)).Service; a.ID != first.ID || b.ID != next.ID {
		t.Errorf("at the boundary: %v, then %v", a.ID, b.ID)
	}
	other := fee.Merchant{ApplicationID: w.Other.AppID, MerchantID: w.Other.Merchants.US}
	if got := w.terms(t, other, w.Clock.Now().Add(2*day)); !got.Service.ID.IsZero() || got.Merchant.ID.IsZero() {
		t.Errorf("another application: %+v", got)
	}
	if late := w.terms(t, w.us(), w.Clock.Now().Add(-day)); !late.Service.ID.IsZero() {
		t.Errorf("before it all: %+v", late)
	}

	canceled, err := w.fees.CancelServiceRates(t.Context(), root, w.App.AppID, next.ID)
	if err != nil || canceled.Status != fee.Canceled || at(w.Clock.Now().Add(2*day)).Service.ID != first.ID {
		t.Errorf("%+v, %v", canceled, err)
	}
	_, err = w.fees.CancelServiceRates(t.Context(), root, w.App.AppID, first.ID)
	refused(t, "one that has begun", err, "fee_schedule_begun")
	all, err := w.fees.ServiceHistory(t.Context(), root, w.App.AppID, page.Input[ids.FeeSchedule]{Limit: 10})
	if err != nil || len(all.Items) != 2 || all.Items[0].ID != next.ID || all.Items[1].ID != first.ID ||
		all.Items[1].Version != 1 {
		t.Errorf("%+v, %v", all, err)
	}
	_, err = w.fees.ScheduleServiceRates(t.Context(), root, w.App.AppID, fee.Change{Rates: fee.Rates{}, Reason: "x"})
	refused(t, "an editor who saw none", err, "object_changed")
	_, err = w.fees.ScheduleServiceRates(t.Context(), root, 1<<40, fee.Change{Rates: fee.Rates{}, Reason: "x"})
	refused(t, "an unknown application", err, "resource_missing")
}

func TestServiceRatesAreTheSystemAdministrators(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, id := t.Context(), w.App.AppID
	calls := map[string]func(authz.Actor) error{
		"read": func(a authz.Actor) error { _, err := w.fees.ServiceRates(ctx, a, id); return err },
		"history": func(a authz.Actor) error {
			_, err := w.fees.ServiceHistory(ctx, a, id, page.Input[ids.FeeSchedule]{Limit: 1})
			return err
		},
		"cancel": func(a authz.Actor) error {
			_, err := w.fees.CancelServiceRates(ctx, a, id, ids.NewFeeSchedule(w.Clock.Now()))
			return err
		},
		"schedule": func(a authz.Actor) error {
			_, err := w.fees.ScheduleServiceRates(ctx, a, id, fee.Change{Reason: "x"})
			return err
		},
	}
	for name, call := range calls {
		for _, role := range []authz.Role{authz.RoleSecretKey, authz.RolePublicKey, staff, administrator} {
			refused(t, name+" by "+string(role), call(w.person(role)), "permission_denied")
		}
		refused(t, name+" from another application",
			call(authz.Actor{Role: authz.RoleSystemAdmin, ApplicationID: w.Other.AppID}), "resource_missing")
	}
	if _, err := w.fees.ServiceRates(ctx, w.person(authz.RoleSystemAdmin), id); err != nil {
		t.Error(err)
	}
}

func TestARetrievalAndItsChargebackAreTwoEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dispute := ids.NewDispute(w.Clock.Now()).Bytes()
	for kind, want := range map[fee.Kind]money.Amount{fee.Retrieval: 500, fee.Chargeback: 1500} {
		e := w.record(t, w.us(), fee.Event{SourceID: dispute, Kind: kind, Base: 100, Brand: "visa", At: w.Clock.Now()})
		if got := w.recorded(t, e); got.Total != want || len(got.Lines) != 1 {
			t.Errorf("%s: %+v", kind, got)
		}
	}
	e := w.terms(t, w.us(), w.Clock.Now()).Event(w.us(), dispute, fee.Retrieval, 100, "visa", w.Clock.Now())
	err := pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error { return fee.RecordTx(tx, []fee.Event{e}) })
	if pg.Violated(err) != "fee_events_pkey" {
		t.Errorf("the same event twice: %v", err)
	}
}
