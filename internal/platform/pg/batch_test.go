package pg_test

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/platform/pg"
)

// planner is how PostgreSQL plans statements.
type planner struct {
	Plans string `db:"plans"`
	Seq   string `db:"seq"`
}

const askPlanner = `SELECT current_setting('plan_cache_mode') AS plans, current_setting('enable_seqscan') AS seq`

var (
	ofBatches = planner{"force_generic_plan", "off"}
	ofOthers  = planner{"auto", "on"}
)

// inBatch returns the settings within a batch, and after it on the same connection.
func inBatch(t *testing.T, pool *pgxpool.Pool) (within, after planner) {
	t.Helper()
	err := pg.InBatch(t.Context(), pool, func(tx *pg.Tx) (err error) {
		within, err = pg.One[planner](t.Context(), tx, askPlanner, pg.Args{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if after, err = pg.One[planner](t.Context(), pool, askPlanner, pg.Args{}); err != nil {
		t.Fatal(err)
	}
	return within, after
}

// The planner's settings of a batch end with its transaction, so that a pooler can give the session to others.
func TestBatchesSetThePlanner(t *testing.T) {
	t.Parallel()
	if within, after := inBatch(t, newPool(t)); within != ofBatches || after != ofOthers {
		t.Errorf("%+v, then %+v", within, after)
	}
}
