package sensitive

import (
	"slices"
	"strconv"
)

// Brand is a card network: the ranges of its first digits and the lengths of its numbers. Its name is
// that of the library's cardbrand event.
type Brand struct {
	Name    string
	ranges  [][2]int // inclusive, both ends with the same count of digits
	lengths []int
	cvc     int
}

// brands lists the accepted networks by the prefixes that they publish and the lengths that they issue. The library's
// card field judges alike: testdata/cards.json holds both to it.
var brands = []Brand{
	{"amex", [][2]int{{34, 34}, {37, 37}}, []int{15}, 4},
	{"diners_club", [][2]int{{300, 305}, {36, 36}, {38, 39}}, []int{14, 16, 19}, 3},
	{"discover", [][2]int{{6011, 6011}, {644, 649}, {65, 65}}, []int{16, 19}, 3},
	{"jcb", [][2]int{{3528, 3589}}, []int{16, 17, 18, 19}, 3},
	{"mastercard", [][2]int{{51, 55}, {2221, 2720}}, []int{16}, 3},
	{"visa", [][2]int{{4, 4}}, []int{16, 19}, 3},
}

// BrandNames lists the names of the accepted networks.
func BrandNames() []string {
	out := make([]string, len(brands))
	for i, b := range brands {
		out[i] = b.Name
	}
	return out
}

// BrandOf finds the network of a card number; its name is "" when there is none.
func BrandOf(digits string) Brand {
	for _, b := range brands {
		if b.begins(digits) {
			return b
		}
	}
	return Brand{}
}

// begins reports whether the network's numbers begin like that.
func (b Brand) begins(digits string) bool {
	return slices.ContainsFunc(b.ranges, func(r [2]int) bool { return starts(digits, r) })
}

func starts(digits string, r [2]int) bool {
	n := len(strconv.Itoa(r[0]))
	if len(digits) < n {
		return false
	}
	head, err := strconv.Atoi(digits[:n])
	return err == nil && r[0] <= head && head <= r[1]
}

// Fits reports whether the network's numbers can be that long.
func (b Brand) Fits(digits string) bool { return slices.Contains(b.lengths, len(digits)) }

// CVC is the length of the verification code; an unknown network's is taken for the usual one.
func (b Brand) CVC() int {
	if b.cvc == 0 {
		return 3
	}
	return b.cvc
}
