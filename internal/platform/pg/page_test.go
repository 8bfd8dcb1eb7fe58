package pg_test

import (
	"testing"

	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// A page as people see it has one plan on a connection, however long the table is; both lengths have the rows that they
// say.
func TestThePlanOfAPageForPeopleIsKept(t *testing.T) {
	t.Parallel()
	pool, _ := counted(t)
	if _, err := pg.Exec(t.Context(), pool, `
		INSERT INTO notes (id, text) SELECT i, 'note' FROM generate_series(1, 20000) i`, pg.Args{}); err != nil {
		t.Fatal(err)
	}
	type note struct{ ID int }
	for _, limit := range []int{50, 49} {
		for range 8 {
			p, err := pg.Page(t.Context(), pool, page.Input[int]{Limit: limit, Ascending: true}, `SELECT id FROM notes
				WHERE id > 0`, pg.Args{}, func(n note) int { return n.ID })
			if err != nil || len(p.Items) != limit || p.Items[limit-1] != limit || !p.HasMore {
				t.Fatalf("%d rows, more %t, %v", len(p.Items), p.HasMore, err)
			}
		}
	}
	kept, err := pg.Value[bool](t.Context(), pool, `SELECT bool_and(custom_plans <= 5) FROM pg_prepared_statements
		WHERE statement LIKE '%notes%LIMIT 51'`, pg.Args{})
	if err != nil || !kept {
		t.Errorf("the plan is kept: %t, %v", kept, err)
	}
}
