package main

import (
	"fmt"
	"strings"
	"testing"

	"svcpay/internal/testing/fixture"
)

func TestEraseCommand(t *testing.T) { // the command sets the program's log: on its own
	w := fixture.New(t)
	w.Token("4242424242424242")
	erase := func(application int64, address string) (int, string, string) {
		return command(w, "erase", "--application", fmt.Sprint(application), "--email", address)
	}
	if status, _, complaints := erase(w.App.AppID, "dana at home"); status != exitFailed ||
		!strings.Contains(complaints, "full email address") {
		t.Errorf("%d %s", status, complaints)
	}
	if status, _, complaints := erase(99, "dana@example.org"); status != exitFailed ||
		!strings.Contains(complaints, "no application 99") {
		t.Errorf("%d %s", status, complaints)
	}
	for i, want := range []string{"payment methods 1, charges 0, donations 0",
		"payment methods 0, charges 0, donations 0"} {
		if status, out, complaints := erase(w.App.AppID, "Dana@Example.ORG"); status != 0 ||
			out != "Erased: "+want+".\n" {
			t.Errorf("run %d: %d %s%s", i+1, status, out, complaints)
		}
	}
}
