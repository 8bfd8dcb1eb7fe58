package main

import (
	"fmt"
	"net/netip"
	"os"
	"regexp"
	"strings"
	"testing"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/platform/localpg"
	"svcpay/internal/testing/fixture"
)

// keysOf runs a command of the first application's keys.
func keysOf(w *fixture.World, verb string, args ...string) (status int, out, complaints string) {
	return command(w, append([]string{"keys", verb, "--application", fmt.Sprint(w.App.AppID)}, args...)...)
}

// enter tells whom the API takes for the caller.
func enter(t *testing.T, w *fixture.World, key string) (authz.Actor, error) {
	t.Helper()
	return w.APIKeys.Authenticate(t.Context(),
		apikey.Credentials{APIKey: strings.TrimSpace(key), AppID: fmt.Sprint(w.App.AppID),
			From: netip.MustParseAddr("192.0.2.7")})
}

var keyID = regexp.MustCompile(`key_[0-9a-z]{26}`)

func TestKeysCommands(t *testing.T) { // the commands set the program's log: on its own
	w := fixture.New(t)
	status, text, told := keysOf(w, "create", "--kind", "restricted", "--name", "Reports", "--right", "refund:write",
		"--right", "charge:read",
		"--merchant", fmt.Sprint(w.App.Merchants.US), "--ip", "192.0.2.0/24", "--expires", "2999-01-31T00:00:00Z")
	a, err := enter(t, w, text)
	if status != 0 || err != nil || a.Role != authz.RoleRestrictedKey || a.KeyName != "Reports" ||
		a.KeyID.String() != keyID.FindString(told) || !strings.Contains(told, "not shown again") {
		t.Fatalf("%d: %s%s%+v, %v", status, text, told, a, err)
	}
	id := a.KeyID.String()
	status, listed, _ := keysOf(w, "list")
	if status != 0 || strings.Count(listed, "\n") != 6 || strings.Contains(listed, strings.TrimSpace(text)) {
		t.Errorf("%d:\n%s", status, listed)
	}
	for _, want := range []string{
		`KEY .* MAY`, `Demo server .* everything`, `Demo pages .* make tokens`,
		`Demo shop only .* make tokens; on https://shop.example`, `Demo reports .* balance:read `,
		id + `  Reports +rk_sandbox_…` + strings.TrimSpace(text)[len(text)-5:] +
			`  active +2999-01-31 00:00 .* charge:read refund:write; merchants ` +
			fmt.Sprint(w.App.Merchants.US) + `; from 192\.0\.2\.0/24`,
	} {
		if !regexp.MustCompile(want).MatchString(listed) {
			t.Errorf("%q is not in\n%s", want, listed)
		}
	}
	status, next, told := keysOf(w, "roll", id, "--overlap", "now")
	if b, err := enter(t, w, next); status != 0 || err != nil || b.KeyName != "Reports" || b.KeyID == a.KeyID ||
		!strings.Contains(told, id) {
		t.Errorf("%d: %s%+v, %v", status, told, b, err)
	}
	if status, _, told := keysOf(w, "roll", id); status != exitFailed ||
		!strings.Contains(told, "svcpay: Only a key that works") {
		t.Errorf("rolled twice: %d, %s", status, told)
	}
	status, out, _ := keysOf(w, "revoke", id)
	if status != 0 || !strings.Contains(out, id) || !strings.Contains(out, "revoked") {
		t.Errorf("%d: %s", status, out)
	}
	if _, some, _ := keysOf(w, "list"); strings.Contains(some, id) {
		t.Errorf("a key that does not work is listed:\n%s", some)
	}
	if _, all, _ := keysOf(w, "list", "--all"); !regexp.MustCompile(id + ` .* revoked `).MatchString(all) {
		t.Errorf("not among all:\n%s", all)
	}
}

func TestKeysCommandsTellEveryMistake(t *testing.T) { // the commands set the program's log: on its own
	w := fixture.New(t)
	for _, c := range []struct {
		verb  string
		args  string
		wants []string
	}{
		{"create", "--kind restricted --name x --ip 192.0.2.7/24 --origin x --merchant 999999 --expires 2001-01-01T00:00:00Z",
			[]string{"--right: A restricted key has one right", "--ip: ", "--origin: ", "--merchant: ", "--expires: "}},
		{"create", "--kind restricted --name x --right charge:eat", []string{"--right: Allowed values: balance:read, "}},
		{"create", "--kind other --name x", []string{"--kind"}},
		{"create", "--kind secret", []string{"--name"}},
		{"roll", "key_01jq8z6k4t8m2x9v5c7b1n3d0f", []string{"the application has no such key"}},
		{"roll", "sk_x", []string{"the application has no such key"}},
		{"roll", "key_01jq8z6k4t8m2x9v5c7b1n3d0f --overlap 2h", []string{"--overlap"}},
		{"revoke", "key_01jq8z6k4t8m2x9v5c7b1n3d0f", []string{"the application has no such key"}},
		{"list", "--application 999999", []string{"there is no application 999999"}},
	} {
		status, out, told := keysOf(w, c.verb, strings.Fields(c.args)...)
		if status == 0 || out != "" {
			t.Errorf("%s %s: %d, %s", c.verb, c.args, status, out)
		}
		for _, want := range c.wants {
			if !strings.Contains(told, want) {
				t.Errorf("%s %s: %q is not in\n%s", c.verb, c.args, want, told)
			}
		}
	}
}

// TestKeysDocument runs every command of docs/keys.md, in its order.
func TestKeysDocument(t *testing.T) { // the commands set the program's log: on its own
	w := fixture.New(t)
	text, err := os.ReadFile("../../docs/keys.md")
	if err != nil {
		t.Fatal(err)
	}
	if url := localpg.URL(localpg.DefaultDir(true, ""), "svcpay"); !strings.Contains(string(text), "`"+url+"`") {
		t.Errorf("the database of svcpay dev is at %s", url)
	}
	made, ran := "", 0
	for line := range strings.Lines(string(text)) {
		args, ok := strings.CutPrefix(line, "svcpay ")
		if !ok {
			continue
		}
		args = strings.NewReplacer("--application 1 ", "--application "+fmt.Sprint(w.App.AppID)+" ",
			"--application 1\n", "--application "+fmt.Sprint(w.App.AppID),
			"--merchant 1001\n", "--merchant "+fmt.Sprint(w.App.Merchants.US), "key_01jq8z6k4t8m2x9v5c7b1n3d0f",
			made).Replace(args)
		status, _, told := command(w, strings.Fields(args)...)
		if status != 0 {
			t.Errorf("%s\n%d: %s", args, status, told)
		}
		if strings.Contains(args, "create") {
			made = keyID.FindString(told)
		}
		ran++
	}
	if ran != 10 {
		t.Errorf("%d commands were found", ran)
	}
}
