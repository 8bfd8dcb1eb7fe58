package pg_test

import (
	"slices"
	"strings"
	"testing"

	"svcpay/internal/platform/pg"
)

func TestRowsHoldTheirValues(t *testing.T) {
	t.Parallel()
	type kind string
	type row struct {
		Amount   *int64
		Kind     *string
		Document *string
		Bytes    []byte
	}
	rows := []pg.Args{
		{"amount": int32(7), "kind": kind("x"), "document": map[string]int{"a": 1}, "bytes": []byte{1}},
		{"amount": (*int64)(nil), "kind": (*kind)(nil), "document": (*row)(nil), "bytes": []byte(nil)},
		{"amount": nil, "kind": "y", "document": []byte(`[2]`), "bytes": []byte{}},
	}
	const read = `SELECT amount, kind, document::text AS document, bytes FROM unnest(@rows::many[])`
	pool := newPool(t)
	got, err := pg.All[row](t.Context(), pool, read, pg.Rows(rows))
	if err != nil || len(got) != 3 {
		t.Fatalf("%v, %v", got, err)
	}
	if r := got[0]; *r.Amount != 7 || *r.Kind != "x" || *r.Document != `{"a": 1}` || !slices.Equal(r.Bytes, []byte{1}) {
		t.Errorf("values: %v %v %v %v", *r.Amount, *r.Kind, *r.Document, r.Bytes)
	}
	if r := got[1]; r.Amount != nil || r.Kind != nil || r.Document != nil || r.Bytes != nil {
		t.Errorf("nil is no NULL: %+v", r)
	}
	if r := got[2]; r.Amount != nil || *r.Kind != "y" || *r.Document != `[2]` || r.Bytes == nil {
		t.Errorf("values of other types: %+v", r)
	}
	if got, err := pg.All[row](t.Context(), pool, read, pg.Rows(nil)); err != nil || len(got) != 0 {
		t.Errorf("no rows are %v, %v", got, err)
	}
	for want, wrong := range map[string]pg.Args{
		"a many without bytes":      {"amount": 1, "kind": "z", "document": nil, "byte": nil},
		"a many has 4 members":      {"amount": 1, "kind": "z", "document": nil, "bytes": nil, "more": 1},
		"amount of a many":          {"amount": "secret", "kind": "z", "document": nil, "bytes": nil},
		"bytes of a many":           {"amount": 1, "kind": "z", "document": nil, "bytes": func() {}},
		"a many has 4 members, not": {"amount": 1},
	} {
		if _, err := pg.All[row](t.Context(), pool, read, pg.Rows(append(rows, wrong))); err == nil ||
			!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("of %v somebody complains %v", wrong, err)
		}
	}
	if _, err := pg.All[row](t.Context(), pool, `SELECT NULL::bigint AS amount, NULL AS kind, NULL AS document,
		NULL::bytea AS bytes WHERE @rows::text[] IS NULL`, pg.Rows(rows)); err == nil {
		t.Error("rows are taken for something else")
	}
}
