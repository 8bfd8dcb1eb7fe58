package main

import (
	"slices"
	"testing"

	"svcpay/internal/apikey"
	"svcpay/internal/payout"
	"svcpay/internal/testing/fixture"
)

// What makes payouts, or takes them back, has the time that one of very many entries takes.
func TestPayoutsHaveTheirTime(t *testing.T) {
	t.Parallel()
	var long []string
	for _, s := range appOf(t, fixture.New(t), apikey.Sandbox).schedules() {
		if s.Within == payout.Within {
			long = append(long, s.Name)
		}
	}
	slices.Sort(long)
	if !slices.Equal(long, []string{"resolve_operations", "run_payouts", "take_in_events"}) {
		t.Errorf("%v have it", long)
	}
}
