package pg_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"svcpay/internal/platform/pg"
)

type (
	amount int64
	word   string
	loud   string
)

func (w word) String() string { return "the word " + string(w) }

// Scan reads a text as what it is not.
func (l *loud) Scan(v any) error {
	*l = loud(fmt.Sprint(v, "!"))
	return nil
}

// What has a type of its own is read as what it is, unless it reads itself, or is JSON; in the first row and in all
// others.
func TestRowsHaveValuesOfTheirTypes(t *testing.T) {
	t.Parallel()
	type row struct {
		Amount amount
		Word   word
		Loud   loud
		Plain  string
		JSON   word
		Some   *amount
		None   *word
		Raw    json.RawMessage
	}
	got, err := pg.All[row](t.Context(), newPool(t), `
		SELECT i AS amount, 'word ' || i AS word, 'loud ' || i AS loud, 'plain' AS plain,
			to_jsonb('json'::text) AS json,
			i + 1 AS some, NULL::text AS none, '{}'::jsonb AS raw
		FROM generate_series(1::bigint, 3) i`, pg.Args{})
	if err != nil || len(got) != 3 {
		t.Fatalf("%+v, %v", got, err)
	}
	for i, r := range got {
		n := amount(i + 1)
		if r.Amount != n || r.Word != word(fmt.Sprint("word ", i+1)) || r.Loud != loud(fmt.Sprint("loud ", i+1, "!")) ||
			r.Plain != "plain" || r.JSON != "json" ||
			*r.Some != n+1 || r.None != nil || string(r.Raw) != "{}" {
			t.Errorf("row %d is %+v", i, r)
		}
	}
	if slices.Contains([]*amount{got[1].Some, got[2].Some}, got[0].Some) {
		t.Error("rows share a value")
	}
	if _, err := pg.All[struct{ Word word }](t.Context(), newPool(t), `SELECT NULL::text AS
		word`, pg.Args{}); err == nil {
		t.Error("what is not there is read as a word")
	}
}
