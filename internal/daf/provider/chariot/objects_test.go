package chariot

import (
	"encoding/json"
	"testing"
	"time"
)

// FuzzGrant: no grant that Chariot sends makes the adapter panic, or counts as ended by chance.
func FuzzGrant(f *testing.F) {
	f.Add(`{"id":"g","trackingId":"TRK0000001","amount":100,"status":"Completed","createdAt":"2027-05-06 07:08:09.000"}`)
	f.Add(`{"createdAt":"2027-05-06T07:08:09Z","status":" cancelled"}`)
	f.Add(`{"createdAt":12,"feeDetail":{"contributions":[{"amount":7,"feeType":"daf"}]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var g grant
		if json.Unmarshal([]byte(text), &g) != nil {
			return
		}
		g.providerFee()
		if _, known := g.state(); !known && g.Status == "" {
			t.Error("no status is not known")
		}
		if g.CreatedAt.Location() != time.UTC {
			t.Errorf("%v is not in UTC", g.CreatedAt)
		}
	})
}

// FuzzCode: a code is a number without zeros before it, or nothing.
func FuzzCode(f *testing.F) {
	for _, text := range []string{`3`, `"03"`, `{"code":3,"name":"501(c)(3)"}`, `{"code":"x"}`, `null`, `{}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var c code
		if json.Unmarshal([]byte(text), &c) != nil {
			return
		}
		for _, r := range c {
			if (r < '0' || r > '9') && r != '-' && r != '+' {
				t.Errorf("%q of %s", c, text)
			}
		}
	})
}

func TestTimesAndCodes(t *testing.T) {
	t.Parallel()
	at := time.Date(2027, 5, 6, 7, 8, 9, 0, time.UTC)
	for _, text := range []string{`"2027-05-06 07:08:09.000"`, `"2027-05-06T07:08:09Z"`, `"2027-05-06T09:08:09+02:00"`,
		`"2027-05-06T07:08:09"`} {
		var s stamp
		if err := json.Unmarshal([]byte(text), &s); err != nil || !s.Equal(at) {
			t.Errorf("%s is %v, %v", text, s, err)
		}
	}
	for text, want := range map[string]code{`3`: "3", `"03"`: "3", `{"code":3}`: "3", `{"code":"03"}`: "3", `{}`: "",
		`"x"`: ""} {
		var c code
		if err := json.Unmarshal([]byte(text), &c); err != nil || c != want {
			t.Errorf("%s is %q, %v", text, c, err)
		}
	}
}
