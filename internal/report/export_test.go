package report

// Text is how a text that others chose is written.
func Text(s string) string { return text(&s) }

// SearchCharges finds all charges that match.
const SearchCharges = whole + charges + among
