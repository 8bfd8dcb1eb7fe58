package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"svcpay/internal/testing/fixture"
)

// audited runs a command of the audit log with the world's key file.
func audited(w *fixture.World, args ...string) (status int, out, complaints string) {
	var stdout, stderr bytes.Buffer
	status = run(append([]string{"audit"}, args...), []string{"DATABASE_URL=" + w.Pool.Config().ConnString(),
		"SVCPAY_ENVIRONMENT=sandbox", "SVCPAY_VAULT_KEY_FILE=" + w.KeyFile}, &stdout, &stderr)
	return status, stdout.String(), stderr.String()
}

// TestAuditVerifyFindsWhatWasCutOff compares the chains with exported heads: one whose end was cut off, with its head,
// is in order without them.
func TestAuditVerifyFindsWhatWasCutOff(t *testing.T) { // the command sets the program's log: on its own
	w := fixture.New(t)
	lines, broken, err := w.Audit.ExportHeads(t.Context())
	if err != nil || len(broken) > 0 {
		t.Fatal(broken, err)
	}
	heads := filepath.Join(t.TempDir(), "heads.txt")
	if err := os.WriteFile(heads, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, text, complaints := audited(w, "verify", "--heads", heads); status != 0 {
		t.Fatalf("%d: %s%s", status, text, complaints)
	}
	conn, err := w.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if _, err := conn.Exec(t.Context(), fmt.Sprintf(`SET session_replication_role = replica;
		DELETE FROM audit_entries WHERE application_id = %[1]d AND position > 1;
		UPDATE audit_chains SET position = 1, hash = (SELECT hash FROM audit_entries WHERE application_id = %[1]d)
			WHERE application_id = %[1]d`, w.App.AppID)); err != nil {
		t.Fatal(err)
	}
	if status, text, _ := audited(w, "verify"); status != 0 {
		t.Errorf("the database says so itself: %d, %s", status, text)
	}
	if status, text, _ := audited(w, "verify", "--heads", heads); status != exitFailed ||
		!strings.Contains(text, "the end of the chain was changed or cut off, from entry 2") {
		t.Errorf("%d: %s", status, text)
	}
	if status, _, complaints := command(w, "audit", "verify"); status != exitFailed ||
		!strings.Contains(complaints, "SVCPAY_VAULT_KEY_FILE is not set") {
		t.Errorf("without the key: %d, %s", status, complaints)
	}
}

// TestAuditVerifyCommand prints each chain's state, and says with its exit status that one is broken.
func TestAuditVerifyCommand(t *testing.T) { // the command sets the program's log: on its own
	w := fixture.New(t)
	status, text, complaints := audited(w, "verify")
	lines := regexp.MustCompile(`(?m)^(\d+)  +(\d+)  +0  +in order  +[0-9a-f]{64}$`).FindAllStringSubmatch(text, -1)
	if status != 0 || complaints != "" || len(lines) != 2 || lines[0][1] != fmt.Sprint(w.App.AppID) {
		t.Fatalf("%d: %s%s", status, text, complaints)
	}
	status, one, _ := audited(w, "verify", "--application", fmt.Sprint(w.Other.AppID))
	if status != 0 || strings.Count(one, "in order") != 1 || !strings.Contains(one, lines[1][0][len(lines[1][0])-64:]) {
		t.Errorf("%d: %s", status, one)
	}
	if status, none, _ := audited(w, "check", "--application", "999999"); status != 0 ||
		!strings.Contains(none, "999999       0        0      in order") {
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
	status, text, complaints = audited(w, "verify")
	for _, want := range []string{"entry 2 was changed, or is not where it was", "entry 1 is missing"} {
		if status != exitFailed || !strings.Contains(text, want) || !strings.Contains(complaints, "broken chains: 2") {
			t.Errorf("%d: %s%s does not say %q", status, text, complaints, want)
		}
	}
}
