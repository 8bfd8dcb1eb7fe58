package trigger_test

import (
	"slices"
	"strings"
	"testing"

	"svcpay/internal/devtools/trigger"
	"svcpay/internal/event"
)

// TestEveryTypeHasARecipeOrAReason walks the catalogue of events. TestTriggerEveryType of the end-to-end tests has each
// recipe make its event happen.
func TestEveryTypeHasARecipeOrAReason(t *testing.T) {
	t.Parallel()
	for _, kind := range event.Types() {
		why := trigger.Why(kind.Name)
		if strings.HasPrefix(kind.Name, "daf_") != (why != "") {
			t.Errorf("%s: %q", kind.Name, why)
		}
		if on := trigger.On(kind.Name); why != "" && on != "" || on != "" && on != kind.Object &&
			!slices.Contains([]string{"refund.created", "refund.succeeded", "dispute.created", "fees.updated",
				"card_rules.updated"},
				kind.Name) {
			t.Errorf("%s is about a %s, and happens to a %q", kind.Name, kind.Object, on)
		}
	}
	if n := len(trigger.Recipes()); n != len(event.Types()) {
		t.Errorf("%d recipes are there", n)
	}
	for _, name := range trigger.Recipes() {
		if !slices.Contains(event.Names(), name) {
			t.Errorf("there is no type %s", name)
		}
	}
}

// TestOrdersAreRefusedBeforeAnythingIsMade: there is no API that could be asked.
func TestOrdersAreRefusedBeforeAnythingIsMade(t *testing.T) {
	t.Parallel()
	members := []byte(`{"amount":1}`)
	for want, o := range map[string]trigger.Order{
		`there is no type of events "charge.paid": the types are charge.created, `: {Type: "charge.paid"},
		`there is no type of events ""`:                                            {},
		"a donation needs a donor's authorization":                                 {Type: "daf_donation_updated"},
		"charge.created happens to what is made for it":                            {Type: "charge.created", On: "ch_1"},
		"say on which webhook endpoint ping is to happen":                          {Type: "ping"},
		"payout.paid creates nothing":                                              {Type: "payout.paid", Members: members, MoveClock: true},
		"charge.captured creates nothing":                                          {Type: "charge.captured", On: "ch_1", Members: members},
		"refund.canceled creates nothing":                                          {Type: "refund.canceled", On: "re_1", Members: members},
		"webhook_endpoint.paused creates nothing":                                  {Type: "webhook_endpoint.paused", Members: members},
		"charge.expired happens when time has passed: allow the":                   {Type: "charge.expired"},
		"charge.expired happens when time":                                         {Type: "charge.expired", On: "ch_1"},
		"payout.created happens when time":                                         {Type: "payout.created"},
		"payout.failed happens when time":                                          {Type: "payout.failed"},
	} {
		e, err := (&trigger.Maker{}).Make(t.Context(), o)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%+v: %v, %v; want %s", o, e, err, want)
		}
	}
}

func TestWhatATypeTakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                            string
		on                              string
		made, given, moves, movesOnWhat bool
	}{
		{"charge.created", "", true, false, false, false},
		{"charge.captured", "charge", true, false, false, false},
		{"charge.expired", "charge", true, false, true, true},
		{"refund.created", "charge", true, true, false, false},
		{"refund.canceled", "refund", true, false, false, false},
		{"dispute.created", "charge", true, true, false, false},
		{"dispute.won", "dispute", true, false, false, false},
		{"payout.paid", "payout", false, false, true, false},
		{"ping", "webhook_endpoint", true, true, false, false},
		{"nothing", "", false, false, false, false},
	} {
		if on, made, given := trigger.On(c.name), trigger.Takes(c.name, false), trigger.Takes(c.name,
			true); on != c.on || made != c.made || given != c.given {
			t.Errorf("%s: on %q, members %v, %v", c.name, on, made, given)
		}
		if made, given := trigger.Moves(c.name, false), trigger.Moves(c.name, true); made != c.moves ||
			given != c.movesOnWhat {
			t.Errorf("%s moves the clock: %v, %v", c.name, made, given)
		}
	}
}
