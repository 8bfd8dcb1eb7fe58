package instant_test

import (
	"encoding/json"
	"testing"

	"svcpay/internal/instant"
)

func FuzzTime(f *testing.F) {
	for _, text := range []string{`"2026-12-01T09:30:00.000Z"`, `"2026-12-01T09:30:00Z"`, `"0000-01-01T00:00:00.000Z"`,
		`"9999-12-31T23:59:59.999Z"`, "null", "0", `""`, `"2026-02-30T00:00:00.000Z"`, `"2026-12-01T24:00:00.000Z"`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var at instant.Time
		if at.UnmarshalJSON(text) != nil {
			return
		}
		printed, err := json.Marshal(at)
		var back instant.Time
		if err != nil || back.UnmarshalJSON(printed) != nil || !back.Equal(at.Time) || instant.Of(at.Time) != at {
			t.Errorf("%s is read as %v and printed as %s, %v", text, at, printed, err)
		}
	})
}
