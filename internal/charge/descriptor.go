package charge

import (
	"strings"
	"unicode/utf8"
)

const (
	// suffixMark separates the merchant's name from the charge's suffix.
	suffixMark = "* "
	// leastName is how many characters of the merchant's name stay in front of any suffix: without them, payers do not recognize
	// whom they paid.
	leastName = 3
)

// descriptor is the text on the payer's statement, of at most room characters. The merchant's name is cut before the suffix, which
// identifies the purchase. A suffix of which nothing fits is left out.
func descriptor(merchant string, suffix *string, room int) string {
	if suffix == nil {
		return cut(merchant, room)
	}
	name := min(utf8.RuneCountInString(merchant), leastName)
	end := cut(*suffix, room-name-len(suffixMark))
	if end == "" {
		return cut(merchant, room)
	}
	end = suffixMark + end
	return cut(merchant, room-utf8.RuneCountInString(end)) + end
}

// cut is the beginning of a text, of at most room characters.
func cut(text string, room int) string {
	all := []rune(text)
	return strings.TrimSpace(string(all[:min(len(all), max(0, room))]))
}
