package token

import (
	"slices"
	"strconv"
)

// cardBrand is a card network: the ranges of its first digits and the lengths of its numbers.
// Names are those of the library's cardbrand event.
type cardBrand struct {
	name    string
	ranges  [][2]int // inclusive, both ends with the same count of digits
	lengths []int
	cvcLen  int
}

// brands lists the accepted networks by the prefixes that they publish.
var brands = []cardBrand{
	{"amex", [][2]int{{34, 34}, {37, 37}}, []int{15}, 4},
	{"diners_club", [][2]int{{300, 305}, {36, 36}, {38, 39}}, []int{14, 16, 19}, 3},
	{"discover", [][2]int{{6011, 6011}, {644, 649}, {65, 65}}, []int{16, 19}, 3},
	{"jcb", [][2]int{{3528, 3589}}, []int{16, 17, 18, 19}, 3},
	{"mastercard", [][2]int{{51, 55}, {2221, 2720}}, []int{16}, 3},
	{"visa", [][2]int{{4, 4}}, []int{13, 16, 19}, 3},
}

// brandOf finds the network of a card number; its name is "" when there is none.
func brandOf(digits string) cardBrand {
	for _, b := range brands {
		if slices.ContainsFunc(b.ranges, func(r [2]int) bool { return starts(digits, r) }) {
			return b
		}
	}
	return cardBrand{}
}

func starts(digits string, r [2]int) bool {
	n := len(strconv.Itoa(r[0]))
	if len(digits) < n {
		return false
	}
	head, err := strconv.Atoi(digits[:n])
	return err == nil && r[0] <= head && head <= r[1]
}

func (b cardBrand) fits(digits string) bool { return slices.Contains(b.lengths, len(digits)) }

// cvc is the length of the verification code; an unknown network's is taken for the usual one.
func (b cardBrand) cvc() int {
	if b.cvcLen == 0 {
		return 3
	}
	return b.cvcLen
}
