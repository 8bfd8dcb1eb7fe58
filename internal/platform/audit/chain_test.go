package audit_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"pgregory.net/rapid"

	"svcpay/internal/authz"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/testing/pgtest"
	"svcpay/internal/vault"
	"svcpay/policy"
)

// world is a log of its own.
type world struct {
	*audit.Log
	t     testing.TB
	pool  *pgxpool.Pool
	clock *fixture.Clock
	again *audit.Log // the same of another server
	plain *audit.Log // the same without a key
}

// rules are the policy.
func rules(t testing.TB) authz.Checker {
	t.Helper()
	c, err := policy.New()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func newWorld(t testing.TB) world {
	t.Helper()
	w := world{t: t, pool: pgtest.New(t), clock: fixture.NewClock()}
	keys, err := vault.CreateKeyFile(filepath.Join(t.TempDir(), "keys.json"))
	if err != nil {
		t.Fatal(err)
	}
	w.Log = audit.New(w.pool, audit.Keyed(rules(t), keys.MAC(vault.AuditMAC)), w.clock.Now)
	w.again = audit.New(w.pool, audit.Keyed(rules(t), keys.MAC(vault.AuditMAC)), w.clock.Now)
	w.plain = audit.New(w.pool, rules(t), w.clock.Now)
	return w
}

// person is someone of the deployment who works in an application.
func person(id, applicationID int64) authz.Actor {
	return authz.Actor{Role: authz.RoleSystemAdmin, PersonID: id, PersonName: "Sam", ApplicationID: applicationID,
		Granted: authz.System()}
}

type thing struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// do writes down that someone did something.
func (w world) do(a authz.Actor, before, after any) {
	w.t.Helper()
	err := pg.InTx(w.t.Context(), w.pool, func(tx *pg.Tx) error {
		return w.DoneTx(tx, a, authz.MerchantUpdate, audit.Of("merchant", "7", 7), before, after)
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.clock.Advance(time.Millisecond) // ids of one millisecond are in no order
}

func (w world) inspect(applicationID int64) audit.Chain {
	w.t.Helper()
	c, err := w.Inspect(w.t.Context(), applicationID)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// tamper runs statements behind the guard's back.
func (w world) tamper(sql string) {
	w.t.Helper()
	ctx := context.Background()
	conn, err := w.pool.Acquire(ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, `SET session_replication_role = replica; `+sql+
		`; SET session_replication_role = DEFAULT`); err != nil {
		w.t.Fatal(err)
	}
}

func TestChainsGrowByApplication(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if c := w.inspect(7); c.Entries != 0 || c.Flaw != "" || c.Head != "" {
		t.Errorf("nothing yet: %+v", c)
	}
	heads := map[string]bool{}
	for i := range 5 {
		w.do(person(1, 7), nil, thing{Count: i})
		w.clock.Advance(time.Second)
		c := w.inspect(7)
		if c.Entries != int64(i+1) || c.Flaw != "" || len(c.Head) != 64 || heads[c.Head] {
			t.Errorf("after %d entries: %+v", i+1, c)
		}
		heads[c.Head] = true
	}
	w.do(person(1, 0), nil, thing{})
	w.do(person(1, 8), nil, thing{})
	for application, want := range map[int64]int64{0: 1, 7: 5, 8: 1} {
		if c := w.inspect(application); c.Entries != want || c.Flaw != "" {
			t.Errorf("application %d: %+v", application, c)
		}
	}
	if all, err := w.Chains(t.Context()); err != nil || len(all) != 3 || all[0] != 0 || all[2] != 8 {
		t.Errorf("chains %v, %v", all, err)
	}
}

// However many write at once, entries have no gaps and each follows from the one before.
func TestManyWriteAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const writers, each = 8, 12
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			for k := range each {
				if k%3 == 0 { // a refusal, in a transaction of its own
					staff := authz.Actor{Role: authz.RoleSupportStaff, PersonID: int64(i + 1), ApplicationID: 7,
						Granted: authz.System()}
					if err := w.Allow(t.Context(), staff, authz.KeyManage, audit.Of("api_key", "", 0)); err == nil {
						t.Error("support staff manages keys")
					}
					continue
				}
				w.do(person(int64(i+1), 7), nil, thing{Count: k})
			}
		})
	}
	all.Wait()
	if c := w.inspect(7); c.Entries != writers*each || c.Flaw != "" {
		t.Errorf("%+v", c)
	}
}

// What was rolled back is not in the chain, and leaves no gap.
func TestRolledBackIsNotThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.do(person(1, 7), nil, thing{})
	err := pg.InTx(t.Context(), w.pool, func(tx *pg.Tx) error {
		if err := w.DoneTx(tx, person(1, 7), authz.MerchantUpdate, audit.Of("merchant", "7", 7), nil,
			thing{}); err != nil {
			return err
		}
		if err := tx.Flush(t.Context()); err != nil {
			return err
		}
		return context.Canceled
	})
	w.do(person(1, 7), nil, thing{})
	if c := w.inspect(7); err == nil || c.Entries != 2 || c.Flaw != "" {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestGuardRefusesEveryChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.do(person(1, 7), nil, thing{})
	for _, sql := range []string{
		`UPDATE audit_entries SET actor_name = 'X'`, `DELETE FROM audit_entries`, `TRUNCATE audit_entries`,
		`UPDATE audit_chains
			SET position = position - 1`, `UPDATE audit_chains
			SET hash = hash`, `UPDATE audit_chains
			SET position = 9`,
		`UPDATE audit_chains
			SET application_id = 9, position = position + 1`, `DELETE FROM
			audit_chains`, `TRUNCATE audit_chains CASCADE`,
	} {
		if _, err := w.pool.Exec(t.Context(), sql); err == nil ||
			!strings.Contains(err.Error(), "the audit log is immutable") {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

func TestInspectionFindsWhatWasDone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 6 {
		w.do(person(1, 7), thing{Name: "a"}, thing{Name: "b", Count: i + 1})
	}
	w.tamper(`CREATE TABLE kept_entries AS SELECT * FROM audit_entries; CREATE TABLE kept_chains AS SELECT *
		FROM audit_chains`)
	for name, c := range map[string]struct {
		sql  string
		flaw audit.Flaw
		at   int64
	}{
		"changed before": {`UPDATE audit_entries SET before = '{}' WHERE position = 3`, audit.Altered, 3},
		"changed time":   {`UPDATE audit_entries SET created_at = created_at + interval '1 second' WHERE position = 1`, audit.Altered, 1},
		"changed name":   {`UPDATE audit_entries SET actor_name = 'Kim' WHERE position = 6`, audit.Altered, 6},
		"changed person": {`UPDATE audit_entries SET person_id = 2 WHERE position = 2`, audit.Altered, 2},
		"hidden":         {`UPDATE audit_entries SET organization_id = 4, merchant_id = NULL WHERE position = 2`, audit.Altered, 2},
		"changed hash":   {`UPDATE audit_entries SET hash = sha256('x') WHERE position = 4`, audit.Altered, 4},
		"removed":        {`DELETE FROM audit_entries WHERE position = 3`, audit.Missing, 3},
		"removed first":  {`DELETE FROM audit_entries WHERE position = 1`, audit.Missing, 1},
		"removed last":   {`DELETE FROM audit_entries WHERE position = 6`, audit.CutOff, 6},
		"removed all":    {`DELETE FROM audit_entries`, audit.CutOff, 1},
		"removed, closed up": {`DELETE FROM audit_entries WHERE position = 3; UPDATE audit_entries
			SET position = position + 10 WHERE position > 3;
			UPDATE audit_entries SET position = position - 11 WHERE position > 3; UPDATE audit_chains
				SET position = 5`, audit.Altered, 3},
		"swapped": {`UPDATE audit_entries SET position = 99 WHERE position = 2; UPDATE audit_entries SET position = 2
			WHERE position = 4;
			UPDATE audit_entries SET position = 4 WHERE position = 99`, audit.Altered, 2},
		"put in": {`INSERT INTO audit_entries
			SELECT (jsonb_populate_record(e, '{"position":7,"id":"00000000-0000-0000-0000-000000000001"}')).*
			FROM audit_entries e WHERE position = 1`, audit.CutOff, 7},
		"moved to another chain": {`UPDATE audit_entries SET application_id = 8 WHERE position = 6; UPDATE audit_chains SET position = 5`, audit.CutOff, 6},
		"end moved back":         {`DELETE FROM audit_entries WHERE position = 6; UPDATE audit_chains SET position = 5`, audit.CutOff, 6},
	} {
		w.tamper(c.sql)
		if got := w.inspect(7); got.Flaw != c.flaw || got.Position != c.at {
			t.Errorf("%s: %+v, want %q at %d", name, got, c.flaw, c.at)
		}
		w.tamper(`DELETE FROM audit_entries; DELETE FROM audit_chains; INSERT INTO audit_chains SELECT *
			FROM kept_chains;
			INSERT INTO audit_entries SELECT * FROM kept_entries`)
		if got := w.inspect(7); got.Flaw != "" || got.Entries != 6 {
			t.Fatalf("%s was not undone: %+v", name, got)
		}
	}
}

// Whatever texts people and objects have, what was written is what is read.
func TestEveryContentIsProven(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	n := int64(0)
	rapid.Check(t, func(t *rapid.T) {
		a := person(rapid.Int64Range(1, 9).Draw(t, "person"), 7)
		a.PersonName = strings.ReplaceAll(rapid.String().Draw(t, "name"), "\x00", "")
		before := thing{rapid.String().Draw(t, "before"), 1}
		after := thing{rapid.String().Draw(t, "after"), 2}
		w.clock.Advance(time.Duration(rapid.Int64Range(0, 5_000_000).Draw(t, "time")))
		w.do(a, before, after)
		n++
		if c := w.inspect(7); c.Flaw != "" || c.Entries != n {
			t.Fatalf("%+v", c)
		}
	})
}
