package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"svcpay/internal/testing/pgtest"
)

// guideFiles are the guides in the repository.
const guideFiles = root + "/api/guides/"

// fence is a block of a guide: its language, the schema that it shows, and its text.
var fence = regexp.MustCompile("(?ms)^```(\\w+)(?: (\\w+))?\n(.*?)^```$")

// between separates what the blocks of a guide print.
const between = "\x1e"

// TestGuides does what a reader does: it runs the commands of all guides, in their order, against the demo as `make
// run` starts it, and sees what they show. Then it plays the scenario and the commands of README there.
func TestGuides(t *testing.T) {
	t.Parallel()
	d := startDev(t, stateDir(t), []string{"DATABASE_URL=" + pgtest.URL(t)}, "--history", "--credentials",
		filepath.Join(t.TempDir(), "credentials.json"))
	list, err := d.send(d.apiHost, "GET", "/docs/guides", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(guideFiles + "*.md")
	listed := regexp.MustCompile(`<li><a href="/docs/guides/([a-z-]+)">`).FindAllStringSubmatch(string(list.body), -1)
	if err != nil || len(listed) != len(files) || len(files) == 0 {
		t.Fatalf("%d guides are listed, there are %d, %v", len(listed), len(files), err)
	}
	readme, err := os.ReadFile(root + "/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range listed {
		if !strings.Contains(string(readme), "(api/guides/"+name[1]+".md)") {
			t.Errorf("README does not list the guide %s", name[1])
		}
		d.play(t, guideFiles+name[1]+".md", d.asShown)
		if page, err := d.send(d.apiHost, "GET", "/docs/guides/"+name[1], nil, nil); err != nil || page.status != 200 {
			t.Errorf("%s: %v, %s", name[1], err, page)
		}
	}
	d.playOnDemo(t)
	d.play(t, root+"/README.md", d.asShown) // last, as it moves the clock by a month
	d.onlyTheExampleFails(t)
}

// onlyTheExampleFails checks that the demo and its guides leave one failing webhook endpoint, which says that it is an
// example.
func (d *devServer) onlyTheExampleFails(t *testing.T) {
	t.Helper()
	var failing []string
	eventually(t, patience, "the failing example", func() bool {
		a, err := d.api("GET", "/api/webhook_endpoints?limit=100", nil, nil)
		all, _ := a.get("data").([]any)
		if err != nil || len(all) < 2 {
			t.Fatalf("%v, %s", err, a)
		}
		failing = nil
		for _, one := range all {
			e, _ := one.(map[string]any)
			if e["failing_since"] != nil || e["paused_reason"] != nil {
				failing = append(failing, fmt.Sprint(e["description"]))
			}
		}
		return len(failing) > 0
	})
	if len(failing) != 1 || !strings.HasPrefix(failing[0], "Example of") {
		t.Errorf("these endpoints fail: %q", failing)
	}
}

// playTime is how long a document's commands may take; one that waits in vain does not hold up all tests.
const playTime = 4 * time.Minute

// play runs a document's commands in one shell, and compares each block of JSON with what the commands before it
// printed last, and each block of text with all that they printed, as shown makes it. The commands have env besides.
func (d *devServer) play(t *testing.T, file string, shown func(string) string, env ...string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	for _, block := range fence.FindAllStringSubmatch(string(text), -1) {
		if block[1] == "bash" {
			script.WriteString(block[3] + "printf '\\036'\n")
		}
	}
	ctx, stop := context.WithTimeout(t.Context(), playTime)
	defer stop()
	cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", script.String())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // with what it starts next to itself
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	cmd.Env = append(append(foreignEnv(), "SVCPAY_CREDENTIALS="+d.file,
		"PATH="+filepath.Dir(program)+":"+os.Getenv("PATH")), env...)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	printed := strings.Split(string(out), between)
	if err != nil || complaints.Len() > 0 {
		t.Fatalf("%s: %v after %d blocks\n%s\n%s", file, err, len(printed)-1, &complaints, printed[len(printed)-1])
	}
	done := 0
	now := fence.ReplaceAllStringFunc(string(text), func(all string) string {
		block := fence.FindStringSubmatch(all)
		switch {
		case block[1] == "bash":
			done++
		case block[1] == "json" && done > 0:
			return "```json " + block[2] + "\n" + d.asShown(lastJSON(printed[done-1])) + "```"
		case block[1] == "text" && done > 0:
			return "```text\n" + shown(printed[done-1]) + "```"
		}
		return all
	})
	t.Logf("%s: %d blocks were run", file, done)
	if now == string(text) {
		return
	}
	if !*updateDocs {
		t.Errorf("%s does not show what comes; go test ./test/e2e -run %s -update would make it\n%s", file,
			t.Name(), now)
	} else if err := os.WriteFile(file, []byte(now), 0o644); err != nil {
		t.Fatal(err)
	}
}

// lastJSON is the last JSON value of an output.
func lastJSON(output string) string {
	return output[max(0, strings.LastIndex("\n"+output, "\n{")):]
}

var idText = regexp.MustCompile(`\b([a-z]+)_[0-7][0-9a-hjkmnp-tv-z]{25}\b`)

var madeAt = regexp.MustCompile(`("created_at": )"[^"]+"`)

// asShown replaces what differs with each run.
func (d *devServer) asShown(output string) string {
	output = strings.ReplaceAll(output, d.credentials.BaseURL, "https://api.example.org")
	output = madeAt.ReplaceAllString(output, `${1}"2026-12-01T09:00:00.000Z"`)
	return idText.ReplaceAllString(output, "${1}_01jq8z6k4t8m2x9v5c7b1n3d0f")
}
