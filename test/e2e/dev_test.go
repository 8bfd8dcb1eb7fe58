package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"svcpay/internal/platform/localpg"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/testing/pgtest"
)

// stopsWithin is how long Ctrl-C may take.
const stopsWithin = 10 * time.Second

// devServer is a running `svcpay dev`.
type devServer struct {
	*process
	site
	file        string
	credentials demo.Credentials
}

// stateDir is a directory for one test's development servers. It is removed when their database
// has ended too.
func stateDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(pgtest.StateDir(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		eventually(t, patience, "no process in the state directory", func() bool { return len(runningFrom(dir)) == 0 })
	})
	return dir
}

func devArgs(dir string, more ...string) []string {
	return append([]string{"dev", "--state-dir", dir, "--addr", "localhost:0", "--shop-addr", "localhost:0"}, more...)
}

// startDev starts a development server and waits until it says how to reach it.
func startDev(t *testing.T, dir string, env []string, more ...string) *devServer {
	t.Helper()
	return startDevOf(t, program, dir, env, more...)
}

// startDevOf starts a development server of a program.
func startDevOf(t *testing.T, path, dir string, env []string, more ...string) *devServer {
	t.Helper()
	begun := time.Now()
	d := &devServer{process: launch(t, path, env, devArgs(dir, more...)...)}
	d.file = strings.TrimSpace(d.says(t, `(?m)All of this as JSON: (.+)$`))
	d.says(t, `Ctrl-C stops everything`)
	t.Logf("dev was ready after %s", time.Since(begun).Round(time.Millisecond))
	text, err := os.ReadFile(d.file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &d.credentials); err != nil {
		t.Fatal(err)
	}
	host := func(origin string) string {
		u, err := url.Parse(origin)
		if err != nil {
			t.Fatal(err)
		}
		return u.Host
	}
	d.site = site{addr: "127.0.0.1:" + portOf(host(d.credentials.BaseURL)), apiHost: host(d.credentials.BaseURL),
		payHost: host(d.credentials.PayURL), app: d.credentials.Application}
	return d
}

func portOf(host string) string {
	_, port, _ := net.SplitHostPort(host)
	return port
}

// stop sends the signal and checks that everything ends in time and well.
func (d *devServer) stop(t *testing.T, s syscall.Signal) {
	t.Helper()
	members, begun := family(d.cmd.Process.Pid), time.Now()
	d.signal(s)
	state := d.ended(t, stopsWithin)
	t.Logf("%s: %s after %s, a family of %d", s, state, time.Since(begun).Round(time.Millisecond), len(members))
	if state.ExitCode() != 0 {
		t.Errorf("exit status %d", state.ExitCode())
	}
	if left := alive(members); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestDev goes through the life of a state directory.
func TestDev(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	interruptFirstStart(t, dir)
	first := startDev(t, dir, nil)
	credentialsAreComplete(t, first.file)
	listensOnLoopbackOnly(t, first)
	secondIsRefused(t, dir)
	body := first.order(first.token(t, approvedCard), 12500)
	made, err := first.charge("key", body)
	if err != nil || made.status != 201 {
		t.Fatalf("charge: %v, %s", err, made)
	}
	onlyOwnsNothing(t, localpg.URL(dir, "svcpay"))
	first.stop(t, syscall.SIGINT)

	second := startDev(t, dir, nil, "--addr", "127.0.0.1:0")
	if !strings.HasPrefix(second.apiHost, "127.0.0.1:") {
		t.Errorf("dev started at 127.0.0.1 reports the address %s", second.apiHost)
	}
	keeps(t, first, second, body, made)
	members := family(second.cmd.Process.Pid)
	second.signal(syscall.SIGKILL)
	second.ended(t, patience)
	took := eventually(t, stopsWithin, "the end of all children of a killed dev",
		func() bool { return len(alive(members)) == 0 })
	t.Logf("all %d processes were gone %s after the kill", len(members), took)

	third := startDev(t, dir, nil)
	keeps(t, first, third, body, made)
	third.stop(t, syscall.SIGTERM)
}

// interruptFirstStart: Ctrl-C while the database is being made leaves nothing, not even an error.
func interruptFirstStart(t *testing.T, dir string) {
	t.Helper()
	d := &devServer{process: launch(t, program, nil, devArgs(dir)...)}
	d.says(t, `creating a PostgreSQL`)
	d.stop(t, syscall.SIGINT)
	if strings.Contains(d.out.text(), "svcpay: ") {
		t.Errorf("an interrupted start complains:\n%s", d.out.text())
	}
}

// keeps checks that a later start has the keys and the data of the first.
func keeps(t *testing.T, first, later *devServer, body map[string]any, made answer) {
	t.Helper()
	if was, is := fmt.Sprint(first.credentials.Application, *first.credentials.Other),
		fmt.Sprint(later.credentials.Application, *later.credentials.Other); was != is {
		t.Errorf("the credentials changed from %s to %s", was, is)
	}
	shown, err := later.api("GET", "/api/charges/"+made.text("id"), nil, nil)
	if err != nil || string(shown.body) != string(made.body) {
		t.Errorf("the charge: %v, %s", err, shown)
	}
	again, err := later.charge("key", body)
	if err != nil || !again.replayed() || string(again.body) != string(made.body) {
		t.Errorf("the replay: %v, %s", err, again)
	}
	if again, err := later.charge("key-"+later.addr, later.order(body["token"].(string), 100)); err != nil ||
		again.status != 201 {
		t.Errorf("the token in another start: %v, %s", err, again)
	}
}

func credentialsAreComplete(t *testing.T, file string) {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("the credentials file: %v, %v", info.Mode(), err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	a := answer{body: text}
	paths := []string{"base_url", "pay_url", "portal_url", "shop_url", "daf_login", "bank_login", "users"}
	for _, of := range []string{"", "other "} {
		for _, name := range []string{"app_id", "secret_key", "public_key", "merchants us", "merchants us_q",
			"merchants ca"} {
			paths = append(paths, of+name)
		}
	}
	for _, path := range paths {
		if v := a.get(strings.Fields(path)...); v == nil || v == "" || v == 0.0 {
			t.Errorf("the credentials lack %s", path)
		}
	}
	usersAreComplete(t, a)
}

// usersAreComplete: one person per role can sign in.
func usersAreComplete(t *testing.T, credentials answer) {
	t.Helper()
	users, _ := credentials.get("users").([]any)
	roles := map[any]bool{}
	for _, u := range users {
		user, _ := u.(map[string]any)
		roles[user["role"]] = user["email"] != "" && user["password"] != ""
	}
	for _, role := range []string{"system_admin", "support_staff", "application_admin", "organization_admin",
		"organization_staff"} {
		if !roles[role] {
			t.Errorf("the credentials have no %s", role)
		}
	}
}

// secondIsRefused: two development servers must not share a state directory.
func secondIsRefused(t *testing.T, dir string) {
	t.Helper()
	code, said := launch(t, program, nil, devArgs(dir)...).exits(t)
	if code != 1 || !strings.Contains(said, "another svcpay dev uses "+dir) {
		t.Errorf("a second dev on the same state directory: exit %d\n%s", code, said)
	}
}

func listensOnLoopbackOnly(t *testing.T, d *devServer) {
	t.Helper()
	members := family(d.cmd.Process.Pid)
	database := false
	for _, name := range members {
		database = database || strings.HasPrefix(name, "postgres")
	}
	addresses := listening(t, members)
	t.Logf("%d processes listen on %v", len(members), addresses)
	if !database || len(addresses) < 2 {
		t.Errorf("not the whole family was looked at: %v", members)
	}
	for _, a := range addresses {
		if ip := net.ParseIP(a); !ip.IsLoopback() {
			t.Errorf("something listens on %s", a)
		}
	}
}

// TestDevWithDatabase: a given database is used instead of one of its own; credentials go where
// they should; all four addresses answer.
func TestDevWithDatabase(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	file := filepath.Join(t.TempDir(), "mine.json")
	d := startDev(t, dir, []string{"DATABASE_URL=" + pgtest.URL(t)}, "--credentials", file)
	if d.file != file {
		t.Errorf("the credentials are in %s", d.file)
	}
	if members := family(d.cmd.Process.Pid); len(members) != 1 {
		t.Errorf("it has children: %v", members)
	}
	if entries, err := os.ReadDir(filepath.Join(dir, "postgres")); err == nil {
		t.Errorf("it made a database of its own: %v", entries)
	}
	for _, c := range []struct{ origin, path string }{{d.credentials.BaseURL, "/readyz"},
		{d.credentials.PayURL, "/3.2/svcpay.js"}, {d.credentials.ShopURL, "/"}} {
		u, err := url.Parse(c.origin)
		if err != nil {
			t.Fatal(err)
		}
		at := site{addr: "127.0.0.1:" + u.Port()}
		if a, err := at.send(u.Host, "GET", c.path, nil, nil); err != nil || a.status >= 300 {
			t.Errorf("%s%s: %v, %s", c.origin, c.path, err, a)
		}
	}
	d.stop(t, syscall.SIGINT)
}

// TestDevAddresses: what cannot be listened on is refused in a sentence that names the flag.
func TestDevAddresses(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	inUse := "localhost:" + portOf(taken.Addr().String())
	cases := []struct{ flag, addr, want string }{
		{"--addr", inUse, inUse + " is in use by another program: stop it, or choose another --addr"},
		{"--shop-addr", inUse, "choose another --shop-addr"},
		{"--addr", "0.0.0.0:0", "--addr: svcpay dev listens on loopback only"},
		{"--addr", ":0", "loopback only"}, {"--addr", "[::]:0", "loopback only"},
		{"--addr", "example.org:80", "loopback only"},
		{"--shop-addr", "192.168.1.1:0", "--shop-addr: svcpay dev listens on loopback only"},
		{"--addr", "8080", "is not host:port"},
	}
	for _, c := range cases {
		dir := t.TempDir()
		code, said := launch(t, program, nil, devArgs(dir, c.flag, c.addr)...).exits(t)
		if code != 1 || !strings.Contains(said, c.want) || strings.Count(said, "\n") != 1 {
			t.Errorf("%s %s: exit %d\n%s", c.flag, c.addr, code, said)
		}
	}
}
