package token

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/fault"
)

// A card is valid until it is the next month everywhere, to the second, in whichever zone the server's clock shows.
func TestCardIsValidUntilItsMonthIsOverEverywhere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		year, month := rapid.IntRange(2026, 2040).Draw(r, "year"), rapid.IntRange(1, 12).Draw(r, "month")
		end := time.Date(year, time.Month(month)+1, 1, 12, 0, 0, 0, time.UTC) // midnight at UTC−12
		zone := time.FixedZone("", rapid.IntRange(-12*3600, 14*3600).Draw(r, "zone"))
		for at, past := range map[time.Time]bool{end.Add(-time.Second): false, end: true} {
			var fs fault.Fields
			CardInput{ExpMonth: month, ExpYear: year}.validateExpiry(&fs, at.In(zone))
			if (len(fs) > 0) != past {
				r.Errorf("%d/%d at %s: %v", month, year, at, fs)
			}
		}
	})
}
