package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"svcpay/internal/testing/fixture"
)

// TestAuditVerifyCommand prints each chain's state, and says with its exit status that one is broken.
func TestAuditVerifyCommand(t *testing.T) { // the command sets the program's log: on its own
	w := fixture.New(t)
	status, text, complaints := command(w, "audit", "verify")
	lines := regexp.MustCompile(`(?m)^(\d+)  +(\d+)  +in order  +[0-9a-f]{64}$`).FindAllStringSubmatch(text, -1)
	if status != 0 || complaints != "" || len(lines) != 2 || lines[0][1] != fmt.Sprint(w.App.AppID) {
		t.Fatalf("%d: %s%s", status, text, complaints)
	}
	status, one, _ := command(w, "audit", "verify", "--application", fmt.Sprint(w.Other.AppID))
	if status != 0 || strings.Count(one, "in order") != 1 || !strings.Contains(one, lines[1][0][len(lines[1][0])-64:]) {
		t.Errorf("%d: %s", status, one)
	}
	if status, none, _ := command(w, "audit", "check", "--application", "999999"); status != 0 ||
		!strings.Contains(none, "999999       0        in order") {
		t.Errorf("%d: %s", status, none)
	}
	conn, err := w.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if _, err := conn.Exec(t.Context(), fmt.Sprintf(`SET session_replication_role = replica;
		UPDATE audit_entries SET actor_name = 'Somebody else' WHERE application_id = %d AND position = 2;
		DELETE FROM audit_entries WHERE application_id = %d
			AND position = 1`, w.App.AppID, w.Other.AppID)); err != nil {
		t.Fatal(err)
	}
	status, text, complaints = command(w, "audit", "verify")
	for _, want := range []string{"entry 2 was changed, or is not where it was", "entry 1 is missing"} {
		if status != exitFailed || !strings.Contains(text, want) || !strings.Contains(complaints, "broken chains: 2") {
			t.Errorf("%d: %s%s does not say %q", status, text, complaints, want)
		}
	}
}
