package e2e

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"svcpay/internal/event"
	"svcpay/internal/pgtest"
	"svcpay/internal/trigger"
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
	merchants := map[string]int64{"payout.failed": d.app.Merchants.USQ, "payout.returned": d.app.Merchants.CA, "charge.returned": d.app.Merchants.CA}
	for _, name := range event.Names() {
		args := []string{name, "--move-clock"}
		if m := merchants[name]; m != 0 {
			args = append(args, "--merchant", fmt.Sprint(m))
		}
		if trigger.Why(name) != "" {
			if s := d.cli(t, "", append([]string{"trigger"}, args...)...); s.status != 1 || s.out != "" || !strings.Contains(s.errors, trigger.Why(name)) {
				t.Errorf("%s: %+v", name, s)
			}
			continue
		}
		if name == "ping" {
			args = append(args, "--on", d.ask(t, "/api/webhook_endpoints", map[string]any{"url": "http://hooks.localhost:9/"}).text("id"))
		}
		id, object := d.triggered(t, args...)
		told, err := d.api("GET", "/api/events/"+id, nil, nil)
		if err != nil || told.text("type") != name || fmt.Sprint(told.get("data", "object", "id")) != object {
			t.Errorf("%s: %v, %s", name, err, told)
		}
		t.Logf("%s: %s of %s", name, id, object)
	}
}
