//go:build scale

package scale

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"svcpay/internal/testing/pgtest"
	"svcpay/test/rig"
)

// document has what operators configure and run; the tests do what is there.
var document = filepath.Join(root, "docs/scale.md")

// The addresses that the document has.
const (
	documentFront = "0.0.0.0:80"
	documentOne   = "10.0.0.11:8080"
	documentTwo   = "10.0.0.12:8080"
	documentThree = "10.0.0.13:8080"
)

// TestOneOfThreeBehindHAProxyIsKilled: HAProxy, as the document configures it, in front of three servers.
func TestOneOfThreeBehindHAProxyIsKilled(t *testing.T) {
	p := newPlace(t, pgtest.URL(t))
	var servers []*server
	for range 3 {
		servers = append(servers, p.serve(t, nil, "SVCPAY_TRUSTED_PROXIES=127.0.0.0/8"))
	}
	front, err := rig.FreeAddr()
	if err != nil {
		t.Fatal(err)
	}
	config, err := rig.Block(document, "haproxy", "option httplog", `log-format "answered %s %ts"`, documentFront,
		front, documentOne, servers[0].addr, documentTwo, servers[1].addr, documentThree, servers[2].addr)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "haproxy.cfg")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var said rig.Output
	proxy, err := rig.Start("/usr/sbin/haproxy", nil, nil, &said, "-db", "-f", file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		proxy.Signal(syscall.SIGKILL)
		<-proxy.Done
		if t.Failed() {
			t.Log(said.Text())
		}
	})
	victim := p.killOneOf(t, front, servers, proxy)
	names, answers := map[*server]string{servers[0]: "one", servers[1]: "two", servers[2]: "three"}, map[string]int{}
	for line := range strings.Lines(said.Text()) {
		var name, end string
		if n, _ := fmt.Sscanf(line, "answered %s %s", &name, &end); n != 2 {
			continue
		}
		if answers[name]++; end != "--" && name != names[victim] { // else it ended as that server answered
			t.Errorf("HAProxy tells of a failure at another server than %s: %s", names[victim], line)
		}
	}
	t.Logf("%s was killed; answers by server: %v", names[victim], answers)
	if len(answers) < len(servers) {
		t.Errorf("not every server answered: %v", answers)
	}
}
