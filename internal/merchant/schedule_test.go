package merchant_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/merchant"
	"svcpay/internal/platform/calendar"
)

func TestPayoutDays(t *testing.T) {
	t.Parallel()
	const newYork, toronto, vancouver = "America/New_York", "America/Toronto", "America/Vancouver"
	n := func(v int) *int { return &v }
	for name, c := range map[string]struct {
		zone, country string
		schedule      merchant.Schedule
		weekday, day  *int
		after         string // local time
		want          []string
	}{
		"daily over a weekend and Thanksgiving": {newYork, "US", merchant.Daily, nil, nil, "2026-11-20T06:00:00",
			[]string{"2026-11-23", "2026-11-24", "2026-11-25", "2026-11-27", "2026-11-30"}},
		"daily before six":                  {newYork, "US", merchant.Daily, nil, nil, "2026-11-20T05:59:59", []string{"2026-11-20", "2026-11-23"}},
		"Canada keeps other days":           {toronto, "CA", merchant.Daily, nil, nil, "2026-05-15T12:00:00", []string{"2026-05-19", "2026-05-20"}},
		"weekly, Memorial Day is a Monday":  {newYork, "US", merchant.Weekly, n(1), nil, "2026-05-18T06:00:00", []string{"2026-05-26", "2026-06-01"}},
		"weekly, the moved day is to come":  {newYork, "US", merchant.Weekly, n(1), nil, "2026-05-25T23:00:00", []string{"2026-05-26", "2026-06-01"}},
		"weekly Fridays, over Christmas":    {vancouver, "CA", merchant.Weekly, n(5), nil, "2026-12-18T06:00:00", []string{"2026-12-29", "2027-01-04"}},
		"monthly on the 31st":               {newYork, "US", merchant.Monthly, nil, n(31), "2027-01-05T00:00:00", []string{"2027-02-01", "2027-03-01", "2027-03-31", "2027-04-30"}},
		"monthly on the 1st, a holiday":     {newYork, "US", merchant.Monthly, nil, n(1), "2026-12-31T00:00:00", []string{"2027-01-04", "2027-02-01"}},
		"monthly, moved into the new month": {newYork, "US", merchant.Monthly, nil, n(30), "2026-05-15T00:00:00", []string{"2026-06-01", "2026-06-30"}},
	} {
		zone, err := calendar.Zone(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		m := merchant.Merchant{TimeZone: c.zone, Country: c.country, PayoutSchedule: c.schedule,
			PayoutWeekday: c.weekday, PayoutDayOfMonth: c.day}
		at, err := time.ParseInLocation("2006-01-02T15:04:05", c.after, zone)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if at, err = m.NextPayout(at); err != nil || at.In(zone).Format("2006-01-02T15:04:05") != want+"T06:00:00" {
				t.Fatalf("%s: %v, %v; want %s", name, at.In(zone), err, want)
			}
		}
	}
	if at, err := (merchant.Merchant{TimeZone: "Mars/Olympus"}).NextPayout(time.Unix(0, 0)); err == nil {
		t.Errorf("%v", at)
	}
}

// TestPayoutDaysOfAnySchedule: the next run is after the time asked about, on a business day at six in
// the morning there, and asking again any time before it gives the same.
func TestPayoutDaysOfAnySchedule(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		weekday, day := rapid.IntRange(1, 5).Draw(t, "weekday"), rapid.IntRange(1, 31).Draw(t, "day")
		m := merchant.Merchant{
			TimeZone: rapid.SampledFrom([]string{"America/New_York", "Pacific/Honolulu", "America/St_Johns",
				"UTC"}).Draw(t, "zone"),
			Country: rapid.SampledFrom([]string{"US", "CA"}).Draw(t, "country"),
			PayoutSchedule: rapid.SampledFrom([]merchant.Schedule{merchant.Daily, merchant.Weekly,
				merchant.Monthly}).Draw(t, "schedule"),
			PayoutWeekday: &weekday, PayoutDayOfMonth: &day,
		}
		zone, _ := calendar.Zone(m.TimeZone)
		after := time.Unix(rapid.Int64Range(1_700_000_000, 2_000_000_000).Draw(t, "after"), 0)
		next, err := m.NextPayout(after)
		if err != nil || !next.After(after) || !calendar.Country(m.Country).IsBusinessDay(next) ||
			next.In(zone).Format("15:04:05") != "06:00:00" {
			t.Fatalf("after %v: %v, %v", after, next, err)
		}
		longest := map[merchant.Schedule]time.Duration{merchant.Daily: 5, merchant.Weekly: 12,
			merchant.Monthly: 37}[m.PayoutSchedule] * 25 * time.Hour
		if next.Sub(after) > longest {
			t.Fatalf("after %v not before %v", after, next)
		}
		between := after.Add(time.Duration(rapid.Int64Range(0, int64(next.Sub(after))-1).Draw(t, "later")))
		if again, err := m.NextPayout(between); err != nil || !again.Equal(next) {
			t.Fatalf("at %v: %v, %v; want %v", between, again, err, next)
		}
	})
}
