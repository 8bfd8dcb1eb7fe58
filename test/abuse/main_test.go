// Package abuse floods the real program in the name of one tenant, in every way that a caller has, while another tenant
// goes on working. The flooder is refused, and the other one never. Attacks on passwords, codes and keys leave a trace.
package abuse

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/identity"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/testing/pgtest"
	"svcpay/test/rig"
)

const (
	// root is the module, seen from this package's directory.
	root = "../.."
	// patience is for what a busy machine does slowly, not for what may be slow.
	patience = 2 * time.Minute
	password = "correct horse battery staple"
)

// program is the program as it is delivered.
var program string

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "abuse:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "svcpay-abuse-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if _, err := rig.ReadSources(root); err != nil { // what a cached result depends on
		return 0, err
	}
	program = filepath.Join(dir, "svcpay")
	if err := rig.Build(root, program); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// place is a server with two applications, of which one floods it.
type place struct {
	pool            *pgxpool.Pool
	addr, admin     string
	keyFile         string
	out             rig.Output
	flooder, victim rig.Site
	organization    int64 // of the flooder
}

var serving = regexp.MustCompile(`"msg":"serving","addr":"([^"]+)"`)

// newPlace starts a server that works on 64 requests at once, and has no limits of rates: those of a machine that is
// slow enough would hide the flood.
func newPlace(t *testing.T) *place {
	t.Helper()
	url, keyFile := pgtest.URL(t), filepath.Join(t.TempDir(), "keys.json")
	pool, err := pg.Open(t.Context(), url+"&application_name=audit&statement_timeout=60000")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	c, err := fixture.Settle(t.Context(), pool, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	p := &place{pool: pool, organization: c.OrganizationID, keyFile: keyFile}
	if p.admin, err = rig.FreeAddr(); err != nil {
		t.Fatal(err)
	}
	env := append(fixture.ServerSettings(url, keyFile), "SVCPAY_MAX_REQUESTS=64",
		"SVCPAY_TRUSTED_PROXIES=127.0.0.0/8", "SVCPAY_ADMIN_ADDR="+p.admin)
	process, err := rig.Start(program, env, nil, &p.out, "serve")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		process.Signal(syscall.SIGKILL)
		<-process.Done
	})
	for begun := time.Now(); p.addr == ""; time.Sleep(20 * time.Millisecond) {
		if found := serving.FindStringSubmatch(p.out.Text()); found != nil {
			p.addr = found[1]
		}
		if time.Since(begun) > patience {
			t.Fatalf("the server does not serve:\n%s", p.out.Text())
		}
	}
	site := func(a demo.Application) rig.Site {
		return rig.Site{Addr: p.addr, Client: rig.NewClient(40 * time.Second), Application: a.AppID,
			Merchant: a.Merchants.US, Secret: a.SecretKey, Public: a.PublicKey}
	}
	p.flooder, p.victim = site(c.Application), site(*c.Other)
	return p
}

// person adds someone of the lowest role in the flooder's organization.
func (p *place) person(t *testing.T, email string) {
	t.Helper()
	people := identity.New(p.pool, time.Now, nil)
	_, err := people.CreatePerson(t.Context(), identity.NewPerson{Email: email, Name: "Sam", Password: password,
		Grants: []identity.Grant{{Role: "organization_staff", Scope: "org", ScopeID: p.organization}}})
	if err != nil {
		t.Fatal(err)
	}
}
