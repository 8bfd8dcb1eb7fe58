package merchant

import (
	"fmt"
	"time"

	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/platform/calendar"
)

// Schedule says how often a merchant is paid out.
type Schedule string

// The schedules.
const (
	Daily   Schedule = "daily"   // each business day
	Weekly  Schedule = "weekly"  // on the merchant's weekday, or the next business day
	Monthly Schedule = "monthly" // on the merchant's day of the month, or the next business day
)

// checkSchedule wants a schedule with the day that it needs, and no other.
func (m Merchant) checkSchedule(fs *fault.Fields) {
	check.OneOf(fs, "payout_schedule", new(string(m.PayoutSchedule)), string(Daily), string(Weekly), string(Monthly))
	if weekly := m.PayoutSchedule == Weekly; weekly != (m.PayoutWeekday != nil) || weekly &&
		(*m.PayoutWeekday < 1 || *m.PayoutWeekday > 5) {
		fs.Add("payout_weekday", "parameter_invalid",
			"Weekly payouts, and only they, have a weekday from 1 (Monday) to 5 (Friday).")
	}
	if monthly := m.PayoutSchedule == Monthly; monthly != (m.PayoutDayOfMonth != nil) || monthly &&
		(*m.PayoutDayOfMonth < 1 || *m.PayoutDayOfMonth > 31) {
		fs.Add("payout_day_of_month", "parameter_invalid",
			"Monthly payouts, and only they, have a day of the month from 1 to 31.")
	}
}

// checkDay wants a day of a week or month, as far as that can be seen without the schedule.
func checkDay(fs *fault.Fields, param string, day *int, last int) {
	if day != nil && (*day < 1 || *day > last) {
		fs.Add(param, "parameter_invalid", fmt.Sprintf("A day from 1 to %d.", last))
	}
}

func checkTimeZone(fs *fault.Fields, name *string) {
	if name == nil {
		return
	}
	if _, err := calendar.Zone(*name); err != nil {
		fs.Add("time_zone", "parameter_invalid", "This is not the name of a time zone such as America/New_York.")
	}
}

const (
	// payoutHour is when payouts are made, in the merchant's time zone.
	payoutHour = 6
	// longestMove is more days than any run of weekends and bank holidays: a payout day before that
	// has had its payout.
	longestMove = 10
)

// NextPayout returns the first time after t at which the merchant's payout schedule has a payout:
// 06:00 in its time zone on a business day of its country.
func (m Merchant) NextPayout(t time.Time) (time.Time, error) {
	zone, err := calendar.Zone(m.TimeZone)
	if err != nil {
		return time.Time{}, err
	}
	banks := calendar.Country(m.Country)
	year, month, date := t.In(zone).Date()
	for day := -longestMove; ; day++ {
		run := time.Date(year, month, date+day, payoutHour, 0, 0, 0, zone)
		if !m.paidOn(run) {
			continue
		}
		for !banks.IsBusinessDay(run) {
			run = run.AddDate(0, 0, 1)
		}
		if run.After(t) {
			return run, nil
		}
	}
}

// paidOn reports whether the schedule names the day, be it a business day or not.
func (m Merchant) paidOn(day time.Time) bool {
	switch m.PayoutSchedule {
	case Weekly:
		return int(day.Weekday()) == *m.PayoutWeekday
	case Monthly:
		last := time.Date(day.Year(), day.Month()+1, 0, 0, 0, 0, 0, day.Location()).Day()
		return day.Day() == min(*m.PayoutDayOfMonth, last)
	}
	return true
}
