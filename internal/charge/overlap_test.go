package charge_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/check/patch"
	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/testing/fixture"
)

// whileCalled makes a charge while whose processor is asked something happens.
func whileCalled(t *testing.T, w *fixture.World, p *scripted, happens func(id string)) charge.Charge {
	t.Helper()
	p.authorize = func(ctx context.Context, a processor.Authorization) (processor.Answer, error) {
		happens(a.Reference)
		return p.Processor.Authorize(ctx, a)
	}
	c := create(t, w, input(w, good, 10_000), claimOf(w, t.Name())).Object
	if read := get(t, w, c.ID); jsonOf(t, read) != jsonOf(t, c) || c.Status != charge.Captured {
		t.Errorf("told %s\nread %s", jsonOf(t, c), jsonOf(t, read))
	}
	return c
}

// What was changed about a charge while the processor had it stays changed when its outcome is written.
func TestOutcomeKeepsWhatWasChangedMeanwhile(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	c := whileCalled(t, w, p, func(id string) {
		if _, err := w.Charges.Update(t.Context(), w.Actor(), id, update{Description: patch.Set("Gala")},
			nil); err != nil {
			t.Error(err)
		}
	})
	if c.Version != 3 || c.Description == nil || *c.Description != "Gala" {
		t.Errorf("%s", jsonOf(t, c))
	}
	if all := events(t, w, c.ID); len(all) != 3 || *all[2].Object.Description != "Gala" ||
		all[2].Object.Status != charge.Captured {
		t.Errorf("told %+v", all)
	}
	audit(t, w)
}

// The same when the change is not committed yet as the outcome comes: it is waited for.
func TestOutcomeWaitsForAChangeUnderWay(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	changed := make(chan error, 1)
	c := whileCalled(t, w, p, func(id string) {
		held := make(chan struct{})
		chargeID, err := ids.ParseCharge(id)
		if err != nil {
			t.Error(err)
		}
		go func() {
			changed <- pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
				_, err := tx.Exec(t.Context(), `UPDATE charges SET metadata = '{"desk": "4"}'
					WHERE id = @id`, pg.Args{"id": chargeID})
				close(held)
				time.Sleep(50 * time.Millisecond) // the outcome's statement comes in the meantime
				return err
			})
		}()
		<-held
	})
	if err := <-changed; err != nil || c.Metadata["desk"] != "4" {
		t.Errorf("%s, %v", jsonOf(t, c), err)
	}
	audit(t, w)
}

// A charge costs what is in effect when it is authorized, were it changed a moment before.
func TestOutcomeCostsWhatIsInForce(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(w *fixture.World, dearer fee.Rates, base fee.Fees) error{
		"of the merchant": func(w *fixture.World, dearer fee.Rates, now fee.Fees) error {
			_, err := w.Fees.Schedule(w.T.Context(), w.Person(authz.RoleApplicationAdmin), w.App.Merchants.US,
				fee.Change{Rates: dearer, Reason: "As agreed", Base: now.Latest})
			return err
		},
		"of the service": func(w *fixture.World, dearer fee.Rates, _ fee.Fees) error {
			_, err := w.Fees.ScheduleServiceRates(w.T.Context(), w.Admin(), w.App.AppID,
				fee.Change{Rates: dearer, Reason: "As agreed"})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, p := newScripted(t)
			now, err := w.Fees.Current(t.Context(), w.Person(authz.RoleApplicationAdmin), w.App.Merchants.US)
			if err != nil {
				t.Fatal(err)
			}
			dearer := now.Rates
			dearer.CaptureFee += 7
			c := whileCalled(t, w, p, func(string) {
				if err := change(w, dearer, now); err != nil {
					t.Error(err)
				}
			})
			used, err := pg.Value[int](t.Context(), w.Pool, `
				SELECT count(*)::int FROM fee_events e
				JOIN fee_schedules s ON s.id = e.schedule_id
				LEFT JOIN service_fee_schedules o ON o.id = e.service_schedule_id
				WHERE e.source_id = @id AND e.kind = 'captured' AND @dearer IN (s.capture_fee, o.capture_fee)`,
				pg.Args{"id": c.ID, "dearer": dearer.CaptureFee})
			if err != nil || used != 1 {
				t.Errorf("%d captures by the rates in force, %v: %s", used, err, jsonOf(t, c))
			}
			audit(t, w)
		})
	}
}

// Consecutive charges are billed by the schedules that are in effect at each.
func TestEachChargeCostsWhatIsInForce(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	of := fee.Merchant{ApplicationID: w.App.AppID, MerchantID: w.App.Merchants.US}
	admin := w.Person(authz.RoleApplicationAdmin)
	used := make(map[[2]ids.FeeSchedule]bool)
	for i, change := range []func(now fee.Fees, dearer fee.Rates) error{
		func(fee.Fees, fee.Rates) error { return nil },
		func(now fee.Fees, dearer fee.Rates) error {
			_, err := w.Fees.Schedule(t.Context(), admin, of.MerchantID,
				fee.Change{Rates: dearer, Reason: "As agreed", Base: now.Latest})
			return err
		},
		func(_ fee.Fees, dearer fee.Rates) error {
			_, err := w.Fees.ScheduleServiceRates(t.Context(), w.Admin(), of.ApplicationID,
				fee.Change{Rates: dearer, Reason: "As agreed"})
			return err
		},
		func(now fee.Fees, dearer fee.Rates) error {
			begins := w.Clock.Now().Add(time.Hour)
			_, err := w.Fees.Schedule(t.Context(), admin, of.MerchantID,
				fee.Change{Rates: dearer, EffectiveAt: &begins, Reason: "From then on", Base: now.Latest})
			create(t, w, input(w, good, 7_000), claimOf(w, "before it begins"))
			w.Clock.Advance(time.Hour)
			return err
		},
	} {
		now, err := w.Fees.Current(t.Context(), admin, of.MerchantID)
		if err != nil {
			t.Fatal(err)
		}
		dearer := now.Rates
		dearer.CaptureFee += 7
		w.Clock.Advance(time.Millisecond) // no change begins at an instant at which something was charged
		if err := change(now, dearer); err != nil {
			t.Fatal(i, err)
		}
		c := create(t, w, input(w, good, 10_000), claimOf(w, fmt.Sprint("k", i))).Object
		var terms map[fee.Merchant]fee.Terms
		if err := pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) (err error) {
			terms, err = fee.EffectiveTx(t.Context(), tx, map[fee.Merchant]time.Time{of: w.Clock.Now()})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		by := pg.Args{"id": c.ID, "schedule": terms[of].Merchant.ID, "service": terms[of].Service.ID}
		if n := count(t, w, `fee_events WHERE source_id = @id AND schedule_id = @schedule
			AND service_schedule_id IS NOT DISTINCT FROM @service`, by); n != 2 {
			t.Errorf("%d: %d events by the rates in force: %s", i, n, jsonOf(t, c))
		}
		used[[2]ids.FeeSchedule{terms[of].Merchant.ID, terms[of].Service.ID}] = true
	}
	if len(used) != 4 {
		t.Errorf("%d rates", len(used))
	}
	audit(t, w)
}

// A change of one charge does not disturb the outcomes of the others in the same batch.
func TestOneChargeOfABatchChanges(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	const all = 12
	gate := make(chan struct{})
	arrived := make(chan string, all)
	p.authorize = func(ctx context.Context, a processor.Authorization) (processor.Answer, error) {
		arrived <- a.Reference
		<-gate
		return p.Processor.Authorize(ctx, a)
	}
	done := make(chan charge.Charge, all)
	for i := range all {
		in, claim := input(w, good, money.Amount(100+i)), claimOf(w, fmt.Sprint("k", i))
		go func() {
			out, err := w.Charges.Create(t.Context(), w.Actor(), in, claim)
			if err != nil {
				t.Error(err)
			}
			done <- out.Object
		}()
	}
	touched := <-arrived
	for range all - 1 {
		<-arrived
	}
	if _, err := w.Charges.Update(t.Context(), w.Actor(), touched, update{Description: patch.Set("Gala")},
		nil); err != nil {
		t.Error(err)
	}
	close(gate)
	for range all {
		c, version := <-done, 2
		if c.ID.String() == touched {
			version = 3
		}
		if c.Status != charge.Captured || c.Version != version {
			t.Errorf("%s", jsonOf(t, c))
		}
	}
	audit(t, w)
}
