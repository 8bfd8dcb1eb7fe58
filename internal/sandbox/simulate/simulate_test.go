package simulate_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/dispute"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/payout"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sandbox/simulate"
	"svcpay/internal/testing/fixture"
)

func happens(t *testing.T, w *fixture.World, c charge.Charge, in simulate.ChargeInput) charge.Charge {
	t.Helper()
	out, err := w.Simulate.Charge(t.Context(), w.Actor(), c.ID.String(), in, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out.Object
}

func TestWhatHappensToACharge(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	card, bank, bounced := create(t, w, w.Token(good), true), debit(t, w, "000123456789"), debit(t, w, "000123456789")
	if c := happens(t, w, card, simulate.ChargeInput{Outcome: ptr("settled")}); c.Status != charge.Settled ||
		c.SettledAt == nil {
		t.Errorf("the card is %s", c.Status)
	}
	if c := happens(t, w, bounced,
		simulate.ChargeInput{Outcome: ptr("returned"), ReturnCode: ptr("R01")}); c.Status != charge.Failed {
		t.Errorf("the debit is %s", c.Status)
	}
	happens(t, w, bank, simulate.ChargeInput{Outcome: ptr("settled")})
	c := happens(t, w, bank, simulate.ChargeInput{Outcome: ptr("returned"), ReturnCode: ptr("R10")})
	if c.Status != charge.Returned || *c.ReturnCode != "R10" {
		t.Errorf("the debit is %s", c.Status)
	}
	if c := happens(t, w, card, simulate.ChargeInput{Outcome: ptr("chargeback"), Amount: ptr(money.Amount(4_000)),
		Reason: ptr("fraudulent")}); c.AmountDisputed != 4_000 {
		t.Errorf("%d are disputed", c.AmountDisputed)
	}
	happens(t, w, card, simulate.ChargeInput{Outcome: ptr("retrieval")})
	all := disputes(t, w)
	slices.SortFunc(all, func(a, b dispute.Dispute) int { return cmp.Compare(a.Amount, b.Amount) })
	if len(all) != 2 || all[0].Kind != dispute.Chargeback || all[0].Amount != 4_000 || all[0].Reason != "fraudulent" ||
		all[1].Kind != dispute.Retrieval || all[1].Amount != 6_000 {
		t.Errorf("the disputes are %+v", all)
	}
}

func disputes(t *testing.T, w *fixture.World) []dispute.Dispute {
	t.Helper()
	all, err := w.Disputes.List(t.Context(), w.Actor(),
		dispute.ListInput{Page: page.Input[ids.Dispute]{Limit: 9, Ascending: true}})
	if err != nil {
		t.Fatal(err)
	}
	return all.Items
}

func TestWhatCannotHappenToACharge(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	card, hold, bank := create(t, w, w.Token(good), true), create(t, w, w.Token(good), false), debit(t, w,
		"000123456789")
	settled := simulate.ChargeInput{Outcome: ptr("settled")}
	for name, tt := range map[string]struct {
		id   string
		in   simulate.ChargeInput
		code string
	}{
		"nothing":               {card.ID.String(), simulate.ChargeInput{}, "parameter_missing"},
		"something else":        {card.ID.String(), simulate.ChargeInput{Outcome: ptr("earthquake")}, "parameter_invalid"},
		"return without a code": {bank.ID.String(), simulate.ChargeInput{Outcome: ptr("returned")}, "parameter_missing"},
		"code of another":       {bank.ID.String(), simulate.ChargeInput{Outcome: ptr("returned"), ReturnCode: ptr("901")}, "parameter_invalid"},
		"code of no return":     {bank.ID.String(), simulate.ChargeInput{Outcome: ptr("settled"), ReturnCode: ptr("R01")}, "parameter_invalid"},
		"reason of no dispute":  {card.ID.String(), simulate.ChargeInput{Outcome: ptr("settled"), Reason: ptr("fraudulent")}, "parameter_invalid"},
		"empty reason":          {card.ID.String(), simulate.ChargeInput{Outcome: ptr("chargeback"), Reason: ptr("")}, "parameter_invalid"},
		"long reason":           {card.ID.String(), simulate.ChargeInput{Outcome: ptr("chargeback"), Reason: ptr(strings.Repeat("é", 65))}, "parameter_invalid"},
		"reason with NUL":       {card.ID.String(), simulate.ChargeInput{Outcome: ptr("chargeback"), Reason: ptr("a\x00")}, "parameter_invalid"},
		"amount of no dispute":  {card.ID.String(), simulate.ChargeInput{Outcome: ptr("settled"), Amount: hundred()}, "parameter_invalid"},
		"dispute of nothing":    {card.ID.String(), simulate.ChargeInput{Outcome: ptr("chargeback"), Amount: ptr(money.Amount(0))}, "amount_too_small"},
		"dispute of too much":   {card.ID.String(), simulate.ChargeInput{Outcome: ptr("chargeback"), Amount: ptr(money.MaxCharge + 1)}, "amount_too_large"},
		"dispute of more":       {card.ID.String(), simulate.ChargeInput{Outcome: ptr("retrieval"), Amount: ptr(money.Amount(10_001))}, "simulation_not_possible"},
		"return of a card":      {card.ID.String(), simulate.ChargeInput{Outcome: ptr("returned"), ReturnCode: ptr("R01")}, "simulation_not_possible"},
		"dispute of a debit":    {bank.ID.String(), simulate.ChargeInput{Outcome: ptr("chargeback")}, "simulation_not_possible"},
		"nothing captured":      {hold.ID.String(), settled, "simulation_not_possible"},
		"no id":                 {"ch_", settled, "resource_missing"},
		"no such charge":        {ids.NewCharge(w.Clock.Now()).String(), settled, "resource_missing"},
	} {
		if _, err := w.Simulate.Charge(t.Context(), w.Actor(), tt.id, tt.in,
			claim(w, "one-for-all", name)); code(err) != tt.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := w.Simulate.Charge(t.Context(), w.ActorOf(w.Other), card.ID.String(), settled,
		nil); code(err) != "resource_missing" {
		t.Errorf("by another: %v", err)
	}
	if c := get(t, w, card); c.Version != card.Version {
		t.Errorf("changed to %s", c.Status)
	}
}

func TestSimulationHappensOncePerKey(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	c := create(t, w, w.Token(good), true)
	do := func() (idempotency.Result[charge.Charge], error) {
		return w.Simulate.Charge(t.Context(), w.Actor(), c.ID.String(),
			simulate.ChargeInput{Outcome: ptr("chargeback"), Amount: hundred()}, claim(w, "k", "b"))
	}
	if out, err := do(); err != nil || out.Prior != nil || out.Object.AmountDisputed != 100 {
		t.Fatalf("%+v, %v", out, err)
	}
	if out, err := do(); err != nil || out.Prior == nil || out.Prior.State != idempotency.Done {
		t.Errorf("again: %+v, %v", out, err)
	}
	if d := disputes(t, w); len(d) != 1 {
		t.Errorf("%d disputes", len(d))
	}
	execute(t, w, `UPDATE idempotency_keys SET state = 'claimed', result = NULL`)
	if _, err := do(); code(err) != "idempotency_key_in_use" {
		t.Errorf("under way: %v", err)
	}
}

// What broke half way leaves its key to a retry; what was refused gives it back.
func TestKeysOfWhatBreaks(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	c := create(t, w, w.Token(good), true)
	broken := errors.New("the power went out")
	restore := w.Simulate.HappenBy(func(context.Context, simulate.Happening) error { return broken })
	do := func() (idempotency.Result[charge.Charge], error) {
		return w.Simulate.Charge(t.Context(), w.Actor(), c.ID.String(), simulate.ChargeInput{Outcome: ptr("settled")},
			claim(w, "k", "b"))
	}
	if _, err := do(); !errors.Is(err, broken) {
		t.Errorf("not broken: %v", err)
	}
	restore()
	if _, err := do(); code(err) != "idempotency_key_in_use" {
		t.Errorf("at once: %v", err)
	}
	w.Clock.Advance(2 * time.Second)
	if out, err := do(); err != nil || out.Object.Status != charge.Settled {
		t.Errorf("the retry: %+v, %v", out, err)
	}
	if n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM idempotency_keys
		WHERE key = 'k' AND state = 'done'`, pg.Args{}); err != nil || n != 1 {
		t.Errorf("%d keys are done, %v", n, err)
	}
}

func TestWhatHappensToADispute(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	do := func(d dispute.Dispute, outcome *string) (dispute.Dispute, string) {
		out, err := w.Simulate.Dispute(t.Context(), w.Actor(), d.ID.String(),
			simulate.DisputeInput{Outcome: outcome}, nil)
		return out.Object, code(err)
	}
	for _, tt := range []struct {
		kind, outcome string
		want          dispute.Status
	}{{"chargeback", "won", dispute.Won}, {"chargeback", "lost", dispute.Lost}, {"retrieval", "closed", dispute.Closed},
		{"retrieval", "escalated", dispute.NeedsResponse}} {
		t.Run(tt.outcome, func(t *testing.T) {
			c := create(t, w, w.Token(good), true)
			happens(t, w, c, simulate.ChargeInput{Outcome: &tt.kind})
			all := disputes(t, w)
			d := all[slices.IndexFunc(all, func(d dispute.Dispute) bool { return d.ChargeID == c.ID })]
			if tt.outcome == "won" {
				if _, code := do(d, &tt.outcome); code != "simulation_not_possible" {
					t.Errorf("won without an answer: %s", code)
				}
				if _, err := w.Disputes.SubmitEvidence(t.Context(), w.Actor(), d.ID.String(),
					dispute.EvidenceInput{Evidence: map[string]string{"uncategorized_text": "They came."}},
					nil); err != nil {
					t.Fatal(err)
				}
			}
			got, code := do(d, &tt.outcome)
			if code != "<nil>" || got.Status != tt.want {
				t.Errorf("%s: %s, want %s", code, got.Status, tt.want)
			}
			if tt.outcome != "escalated" {
				if _, code := do(d, &tt.outcome); code != "simulation_not_possible" {
					t.Errorf("%s twice: %s", tt.outcome, code)
				}
			}
		})
	}
	all := disputes(t, w)
	if _, c := do(all[0], nil); c != "parameter_missing" {
		t.Error(c)
	}
	if _, c := do(all[0], ptr("drawn")); c != "parameter_invalid" {
		t.Error(c)
	}
	if _, c := do(dispute.Dispute{}, ptr("won")); c != "resource_missing" {
		t.Error(c)
	}
}

func TestWhatHappensToAPayout(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	paid(t, w)
	do := func(p payout.Payout, outcome string, returnCode *string) (payout.Payout, string) {
		out, err := w.Simulate.Payout(t.Context(), w.Actor(), p.ID.String(),
			simulate.PayoutInput{Outcome: &outcome, ReturnCode: returnCode}, nil)
		return out.Object, code(err)
	}
	p := sent(t, w)
	for name, got := range map[string][2]string{
		"no code":           {second(do(p, "failed", nil)), "parameter_missing"},
		"a code too many":   {second(do(p, "paid", ptr("R01"))), "parameter_invalid"},
		"no outcome":        {second(do(p, "lost", nil)), "parameter_invalid"},
		"not paid yet":      {second(do(p, "returned", ptr("R01"))), "simulation_not_possible"},
		"no such payout":    {second(do(payout.Payout{}, "paid", nil)), "resource_missing"},
		"a code of another": {second(do(p, "failed", ptr("901"))), "parameter_invalid"},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: %s, want %s", name, got[0], got[1])
		}
	}
	if got, c := do(p, "paid", nil); c != "<nil>" || got.Status != payout.Paid || got.PaidAt == nil {
		t.Errorf("%s: %s", c, got.Status)
	}
	if got, c := do(p, "returned", ptr("R02")); c != "<nil>" || got.Status != payout.Returned {
		t.Errorf("%s: %s", c, got.Status)
	}
	if _, c := do(p, "paid", nil); c != "simulation_not_possible" {
		t.Errorf("paid again: %s", c)
	}
}

func TestPayoutThatFails(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	paid(t, w)
	out, err := w.Simulate.Payout(t.Context(), w.Actor(), sent(t, w).ID.String(),
		simulate.PayoutInput{Outcome: ptr("failed"), ReturnCode: ptr("R03")}, nil)
	if err != nil || out.Object.Status != payout.Failed || out.Object.Failure == nil {
		t.Errorf("%+v, %v", out.Object, err)
	}
}

func second[A any](_ A, s string) string { return s }

// sent makes a payout that is on its way.
func sent(t *testing.T, w *fixture.World) payout.Payout {
	t.Helper()
	happens(t, w, create(t, w, w.Token(good), true), simulate.ChargeInput{Outcome: ptr("settled")})
	for range 40 {
		all, err := w.Payouts.List(t.Context(), w.Actor(),
			payout.ListInput{Page: page.Input[ids.Payout]{Limit: 1}, Statuses: []string{"processing"}})
		if err != nil {
			t.Fatal(err)
		}
		if len(all.Items) == 1 {
			return all.Items[0]
		}
		advance(t, w, "6h")
	}
	t.Fatal(fmt.Errorf("no payout within ten days"))
	return payout.Payout{}
}

func TestSimulationsAreAllowedToServersOnly(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	w.Gate.Shut()
	_, c := w.Simulate.Charge(t.Context(), w.Actor(), "x", simulate.ChargeInput{}, nil)
	_, d := w.Simulate.Dispute(t.Context(), w.Actor(), "x", simulate.DisputeInput{}, nil)
	_, p := w.Simulate.Payout(t.Context(), w.Actor(), "x", simulate.PayoutInput{}, nil)
	for _, err := range []error{c, d, p} {
		if code(err) != "permission_denied" {
			t.Error(err)
		}
	}
}
