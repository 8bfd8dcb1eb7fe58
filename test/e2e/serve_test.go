package e2e

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/pgtest"
	"svcpay/migrations"
)

// TestConfigurationErrors: every mistake is told in one go, and nothing starts.
func TestConfigurationErrors(t *testing.T) {
	t.Parallel()
	env := []string{"SVCPAY_ENVIRONMENT=live", "SVCPAY_ADDR=8080", "SVCPAY_BASE_URL=https://api.test/",
		"SVCPAY_PAY_URL=api.test", "SVCPAY_COLOUR=blue", "SVCPAY_COLOR=blue"}
	code, said := launch(t, program, env, "serve").exits(t)
	t.Logf("exit %d:\n%s", code, said)
	wanted := []string{"DATABASE_URL", "SVCPAY_ENVIRONMENT", "SVCPAY_ADDR", "SVCPAY_BASE_URL", "SVCPAY_PAY_URL",
		"SVCPAY_VAULT_KEY_FILE", "SVCPAY_COLOUR: there is no such setting", "SVCPAY_COLOR: there is no such setting"}
	for _, want := range wanted {
		if strings.Count(said, want) == 0 {
			t.Errorf("nothing is said of %s", want)
		}
	}
	if code != 1 {
		t.Errorf("exit status %d", code)
	}
}

// TestOneOriginForBoth: the frames must not share the API's origin.
func TestOneOriginForBoth(t *testing.T) {
	t.Parallel()
	env := []string{"DATABASE_URL=postgres://nobody@127.0.0.1:1/none", "SVCPAY_ENVIRONMENT=sandbox",
		"SVCPAY_BASE_URL=https://one.test",
		"SVCPAY_PAY_URL=https://one.test", "SVCPAY_VAULT_KEY_FILE=none"}
	if code, said := launch(t, program, env, "serve").exits(t); code != 1 ||
		!strings.Contains(said, "SVCPAY_PAY_URL: must be another origin") {
		t.Errorf("exit %d: %s", code, said)
	}
}

// TestHelpListsEverySetting compares --help with the names in the source.
func TestHelpListsEverySetting(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile(filepath.Join(root, "cmd/svcpay/config.go"))
	if err != nil {
		t.Fatal(err)
	}
	code, said := launch(t, program, nil, "serve", "--help").exits(t)
	names := regexp.MustCompile(`\{"(SVCPAY_[A-Z_]+|DATABASE_URL)", "`).FindAllSubmatch(source, -1)
	t.Logf("%d settings", len(names))
	for _, name := range names {
		if !regexp.MustCompile(`(?m)^\s*` + string(name[1]) + `$`).MatchString(said) {
			t.Errorf("--help does not list %s:\n%s", name[1], said)
		}
	}
	if code != 0 || len(names) < 6 || strings.Contains(said, "CRASH") {
		t.Errorf("exit %d, %d settings:\n%s", code, len(names), said)
	}
	if _, said := launch(t, chaosProgram, nil, "serve", "--help").exits(t); !strings.Contains(said,
		"SVCPAY_CRASH_POINT") {
		t.Errorf("the test build hides its setting:\n%s", said)
	}
}

// TestCrashSettingIsForTestBuilds: the delivered program cannot be told to kill itself.
func TestCrashSettingIsForTestBuilds(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	code, said := launch(t, program, append(p.settings(), "SVCPAY_CRASH_POINT=charge.called:1"), "serve").exits(t)
	if code != 1 || !strings.Contains(said, "SVCPAY_CRASH_POINT: there is no such setting") {
		t.Errorf("exit %d: %s", code, said)
	}
	for file, holds := range map[string]bool{program: false, chaosProgram: true} {
		if text, err := os.ReadFile(file); err != nil || strings.Contains(string(text), "resolve.asked") != holds {
			t.Errorf("%s should hold crash points: %v (%v)", file, holds, err)
		}
	}
}

// TestMigrate: a server refuses an empty database; two migrations at once make it good, and a
// third changes nothing.
func TestMigrate(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.connect(t, emptyDatabase(t))
	code, said := launch(t, program, p.settings(), "serve").exits(t)
	if code != 1 || !strings.Contains(said, "run svcpay migrate first") {
		t.Errorf("on an empty database: exit %d, %s", code, said)
	}
	env := []string{"DATABASE_URL=" + p.url}
	two := []*process{launch(t, program, env, "migrate"), launch(t, program, env, "migrate")}
	for _, m := range append(two, launch(t, program, env, "migrate")) {
		if code, said := m.exits(t); code != 0 {
			t.Errorf("migrate: exit %d, %s", code, said)
		}
	}
	if code, said := launch(t, program, env, "migrate").exits(t); code != 0 || said != "" {
		t.Errorf("migrate again: exit %d, %s", code, said)
	}
	code, said = launch(t, program, p.settings(), "serve").exits(t)
	if code != 1 || !strings.Contains(said, "run svcpay migrate --grant ROLE first") {
		t.Errorf("before its role has rights: exit %d, %s", code, said)
	}
	if code, said := launch(t, program, env, "migrate", "--grant", migrations.ServerRole).exits(t); code != 0 {
		t.Errorf("migrate --grant: exit %d, %s", code, said)
	}
	if grants := value[int](t, p, `SELECT count(*)::int FROM audit_entries WHERE application_id = 0
		AND actor_kind = 'command' AND permission = 'deployment:manage' AND subject_kind = 'server_role'`,
		pg.Args{}); grants != 1 {
		t.Errorf("the audit log has %d entries of it", grants)
	}
	p.serve(t, program)
	if code, said := launch(t, program, nil, "migrate").exits(t); code != 1 ||
		!strings.Contains(said, "DATABASE_URL is not set") {
		t.Errorf("migrate without a database: exit %d, %s", code, said)
	}
}

// emptyDatabase empties a database of the test's own.
func emptyDatabase(t *testing.T) string {
	t.Helper()
	url := pgtest.URL(t)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), `DROP SCHEMA public, river CASCADE; CREATE SCHEMA public`); err != nil {
		t.Fatal(err)
	}
	return url
}

// TestHosts: each host name has its surface, others have none, health is told by any name.
func TestHosts(t *testing.T) {
	t.Parallel()
	s := newPlace(t).serve(t, program)
	cases := []struct {
		host, path string
		status     int
	}{
		{"api.test", "/api/charges", 401}, {"pay.test", "/api/charges", 404}, {"api.test", "/3.2/svcpay.js", 404},
		{"other.test", "/api/charges", 421}, {"api.test:8080", "/api/charges", 421}, {s.addr, "/", 421},
		{"other.test", "/healthz", 204}, {s.addr, "/readyz", 204}, {"api.test", "/healthz", 204},
	}
	for _, c := range cases {
		a, err := s.send(c.host, "GET", c.path, nil, nil)
		if err != nil || a.status != c.status {
			t.Errorf("%s%s: %v, %s instead of %d", c.host, c.path, err, a, c.status)
		}
		if len(a.body) > 0 && c.status == 204 {
			t.Errorf("%s says %q", c.path, a.body)
		}
	}
}

// TestStopDuringCharge: SIGTERM lets a request that is in progress have its answer, and no one new in.
func TestStopDuringCharge(t *testing.T) {
	t.Parallel()
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			stopDuringCharge(t, s)
		})
	}
}

func stopDuringCharge(t *testing.T, signal syscall.Signal) {
	p := newPlace(t)
	s := p.serve(t, program)
	body := s.order(s.token(t, timeoutCard), 4200)
	var a answer
	var err error
	var answered sync.WaitGroup
	answered.Add(1)
	go func() {
		defer answered.Done()
		a, err = s.charge("key", body)
	}()
	eventually(t, patience, "the submission", func() bool { return submitted(t, p) > 0 })
	begun := time.Now()
	s.signal(signal)
	eventually(t, patience, "a closed door", func() bool {
		conn, err := net.Dial("tcp", s.addr)
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	answered.Wait()
	if err != nil {
		t.Fatalf("the answer was lost: %v", err)
	}
	wantProcessing(t, a)
	t.Logf("answered %d %s after the signal", a.status, time.Since(begun).Round(time.Millisecond))
	if code, _ := s.exits(t); code != 0 {
		t.Errorf("exit status %d", code)
	}
}

// TestAddressInUse names the address.
func TestAddressInUse(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	addr := l.Addr().String()
	code, said := launch(t, program, append(p.settings(), "SVCPAY_ADDR="+addr), "serve").exits(t)
	if code != 1 || !strings.Contains(said, addr) || !strings.Contains(said, "in use") {
		t.Errorf("exit %d: %s", code, said)
	}
}
