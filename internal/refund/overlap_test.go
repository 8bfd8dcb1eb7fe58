package refund_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/check/patch"
	"svcpay/internal/money"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/refund"
	"svcpay/internal/testing/fixture"
)

// whileSent refunds a part of a charge; while its processor is asked something happens to the charge.
func whileSent(t *testing.T, w *fixture.World, p *scripted, c charge.Charge, happens func()) refund.Refund {
	t.Helper()
	p.refund = func(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
		happens()
		return p.Processor.Refund(ctx, f)
	}
	in := of(c, 30)
	in.Note = ptr("A seat was given back")
	out := create(t, w, in, claimOf(w, t.Name()))
	p.refund = nil
	if read := get(t, w, out.Object.ID); jsonOf(t, read) != jsonOf(t, out.Object) || read.Status != refund.Succeeded ||
		string(out.Text) != jsonOf(t, read) {
		t.Errorf("told %s\nread %s", out.Text, jsonOf(t, read))
	}
	return out.Object
}

// What was changed about the charge while the processor had a refund of it stays changed when its outcome is written.
func TestOutcomeKeepsWhatWasChangedMeanwhile(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(w *fixture.World, c charge.Charge) error{
		"described": func(w *fixture.World, c charge.Charge) error {
			_, err := w.Charges.Update(w.T.Context(), w.Actor(), c.ID.String(),
				charge.UpdateInput{Description: patch.Set("Gala")}, nil)
			return err
		},
		"disputed": func(w *fixture.World, c charge.Charge) error {
			m, err := w.Clocks.Moment(w.T.Context(), c.ApplicationID)
			if err != nil {
				return err
			}
			return pg.InTx(w.T.Context(), w.Pool, func(tx *pg.Tx) error {
				l, err := w.Charges.LockTx(w.T.Context(), tx, c.ApplicationID, c.ID)
				if err != nil {
					return err
				}
				_, err = w.Charges.ChangeTx(tx, m, l,
					charge.Change{Disputed: 50, Event: "charge.updated", Source: outbox.Job})
				return err
			})
		},
		"settled": func(w *fixture.World, c charge.Charge) error {
			return w.Charges.SettleNow(w.T.Context(), told(c, ""))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, p := newScripted(t)
			c := captured(t, w, 100)
			whileSent(t, w, p, c, func() {
				if err := change(w, c); err != nil {
					t.Error(err)
				}
			})
			after := chargeOf(t, w, c.ID)
			if after.Version != c.Version+3 || after.AmountRefunded != 30 ||
				(after.Description != nil) != (name == "described") ||
				(after.Status == charge.Settled) != (name == "settled") ||
				(after.AmountDisputed == 50) != (name == "disputed") {
				t.Errorf("%s", jsonOf(t, after))
			}
			audit(t, w)
		})
	}
}

// The same when the change is not committed yet as the outcome comes: it is waited for. Neither need it be a version of
// the charge: what someone took out of the rows comes back in no event.
func TestOutcomeWaitsForAChangeUnderWay(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	c := captured(t, w, 100)
	changed := make(chan error, 1)
	r := whileSent(t, w, p, c, func() {
		held := make(chan struct{})
		go func() {
			changed <- pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
				tx.Later(`UPDATE charges SET metadata = '{"desk": "4"}' WHERE id = @id`, pg.Args{"id": c.ID})
				tx.Later(`UPDATE refunds SET note = NULL WHERE charge_id = @id`, pg.Args{"id": c.ID})
				err := tx.Flush(t.Context())
				close(held)
				time.Sleep(50 * time.Millisecond) // the outcome's statement comes in the meantime
				return err
			})
		}()
		<-held
	})
	if err := <-changed; err != nil || r.Note != nil || chargeOf(t, w, c.ID).Metadata["desk"] != "4" {
		t.Errorf("%s, %v", jsonOf(t, r), err)
	}
	if n := count(t, w, `events WHERE object_id = @id AND position = 2 AND object->>'note' IS NOT NULL`,
		pg.Args{"id": r.ID}); n != 0 {
		t.Error("the note is told of again")
	}
	audit(t, w)
}

// A change of one charge does not disturb the outcomes of refunds of others in the same batch.
func TestOneChargeOfABatchChanges(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	const all = 12
	var charges [all]charge.Charge
	for i := range charges {
		charges[i] = captured(t, w, money.Amount(100+i))
	}
	arrived, gate := make(chan struct{}, all), make(chan struct{})
	p.refund = func(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
		arrived <- struct{}{}
		<-gate
		return p.Processor.Refund(ctx, f)
	}
	done := make(chan refund.Refund, all)
	for i, c := range charges {
		claim := claimOf(w, fmt.Sprint("k", i))
		go func() {
			out, err := w.Refunds.Create(t.Context(), w.Actor(), of(c, 0), claim)
			if err != nil {
				t.Error(err)
			}
			done <- out.Object
		}()
	}
	for range all {
		<-arrived
	}
	if _, err := w.Charges.Update(t.Context(), w.Actor(), charges[5].ID.String(),
		charge.UpdateInput{Description: patch.Set("Gala")}, nil); err != nil {
		t.Error(err)
	}
	close(gate)
	for range all {
		if r := <-done; r.Status != refund.Succeeded || r.Version != 2 {
			t.Errorf("%s", jsonOf(t, r))
		}
	}
	for i, c := range charges {
		after := chargeOf(t, w, c.ID)
		if after.AmountRefunded != c.Amount || (after.Description != nil) != (i == 5) {
			t.Errorf("%s", jsonOf(t, after))
		}
	}
	audit(t, w)
}

// Refunds of one charge that overlap add up.
func TestRefundsOfOneChargeOverlap(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	c := captured(t, w, 100)
	arrived, gate := make(chan struct{}, 3), make(chan struct{})
	p.refund = func(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
		arrived <- struct{}{}
		<-gate
		if f.Amount == 11 {
			return p.decline(ctx, f)
		}
		return p.Processor.Refund(ctx, f)
	}
	done := make(chan refund.Result, 3)
	for i := range 3 {
		claim := claimOf(w, fmt.Sprint("k", i))
		go func() {
			out, err := w.Refunds.Create(t.Context(), w.Actor(), of(c, money.Amount(10+i)), claim)
			if err != nil {
				t.Error(err)
			}
			done <- out
		}()
		<-arrived
	}
	close(gate)
	for range 3 {
		out := <-done
		want := refund.Succeeded
		if out.Object.Amount == 11 {
			want = refund.Failed
		}
		if r := get(t, w, out.Object.ID); r.Status != want || string(out.Text) != jsonOf(t, r) {
			t.Errorf("told %s\nread %s", out.Text, jsonOf(t, r))
		}
	}
	if after := chargeOf(t, w, c.ID); after.AmountRefunded != 22 || after.AmountRefundPending != 0 ||
		after.Version != c.Version+6 {
		t.Errorf("%s", jsonOf(t, after))
	}
	audit(t, w)
}
