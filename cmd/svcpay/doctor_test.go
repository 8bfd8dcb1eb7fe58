package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svcpay/internal/devtools/doctor"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/vault"
)

// doctored runs the doctor on settings.
func doctored(env []string, args ...string) (status int, out, complaints string) {
	var stdout, stderr bytes.Buffer
	status = run(append([]string{"doctor"}, args...), env, &stdout, &stderr)
	return status, stdout.String(), stderr.String()
}

// lineOf finds what is said of a check.
func lineOf(out, check string) string {
	for l := range strings.SplitSeq(out, "\n") {
		if f := strings.Fields(l); len(f) > 1 && f[1] == check {
			return l
		}
	}
	return ""
}

func TestDoctorGoesAsFarAsSettingsLead(t *testing.T) { // the command sets the program's log: on its own
	status, out, complaints := doctored(nil)
	if status != exitFailed || !strings.HasPrefix(lineOf(out, "settings"), "wrong") ||
		!strings.Contains(complaints, "findings that are wrong: 5") || strings.Contains(out, "database  ") {
		t.Errorf("no settings: %d\n%s%s", status, out, complaints)
	}
	w := fixture.New(t)
	keys := filepath.Join(t.TempDir(), "keys.json")
	if _, err := vault.CreateKeyFile(keys); err != nil {
		t.Fatal(err)
	}
	env := append(goodEnv(), "DATABASE_URL="+w.Pool.Config().ConnString(), "SVCPAY_VAULT_KEY_FILE="+keys)
	status, out, complaints = doctored(env)
	if status != 0 || complaints != "" {
		t.Errorf("%d\n%s%s", status, out, complaints)
	}
	for check, state := range map[string]string{"settings": "good", "key": "good", "wallets": "good",
		"database": "good", "schema": "good", "clock": "good",
		"environment": "good", "vault": "good", "mail": "doubtful", "jobs": "doubtful", "disk": "", "audit": "good"} {
		if l := lineOf(out, check); l == "" || !strings.HasPrefix(l, state) {
			t.Errorf("%s: %q", check, l)
		}
	}
	// Another key file opens nothing that is there.
	w.Token("4242424242424242")
	if status, out, _ = doctored(env); status != exitFailed || !strings.HasPrefix(lineOf(out, "vault"), "wrong") {
		t.Errorf("%d\n%s", status, out)
	}
	if err := os.Chmod(keys, 0o644); err != nil {
		t.Fatal(err)
	}
	if status, out, _ = doctored(env); status != exitFailed || !strings.HasPrefix(lineOf(out, "key"), "wrong") ||
		lineOf(out, "clock") == "" || lineOf(out, "vault") != "" {
		t.Errorf("%d\n%s", status, out)
	}
	if status, out,
		_ = doctored(append(goodEnv(),
		"DATABASE_URL=postgres://nobody@127.0.0.1:1/none?connect_timeout=2")); status != exitFailed ||
		!strings.HasPrefix(lineOf(out, "database"), "wrong") || lineOf(out, "schema") != "" {
		t.Errorf("%d\n%s", status, out)
	}
}

// What a server refuses at its start, the doctor has said, in the same words.
func TestStartAndDoctorAgree(t *testing.T) {
	w := fixture.New(t)
	keys := filepath.Join(t.TempDir(), "keys.json")
	if _, err := vault.CreateKeyFile(keys); err != nil {
		t.Fatal(err)
	}
	env := append(goodEnv(), "SVCPAY_ENVIRONMENT=production", "SVCPAY_TRUSTED_PROXIES=none",
		"DATABASE_URL="+w.Pool.Config().ConnString(), "SVCPAY_VAULT_KEY_FILE="+keys, "SVCPAY_ADDR=127.0.0.1:0")
	status, out, _ := doctored(env, "--json")
	var told struct{ Findings []doctor.Finding }
	if err := json.Unmarshal([]byte(out), &told); err != nil || status != exitFailed {
		t.Fatalf("%d %s: %v", status, out, err)
	}
	var stdout, stderr bytes.Buffer
	if status := run([]string{"serve"}, env, &stdout, &stderr); status != exitFailed {
		t.Errorf("production on a sandbox's database serves: %d", status)
	}
	for _, f := range told.Findings {
		if f.Check == "environment" &&
			(f.State != doctor.Wrong || !strings.Contains(stderr.String(), f.Text+": "+f.Remedy)) {
			t.Errorf("%+v, and a server says\n%s", f, &stderr)
		}
	}
}
