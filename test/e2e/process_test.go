package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"svcpay/test/rig"
)

// patience is for what a busy machine does slowly, not for what may be slow.
const patience = 5 * time.Minute

// What package rig has, in the words of these tests.
var killed, family, alive, foreignEnv, stat = rig.Killed, rig.Family, rig.Alive, rig.ForeignEnv, rig.Stat

// noRight is the SQLSTATE by which PostgreSQL refuses a statement to a role that may not run it.
const noRight = "SQLSTATE 42501"

// process is a running program of ours.
type process struct {
	cmd  *exec.Cmd
	out  output        // standard output and error
	done chan struct{} // closed when it has ended
}

// launch starts the program with env added to our environment, of which its own settings are no part.
func launch(t *testing.T, path string, env []string, args ...string) *process {
	t.Helper()
	p := &process{}
	started, err := rig.Start(path, env, nil, &p.out, args...)
	if err != nil {
		t.Fatal(err)
	}
	p.cmd, p.done = started.Cmd, started.Done
	t.Cleanup(func() {
		p.signal(syscall.SIGKILL)
		<-p.done
		if strings.Contains(p.out.text(), noRight) {
			t.Errorf("%s: the role of servers lacks a right", strings.Join(args, " "))
		}
		if t.Failed() {
			t.Logf("%s %s printed:\n%s", filepath.Base(path), strings.Join(args, " "), p.out.tail(4000))
		}
	})
	return p
}

// signal ignores that the process may have ended in the meantime.
func (p *process) signal(s syscall.Signal) { _ = p.cmd.Process.Signal(s) }

// ended waits for the end, and fails the test if it does not come in time.
func (p *process) ended(t *testing.T, within time.Duration) *os.ProcessState {
	t.Helper()
	select {
	case <-p.done:
	case <-time.After(within):
		t.Fatalf("the process is still there after %s", within)
	}
	return p.cmd.ProcessState
}

// exits waits for the end and returns exit status and output.
func (p *process) exits(t *testing.T) (int, string) {
	t.Helper()
	return p.ended(t, patience).ExitCode(), p.out.text()
}

// says waits until the output matches and returns the first group.
func (p *process) says(t *testing.T, pattern string) string {
	t.Helper()
	found := p.saysUnlessEnded(t, pattern)
	if found == "" {
		t.Fatalf("it ended (%s) without output like %s", p.cmd.ProcessState, pattern)
	}
	return found
}

// saysUnlessEnded is says for a process that may end instead: then it returns nothing.
func (p *process) saysUnlessEnded(t *testing.T, pattern string) string {
	t.Helper()
	wanted := regexp.MustCompile(pattern)
	found, ended := []string{""}, false
	eventually(t, patience, "output like "+pattern, func() bool {
		select {
		case <-p.done:
			ended = true
		default:
		}
		if match := wanted.FindStringSubmatch(p.out.text()); match != nil {
			found = match
			return true
		}
		return ended
	})
	return found[len(found)-1]
}

// eventually polls until it is so, and says how long that took.
func eventually(t *testing.T, within time.Duration, what string, so func() bool) time.Duration {
	t.Helper()
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if so() {
			return time.Since(begun).Round(time.Millisecond)
		}
		if time.Since(begun) > within {
			t.Fatalf("waited %s for: %s", within, what)
		}
	}
}

// output collects what a process writes while others read it.
type output struct{ rig.Output }

func (o *output) text() string { return o.Text() }

func (o *output) tail(n int) string {
	s := o.text()
	return s[max(0, len(s)-n):]
}

// runningFrom returns the processes whose program, or working directory, is below dir.
func runningFrom(dir string) (found []int) {
	for _, pid := range rig.PIDs() {
		for _, link := range []string{"exe", "cwd"} {
			if path, err := os.Readlink(fmt.Sprintf("/proc/%d/%s", pid, link)); err == nil &&
				strings.HasPrefix(path, dir+"/") {
				found = append(found, pid)
				break
			}
		}
	}
	return found
}

// servesOrEnds waits until a server that kills itself serves, or has done so already.
func (p *process) servesOrEnds(t *testing.T) {
	t.Helper()
	eventually(t, patience, "a server, or its end", func() bool {
		select {
		case <-p.done:
			return true
		default:
			return strings.Contains(p.out.text(), `"msg":"serving"`)
		}
	})
}
