// Package spreadsheet writes texts so that spreadsheet programs read them as texts, never as formulas.
package spreadsheet

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// BOM begins a file that people open: without it, Excel reads UTF-8 as an older character set.
const BOM = "\ufeff"

var decimal = regexp.MustCompile(`^-?\d+(\.\d+)?$`)

// Cell is a text with an apostrophe before it if a spreadsheet could take it for a formula: if a sign begins it, in
// any width and after any space, and it is not a number to its end.
func Cell(text string) string {
	if decimal.MatchString(text) {
		return text
	}
	begin := strings.TrimLeftFunc(norm.NFKC.String(text), blank)
	if strings.ContainsAny(begin[:min(1, len(begin))], "=+-@") ||
		strings.ContainsAny(text[:min(1, len(text))], "\t\r\n") {
		return "'" + text
	}
	return text
}

// blank reports whether a spreadsheet may drop a character before it looks at the text.
func blank(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.C, r) }
