package lifecycle_test

import (
	"slices"
	"testing"

	"svcpay/internal/lifecycle"
)

func TestATableAllowsWhatItLists(t *testing.T) {
	t.Parallel()
	door := lifecycle.Table[string]{lifecycle.Allow("", "open", "door.made"),
		lifecycle.Allow("open", "shut", "door.shut"), lifecycle.Allow("shut", "open", "door.opened")}
	states := []string{"", "open", "shut", "gone"}
	allowed := 0
	for _, from := range states {
		for _, to := range states {
			event, ok := door.Event(from, to)
			if ok != (event != "") {
				t.Errorf("%q to %q: %q, %t", from, to, event, ok)
			}
			if ok {
				allowed++
			}
		}
	}
	if event, _ := door.Event("shut", "open"); event != "door.opened" || allowed != len(door) {
		t.Errorf("%d changes are allowed, and shut to open emits %q", allowed, event)
	}
	if got := door.Names(func(s string) string { return s }); !slices.Equal(got, []string{"open", "shut"}) {
		t.Errorf("the states are %q", got)
	}
}
