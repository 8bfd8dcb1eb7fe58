package charge

import (
	"unicode/utf8"

	"svcpay/internal/processor"
)

const (
	// suffixMark separates the merchant's name from the charge's suffix.
	suffixMark = "* "
	// leastName is how many characters of the merchant's name stay in front of any suffix: without them, payers do not
	// recognize whom they paid.
	leastName = 3
)

// descriptor is the text on the payer's statement, of at most room characters. The merchant's name is cut before the
// suffix, which identifies the purchase. A suffix of which nothing fits is left out.
func descriptor(merchant string, suffix *string, room int) string {
	if suffix == nil {
		return processor.Cut(merchant, room)
	}
	name := min(utf8.RuneCountInString(merchant), leastName)
	end := processor.Cut(*suffix, room-name-len(suffixMark))
	if end == "" {
		return processor.Cut(merchant, room)
	}
	end = suffixMark + end
	return processor.Cut(merchant, room-utf8.RuneCountInString(end)) + end
}
