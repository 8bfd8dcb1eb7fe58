package calendar

import "time"

func isWeekend(t time.Time) bool {
	return t.Weekday() == time.Saturday || t.Weekday() == time.Sunday
}

// fixed is a holiday on the same date every year.
type fixed struct {
	month time.Month
	day   int
}

// floating is the n-th weekday of a month; n = -1 is the last.
type floating struct {
	month   time.Month
	weekday time.Weekday
	n       int
}

// The holidays of the Federal Reserve Banks (Federal Reserve Financial Services, holiday schedules).
var (
	federalFixed = []fixed{
		{time.January, 1}, {time.June, 19}, {time.July, 4}, {time.November, 11}, {time.December, 25},
	}
	federalFloating = []floating{
		{time.January, time.Monday, 3},    // Martin Luther King Jr. Day
		{time.February, time.Monday, 3},   // Washington's Birthday
		{time.May, time.Monday, -1},       // Memorial Day
		{time.September, time.Monday, 1},  // Labor Day
		{time.October, time.Monday, 2},    // Columbus Day
		{time.November, time.Thursday, 4}, // Thanksgiving Day
	}
)

// federal: a holiday on a Sunday is observed on Monday; one on a Saturday closes no other day.
func federal(t time.Time) bool {
	yesterday := t.AddDate(0, 0, -1)
	return onFixed(t, federalFixed) || onFloating(t, federalFloating) ||
		(yesterday.Weekday() == time.Sunday && onFixed(yesterday, federalFixed))
}

// The days on which the Canadian clearing systems are closed (Payments Canada).
var (
	canadianFixed = []fixed{
		{time.January, 1}, {time.July, 1}, {time.September, 30}, {time.November, 11},
		{time.December, 25}, {time.December, 26},
	}
	canadianFloating = []floating{
		{time.February, time.Monday, 3},  // Family Day
		{time.August, time.Monday, 1},    // Civic Holiday
		{time.September, time.Monday, 1}, // Labour Day
		{time.October, time.Monday, 2},   // Thanksgiving
	}
)

// canadian: a holiday on a weekend is observed on the next day that is neither weekend nor holiday.
func canadian(t time.Time) bool {
	if onFloating(t, canadianFloating) || isVictoriaDay(t) || isGoodFriday(t) {
		return true
	}
	var observed []fixed
	for _, h := range canadianFixed {
		day := time.Date(t.Year(), h.month, h.day, 0, 0, 0, 0, time.UTC)
		for moved := isWeekend(day); moved &&
			(isWeekend(day) || onFixed(day, canadianFixed) || onFixed(day, observed)); {
			day = day.AddDate(0, 0, 1)
		}
		observed = append(observed, fixed{day.Month(), day.Day()})
	}
	return onFixed(t, observed)
}

func onFixed(t time.Time, holidays []fixed) bool {
	for _, h := range holidays {
		if t.Month() == h.month && t.Day() == h.day {
			return true
		}
	}
	return false
}

func onFloating(t time.Time, holidays []floating) bool {
	for _, h := range holidays {
		if t.Month() != h.month || t.Weekday() != h.weekday {
			continue
		}
		if h.n > 0 && (t.Day()-1)/7+1 == h.n {
			return true
		}
		if h.n == -1 && t.AddDate(0, 0, 7).Month() != h.month {
			return true
		}
	}
	return false
}

// isVictoriaDay: the Monday before 25 May.
func isVictoriaDay(t time.Time) bool {
	return t.Month() == time.May && t.Weekday() == time.Monday && t.Day() >= 18 && t.Day() <= 24
}

func isGoodFriday(t time.Time) bool {
	friday := easter(t.Year()).AddDate(0, 0, -2)
	return t.Month() == friday.Month() && t.Day() == friday.Day()
}

// easter is the Sunday of the Gregorian calendar's computus (Meeus, Astronomical Algorithms, ch. 8).
func easter(year int) time.Time {
	a, b, c := year%19, year/100, year%100
	d, e := b/4, b%4
	g := (8*b + 13) / 25
	h := (19*a + b - d - g + 15) % 30
	i, k := c/4, c%4
	l := (32 + 2*e + 2*i - h - k) % 7
	m := (a + 11*h + 19*l) / 433
	month := (h + l - 7*m + 90) / 25
	day := (h + l - 7*m + 33*month + 19) % 32
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
}
