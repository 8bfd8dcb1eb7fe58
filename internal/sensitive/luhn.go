package sensitive

import "strings"

// Luhn reports whether a text is digits, at least one, the last of which checks the others by
// ISO/IEC 7812-1, annex B. Every card number passes, and one in ten of other numbers.
func Luhn(digits string) bool {
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return false
	}
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			d = d*2%10 + d*2/10
		}
		sum += d
	}
	return sum%10 == 0
}
