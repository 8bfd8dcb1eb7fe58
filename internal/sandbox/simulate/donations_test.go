package simulate_test

import (
	"testing"
	"time"

	"svcpay/internal/daf"
	"svcpay/internal/daf/workflow"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/sandbox/simulate"
	"svcpay/internal/testing/fixture"
)

// donate makes a donation of 125.00 that a donor of the sandbox authorized.
func donate(t *testing.T, w *fixture.World, username string, kind workflow.Kind) daf.Donation {
	t.Helper()
	id, in := w.AuthorizedBy(username, w.App, w.App.Merchants.US, kind, 125_00), daf.CreateInput{
		MerchantID: &w.App.Merchants.US, Amount: ptr(money.Amount(125_00)), Anonymous: ptr(true)}
	if in.WorkflowSessionID = &id; kind == workflow.Nonintegrated {
		in.WorkflowSessionID, in.GrantID = nil, &id
	}
	out, err := w.DAF.Create(t.Context(), w.Actor(), in, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out.Object
}

func grant(t *testing.T, w *fixture.World, id string, outcome *string) (daf.Donation, string) {
	t.Helper()
	out, err := w.Simulate.Donation(t.Context(), w.Actor(), id, simulate.DonationInput{Outcome: outcome}, nil)
	return out.Object, code(err)
}

func TestWhatHappensToADonation(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	w.TakesDAF(w.App.Merchants.US)
	completed, canceled := donate(t, w, fixture.Giver, workflow.Integrated), donate(t, w, fixture.Giver,
		workflow.Integrated)
	if d, c := grant(t, w, completed.ID.String(), ptr("completed")); c != "<nil>" || d.Status != daf.Completed ||
		d.CompletedAt == nil {
		t.Errorf("%s: %s", c, d.Status)
	}
	if d, c := grant(t, w, canceled.ID.String(), ptr("canceled")); c != "<nil>" || d.Status != daf.Canceled {
		t.Errorf("%s: %s", c, d.Status)
	}
	own := donate(t, w, fixture.Giver, workflow.Nonintegrated)
	for name, tt := range map[string]struct {
		id      string
		outcome *string
		want    string
	}{
		"twice":            {completed.ID.String(), ptr("completed"), "simulation_not_possible"},
		"after the end":    {canceled.ID.String(), ptr("completed"), "simulation_not_possible"},
		"not integrated":   {own.ID.String(), ptr("completed"), "simulation_not_possible"},
		"nothing":          {own.ID.String(), nil, "parameter_missing"},
		"something else":   {own.ID.String(), ptr("initiated"), "parameter_invalid"},
		"no such donation": {ids.NewDonation(w.Clock.Now()).String(), ptr("completed"), "resource_missing"},
		"no id":            {"daf_", ptr("completed"), "resource_missing"},
	} {
		if _, c := grant(t, w, tt.id, tt.outcome); c != tt.want {
			t.Errorf("%s: %s", name, c)
		}
	}
	if _, err := w.Simulate.Donation(t.Context(), w.ActorOf(w.Other), completed.ID.String(),
		simulate.DonationInput{Outcome: ptr("completed")}, nil); code(err) != "resource_missing" {
		t.Errorf("by another: %v", err)
	}
}

func TestGrantsEndAsTheClockMoves(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	w.TakesDAF(w.App.Merchants.US)
	good, bad := donate(t, w, fixture.Giver, workflow.Integrated), donate(t, w, "canceled@fund.example",
		workflow.Integrated)
	advance(t, w, "240h")
	status := func(d daf.Donation) (daf.Status, *instant.Time) {
		now, err := w.DAF.Get(t.Context(), w.Actor(), d.ID.String())
		if err != nil {
			t.Fatal(err)
		}
		return now.Status, now.CompletedAt
	}
	began := w.Clock.Now()
	if s, at := status(good); s != daf.Completed || at == nil || !at.After(began.Add(24*time.Hour)) ||
		!at.Before(began.Add(10*24*time.Hour)) {
		t.Errorf("%s at %v", s, at)
	}
	if s, _ := status(bad); s != daf.Canceled {
		t.Errorf("%s", s)
	}
}
