package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"svcpay/internal/devtools/trigger"
	"svcpay/internal/event"
	"svcpay/internal/testing/pgtest"
)

// said is what a command printed, and how it ended.
type said struct {
	status      int
	out, errors string
}

// cli runs a command as the first application of a development server.
func (d *devServer) cli(t *testing.T, input string, args ...string) said {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = append(foreignEnv(), "SVCPAY_CREDENTIALS="+d.file)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return said{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// triggered runs svcpay trigger, which must succeed, and returns the ids of the event and its object.
func (d *devServer) triggered(t *testing.T, args ...string) (event, object string) {
	t.Helper()
	s := d.cli(t, "", append([]string{"trigger"}, args...)...)
	words := strings.Fields(s.out)
	if s.status != 0 || len(words) != 5 || words[2] != args[0] {
		t.Fatalf("trigger %v: %+v", args, s)
	}
	return words[3], words[4]
}

// TestTriggerEveryType has an event of every type happen, and looks for it in the log.
func TestTriggerEveryType(t *testing.T) {
	t.Parallel()
	d := startDev(t, stateDir(t), []string{"DATABASE_URL=" + pgtest.URL(t)})
	// Payouts of a merchant end with one that fails.
	merchants := map[string]int64{"payout.failed": d.app.Merchants.USQ, "payout.returned": d.app.Merchants.CA,
		"charge.returned": d.app.Merchants.CA}
	for _, name := range event.Names() {
		args := []string{name, "--move-clock"}
		if m := merchants[name]; m != 0 {
			args = append(args, "--merchant", fmt.Sprint(m))
		}
		if trigger.Why(name) != "" {
			if s := d.cli(t, "", append([]string{"trigger"}, args...)...); s.status != 1 || s.out != "" ||
				!strings.Contains(s.errors, trigger.Why(name)) {
				t.Errorf("%s: %+v", name, s)
			}
			continue
		}
		if name == "ping" {
			args = append(args, "--on",
				d.ask(t, "/api/webhook_endpoints", map[string]any{"url": "http://hooks.localhost:9/"}).text("id"))
		}
		id, object := d.triggered(t, args...)
		told, err := d.api("GET", "/api/events/"+id, nil, nil)
		has := told.get("data", "object", "id")
		if name == "card_rules.updated" { // they have no id
			has = "-"
		}
		if err != nil || told.text("type") != name || fmt.Sprint(has) != object {
			t.Errorf("%s: %v, %s", name, err, told)
		}
		t.Logf("%s: %s of %s", name, id, object)
	}
}

// TestTriggerOnWhatIsThere: what happens to an object that is named, and with members that are given.
func TestTriggerOnWhatIsThere(t *testing.T) {
	t.Parallel()
	d := startDev(t, stateDir(t), []string{"DATABASE_URL=" + pgtest.URL(t)})
	_, ch := d.triggered(t, "charge.authorized", "--data", d.members(t, `{"amount": 4200, "metadata": {"order": "7"}}`))
	for _, name := range []string{"charge.captured", "charge.updated", "charge.settled"} {
		if _, object := d.triggered(t, name, "--on", ch); object != ch {
			t.Errorf("%s happened to %s", name, object)
		}
	}
	_, re := d.triggered(t, "refund.succeeded", "--on", ch, "--data", d.members(t, `{"amount": 700, "note": "A part"}`))
	_, dp := d.triggered(t, "dispute.created", "--on", ch, "--data",
		d.members(t, `{"amount": 900, "reason": "product_not_received"}`))
	if _, won := d.triggered(t, "dispute.won", "--on", dp); won != dp {
		t.Errorf("%s was won", won)
	}
	_, waits := d.triggered(t, "refund.created", "--merchant", fmt.Sprint(d.app.Merchants.USQ))
	_, m := d.triggered(t, "merchant.created", "--data", d.members(t, `{"name": "North", "country": "CA"}`))
	_, po := d.triggered(t, "payout.created", "--move-clock")
	d.triggered(t, "payout.returned", "--on", d.paid(t, po))
	endpoint := d.ask(t, "/api/webhook_endpoints", map[string]any{"url": "http://hooks.localhost:9/"}).text("id")
	ping, object := d.triggered(t, "ping", "--on", endpoint, "--data", d.members(t, `{"id": "mine"}`))
	if object != "mine" {
		t.Errorf("%s is about %s", ping, object)
	}
	for path, want := range map[string]map[string]any{
		"/api/charges/" + ch:    {"amount": 4200.0, "status": "settled", "amount_refunded": 700.0},
		"/api/refunds/" + re:    {"amount": 700.0, "note": "A part"},
		"/api/disputes/" + dp:   {"amount": 900.0, "reason": "product_not_received", "status": "won"},
		"/api/refunds/" + waits: {"merchant_id": float64(d.app.Merchants.USQ)},
		"/api/merchants/" + m:   {"name": "North", "country": "CA"},
		"/api/payouts/" + po:    {"status": "returned"},
	} {
		a, err := d.api("GET", path, nil, nil)
		for member, value := range want {
			if err != nil || a.get(member) != value {
				t.Errorf("%s: %s is %v, want %v: %v", path, member, a.get(member), value, err)
			}
		}
	}
	d.refusesToTrigger(t, ch)
}

// members writes a file of members.
func (d *devServer) members(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "members.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// paid has a payout arrive.
func (d *devServer) paid(t *testing.T, id string) string {
	t.Helper()
	if _, object := d.triggered(t, "payout.paid", "--on", id); object != id {
		t.Errorf("%s was paid", object)
	}
	return id
}

// refusesToTrigger: every mistake is told.
func (d *devServer) refusesToTrigger(t *testing.T, ch string) {
	t.Helper()
	for _, c := range []struct{ args, input, want string }{
		{"charge.paid", "", "there is no type of events \"charge.paid\""},
		{"charge.expired", "", "allow the application's clock"},
		{"charge.captured --on ch_01jq8z6k4t8m2x9v5c7b1n3d0f", "", "404 resource_missing"},
		{"charge.captured --on " + ch, "", "409"},
		{"merchant.updated --on ch_x", "", "the id of a merchant is a number"},
		{"charge.created --data -", `{"amout": 1}`, "unknown field \"amout\""},
		{"charge.created --data -", `{"amount": "1"}`, "no JSON object for this creation"},
		{"charge.created --data -", `{} {}`, "more than one"},
		{"charge.created --data -", ``, "no JSON object"},
		{"charge.created --data -", `{"amount": -5, "description": "` + strings.Repeat("x", 5000) + `"}`, "\n  description: "},
		{"charge.created --data /nowhere", "", "no such file"},
		{"charge.created --merchant 999999", "", "merchant_not_associated"},
	} {
		if s := d.cli(t, c.input, append([]string{"trigger"}, strings.Fields(c.args)...)...); s.status == 0 ||
			s.out != "" || !strings.Contains(s.errors, c.want) {
			t.Errorf("%s: %+v; want %s", c.args, s, c.want)
		}
	}
}
