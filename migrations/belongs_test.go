package migrations_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/testing/pgtest"
	"svcpay/migrations"
)

// belonging are the tables with a column of applications, and how the database knows that each of their rows has one
// that exists.
const belonging = `
	SELECT c.relname AS name,
		EXISTS (SELECT FROM pg_constraint f WHERE f.conrelid = c.oid AND f.contype = 'f'
			AND a.attnum = ANY (f.conkey)) AS refers,
		EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname = 'belongs') AS checked
	FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'application_id'
	WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace ORDER BY 1`

// belongsOtherwise are the tables whose rows need not belong to an application, and why.
var belongsOtherwise = map[string]string{
	"audit_chains":               "0 is the chain of the deployment",
	"card_attempts":              "counts that are soon purged",
	"card_velocity":              "counts that are soon purged",
	"counted_acts":               "counts that are soon purged",
	"reconciliation_differences": "a processor's payment may be of no application",
	"stored_bytes":               "counts of a day",
	"webhook_attempts":           "belongs to a delivery",
	"webhook_due":                "belongs to a delivery",
}

type belongingTable struct {
	Name    string `db:"name"`
	Refers  bool   `db:"refers"`
	Checked bool   `db:"checked"`
}

// TestRowsBelongToApplicationsThatExist walks all tables: what names an application refers to one, by a foreign key or
// by the check of each statement that the busiest tables have in its place.
func TestRowsBelongToApplicationsThatExist(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	tables, err := pg.All[belongingTable](t.Context(), pool, belonging, pg.Args{})
	if err != nil || len(tables) < 40 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	checked := 0
	for _, one := range tables {
		if one.Checked {
			checked++
		}
		if _, other := belongsOtherwise[one.Name]; other == (one.Refers || one.Checked) {
			t.Errorf("%s refers to applications: %v, is checked: %v, is an exception: %v", one.Name, one.Refers,
				one.Checked, other)
		}
	}
	if checked != len(checkedTables) {
		t.Errorf("%d tables are checked once a statement", checked)
	}
}

// isForeign reports whether err refuses a reference to what does not exist.
func isForeign(err error) bool {
	var pe *pgconn.PgError
	return errors.As(err, &pe) && pe.Code == "23503"
}

// checkedTables are those of the check once a statement.
var checkedTables = []string{"ledger_entries", "events", "processor_operations", "idempotency_keys", "request_logs"}

// TestRowsOfNoApplicationAreRefused copies a row of each checked table, with ids of its own: for its own application,
// for one that does not exist and, where it names a merchant, for another application than the merchant's.
func TestRowsOfNoApplicationAreRefused(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	amount, token := money.Amount(500), w.Token("4242424242424242")
	if _, err := w.Charges.Create(t.Context(), w.Actor(),
		charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount, Token: &token}, &idempotency.Claim{
			ApplicationID: w.App.AppID, Key: "belongs", Method: "POST", Path: "/api/charges",
			Params: map[string]string{}, RequestID: ids.NewRequest(w.Clock.Now())}); err != nil {
		t.Fatal(err)
	}
	const log = `INSERT INTO request_logs (id, application_id, key_id, key_name, method, path, query, request_body,
		request_bytes, error_params, idempotent_replayed, status, response_body, ip, user_agent, took_ms,
			api_version, created_at)
		VALUES (@id, @application, gen_random_uuid(), '', 'GET', '/api/charges', '', '', 0, '{}', false, 200, '',
			'127.0.0.1', '', 1, '2026-01-01', now())`
	if _, err := pg.Exec(t.Context(), w.Pool, log,
		pg.Args{"id": ids.NewRequest(w.Clock.Now()), "application": w.App.AppID}); err != nil {
		t.Fatal(err)
	}
	for _, table := range checkedTables {
		copied := func(application int64) error {
			_, err := w.Pool.Exec(t.Context(), fmt.Sprintf(`
				INSERT INTO %[1]s OVERRIDING USER VALUE SELECT c.*
					FROM (SELECT * FROM %[1]s WHERE application_id = $1 LIMIT 1) r,
					jsonb_populate_record(NULL::%[1]s, to_jsonb(r) || jsonb_build_object('application_id', $2::bigint,
						'id', gen_random_uuid(),
						'business_key', gen_random_uuid(), 'reference', gen_random_uuid(), 'key', gen_random_uuid(),
							'position', 1000, 'sequence', NULL)) c`, table),
				w.App.AppID, application)
			return err
		}
		if err := copied(w.App.AppID); err != nil {
			t.Errorf("%s: a copy: %v", table, err)
		}
		if err := copied(999_999); !isForeign(err) {
			t.Errorf("%s: of no application: %v", table, err)
		}
		err := copied(w.Other.AppID)
		if merchants := table != "idempotency_keys" && table != "request_logs"; merchants != isForeign(err) {
			t.Errorf("%s: of another application: %v", table, err)
		}
	}
	for _, table := range checkedTables {
		if _, err := w.Pool.Exec(t.Context(), "UPDATE "+table+" SET application_id = application_id"); err == nil {
			t.Errorf("a row of %s can change its application", table)
		}
	}
	for _, sql := range []string{`UPDATE events
		SET merchant_id = merchant_id`, `UPDATE processor_operations
		SET merchant_id =
			merchant_id`, `DELETE FROM
				merchants`, `DELETE FROM
				applications`, `UPDATE merchants
				SET application_id = application_id`, `UPDATE applications SET id = id`,
		`TRUNCATE merchants CASCADE`} {
		if _, err := w.Pool.Exec(t.Context(), sql); err == nil {
			t.Errorf("%s is possible", sql)
		}
	}
}

// TestMerchantsAreCheckedBesideServers migrates while servers of the version before write in transactions that read
// merchants first and last: none of them is stopped.
func TestMerchantsAreCheckedBesideServers(t *testing.T) {
	t.Parallel()
	url, pool := at(t, 115)
	if _, err := pool.Exec(t.Context(), `INSERT INTO applications (name, api_version, created_at)
		VALUES ('Application', '2026-12-01', now())`); err != nil {
		t.Fatal(err)
	}
	var over atomic.Bool
	var written atomic.Int64
	var servers sync.WaitGroup
	for range 4 {
		servers.Go(func() {
			for !over.Load() {
				if _, err := pool.Exec(t.Context(), `
					BEGIN; SELECT count(*) FROM merchants;
					INSERT INTO events (id, application_id, type, object_id, position, object, previous_attributes,
						source, created_at)
					SELECT gen_random_uuid(), id, 'test', gen_random_uuid(), 1, '{}', '{}', 'api', now()
						FROM applications;
					SELECT pg_sleep(0.01);
					INSERT INTO idempotency_keys (application_id, key, method, path, fingerprint, param_hashes, state,
						request_id, created_at, expires_at)
					SELECT id, gen_random_uuid(), 'POST', '/', sha256('x'), '{}', 'claimed', gen_random_uuid(), now(),
						now() FROM applications;
					SELECT count(*) FROM merchants; COMMIT`); err != nil {
					t.Error(err)
					return
				}
				written.Add(1)
			}
		})
	}
	for written.Load() < 20 && !t.Failed() {
		time.Sleep(10 * time.Millisecond)
	}
	err := migrations.Up(t.Context(), url)
	over.Store(true)
	servers.Wait()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d transactions", written.Load())
}
