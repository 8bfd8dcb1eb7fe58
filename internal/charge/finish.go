package charge

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/operation"
	"svcpay/internal/platform/calendar"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
)

// finished is a charge whose operation has ended, with the operation that follows it and is open; nil if none does.
type finished struct {
	operation.Finished[Charge]
	next *operation.Operation
	lost error // of a commit, if it is unknown whether the outcome is written
}

// finishTx writes outcomes of operations. One that is written already changes nothing, so that the
// request and the resolver may both arrive here. source is who caused them; "" for anyone who wanted each.
func (s *Service) finishTx(ctx context.Context, tx *pg.Tx, at moments, ins []operation.Outcome,
	source outbox.Source) ([]finished, error) {
	rows, all, err := s.lockOutcomesTx(ctx, tx, at, ins)
	if err != nil {
		return nil, err
	}
	out := make([]finished, len(ins))
	for _, i := range byToken(ins, rows) {
		in := ins[i]
		before, ok := rows[in.ChargeID]
		if !ok || before.ApplicationID != in.ApplicationID {
			return nil, fmt.Errorf("charge: %v is gone", in.ChargeID)
		}
		m := at[in.ApplicationID]
		if held, err := heldBeforeTx(ctx, tx, before.Charge, in); err != nil {
			return nil, err
		} else if held {
			out[i].Object = before.Charge
			continue
		}
		e, changes := conclude(before.Charge, in, all[in.ChargeID], m.At)
		if !changes { // an approval of a charge that was given up is found again by the watch over it
			if out[i], err = overtakenTx(ctx, tx, m, before.Charge, in); err != nil {
				return nil, err
			}
			continue
		}
		out[i].Object, out[i].Refusal = before.Charge, e.refusal
		operation.CloseTx(tx, in, m.Machine)
		if e.refusal == nil {
			if out[i].Object, out[i].Text, err = s.writeTx(ctx, tx, m, before.Charge, e, in.RequestID,
				cmp.Or(source, in.Source)); err != nil {
				return nil, err
			}
			out[i].Refusal = asRefusal(out[i].Object)
		}
		if out[i].next = s.openNextTx(tx, m, out[i].Object, in, e.next); e.next == operation.Capture {
			out[i].Object.PaymentID = &in.Answer.ExternalID
			continue // it has the key
		}
		if err := in.StoreTx(tx, out[i].Text, out[i].Refusal); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// heldBeforeTx reports whether the outcome of an authorization is written already that made its charge wait for a
// capture: the charge is in processing as before, and its status does not show that.
func heldBeforeTx(ctx context.Context, tx *pg.Tx, c Charge, in operation.Outcome) (bool, error) {
	if in.Kind != operation.Authorize || in.Note == nil || c.Status != Processing {
		return false, nil
	}
	open, err := operation.IsOpen(ctx, tx, in.ID)
	return !open, err
}

// lockOutcomesTx locks the charges of outcomes and returns them with the terms by which each is charged.
func (s *Service) lockOutcomesTx(ctx context.Context, tx *pg.Tx, at moments,
	ins []operation.Outcome) (map[ids.Charge]Locked, map[ids.Charge]terms, error) {
	named, merchants := make([]Named, len(ins)), make(map[fee.Merchant]time.Time)
	for i, in := range ins {
		named[i] = Named{in.ApplicationID, in.ChargeID}
		merchants[fee.Merchant{ApplicationID: in.ApplicationID, MerchantID: in.MerchantID}] = at[in.ApplicationID].At
	}
	b := tx.Batch()
	schedules, charges := fee.Ask(b, merchants), s.AskLock(b, named)
	if err := b.Run(ctx); err != nil {
		return nil, nil, err
	}
	rows := charges.Charges()
	all, err := s.termsOf(rows, schedules.Terms())
	return rows, all, err
}

// byToken orders outcomes by their charges' tokens, whose rows they change: transactions that change
// several take them in one order.
func byToken(ins []operation.Outcome, rows map[ids.Charge]Locked) []int {
	order := make([]int, len(ins))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := rows[ins[a].ChargeID].Token.Bytes(), rows[ins[b].ChargeID].Token.Bytes()
		return bytes.Compare(x[:], y[:])
	})
	return order
}

// overtakenTx ends an operation whose charge is no more what it was asked for. Nearly always its outcome is
// written already, by the request or by the resolver. But what the processor tells does not wait for
// calls in progress: a debit may come back or settle while its void is lost.
func overtakenTx(ctx context.Context, tx *pg.Tx, m instant.Moment, c Charge, in operation.Outcome) (finished, error) {
	open, err := operation.IsOpen(ctx, tx, in.ID)
	if err != nil || !open {
		return finished{Finished: operation.Finished[Charge]{Object: c, Refusal: asRefusal(c)}}, err
	}
	if operation.StateOf(in.Answer) == operation.Approved {
		slog.ErrorContext(ctx, "an approval fits the charge no more", "kind", string(in.Kind), "charge_id",
			c.ID.String(), "status", string(c.Status))
	}
	operation.CloseTx(tx, in, m.Machine)
	out := finished{Finished: operation.Finished[Charge]{Object: c, Refusal: overtaken(c, in)}}
	return out, in.StoreTx(tx, out.Object, out.Refusal)
}

// asRefusal is what the request that created a failed charge is told; nil for any other charge.
func asRefusal(c Charge) *fault.Error {
	if c.Status != Failed {
		return nil
	}
	return refusal(c)
}

type moments = clock.Moments

// moments reads the clocks of the outcomes' applications, before a transaction holds a connection.
func (s *Service) moments(ctx context.Context, ins []operation.Outcome) (moments, error) {
	return clock.MomentsOf(ctx, s.deps.Clock, ins, applicationOf)
}

func merchantOf(c Charge) fee.Merchant {
	return fee.Merchant{ApplicationID: c.ApplicationID, MerchantID: c.MerchantID}
}

// termsTx reads what the charges' merchants are settled by at the given times.
func (s *Service) termsTx(ctx context.Context, tx *pg.Tx, rows map[ids.Charge]Locked,
	at moments) (map[ids.Charge]terms, error) {
	wanted := make(map[fee.Merchant]time.Time)
	for _, r := range rows {
		wanted[merchantOf(r.Charge)] = at[r.ApplicationID].At
	}
	schedules, err := fee.EffectiveTx(ctx, tx, wanted)
	if err != nil {
		return nil, err
	}
	return s.termsOf(rows, schedules)
}

// termsOf adds to the schedules of the charges' merchants where and by which clock they settle.
func (s *Service) termsOf(rows map[ids.Charge]Locked, schedules map[fee.Merchant]fee.Terms) (map[ids.Charge]terms,
	error) {
	out := make(map[ids.Charge]terms, len(rows))
	for id, r := range rows {
		zone, err := calendar.Zone(r.TimeZone)
		if err != nil {
			return nil, err
		}
		out[id] = terms{schedules[merchantOf(r.Charge)], calendar.Country(r.Country), zone,
			s.deps.Processors.Terms(r.Processor.Name)}
	}
	return out, nil
}
