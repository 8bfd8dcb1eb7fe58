//go:build long

package e2e

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// mostExposed is the score of `systemd-analyze security` that the unit may have at most, times ten.
const mostExposed = 15

// TestInsideTheBoundsOfTheUnit serves with what docs/systemd/svcpay.service forbids forbidden: charges, a page of the
// portal, metrics, and a successor. What the kernel refuses is an error of the program or a line in its log.
func TestInsideTheBoundsOfTheUnit(t *testing.T) {
	t.Parallel()
	unit, err := filepath.Abs(root + "/docs/systemd/svcpay.service")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("systemd-analyze", "security", "--offline=true", "--no-pager",
		fmt.Sprint("--threshold=", mostExposed), unit).CombinedOutput(); err != nil {
		t.Errorf("the unit is exposed: %v\n%s", err, out)
	}
	confine := filepath.Join(t.TempDir(), "confine")
	build := exec.Command("go", "build", "-C", root+"/tools", "-o", confine, "./confine")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	inside := []string{"unshare", "--user", "--map-current-user", "--keep-caps", "--mount", confine, unit}
	if out, err := exec.Command(inside[0], append(inside[1:], "/bin/sh", "-c",
		"grep -q '^CapBnd:.0*$' /proc/self/status && grep -q '^Seccomp:.2$' /proc/self/status && ! touch "+
			t.TempDir()+"/file 2>/dev/null")...).CombinedOutput(); err != nil {
		t.Fatalf("there are no bounds: %v\n%s", err, out)
	}
	p := newPlace(t)
	p.served = overTCP(t, p.served)
	l := p.lineage(t, nil, append(inside, program, "serve"))
	for range 2 {
		made, err := l.charge(fmt.Sprint("key-", len(l.pids)), l.order(l.token(t, approvedCard), 12500))
		if err != nil || made.status != 201 {
			t.Errorf("charge: %v, %s", err, made)
		}
		for host, path := range map[string]string{l.apiHost: "/portal/login", l.payHost: "/3.2/svcpay.js",
			l.metrics: "/metrics"} {
			addr := l.site
			if host == l.metrics {
				addr.addr = l.metrics
			}
			if a, err := addr.send(host, "GET", path, nil, nil); err != nil || a.status != 200 {
				t.Errorf("%s%s: %v, %s", host, path, err, a)
			}
		}
		l.restart(t)
	}
	audit(t, p)
	l.signal(syscall.SIGTERM)
	l.awaitEnd(t, l.pids[len(l.pids)-1])
	for line := range strings.Lines(l.text()) {
		if !strings.Contains(line, `"level":"INFO"`) {
			t.Errorf("the log has %s", line)
		}
	}
}

// overTCP is a URL of a database whose socket only its owner and root may use: by a port that leads there. A program of
// root without capabilities may not use the socket.
func overTCP(t *testing.T, direct string) string {
	t.Helper()
	u, err := url.Parse(direct)
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(u.Query().Get("host"), ".s.PGSQL.5432")
	port, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = port.Close() })
	go func() {
		for {
			from, err := port.Accept()
			if err != nil { // the end of the test
				return
			}
			go relay(from, socket)
		}
	}()
	return "postgres://" + u.User.String() + "@" + port.Addr().String() + u.Path + "?sslmode=disable"
}

// relay connects a connection with a socket until one of both is closed.
func relay(from net.Conn, socket string) {
	defer func() { _ = from.Close() }()
	to, err := net.Dial("unix", socket)
	if err != nil {
		return
	}
	go func() {
		_, _ = io.Copy(from, to)
		_ = from.Close()
	}()
	_, _ = io.Copy(to, from)
	_ = to.Close()
}
