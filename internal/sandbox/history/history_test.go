package history_test

import (
	"context"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/daf"
	"svcpay/internal/dispute"
	"svcpay/internal/ids"
	"svcpay/internal/payout"
	"svcpay/internal/platform/page"
	"svcpay/internal/refund"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/sandbox/history"
	"svcpay/internal/testing/fixture"
)

// all counts what a list has by a word of each of its rows.
func all[T any, K comparable](t *testing.T, word func(T) string,
	list func(context.Context, page.Input[K]) (page.Of[T], error)) map[string]int {
	t.Helper()
	out, err := list(t.Context(), page.Input[K]{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, row := range out.Items {
		counts[word(row)]++
	}
	return counts
}

func TestTheDemoHasSomethingOfEverything(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	maker := demo.Maker{Identity: w.Identity, APIKeys: w.APIKeys, Merchants: w.Merchants, Payouts: w.Payouts,
		DAF: w.DAF}
	c, err := maker.Ensure(t.Context(), demo.Credentials{Application: w.App, Other: &w.Other}, fixture.PageOrigin)
	if err == nil {
		err = maker.EnsureDAF(t.Context(), c)
	}
	if err != nil {
		t.Fatal(err)
	}
	started := time.Now()
	until := w.Clock.Now().AddDate(0, 0, history.Days)
	if _, err := (history.Maker{Services: w.Services, Funds: w.Funds, Clock: w.Clock, Demo: c,
		Origin: fixture.PageOrigin}).Make(t.Context(), until); err != nil {
		t.Fatal(err)
	}
	t.Logf("took %v", time.Since(started))
	if now := w.Clock.Now(); !now.Equal(until) {
		t.Errorf("it ends at %v, not %v", now, until)
	}
	a := w.Person(authz.RoleApplicationAdmin)
	has := func(what string, counts map[string]int, words ...string) {
		t.Helper()
		t.Log(what, counts)
		for _, word := range words {
			if counts[word] == 0 {
				t.Errorf("%s: none is %s: %v", what, word, counts)
			}
		}
	}
	for _, status := range charge.Statuses() {
		if status == "processing" {
			continue // a state of seconds
		}
		has("charges",
			all(t, func(c charge.Charge) string { return string(c.Status) },
				func(ctx context.Context, in page.Input[ids.Charge]) (page.Of[charge.Charge], error) {
					return w.Charges.List(ctx, a, charge.ListInput{Page: in, Statuses: []string{status}})
				}), status)
	}
	has("refunds",
		all(t, func(r refund.Refund) string { return string(r.Status) },
			func(ctx context.Context, in page.Input[ids.Refund]) (page.Of[refund.Refund], error) {
				return w.Refunds.List(ctx, a, refund.ListInput{Page: in})
			}), "pending", "succeeded", "failed")
	has("disputes",
		all(t, func(d dispute.Dispute) string { return string(d.Status) },
			func(ctx context.Context, in page.Input[ids.Dispute]) (page.Of[dispute.Dispute], error) {
				return w.Disputes.List(ctx, a, dispute.ListInput{Page: in})
			}), dispute.Statuses()...)
	has("payouts",
		all(t, func(p payout.Payout) string { return string(p.Status) },
			func(ctx context.Context, in page.Input[ids.Payout]) (page.Of[payout.Payout], error) {
				return w.Payouts.List(ctx, a, payout.ListInput{Page: in})
			}), "paid", "failed")
	has("donations", all(t, func(d daf.Donation) string { return string(d.Kind) + " " + string(d.Status) },
		func(ctx context.Context, in page.Input[ids.Donation]) (page.Of[daf.Donation], error) {
			return w.DAF.List(ctx, a, daf.ListInput{Page: in})
		}), "integrated initiated", "integrated completed", "integrated canceled", "nonintegrated unknown",
		"nonintegrated initiated", "nonintegrated completed", "nonintegrated canceled")
}
