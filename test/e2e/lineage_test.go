package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"svcpay/test/rig"
)

// lineage is a server and its successors. They write one log, to a file: a pipe would end with the
// first of them.
type lineage struct {
	site
	metrics string // address
	logFile string
	pids    []int // the last one serves
}

// lineage starts a server that tells metrics. files become its descriptors from 3 on.
func (p *place) lineage(t *testing.T, files []*os.File, command []string, env ...string) *lineage {
	t.Helper()
	l := &lineage{logFile: filepath.Join(t.TempDir(), "log")}
	file, err := os.Create(l.logFile)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(append(foreignEnv(), p.settings()...),
		append([]string{"SVCPAY_ADMIN_ADDR=127.0.0.1:0"}, env...)...)
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = file, file, files
	ended, err := rig.Spawn(cmd)
	if err != nil {
		t.Fatal(err)
	}
	l.pids = []int{cmd.Process.Pid}
	t.Cleanup(func() {
		l.signal(syscall.SIGKILL)
		<-ended // the first one alone is our child
		l.awaitEnd(t, l.pids...)
		if t.Failed() {
			t.Logf("the log ends with:\n%s", l.tail(4000))
		}
	})
	l.site = site{addr: l.says(t, `"msg":"serving","addr":"([^"]+)"`, 1), apiHost: "api.test", payHost: "pay.test",
		app: p.app}
	l.metrics = l.says(t, `"msg":"telling metrics","addr":"(127[^"]+)"`, 1)
	return l
}

// signal goes to the server that serves, which may have ended.
func (l *lineage) signal(s syscall.Signal) { _ = syscall.Kill(l.pids[len(l.pids)-1], s) }

// text is the log without the lines of requests.
func (l *lineage) text() string {
	log, err := os.ReadFile(l.logFile)
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for line := range strings.Lines(string(log)) {
		if !strings.Contains(line, `"msg":"request"`) {
			b.WriteString(line)
		}
	}
	return b.String()
}

func (l *lineage) tail(n int) string {
	text := l.text()
	return text[max(0, len(text)-n):]
}

// says waits until the log has matched n times, and returns the last match's group.
func (l *lineage) says(t *testing.T, pattern string, n int) (group string) {
	t.Helper()
	wanted := regexp.MustCompile(pattern)
	eventually(t, patience, fmt.Sprintf("%d times %s", n, pattern), func() bool {
		found := wanted.FindAllStringSubmatch(l.text(), -1)
		if len(found) >= n {
			group = found[n-1][len(found[n-1])-1]
		}
		return len(found) >= n
	})
	return group
}

// restart asks the server for a successor and waits until that one answers.
func (l *lineage) restart(t *testing.T) {
	t.Helper()
	l.signal(syscall.SIGHUP)
	pid, err := strconv.Atoi(l.says(t, `"msg":"a successor answers","pid":(\d+)`, len(l.pids)))
	if err != nil {
		t.Fatal(err)
	}
	l.pids = append(l.pids, pid)
}

// awaitEnd waits until processes that need not be ours have ended.
func (l *lineage) awaitEnd(t *testing.T, pids ...int) {
	t.Helper()
	eventually(t, patience, fmt.Sprint("the end of ", pids), func() bool {
		for _, pid := range pids {
			if _, _, ok := stat(pid); ok {
				return false
			}
		}
		return true
	})
}

// keeper is a caller that keeps its connection and repeats nothing.
type keeper struct {
	site
	rig.Keeper
}

func (s site) keeper() *keeper {
	return &keeper{site: s, Keeper: rig.Keeper{Addr: s.addr, Patience: patience}}
}

// api calls the partner API once.
func (k *keeper) api(method, path string, body any) (answer, error) {
	a, err := k.Send(k.apiHost, method, path, body, k.credentials())
	return answer{a.Status, a.Header, a.Body}, err
}
