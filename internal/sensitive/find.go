package sensitive

import (
	"slices"
	"strconv"
	"strings"
)

// Span is where something is in a text, in bytes.
type Span struct{ From, To int }

// others are networks whose cards are not accepted here but whose numbers must not be kept either. These alone say
// nothing of how their numbers are written.
var others = []Brand{
	{Name: "unionpay", ranges: [][2]int{{62, 62}, {81, 81}}, lengths: []int{16, 17, 18, 19}},
	{Name: "maestro", ranges: [][2]int{{5018, 5018}, {5020, 5020}, {5038, 5038}, {5893, 5893}, {6304, 6304}, {6759, 6759}, {6761, 6763}},
		lengths: []int{13, 14, 15, 16, 17, 18, 19}},
}

// HoldsPAN reports whether a text holds what reads as a card number, which must not be kept in clear; see [FindPANs].
func HoldsPAN(text string) bool { return len(FindPANs(text)) > 0 }

// FindPANs finds what reads as card numbers in a text: 13 to 19 digits of any script with at most two characters that
// are no letters, or one between spaces, between them, with the first digits and the length of a network's numbers,
// that pass the Luhn check. They are a whole run of such digits, or a part of it that is set apart (see apart): a
// longer number is not one. Dates and times belong to no number.
func FindPANs(text string) (found []Span) {
	if !enoughDigits(text) {
		return nil
	}
	for _, run := range runsOf(text) {
		for _, part := range withoutTimes(run) {
			found = append(found, cardsIn(part)...)
		}
	}
	return found
}

// cardsIn finds the card numbers in a run.
func cardsIn(run []group) (found []Span) {
	for first := 0; first < len(run); first++ {
		number := ""
		for last := first; last < len(run); last++ {
			if number += run[last].digits; len(number) > MaxPAN {
				break
			}
			if readsAsPAN(number) && apart(run, first, last) {
				found = append(found, Span{run[first].from, run[last].to})
				first = last
				break
			}
		}
	}
	return found
}

func readsAsPAN(number string) bool {
	if len(number) < minPAN || !Luhn(number) {
		return false
	}
	return BrandOf(number).Fits(number) ||
		slices.ContainsFunc(others, func(b Brand) bool { return b.begins(number) && b.Fits(number) })
}

// apart reports whether some groups of a run are a number of their own: one group, or several that what is between them
// does not join to the neighbors as well. Where all is divided alike, groups that are set as on a card are one, unless
// a neighbor goes on in fours.
func apart(run []group, first, last int) bool {
	if first == last {
		return true
	}
	within := func(g group) bool {
		return slices.ContainsFunc(run[first+1:last+1], func(inner group) bool { return inner.before == g.before })
	}
	card := setAsOnCard(run[first : last+1])
	if first > 0 && within(run[first]) && !(card && len(run[first-1].digits) != 4) {
		return false
	}
	if last == len(run)-1 || !within(run[last+1]) {
		return true
	}
	next := run[last+1].digits
	return card && (len(next) != 4 || expiry(next[:2], next[2:]))
}

// setAsOnCard reports whether groups are those that cards print: 4-4-4-4, with a rest of three, 4-6-5 and 4-6-4.
func setAsOnCard(groups []group) bool {
	lengths := ""
	for _, g := range groups {
		lengths += strconv.Itoa(len(g.digits))
	}
	return slices.Contains([]string{"4444", "44443", "465", "464"}, lengths)
}

// withoutTimes cuts a run at the dates, times and expirations in it, which are taken out.
func withoutTimes(run []group) (parts [][]group) {
	from := 0
	for at := 0; at < len(run); {
		n := timeAt(run, at)
		if n == 0 {
			at++
			continue
		}
		parts = append(parts, run[from:at])
		at += n
		from = at
	}
	return append(parts, run[from:])
}

// timeAt is how many groups from a place on are a date, a time or an expiration, 0 for none. What divides these divides
// them from no neighbor.
func timeAt(run []group, at int) int {
	for _, n := range []int{3, 2} {
		if at+n > len(run) {
			continue
		}
		by := strings.TrimSpace(run[at+1].before)
		same := n == 2 || strings.TrimSpace(run[at+2].before) == by
		joined := at > 0 && strings.TrimSpace(run[at].before) == by || at+n < len(run) &&
			strings.TrimSpace(run[at+n].before) == by
		if same && !joined && isTime(run[at:at+n], by) {
			return n
		}
	}
	return 0
}

// isTime reports whether groups with by between them are a date, a time of day or an expiration.
func isTime(groups []group, by string) bool {
	var d [3]string
	for i, g := range groups {
		d[i] = g.digits
	}
	switch {
	case by == ":":
		return len(d[0]) <= 2 && len(d[1]) == 2 && among(d[0], 0, 23) && among(d[1], 0, 59) &&
			(d[2] == "" || len(d[2]) == 2 && among(d[2], 0, 60))
	case by == "/" && len(groups) == 2:
		return expiry(d[0], d[1])
	case len(groups) == 2 || by == "" || !strings.Contains("-/.", by):
		return false
	case len(d[0]) == 4:
		return year(d[0]) && day(d[1], d[2])
	}
	return year(d[2]) && (day(d[0], d[1]) || day(d[1], d[0]))
}

// expiry reports whether digits are the month and the year in which a card ends.
func expiry(month, years string) bool {
	return len(month) <= 2 && among(month, 1, 12) && (len(years) == 2 && among(years, 20, 59) || len(years) == 4 &&
		among(years, 2020, 2059))
}

func year(digits string) bool { return len(digits) == 4 && among(digits, 1900, 2099) }

func day(month, day string) bool {
	return len(month) <= 2 && len(day) <= 2 && among(month, 1, 12) && among(day, 1, 31)
}

func among(digits string, least, most int) bool {
	n, err := strconv.Atoi(digits)
	return err == nil && least <= n && n <= most
}
