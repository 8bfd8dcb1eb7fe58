package sensitive

// IsDigit reports whether a character is read as digits.
func IsDigit(r rune) bool { return digitsOf(r) != "" }
