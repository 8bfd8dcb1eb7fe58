// Package digits reads the decimal digits of all scripts.
package digits

import "unicode"

// Value is the value, 0 to 9, of a decimal digit of any script; false for every other character.
func Value(r rune) (int, bool) {
	if r < 0x80 {
		return int(r - '0'), '0' <= r && r <= '9'
	}
	if !unicode.Is(unicode.Nd, r) {
		return 0, false
	}
	for _, s := range unicode.Nd.R16[1:] {
		if uint32(s.Lo) <= uint32(r) && uint32(r) <= uint32(s.Hi) {
			return int(r-rune(s.Lo)) % 10, true
		}
	}
	for _, s := range unicode.Nd.R32 {
		if s.Lo <= uint32(r) && uint32(r) <= s.Hi {
			return int(r-rune(s.Lo)) % 10, true
		}
	}
	return 0, false
}
