package pgtest

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Refuse has the database refuse every change of a row, as of one that breaks a rule.
func Refuse(t testing.TB, pool *pgxpool.Pool, table string, id pgtype.UUIDValuer) {
	t.Helper()
	of, err := id.UUIDValue()
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused here'; END $$`,
		fmt.Sprintf(`CREATE TRIGGER refuse BEFORE UPDATE ON %s FOR EACH ROW
			WHEN (OLD.id = '%x') EXECUTE FUNCTION refuse()`, table, of.Bytes),
	} {
		if _, err := pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
}
