package totals_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/refund"
	"svcpay/internal/report/totals"
	"svcpay/internal/sandbox/simulate"
	"svcpay/internal/testing/fixture"
)

// zones are far apart, and some are not of whole hours.
var zones = []string{"UTC", "America/New_York", "America/St_Johns", "Asia/Kathmandu", "Pacific/Chatham"}

// folding is a world that a property has things happen in.
type folding struct {
	*fixture.World
	rt     *rapid.T
	tokens map[int64][]string // of merchants
	made   []charge.Charge
}

func newFolding(t *testing.T) *folding {
	w := fixture.New(t)
	w.Totals.FoldAtMost(7, 5)
	f := &folding{World: w, tokens: make(map[int64][]string)}
	us := w.SessionOf(w.App, w.App.Merchants.US)
	f.tokens[w.App.Merchants.US] = []string{w.TokenIn(us, good), w.TokenIn(us, "4000000000000002"),
		w.BankToken(w.App.Merchants.US, w.USBank(settles))}
	f.tokens[w.Other.Merchants.US] = []string{w.TokenIn(w.SessionOf(w.Other, w.Other.Merchants.US), good)}
	f.tokens[w.App.Merchants.CA] = []string{w.TokenIn(w.SessionOf(w.App, w.App.Merchants.CA), good),
		w.BankToken(w.App.Merchants.CA, w.CABank(settles))}
	return f
}

func (f *folding) charge(ctx context.Context) error {
	actor, merchant := f.Actor(), rapid.SampledFrom([]int64{f.App.Merchants.US, f.App.Merchants.CA,
		f.Other.Merchants.US}).Draw(f.rt, "merchant")
	if merchant == f.Other.Merchants.US {
		actor = f.ActorOf(f.Other)
	}
	in := charge.CreateInput{MerchantID: &merchant,
		Amount: ptr(money.Amount(rapid.IntRange(50, 900).Draw(f.rt, "amount"))),
		Token:  ptr(rapid.SampledFrom(f.tokens[merchant]).Draw(f.rt, "token"))}
	if rapid.IntRange(0, 3).Draw(f.rt, "only authorized") == 0 { // of a bank account it is refused
		in.Capture = ptr(false)
	}
	out, err := f.Charges.Create(ctx, actor, in, nil)
	if err == nil && actor.ApplicationID == f.App.AppID {
		f.made = append(f.made, out.Object)
	}
	return err
}

// happen has something happen to a charge of the first application, if it can.
func (f *folding) happen(ctx context.Context) error {
	if len(f.made) == 0 {
		return nil
	}
	c := rapid.SampledFrom(f.made).Draw(f.rt, "charge")
	id, amount := c.ID.String(), money.Amount(rapid.IntRange(1, 300).Draw(f.rt, "part"))
	simulated := func(in simulate.ChargeInput) error {
		_, err := f.Simulate.Charge(ctx, f.Actor(), id, in, nil)
		return err
	}
	switch rapid.SampledFrom([]string{"capture", "void", "refund", "settle", "return", "dispute", "update"}).Draw(f.rt,
		"what") {
	case "capture":
		_, err := f.Charges.Capture(ctx, f.Actor(), id, charge.CaptureInput{}, nil)
		return err
	case "void":
		_, err := f.Charges.Void(ctx, f.Actor(), id, charge.VoidInput{}, nil)
		return err
	case "refund":
		_, err := f.Refunds.Create(ctx, f.Actor(), refund.CreateInput{ChargeID: &id, Amount: &amount}, nil)
		return err
	case "settle":
		return simulated(simulate.ChargeInput{Outcome: ptr("settled")})
	case "return":
		return simulated(simulate.ChargeInput{Outcome: ptr("returned"),
			ReturnCode: ptr(map[money.Currency]string{money.USD: "R10", money.CAD: "915"}[c.Currency])})
	case "dispute":
		return simulated(simulate.ChargeInput{Outcome: ptr("chargeback"), Amount: &amount})
	}
	_, err := f.Charges.Update(ctx, f.Actor(), id, charge.UpdateInput{}, nil)
	return err
}

// pass lets time go by, of everybody or of the first application alone.
func (f *folding) pass(ctx context.Context) error {
	d := time.Duration(rapid.IntRange(1, 5000).Draw(f.rt, "seconds")) * time.Second
	if rapid.Bool().Draw(f.rt, "all") {
		f.Clock.Advance(d)
		return nil
	}
	return f.Clocks.Advance(ctx, f.App.AppID, d*time.Duration(rapid.SampledFrom([]int{1, 50}).Draw(f.rt, "times")))
}

// fold makes a pass, or begins one that is cut off.
func (f *folding) fold(ctx context.Context) error {
	if _, err := f.Events.Number(ctx); err != nil {
		return err
	}
	if rapid.Bool().Draw(f.rt, "whole") {
		_, err := f.Totals.Fold(ctx)
		return err
	}
	short, cancel := context.WithTimeout(ctx, time.Duration(rapid.IntRange(0, 12).Draw(f.rt, "ms"))*time.Millisecond)
	defer cancel()
	if _, err := f.Totals.Fold(short); err != nil && short.Err() == nil {
		return err
	}
	return nil
}

// span draws a time to add up over: of whole quarters, mostly.
func (f *folding) span() (in totals.Input) {
	edge := func(name string) *time.Time {
		at := f.made[0].CreatedAt.Add(time.Duration(rapid.IntRange(-100, 4000).Draw(f.rt, name)) * 15 * time.Minute)
		if rapid.IntRange(0, 5).Draw(f.rt, name+" is whole") > 0 {
			at = at.Truncate(15 * time.Minute)
		}
		return &at
	}
	if len(f.made) > 0 && rapid.Bool().Draw(f.rt, "from?") {
		in.Created.From = edge("from")
	}
	if len(f.made) > 0 && rapid.Bool().Draw(f.rt, "until?") {
		in.Created.Until = edge("until")
	}
	return in
}

// Whatever happens, and however often a pass is cut off, totals come to what the charges do.
func TestDaysOfAnyLife(t *testing.T) {
	t.Parallel()
	f := newFolding(t)
	first, other := f.Actor(), f.ActorOf(f.Other)
	staff := f.Person(authz.RoleOrganizationStaff)
	// What is rarely drawn happens once.
	back, sold, part := debit(t, f.World, 900), create(t, f.World, input(f.World, good, 500)), money.Amount(40)
	for _, in := range []simulate.ChargeInput{{Outcome: ptr("settled")},
		{Outcome: ptr("returned"), ReturnCode: ptr("R10")}} {
		if _, err := f.Simulate.Charge(t.Context(), first, back.ID.String(), in, nil); err != nil {
			t.Fatal(err)
		}
	}
	_, refunds := f.Refunds.Create(t.Context(), first,
		refund.CreateInput{ChargeID: ptr(sold.ID.String()), Amount: &part}, nil)
	_, disputes := f.Simulate.Charge(t.Context(), first, sold.ID.String(),
		simulate.ChargeInput{Outcome: ptr("chargeback"), Amount: &part}, nil)
	if err := errors.Join(refunds, disputes); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		f.rt = rt
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			step := rapid.SampledFrom([]func(context.Context) error{f.charge, f.charge, f.happen, f.happen, f.pass,
				f.fold}).Draw(rt, "step")
			if err := step(t.Context()); err != nil && pg.Fault(err).Kind == fault.KindInternal {
				rt.Fatal(err)
			}
		}
		if err := drained(t.Context(), f.World); err != nil {
			rt.Fatal(err)
		}
		zone, in := rapid.SampledFrom(zones).Draw(rt, "zone"), f.span()
		for _, actor := range []authz.Actor{first, other, staff} {
			if err := sameDays(t.Context(), f.World, actor, in, zone); err != nil {
				rt.Fatal(err)
			}
		}
		in.Merchants = rapid.SampledFrom([][]int64{{}, {f.App.Merchants.CA}, {f.App.Merchants.US, f.App.Merchants.CA},
			{f.Other.Merchants.US}}).Draw(rt, "merchants")
		if err := sameDays(t.Context(), f.World, first, in, zone); err != nil {
			rt.Fatal(err)
		}
	})
	for _, member := range []string{"failed", "decided", "captured", "refunded", "returned", "disputed", "fees"} {
		if count(t, f.World, `charge_totals WHERE merchant_id IS NULL AND `+member+` > 0`, pg.Args{}) == 0 {
			t.Errorf("nothing of %s was folded", member)
		}
	}
}
