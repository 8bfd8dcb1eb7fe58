package doctor_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/devtools/doctor"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/testing/pgtest"
	"svcpay/internal/vault"
)

// patient is a deployment that lacks nothing but what its test's database lacks.
func patient(w *fixture.World) doctor.Patient {
	return doctor.Patient{Pool: w.Pool, Funds: w.Funds.Name(), Processors: processor.Only(w.Processor),
		Now:   w.Clock.Now,
		Vault: vault.New(w.Keys), Disk: func(string) (uint64, uint64, error) { return 50, 100, nil }}
}

// of finds what a check says.
func of(t *testing.T, found []doctor.Finding, check string) doctor.Finding {
	t.Helper()
	for _, f := range found {
		if f.Check == check {
			return f
		}
	}
	t.Fatalf("nothing is said of %s", check)
	return doctor.Finding{}
}

func wants(t *testing.T, p doctor.Patient, check string, state doctor.State, text string) {
	t.Helper()
	f := of(t, p.Examine(t.Context()), check)
	if f.State != state || !strings.Contains(f.Text, text) || (f.State == doctor.Good) != (f.Remedy == "") ||
		strings.Contains(f.Text+f.Remedy, "\n") {
		t.Errorf("%+v; want %s: %s", f, state, text)
	}
	if (f.Err() != nil) != (state == doctor.Wrong) {
		t.Errorf("%s: %v", state, f.Err())
	}
}

func execute(t *testing.T, w *fixture.World, sql string, args pg.Args) {
	t.Helper()
	if _, err := w.Pool.Exec(t.Context(), sql, args); err != nil {
		t.Fatal(err)
	}
}

type mailer struct{ err error }

func (m mailer) Reach(context.Context) error { return m.err }

func TestEachCheckSeesWhatItLooksFor(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	p := patient(w)
	w.Token("4242424242424242")
	found := p.Examine(t.Context())
	for check, text := range map[string]string{"clock": "agree", "environment": "nothing of another",
		"vault": "first 1 rows open", "certificates": "no certificates",
		"charges": "every call", "processors": "has every processor", "webhooks": "every webhook", "books": "agree",
		"audit": "every chain", "disk": "MiB", "quotas": "no application is near",
		"connections": "connections", "bounds": "are bounded",
		"compiler": "no statement waits", "quotes": "quotes no rows"} {
		if f := of(t, found, check); !strings.Contains(f.Text, text) || f.State != doctor.Good &&
			check != "connections" {
			t.Errorf("%+v; want %s", f, text)
		}
	}
	wants(t, p, "mail", doctor.Doubtful, "no mail is sent")
	p.Mailer = mailer{errors.New("535 no")}
	wants(t, p, "mail", doctor.Wrong, "535 no")
	p.Mailer = mailer{}
	wants(t, p, "mail", doctor.Good, "lets us in")

	wants(t, p, "jobs", doctor.Doubtful, "no server leads")
	execute(t, w, `INSERT INTO river.river_leader (name, leader_id, elected_at, expires_at)
		VALUES ('default', 'x', now(), now() + interval '1 hour')`, nil)
	wants(t, p, "jobs", doctor.Good, "a server leads")

	p.Production = true
	wants(t, p, "environment", doctor.Wrong, "keys of sandbox")
	execute(t, w, `UPDATE api_keys SET public_value = replace(public_value, '_sandbox_', '_production_')
		WHERE public_value IS NOT NULL`, nil)
	wants(t, p, "environment", doctor.Good, "nothing of another")
	execute(t, w, `INSERT INTO application_clocks (application_id, ahead)
		VALUES (@app, 60)`, pg.Args{"app": w.App.AppID})
	wants(t, p, "environment", doctor.Wrong, "clocks of a sandbox")
	p.Production = false

	for days, state := range map[int]doctor.State{-1: doctor.Doubtful, 29: doctor.Doubtful, 31: doctor.Good} {
		p.Certificates = []doctor.Certificate{{Name: "Later", Expires: w.Clock.Now().AddDate(9, 0, 0)},
			{Name: "First", Expires: w.Clock.Now().AddDate(0, 0, days)}}
		wants(t, p, "certificates", state, "First ends first")
	}
	for free, state := range map[uint64]doctor.State{2: doctor.Wrong, 9: doctor.Doubtful, 10: doctor.Good} {
		p.Disk = func(string) (uint64, uint64, error) { return free, 100, nil }
		wants(t, p, "disk", state, "of its disk are free")
	}
	execute(t, w, `INSERT INTO stored_bytes (application_id, kind, day, bytes, most)
		VALUES (@app, 'files', @now, 79, 100), (@app + 1, 'exports', @now, 120, 100)`,
		pg.Args{"app": w.App.AppID, "now": w.Clock.Now().UTC()})
	wants(t, p, "quotas", doctor.Doubtful, fmt.Sprintf("application %d has used 120 %% of today's quota for exports",
		w.App.AppID+1))
	execute(t, w, `UPDATE stored_bytes SET day = day - 1 WHERE kind = 'exports'`, nil)
	wants(t, p, "quotas", doctor.Good, "no application is near")

	p.Disk = func(string) (uint64, uint64, error) { return 0, 0, errors.New("no such directory") }
	wants(t, p, "disk", doctor.Good, "not this machine's")

	other, err := vault.CreateKeyFile(filepath.Join(t.TempDir(), "keys.json"))
	if err != nil {
		t.Fatal(err)
	}
	p.Vault = vault.New(other)
	wants(t, p, "vault", doctor.Wrong, "1 of the vault's first 1 rows do not open")

	p.Now = func() time.Time { return time.Now().Add(time.Minute) }
	wants(t, p, "clock", doctor.Wrong, "differ by -1m0s")
}

func TestOldWorkIsTold(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	p := patient(w)
	// What waits is made old by the clock of who looks.
	later := func(d time.Duration) doctor.Patient {
		q := p
		q.Now = func() time.Time { return w.Clock.Now().Add(d) }
		return q
	}
	execute(t, w, `
		INSERT INTO processor_operations (id, application_id, merchant_id, subject_id, kind, processor, reference,
			amount, currency, state, source, created_at, next_check_at)
		VALUES (gen_random_uuid(), @app, @merchant, gen_random_uuid(), 'payout', 'sandbox', 'x', 1, 'usd', 'open',
			'job', @now, @now)`,
		pg.Args{"app": w.App.AppID, "merchant": w.App.Merchants.US, "now": w.Clock.Now()})
	wants(t, later(9*time.Minute), "charges", doctor.Good, "9m0s old")
	wants(t, later(11*time.Minute), "charges", doctor.Wrong, "11m0s old")

	execute(t, w, `
		INSERT INTO webhook_due (application_id, delivery_id, endpoint_id, event_id, next_attempt_at, created_at)
		VALUES (@app, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), @now, @now)`,
		pg.Args{"app": w.App.AppID, "now": w.Clock.Now()})
	wants(t, later(59*time.Minute), "webhooks", doctor.Good, "59m0s old")
	wants(t, later(61*time.Minute), "webhooks", doctor.Doubtful, "1h1m0s old")

	execute(t, w, `ALTER TABLE audit_chains DISABLE TRIGGER ALL`, nil)
	execute(t, w, `INSERT INTO audit_chains (application_id, position, hash)
		VALUES (999, 3, decode(repeat('00', 32), 'hex'))`, nil)
	wants(t, p, "audit", doctor.Wrong, "1 chains")
}

func TestDurabilityIsVitalToProduction(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	p := patient(w)
	// The others of the three are of the whole cluster.
	pool, err := pg.Open(t.Context(), w.Pool.Config().ConnString()+"&synchronous_commit=off")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	p.Pool = pool
	f := of(t, p.Start(t.Context()), "durability")
	if f.State != doctor.Doubtful || !strings.Contains(f.Text, " is off") {
		t.Errorf("a sandbox: %+v", f)
	}
	p.Production = true
	if f := of(t, p.Start(t.Context()), "durability"); f.State != doctor.Wrong || f.Err() == nil {
		t.Errorf("production: %+v", f)
	}
}

func TestRoleThatOwnsTablesIsDoubtfulInProduction(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	p := patient(w)
	wants(t, p, "role", doctor.Good, "in a sandbox")
	p.Production = true
	wants(t, p, "role", doctor.Doubtful, "owns tables")
	name := "serves_" + strings.ToLower(rand.Text()) // roles are of the whole cluster
	execute(t, w, `CREATE ROLE `+name, nil)
	t.Cleanup(func() {
		_, _ = pg.Exec(context.WithoutCancel(t.Context()), w.Pool, `DROP ROLE `+name, nil)
	})
	pool, err := pg.Open(t.Context(), w.Pool.Config().ConnString()+"&role="+name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	p.Pool = pool
	wants(t, p, "role", doctor.Good, "owns no table")
}

func TestStatementsWithoutBoundsAreDoubtful(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	p := patient(w)
	pool, err := pg.Open(t.Context(), strings.ReplaceAll(w.Pool.Config().ConnString(), pgtest.Patient, "")+
		"&statement_timeout=0&lock_timeout=0&jit=on")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	p.Pool = pool
	wants(t, p, "bounds", doctor.Doubtful, "lock_timeout, statement_timeout is 0")
	wants(t, p, "compiler", doctor.Doubtful, "jit is on")
}

func TestLogsThatQuotePayersAreDoubtful(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	p := patient(w)
	for settings, want := range map[string]string{
		"log_error_verbosity=default":                  "log_error_verbosity is default",
		"log_parameter_max_length_on_error=-1":         "log_parameter_max_length_on_error is -1",
		"log_min_duration_statement=60000":             "log_parameter_max_length is -1",
		"log_statement=mod":                            "log_parameter_max_length is -1",
		"log_statement=ddl":                            "",
		"log_statement=all&log_parameter_max_length=0": "",
	} {
		pool, err := pg.Open(t.Context(), w.Pool.Config().ConnString()+"&"+settings)
		if err != nil {
			t.Fatal(err)
		}
		p.Pool = pool
		if f := of(t, p.Examine(t.Context()), "quotes"); (f.State == doctor.Good) != (want == "") ||
			!strings.Contains(f.Text, want) {
			t.Errorf("%s: %+v", settings, f)
		}
		pool.Close()
	}
}

func TestWhatCannotBeLookedAtIsWrong(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	found := patient(w).Examine(ended)
	for _, f := range found {
		if f.Check != "mail" && f.Check != "certificates" && f.Check != "daf provider" &&
			(f.State != doctor.Wrong || !errors.Is(f.Err(), context.Canceled)) {
			t.Errorf("%+v", f)
		}
	}
	if len(found) != 23 {
		t.Errorf("%d findings", len(found))
	}
	url := w.Pool.Config().ConnString()
	if f := doctor.Schema(t.Context(), url); f.State != doctor.Good {
		t.Errorf("%+v", f)
	}
	execute(t, w, `DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)`, nil)
	if f := doctor.Schema(t.Context(), url); f.State != doctor.Wrong ||
		f.Err().Error() != "the database has another schema than this version: run svcpay migrate first" {
		t.Errorf("%+v", f)
	}
}

func TestMerchantsWithoutAProcessorAccountAreNamed(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	p := patient(w)
	wants(t, p, "processing", doctor.Good, "every active merchant has a processor account for cards and payouts")
	p.Processors = processor.NewRegistry(w.Processor) // no adapter: only a directory
	f := of(t, p.Examine(t.Context()), "processing")
	if f.State != doctor.Doubtful ||
		!strings.Contains(f.Text, fmt.Sprintf("%d (application %d, no cc)", w.App.Merchants.US, w.App.AppID)) ||
		f.Remedy == "" {
		t.Errorf("%+v", f)
	}
}

// A processor that was removed while calls had no outcome is named: no server can ask for it.
func TestCallsAtARemovedProcessorAreCounted(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	p := patient(w)
	amount, token := money.Amount(1_000), w.Token("4000000000005423") // the answer is lost
	for range 2 {
		out, err := w.Charges.Create(t.Context(), w.Actor(),
			charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount, Token: &token}, nil)
		if err != nil || out.Object.Status != charge.Processing {
			t.Fatalf("%+v, %v", out.Object, err)
		}
	}
	wants(t, p, "processors", doctor.Good, "has every processor whose calls have no outcome")
	p.Processors = processor.NewRegistry(w.Processor) // no adapter: only a directory
	wants(t, p, "processors", doctor.Wrong, "this deployment does not have: sandbox (2)")
	execute(t, w, `UPDATE processor_operations SET kind = 'grant', charge_id = NULL WHERE state = 'open'`, nil)
	wants(t, p, "processors", doctor.Good, "has every processor whose calls have no outcome")
}
