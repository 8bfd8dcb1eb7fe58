package api

import (
	"net/url"
	"reflect"
	"testing"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
)

func TestSpansOfTime(t *testing.T) {
	t.Parallel()
	at := func(s string) *time.Time {
		v, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			t.Fatal(err)
		}
		return &v
	}
	for text, want := range map[string]page.Times{
		"":                                    {},
		"at[gte]=2026-12-01T01:00:00%2B01:00": {From: at("2026-12-01T00:00:00Z")},
		"at[gt]=2026-12-01T00:00:00.0005Z":    {From: at("2026-12-01T00:00:00.001Z")},
		"at[lt]=2026-12-01T00:00:00Z":         {Until: at("2026-12-01T00:00:00Z")},
		"at[lte]=2026-12-01T00:00:00Z&at[gt]=2026-11-01T00:00:00Z": {From: at("2026-11-01T00:00:00.001Z"), Until: at("2026-12-01T00:00:00.001Z")},
	} {
		values, err := url.ParseQuery(text)
		if err != nil {
			t.Fatal(err)
		}
		q := &query{values: values}
		if got := q.times("at"); q.err() != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is read as %v, %v", text, got, q.err())
		}
	}
}

func TestIDsInQueries(t *testing.T) {
	t.Parallel()
	read := func(text string) (*ids.Charge, error) {
		q := &query{values: url.Values{"charge_id": {text}}}
		id := idIn(q, "charge_id", ids.ParseCharge)
		return id, q.err()
	}
	if id, err := read(oneThing.ID.String()); err != nil || *id != oneThing.ID {
		t.Errorf("read as %v, %v", id, err)
	}
	if _, err := read(marker); !fault.HasCode(err, "parameter_invalid") {
		t.Errorf("read with %v", err)
	}
	if id := idIn(new(query), "charge_id", ids.ParseCharge); id != nil {
		t.Errorf("absent, but %v", id)
	}
}
