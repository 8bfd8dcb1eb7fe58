package simulate_test

import (
	"testing"
	"time"

	"svcpay/internal/sandbox/simulate"
)

func FuzzAdvance(f *testing.F) {
	for _, text := range []string{"", "0s", "72h", "36h30m", "-1h", "1.5h", "1488h", "1488h1ns",
		"9223372036854775807ns", "99999999999999h", "1h\x00", "h", "1d"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fs := simulate.AdvanceInput{Advance: &text}.Validate()
		d, err := time.ParseDuration(text)
		if fits := err == nil && d >= 0 && d <= 62*24*time.Hour; fits != (len(fs) == 0) {
			t.Errorf("%q, which is %v, %v, is told %v", text, d, err, fs)
		}
	})
}
