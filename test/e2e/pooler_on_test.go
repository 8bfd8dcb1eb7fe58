//go:build scale

package e2e

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"svcpay/internal/platform/pg"
	"svcpay/migrations"
	"svcpay/test/rig"
)

// pooledBy is how many connections to a database the document allows.
const pooledBy = 16

// pooler is PgBouncer, as docs/scale.md configures it, in front of all databases of the tests.
var pooler struct {
	once sync.Once
	addr string
	said rig.Output
	err  error
}

// served is the address at which servers have their database: through the pooler.
func served(t *testing.T, direct string) string {
	t.Helper()
	u, err := url.Parse(direct)
	if err != nil {
		t.Fatal(err)
	}
	pooler.once.Do(func() { pooler.addr, pooler.err = startPooler(u.Query().Get("host")) })
	if pooler.err != nil {
		t.Fatal(pooler.err, pooler.said.Text())
	}
	return "postgres://svcpay@" + pooler.addr + u.Path + "?sslmode=disable&default_query_exec_mode=cache_describe"
}

// startPooler starts PgBouncer, which ends with us, in front of the server that has a socket in a directory.
func startPooler(socket string) (addr string, err error) {
	addr, err = rig.FreeAddr()
	if err != nil {
		return "", err
	}
	_, port, _ := strings.Cut(addr, ":")
	config, err := rig.Block(filepath.Join(root, "docs/scale.md"), "ini",
		"svcpay = host=10.0.0.21 dbname=svcpay", "* = host="+socket+
			" port=5432 user="+migrations.ServerRole, "listen_port = 6432", "listen_port = "+port,
		"auth_type = scram-sha-256", "auth_type = any", "auth_file = /etc/pgbouncer/userlist.txt", "")
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "svcpay-pooler-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }() // it has read its settings
	file := filepath.Join(dir, "pgbouncer.ini")
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(file, []byte(config), 0o644)); err != nil {
		return "", err
	}
	command := []string{"/usr/sbin/pgbouncer", file}
	if os.Geteuid() == 0 { // it refuses to be root
		info, err := os.Stat(socket)
		if err != nil {
			return "", err
		}
		st := info.Sys().(*syscall.Stat_t)
		command = append([]string{"/usr/bin/setpriv", fmt.Sprint("--reuid=", st.Uid), fmt.Sprint("--regid=", st.Gid),
			"--clear-groups", "--pdeathsig=KILL"}, command...)
	}
	p, err := rig.Start(command[0], nil, nil, &pooler.said, command[1:]...)
	if err != nil {
		return "", err
	}
	for begun := time.Now(); time.Since(begun) < patience; time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial("tcp", addr); err == nil {
			return addr, c.Close()
		}
		select {
		case <-p.Done:
			return "", errors.New("PgBouncer ended")
		default:
		}
	}
	return "", errors.New("PgBouncer does not answer")
}

// TestFourServersShareAPooler: 32 callers charge and refund at four servers, which have more connections to the
// pooler than that has to the database. Each key comes to its outcome, however busy the machine is, and statements are
// bounded there, too.
func TestFourServersShareAPooler(t *testing.T) {
	t.Parallel()
	const callers, perCaller = 32, 12
	p := newPlace(t)
	var servers []*server
	for range 4 {
		servers = append(servers, p.serve(t, program, "SVCPAY_WEBHOOK_LOCAL=true"))
	}
	k := sinkThat(t, 0, 0, false)
	servers[0].listen(t, k, "charge.*", "refund.*")
	token := servers[0].token(t, approvedCard)
	begun := time.Now()
	var group sync.WaitGroup
	for n := range callers {
		group.Go(func() { servers[n%len(servers)].chargesAndRefunds(t, token, n, perCaller) })
	}
	over := make(chan struct{})
	go func() { group.Wait(); close(over) }()
	most := p.mostConnections(t, over)
	took := time.Since(begun).Round(time.Millisecond)
	if most == 0 || most > pooledBy {
		t.Errorf("the pooler had %d connections to the database, %d are allowed", most, pooledBy)
	}
	eventually(t, patience, "every event at the sink", func() bool {
		return k.Count() == value[int](t, p, `SELECT count(*)::int FROM events WHERE type LIKE 'charge.%'
			OR type LIKE 'refund.%'`, pg.Args{})
	})
	for _, a := range append(rig.AtEveryInstant(), rig.WhenQuiet()...) {
		if wrong, err := a.Look(t.Context(), p.pool, p.app.AppID); err != nil || len(wrong) > 0 {
			t.Errorf("audit: %s: %v, %v", a.What, wrong, err)
		}
	}
	_, said := launch(t, program, p.settings(), "doctor").exits(t)
	if !strings.Contains(said, "idle transactions are bounded") ||
		!strings.Contains(said, "no statement waits for a compiler") {
		t.Errorf("the doctor says:\n%s", said)
	}
	t.Logf("%d charges, %d refunds, %d events delivered in %s over %d connections of the pooler", callers*perCaller,
		callers*perCaller, k.Count(), took, most)
}

// chargesAndRefunds makes charges one after the other, and refunds a part of each.
func (s *server) chargesAndRefunds(t *testing.T, token string, caller, n int) {
	for i := range n {
		made := s.insist(t, fmt.Sprintf("charge-%d-%d", caller, i), s.order(token, 100+i))
		if made.status != http.StatusCreated {
			t.Errorf("charge: %s", made)
			continue
		}
		var back answer
		var err error
		eventually(t, patience, "a refund's outcome", func() bool { // refused while busy, it is asked for again
			back, err = s.refund(fmt.Sprintf("refund-%d-%d", caller, i),
				map[string]any{"charge_id": made.text("id"), "amount": 40})
			return err == nil && back.status != http.StatusAccepted && back.status != http.StatusConflict &&
				back.status != http.StatusServiceUnavailable
		})
		if back.status != http.StatusCreated || back.text("status") != "succeeded" {
			t.Errorf("refund: %s", back)
		}
	}
}

// mostConnections is the most that servers had to the database at once until it was over.
func (p *place) mostConnections(t *testing.T, over <-chan struct{}) (most int) {
	t.Helper()
	for {
		most = max(most, value[int](t, p, `
			SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database()
				AND application_name = 'svcpay'`, pg.Args{}))
		select {
		case <-over:
			return most
		case <-time.After(20 * time.Millisecond):
		}
	}
}
