package calendar_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/platform/calendar"
)

func day(s string) time.Time {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return t
}

func TestHolidays(t *testing.T) {
	t.Parallel()
	closed := map[calendar.Country][]string{
		calendar.US: {"2026-01-01", "2026-01-19", "2026-02-16", "2026-05-25", "2026-06-19", "2026-09-07", "2026-10-12",
			"2026-11-11", "2026-11-26", "2026-12-25", "2027-07-05" /* for Sunday the 4th */, "2028-01-17"},
		calendar.CA: {"2024-01-01", "2024-02-19", "2024-03-29", "2024-05-20", "2024-07-01", "2024-08-05", "2024-09-02",
			"2024-09-30", "2024-10-14", "2024-11-11", "2024-12-25", "2024-12-26", "2026-04-03",
			"2021-12-27", "2021-12-28", // for Saturday and Sunday
			"2022-12-27", // for Sunday the 25th; the 26th is one itself
			"2026-12-28", // for Saturday the 26th
			"2022-01-03", "2023-07-03"},
	}
	for country, dates := range closed {
		for _, d := range dates {
			if country.IsBusinessDay(day(d)) {
				t.Errorf("%s: %s is taken for a business day", country, d)
			}
		}
	}
	open := map[calendar.Country][]string{
		calendar.US: {"2026-07-03" /* the 4th is a Saturday */, "2026-11-27", "2026-12-24", "2026-09-30", "2026-12-28"},
		calendar.CA: {"2026-11-26", "2026-07-03", "2021-12-29", "2022-12-28", "2026-05-25", "2026-06-19", "2026-12-29"},
	}
	for country, dates := range open {
		for _, d := range dates {
			if !country.IsBusinessDay(day(d)) {
				t.Errorf("%s: %s is taken for a holiday", country, d)
			}
		}
	}
}

func TestAddBusinessDays(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		from string
		n    int
		want string
	}{
		{"2026-11-20", 2, "2026-11-24"}, // a Friday
		{"2026-11-21", 2, "2026-11-24"}, // a Saturday
		{"2026-11-24", 2, "2026-11-27"}, // over Thanksgiving
		{"2026-12-23", 4, "2026-12-30"},
	} {
		if got := calendar.US.AddBusinessDays(day(tt.from), tt.n); !got.Equal(day(tt.want)) {
			t.Errorf("%s + %d = %s, want %s", tt.from, tt.n, got.Format(time.DateOnly), tt.want)
		}
	}
}

func TestAddBusinessDaysPassesExactlyThatMany(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		country := rapid.SampledFrom([]calendar.Country{calendar.US, calendar.CA}).Draw(t, "country")
		from := day("2024-01-01").AddDate(0, 0, rapid.IntRange(0, 5000).Draw(t, "days"))
		n := rapid.IntRange(1, 20).Draw(t, "n")
		to, passed := country.AddBusinessDays(from, n), 0
		for d := from.AddDate(0, 0, 1); !d.After(to); d = d.AddDate(0, 0, 1) {
			if country.IsBusinessDay(d) {
				passed++
			}
		}
		if passed != n || !country.IsBusinessDay(to) {
			t.Fatalf("%s + %d = %s passes %d business days", from, n, to, passed)
		}
	})
}

// A year has as many closed weekdays as its holidays leave; a rule gone wrong shows as a jump.
func TestAYearHasAboutElevenHolidays(t *testing.T) {
	t.Parallel()
	for _, country := range []calendar.Country{calendar.US, calendar.CA} {
		for year := 2024; year < 2060; year++ {
			closed := 0
			for d := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC); d.Year() == year; d = d.AddDate(0, 0, 1) {
				if d.Weekday() != time.Saturday && d.Weekday() != time.Sunday && !country.IsBusinessDay(d) {
					closed++
				}
			}
			if closed < 9 || closed > 13 {
				t.Errorf("%s %d: %d holidays on weekdays", country, year, closed)
			}
		}
	}
}

func TestZone(t *testing.T) {
	t.Parallel()
	for range 2 {
		if z, err := calendar.Zone("America/Toronto"); err != nil || z.String() != "America/Toronto" {
			t.Errorf("%v, %v", z, err)
		}
	}
	for _, name := range []string{"", "Local", "Mars/Olympus", "../etc/passwd"} {
		if z, err := calendar.Zone(name); err == nil {
			t.Errorf("%q is %v", name, z)
		}
	}
}
