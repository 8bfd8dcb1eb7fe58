// Package calendar computes the business days on which banks move money.
package calendar

import "time"

// Country selects a banking calendar by ISO 3166-1 alpha-2.
type Country string

// The calendars.
const (
	US Country = "US" // holidays of the Federal Reserve Banks
	CA Country = "CA" // days on which the Canadian clearing systems are closed
)

// IsBusinessDay reports whether banks of the country move money on the date that t shows in its own
// location.
func (c Country) IsBusinessDay(t time.Time) bool {
	if isWeekend(t) {
		return false
	}
	if c == CA {
		return !canadian(t)
	}
	return !federal(t)
}

// AddBusinessDays returns midnight, in t's location, of the n-th business day after t's date; n is
// at least 1.
func (c Country) AddBusinessDays(t time.Time, n int) time.Time {
	y, m, d := t.Date()
	day := time.Date(y, m, d, 0, 0, 0, 0, t.Location())
	for n > 0 {
		if day = day.AddDate(0, 0, 1); c.IsBusinessDay(day) {
			n--
		}
	}
	return day
}

// BatchAt returns when a debit that was accepted at t goes to the bank: with the next batch of a business day, at that
// hour in zone. The days until it settles and until the bank returns it are counted from there.
func (c Country) BatchAt(t time.Time, zone *time.Location, hour int) time.Time {
	y, month, d := t.In(zone).Date()
	batch := time.Date(y, month, d, hour, 0, 0, 0, zone)
	if !t.Before(batch) || !c.IsBusinessDay(batch) {
		day := c.AddBusinessDays(batch, 1)
		batch = time.Date(day.Year(), day.Month(), day.Day(), hour, 0, 0, 0, zone)
	}
	return batch
}
