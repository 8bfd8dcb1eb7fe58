package instant_test

import (
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/instant"
)

func TestPrintsMillisecondsInUTC(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("west", -7*3600)
	for _, c := range []struct {
		in   time.Time
		want string
	}{
		{time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), `"2026-03-04T05:06:07.000Z"`},
		{time.Date(2026, 3, 4, 5, 6, 7, 987_654_321, time.UTC), `"2026-03-04T05:06:07.987Z"`},
		{time.Date(2026, 3, 3, 22, 6, 7, 120_000_000, zone), `"2026-03-04T05:06:07.120Z"`},
	} {
		if got, err := json.Marshal(instant.Of(c.in)); err != nil || string(got) != c.want {
			t.Errorf("%v prints as %s, %v; want %s", c.in, got, err, c.want)
		}
	}
}

func TestSurvivesJSONAndColumn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		at := *instant.Ptr(time.Unix(rapid.Int64Range(0, 1<<34).Draw(t, "s"), rapid.Int64Range(0, 1e9-1).Draw(t, "ns")))
		text, err := json.Marshal(at)
		var back, scanned instant.Time
		if err != nil || json.Unmarshal(text, &back) != nil || back != at {
			t.Fatalf("%s reads as %v, %v", text, back, err)
		}
		column, err := at.Value()
		if err != nil || scanned.Scan(column) != nil || scanned != at {
			t.Fatalf("%v scans as %v, %v", column, scanned, err)
		}
	})
}

func TestRefuses(t *testing.T) {
	t.Parallel()
	var at instant.Time
	for _, text := range []string{`"2026-03-04T05:06:07Z"`, `"2026-03-04T05:06:07.000+01:00"`,
		`"2026-13-04T05:06:07.000Z"`, `1700000000`, `""`} {
		if err := json.Unmarshal([]byte(text), &at); err == nil {
			t.Errorf("%s reads as %v", text, at)
		}
	}
	if at.Scan("2026-03-04") == nil || at.Scan(nil) == nil {
		t.Error("scans what is no time")
	}
}

func TestDateIsTheDayOfItsPlace(t *testing.T) {
	t.Parallel()
	var d instant.Date
	if got := instant.DateOf(time.Date(2026, 3, 4, 5, 0, 0, 0,
		time.UTC).In(time.FixedZone("west", -7*3600))); got != "2026-03-03" {
		t.Errorf("%s", got)
	}
	day := time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)
	if err := d.Scan(day); err != nil || d != "2026-03-04" || d.Scan("x") == nil {
		t.Errorf("%s, %v", d, err)
	}
	if kept, err := d.Value(); err != nil || kept != day {
		t.Errorf("it is kept as %v, %v", kept, err)
	}
	if _, err := instant.Date("soon").Value(); err == nil {
		t.Error("soon is a date")
	}
}
