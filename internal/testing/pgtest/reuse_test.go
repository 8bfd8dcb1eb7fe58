package pgtest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"svcpay/internal/platform/localpg"
)

// used lends a test's database with that schema, has the test do something there, and returns it. It reports whether
// others may use it then, and what they would see.
func used(t *testing.T, print, schema string, do string) (again bool, seen string) {
	t.Helper()
	source := template{print: print + uniqueSuffix(), migrate: func(ctx context.Context, url string) error {
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return err
		}
		defer conn.Close(ctx)
		_, err = conn.Exec(ctx, schema)
		return err
	}}
	dir, d := borrow(t, source)
	t.Cleanup(func() {
		dropNow(t, d.name)
		dropNow(t, source.name())
	})
	connect := func() *pgx.Conn {
		conn, err := pgx.Connect(t.Context(), localpg.URL(dir, d.name))
		if err != nil {
			t.Fatal(err)
		}
		return conn
	}
	conn := connect()
	if _, err := conn.Exec(t.Context(), do); err != nil {
		t.Fatal(err)
	}
	if err := source.giveBack(t.Context(), dir, d, conn); err != nil {
		t.Fatal(err)
	}
	next, err := source.take(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if next.name != d.name {
		dropNow(t, next.name)
		return false, ""
	}
	if next.uses != 2 {
		t.Errorf("the second use counts as %d", next.uses)
	}
	conn = connect()
	defer conn.Close(t.Context())
	for _, table := range []string{"plain", "filled"} {
		rows, err := rowsOf(t.Context(), conn, table)
		if err != nil {
			t.Fatal(err)
		}
		seen += rows
	}
	var id int
	if err := conn.QueryRow(t.Context(), `INSERT INTO plain DEFAULT VALUES RETURNING id`).Scan(&id); err != nil {
		t.Fatal(err)
	}
	return true, fmt.Sprintf("%s%d", seen, id)
}

const reuseSchema = `
	CREATE TABLE plain (id serial PRIMARY KEY);
	CREATE TABLE filled (id serial PRIMARY KEY, plain int REFERENCES plain, word text NOT NULL DEFAULT 'x');
	INSERT INTO filled DEFAULT VALUES;
	CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'rows are kept'; END $$;
	CREATE TRIGGER keep BEFORE DELETE ON plain FOR EACH ROW EXECUTE FUNCTION keep()`

func TestADatabaseIsUsedAgainAsItWas(t *testing.T) {
	t.Parallel()
	for i, do := range []string{
		`SELECT`,
		`INSERT INTO plain DEFAULT VALUES; INSERT INTO filled (plain) VALUES (1)`,
		`UPDATE filled SET word = 'other'; SELECT nextval('filled_id_seq'), nextval('plain_id_seq')`,
		`DELETE FROM filled`,
		`BEGIN; CREATE TABLE undone (); ROLLBACK`,
	} {
		again, seen := used(t, fmt.Sprintf("again%d", i), reuseSchema, do)
		if want := `[][{"id": 1, "word": "x", "plain": null}]1`; !again || seen != want {
			t.Errorf("after %s: used again: %t, with %s", do, again, seen)
		}
	}
}

func TestADatabaseThatChangedIsNotUsedAgain(t *testing.T) {
	t.Parallel()
	for i, do := range []string{
		`CREATE TABLE mine (id int)`,
		`ALTER TABLE plain ADD other int`,
		`DROP TRIGGER keep ON plain`,
		`ALTER TABLE plain DISABLE TRIGGER keep`,
		`CREATE OR REPLACE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$`,
		`CREATE INDEX ON filled (word)`,
		`GRANT SELECT ON plain TO PUBLIC`,
		`ALTER TABLE filled ALTER word DROP DEFAULT`,
		`ANALYZE filled`,
		`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET work_mem = 4096', current_database()); END $$`,
	} {
		if again, _ := used(t, fmt.Sprintf("changed%d", i), reuseSchema, do); again {
			t.Errorf("after %s the database is used again", do)
		}
	}
}

func TestADatabaseIsDroppedInTheEnd(t *testing.T) {
	t.Parallel()
	source := double("often"+uniqueSuffix(), nil)
	t.Cleanup(func() { dropNow(t, source.name()) })
	var names []string
	for range mostUses + 1 {
		dir, d := borrow(t, source)
		names = append(names, d.name)
		conn, err := pgx.Connect(t.Context(), localpg.URL(dir, d.name))
		if err != nil {
			t.Fatal(err)
		}
		if err := source.giveBack(t.Context(), dir, d, conn); err != nil {
			t.Fatal(err)
		}
	}
	if names = slices.Compact(names); len(names) != 2 || databaseExists(t, names[0]) {
		t.Errorf("%d uses were of %d databases", mostUses+1, len(names))
	}
	dropNow(t, names[len(names)-1])
}
