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
	"svcpay/internal/vault"
)

var accountID = regexp.MustCompile(`pa_[0-9a-hjkmnp-tv-z]{26}`)

// TestProcessorAccountsAreKeptByCommand connects, lists, tests, disables and enables an account as an operator does.
func TestProcessorAccountsAreKeptByCommand(t *testing.T) { // the commands set the program's log: on its own
	w := fixture.New(t)
	keys := filepath.Join(t.TempDir(), "keys.json")
	if _, err := vault.CreateKeyFile(keys); err != nil {
		t.Fatal(err)
	}
	env := []string{"DATABASE_URL=" + w.Pool.Config().ConnString(), "SVCPAY_ENVIRONMENT=sandbox",
		"SVCPAY_VAULT_KEY_FILE=" + keys}
	secret := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(secret, []byte("sk_test_4eC39HqLyjWDarjtT1zdp7dc\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	application, merchant := fmt.Sprint(w.App.AppID), fmt.Sprint(w.App.Merchants.US)
	says := func(want int, args ...string) string {
		t.Helper()
		var said bytes.Buffer
		if status := run(append([]string{"processors"}, args...), env, &said, &said); status != want {
			t.Fatalf("%v ends with %d: %s", args, status, said.String())
		}
		return said.String()
	}
	made := says(0, "connect", "sandbox", " app-"+application+"/main", "--application", application, "--method", "cc",
		"--credentials-file", secret)
	id := accountID.FindString(made)
	if id == "" || strings.Contains(made, "sk_test") {
		t.Fatalf("%s", made)
	}
	if listed := says(0, "list", "--application", application, "--merchant", merchant); !strings.Contains(listed,
		"main") || !strings.Contains(listed, "application") {
		t.Errorf("%s", listed)
	}
	says(0, "test", id, "--application", application)
	if disabled := says(0, "disable", id, "--application", application); !strings.Contains(disabled, "disabled") {
		t.Errorf("%s", disabled)
	}
	if listed := says(0, "list", "--application", application, "--merchant", merchant); !strings.Contains(listed,
		"not connected") {
		t.Errorf("%s", listed)
	}
	if listed := says(0, "list", "--application",
		application); !regexp.MustCompile(`CREDENTIALS +REPLACED\n.*••••p7dc +-\n`).MatchString(listed) {
		t.Errorf("%s", listed)
	}
	if enabled := says(0, "enable", id, "--application", application); !strings.Contains(enabled, "active") {
		t.Errorf("%s", enabled)
	}
	if refused := says(1, "remove", id, "--application", application); !strings.Contains(refused, "wait a minute") {
		t.Errorf("%s", refused)
	}
	spare := accountID.FindString(says(0, "connect", "sandbox", "app-"+application+"/spare", "--application",
		application, "--priority", "9"))
	says(0, "disable", spare, "--application", application)
	if _, err := w.Pool.Exec(t.Context(), `UPDATE processor_accounts SET updated_at = updated_at - interval '1 hour'
		WHERE status = 'disabled'`); err != nil {
		t.Fatal(err)
	}
	if removed := says(0, "remove", spare, "--application", application); !strings.Contains(removed,
		"spare, is removed") {
		t.Errorf("%s", removed)
	}
	for _, args := range [][2]string{{"", "off"}, {"on", "on"}, {"on", "on"}, {"", "on"}, {"off", "off"}} {
		said := says(0, append(strings.Fields("failover "+args[0]), "--application", application)...)
		if !strings.Contains(said, "Failover of application "+application+" is "+args[1]+".") {
			t.Errorf("failover %s: %s", args[0], said)
		}
	}
	for args, want := range map[string]string{
		"failover --application 987654321": "there is no application",
		"connect sandbox app-" + application + "/main --application " +
			application: "already connected",
		"connect gold acct_1 --application " + application +
			" --method cc --priority 0": "PROCESSOR: ",
		"connect golt acct_1 --application " +
			application: "PROCESSOR: ",
		"connect sandbox acct_1 --application " +
			application: "no such account",
		"test pa_01jq8z6k4t8m2x9v5c7b1n3d0f --application " +
			application: "no such account or merchant",
		"list --application 987654321": "there is no application",
		"connect sandbox app-" + application + "/x --application " + application +
			" --merchant 987654321 --method cc": "no such account or merchant",
	} {
		if said := says(1, strings.Fields(args)...); !strings.Contains(said, want) ||
			strings.Contains(said, "--method") {
			t.Errorf("%s: %s", args, said)
		}
	}
}
