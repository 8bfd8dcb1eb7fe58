package abuse

import (
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/platform/pg"
	"svcpay/policy"
	"svcpay/test/rig"
)

// upload uploads a file of some bytes for an application, and returns the status; 0 without a response.
func upload(s rig.Site, bytes int) int {
	const begin, end = "%PDF-1.7", "%%EOF"
	header := s.Credentials()
	header["Content-Type"] = "application/pdf"
	a, err := rig.Send(s.Client, s.Addr, rig.APIHost, "POST", "/api/files?name=a.pdf",
		begin+strings.Repeat("x", bytes-len(begin)-len(end))+end, header)
	if err != nil {
		return 0
	}
	return a.Status
}

// P28: one key can't fill the disk with files. The quota of the day has room for five more, so that the test doesn't
// write all of it.
func TestFilesDoNotFillTheDisk(t *testing.T) {
	p := newPlace(t)
	const size, room, requests = 1 << 20, 5, 60
	if status := upload(p.flooder, size); status != http.StatusCreated {
		t.Fatalf("the first file: %d", status)
	}
	most, err := pg.Value[int64](t.Context(), p.pool, `UPDATE stored_bytes SET bytes = most - @room
		WHERE application_id = @app AND kind = 'files' RETURNING most`,
		pg.Args{"room": room * size, "app": p.flooder.Application})
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	var got tally
	p.together(t, requests, "file", func(int) int {
		status := upload(p.flooder, size)
		got.add(status)
		return status
	}, http.StatusCreated, http.StatusTooManyRequests)
	took := time.Since(begun)
	rows, err := pg.Value[int64](t.Context(), p.pool, `SELECT count(*) FROM files WHERE application_id = @app`,
		pg.Args{"app": p.flooder.Application})
	if err != nil || got.get(http.StatusCreated) != room || rows != 1+room {
		t.Errorf("%d files, %s, %v", rows, &got, err)
	}
	if status := upload(p.victim, size); status != http.StatusCreated {
		t.Errorf("a file of the other application: %d", status)
	}
	t.Logf("quota %d MiB a day, room for %d of %d files of 1 MiB: %s after %s; other application 1 × 201", most>>20, room,
		requests, &got, took.Round(100*time.Millisecond))
}

// P30, P31: in production, the program doesn't start with a remote database that is reached without a verified TLS
// certificate, nor without a setting for its proxies.
func TestProductionRefusesUnsafeSettings(t *testing.T) {
	refused := func(database, proxies, command string) string {
		t.Helper()
		var out rig.Output
		process, err := rig.Start(program, []string{"SVCPAY_ENVIRONMENT=production", "DATABASE_URL=" + database,
			"SVCPAY_TRUSTED_PROXIES=" + proxies, "SVCPAY_BASE_URL=https://api.example.org",
			"SVCPAY_PAY_URL=https://pay.example.org", "SVCPAY_VAULT_KEY_FILE=/keys.json"}, nil, &out, command)
		if err != nil {
			t.Fatal(err)
		}
		select {
		case <-process.Done:
		case <-time.After(patience):
			process.Signal(syscall.SIGKILL)
			t.Fatalf("%s with %s runs", command, database)
		}
		if code := process.Cmd.ProcessState.ExitCode(); code != 1 || strings.Contains(out.Text(), "secret") {
			t.Errorf("%s with %s: exit %d, %s", command, database, code, out.Text())
		}
		return out.Text()
	}
	const remote, unset = "postgres://svcpay:secret@192.0.2.1/svcpay", "SVCPAY_TRUSTED_PROXIES is not set"
	attempts := 0
	for _, command := range []string{"serve", "migrate"} {
		for _, mode := range []string{"", "?sslmode=disable", "?sslmode=allow", "?sslmode=prefer", "?sslmode=require",
			"?sslmode=verify-ca"} {
			if out := refused(remote+mode, "none", command); !strings.Contains(out, "needs sslmode=verify-full") ||
				strings.Contains(out, unset) {
				t.Errorf("%s%s: %s", command, mode, out)
			}
			attempts++
		}
	}
	if out := refused(remote+"?sslmode=verify-full", "", "serve"); !strings.Contains(out, unset) ||
		strings.Contains(out, "needs sslmode") {
		t.Errorf("without proxies: %s", out)
	}
	t.Logf("%d starts with a remote database refused; 1 without SVCPAY_TRUSTED_PROXIES", attempts)
}

// P31: wrong keys of one address, such as a proxy that the server doesn't know, never lock out valid keys from there,
// not even those that were never used before.
func TestWrongKeysDoNotLockOutValidOnes(t *testing.T) {
	p := newPlace(t)
	const keys = 20
	fresh := p.readers(t, keys)
	address := attackers[0]
	var valid tally
	var slowest time.Duration
	got := during(t, 8, func(n int) int { return p.asks(fmt.Sprint(wrongKey, n), address) }, func() {
		for n := range 3 * keys {
			begun := time.Now()
			valid.add(p.asks(fresh[n%keys], address))
			slowest = max(slowest, time.Since(begun))
		}
	})
	if valid.get(http.StatusOK) != 3*keys || got.get(http.StatusOK) > 0 {
		t.Errorf("valid keys: %s; wrong keys: %s", &valid, got)
	}
	t.Logf("wrong keys %s; %d valid keys from the same address %s, the slowest after %s", got, keys, &valid,
		slowest.Round(time.Millisecond))
}

// readers makes keys of the flooder that read payouts and were never used.
func (p *place) readers(t *testing.T, n int) (texts []string) {
	t.Helper()
	rules, err := policy.New()
	if err != nil {
		t.Fatal(err)
	}
	service := apikey.New(p.pool, apikey.Sandbox, time.Now, rules)
	for range n {
		key, err := service.Create(t.Context(), authz.Actor{Role: authz.RoleSystemAdmin,
			ApplicationID: p.flooder.Application}, apikey.CreateInput{Kind: apikey.Restricted, Name: "Reader",
			Rights: []authz.Right{"payout:read"}})
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, key.Text)
	}
	return texts
}
