package scale

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/testing/fixture"
	"svcpay/test/rig"
)

// place is a database with an application, and the vault's key file of its servers.
type place struct {
	url, keyFile string
	pool         *pgxpool.Pool
	site         rig.Site // without an address
}

// newPlace makes a place of a migrated database.
func newPlace(t *testing.T, url string) *place {
	t.Helper()
	p := &place{url: url, keyFile: filepath.Join(t.TempDir(), "keys.json")}
	var err error
	if p.pool, err = pg.Open(t.Context(), url+"&statement_timeout=60000"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.pool.Close)
	c, err := fixture.Settle(t.Context(), p.pool, p.keyFile)
	if err != nil {
		t.Fatal(err)
	}
	app := c.Application
	p.site = rig.Site{Client: rig.NewClient(40 * time.Second), Application: app.AppID, Merchant: app.Merchants.US,
		Secret: app.SecretKey, Public: app.PublicKey}
	return p
}

// server is a running `svcpay serve`.
type server struct {
	*rig.Process
	out  rig.Output
	addr string
}

var serving = regexp.MustCompile(`"msg":"serving","addr":"([^"]+)"`)

// serve starts a server and waits until it answers. files become its descriptors from 3 on.
func (p *place) serve(t *testing.T, files []*os.File, env ...string) *server {
	t.Helper()
	s := &server{}
	var err error
	if s.Process, err = rig.Start(program, append(fixture.ServerSettings(p.url, p.keyFile), env...), files, &s.out,
		"serve"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.kill()
		if t.Failed() {
			text := s.out.Text()
			t.Logf("the server of %s printed:\n%s", s.addr, text[max(0, len(text)-3000):])
		}
	})
	eventually(t, "a server that serves", func() bool {
		found := serving.FindStringSubmatch(s.out.Text())
		select {
		case <-s.Done:
			t.Fatalf("the server ended: %s", s.Cmd.ProcessState)
		default:
		}
		if found != nil {
			s.addr = found[1]
		}
		return found != nil
	})
	return s
}

// kill ends the server as a power cut would, and returns when it is gone with all its connections.
func (s *server) kill() {
	s.Signal(syscall.SIGKILL)
	<-s.Done
}

// standStill stops a process, and returns when it does nothing any more.
func standStill(t *testing.T, p *rig.Process) {
	t.Helper()
	p.Signal(syscall.SIGSTOP)
	eventually(t, "a process that stands still", func() bool {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Cmd.Process.Pid)) // none: not yet
		return strings.Contains(string(status), "\nState:\tT")
	})
}

// connections is how many callers the server has, with those that no server has taken up yet.
func (s *server) connections() (n int) {
	mine := map[string]bool{"socket:[0]": true}
	links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", s.Cmd.Process.Pid)) // the pattern is well-formed
	for _, link := range links {
		if to, err := os.Readlink(link); err == nil {
			mine[to] = true
		}
	}
	const local, state, inode, established = 1, 3, 9, "01"
	at := netip.MustParseAddrPort(s.addr)
	table, _ := os.ReadFile("/proc/net/tcp") // none: no connections
	for line := range strings.Lines(string(table)) {
		f := strings.Fields(line)
		if len(f) > inode && strings.HasSuffix(f[local], fmt.Sprintf(":%04X", at.Port())) && f[state] == established &&
			mine["socket:["+f[inode]+"]"] {
			n++
		}
	}
	return n
}

// busiest is the server with most connections.
func busiest(all []*server) *server {
	return slices.MaxFunc(all, func(a, b *server) int { return a.connections() - b.connections() })
}

// quiet waits until nothing is in progress.
func (p *place) quiet(t *testing.T) time.Duration {
	t.Helper()
	return eventually(t, "the end of all that is under way", func() bool {
		left, err := pg.Value[int64](t.Context(), p.pool, `
			SELECT (SELECT count(*) FROM processor_operations WHERE state = 'open') + (SELECT count(*) FROM events
				WHERE sequence IS NULL AND NOT test)
				+ (SELECT count(*) FROM inbound_events WHERE handled_at IS NULL)`, pg.Args{})
		return err == nil && left == 0
	})
}

// made is a charge next to the key that asked for it.
type made struct {
	Key    string     `db:"key"`
	ID     ids.Charge `db:"id"`
	Status string     `db:"status"`
}

// audit compares what callers were told with what is there, and the books with each other.
func (p *place) audit(t *testing.T, told map[string]outcome) {
	t.Helper()
	all, err := pg.All[made](t.Context(), p.pool, `
		SELECT o.idempotency_key AS key, c.id, c.status FROM charges c
			JOIN processor_operations o ON o.application_id = c.application_id AND o.charge_id = c.id
				AND o.kind = 'authorize'
		WHERE c.application_id = @app`, pg.Args{"app": p.site.Application})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		if told[m.Key] != (outcome{m.ID.String(), m.Status}) {
			t.Errorf("%s asked for %s, which is %s; it was told of %v", m.Key, m.ID, m.Status, told[m.Key])
		}
	}
	if len(all) != len(told) || len(all) == 0 {
		t.Errorf("%d charges were acknowledged, %d are there", len(told), len(all))
	}
	for _, a := range slices.Concat(rig.AtEveryInstant(), rig.WhenQuiet(), rig.OfDeliveries(),
		rig.OfBook(processor.AccountPrefix(p.site.Application))) {
		wrong, err := a.Look(t.Context(), p.pool, p.site.Application)
		if err != nil {
			t.Fatal(err)
		}
		if len(wrong) > 0 {
			t.Errorf("audit: %s: %s (%d)", a.What, wrong[0], len(wrong))
		}
	}
}
