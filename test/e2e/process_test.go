package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is for what a busy machine does slowly, not for what may be slow.
const patience = 60 * time.Second

// process is a running program of ours.
type process struct {
	cmd  *exec.Cmd
	out  output        // standard output and error
	done chan struct{} // closed when it has ended
}

// launch starts the program with env added to our environment, of which its own settings are no part.
func launch(t *testing.T, path string, env []string, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(path, args...), done: make(chan struct{})}
	p.cmd.Env = append(foreignEnv(), env...)
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.out
	p.cmd.WaitDelay = 5 * time.Second
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // we may be killed ourselves
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait() // the state tells how it ended
		close(p.done)
	}()
	t.Cleanup(func() {
		p.signal(syscall.SIGKILL)
		<-p.done
		if t.Failed() {
			t.Logf("%s %s printed:\n%s", filepath.Base(path), strings.Join(args, " "), p.out.tail(4000))
		}
	})
	return p
}

func foreignEnv() (env []string) {
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "SVCPAY_") && !strings.HasPrefix(pair, "DATABASE_URL=") {
			env = append(env, pair)
		}
	}
	return env
}

// signal ignores that the process may have ended meanwhile.
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

// killed tells whether the process ended by SIGKILL.
func killed(s *os.ProcessState) bool {
	w, ok := s.Sys().(syscall.WaitStatus)
	return ok && w.Signaled() && w.Signal() == syscall.SIGKILL
}

// says waits until the output matches and returns the first group.
func (p *process) says(t *testing.T, pattern string) string {
	t.Helper()
	wanted := regexp.MustCompile(pattern)
	var found []string
	eventually(t, patience, "output like "+pattern, func() bool {
		found = wanted.FindStringSubmatch(p.out.text())
		select {
		case <-p.done:
			if found == nil {
				t.Fatalf("it ended (%s) without output like %s", p.cmd.ProcessState, pattern)
			}
		default:
		}
		return found != nil
	})
	return found[len(found)-1]
}

// eventually polls until it is so, and tells how long that took.
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
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements io.Writer.
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(b)
}

func (o *output) text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

func (o *output) tail(n int) string {
	s := o.text()
	return s[max(0, len(s)-n):]
}

// stat is the state, parent and name of a process; ok is false when it is gone or only waits to be buried.
func stat(pid int) (parent int, name string, ok bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, "", false
	}
	left, right := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	fields := strings.Fields(string(text[right+1:]))
	parent, err = strconv.Atoi(fields[1])
	return parent, string(text[left+1 : right]), err == nil && fields[0] != "Z"
}

func pids() (all []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*") // the pattern is well-formed
	for _, dir := range dirs {
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil {
			all = append(all, pid)
		}
	}
	return all
}

// family is a process and all that it started, with their names.
func family(pid int) map[int]string {
	members := map[int]string{}
	if _, name, ok := stat(pid); ok {
		members[pid] = name
	}
	for grown := true; grown; {
		grown = false
		for _, other := range pids() {
			parent, name, ok := stat(other)
			if _, known := members[other]; ok && !known && members[parent] != "" {
				members[other], grown = name, true
			}
		}
	}
	return members
}

// alive returns those of a family that still run.
func alive(members map[int]string) (left []string) {
	for pid, name := range members {
		if _, now, ok := stat(pid); ok && now == name {
			left = append(left, fmt.Sprintf("%d (%s)", pid, name))
		}
	}
	return left
}

// runningFrom returns the processes whose program, or working directory, is below dir.
func runningFrom(dir string) (found []int) {
	for _, pid := range pids() {
		for _, link := range []string{"exe", "cwd"} {
			if path, err := os.Readlink(fmt.Sprintf("/proc/%d/%s", pid, link)); err == nil && strings.HasPrefix(path, dir+"/") {
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
