package statement

// Text is how a text that others chose is written.
func Text(s string) string { return text(&s) }
