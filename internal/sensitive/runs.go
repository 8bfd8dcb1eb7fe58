package sensitive

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/unicode/rangetable"

	"svcpay/internal/sensitive/digits"
)

// minPAN and MaxPAN bound how many digits card numbers have (ISO/IEC 7812-1).
const (
	minPAN = 13
	MaxPAN = 19
)

// maxGap is how many characters people put between two digits of a number, such as a comma and a space.
const maxGap = 2

// group is digits of a text without anything that can be seen between them. They are in ASCII; from and to are where
// they are in the text, in bytes.
type group struct {
	digits   string
	before   string // what is between the group before and this one; "" of the first
	from, to int
}

// fits reports whether a character can follow those of a gap: up to maxGap, or one between two spaces, such as " - ".
func fits(gap string, r rune) bool {
	all := append([]rune(gap), r)
	return len(all) <= maxGap || len(all) == maxGap+1 && unicode.IsSpace(all[0]) && !unicode.IsSpace(all[1]) &&
		unicode.IsSpace(r)
}

// runsOf finds the runs of digits in a text: groups with characters that are no letters between them, as many as fit.
// Characters that cannot be seen, and marks on others, do not count.
func runsOf(text string) (runs [][]group) {
	var run []group
	gap := ""
	end := func() {
		if len(run) > 0 {
			runs = append(runs, run)
		}
		run, gap = nil, ""
	}
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch value := digitsOf(r); {
		case value != "" && len(run) > 0 && gap == "":
			last := &run[len(run)-1]
			last.digits, last.to = last.digits+value, at+size
		case value != "":
			run, gap = append(run, group{digits: value, before: gap, from: at, to: at + size}), ""
		case len(run) == 0, hidden(r):
		case letter(r), !fits(gap, r):
			end()
		default:
			gap += string(r)
		}
		at += size
	}
	end()
	return runs
}

// enoughDigits reports whether a text can have as many digits as a card number; most have not.
func enoughDigits(text string) bool {
	n := 0
	for i := range len(text) {
		if c := text[i]; c >= '0' && c <= '9' || c >= utf8.RuneSelf && utf8.RuneStart(c) {
			if n++; n == minPAN {
				return true
			}
		}
	}
	return false
}

// digitsOf are the digits that a character is, of whatever script, or has in its compatibility form (① ² １), in ASCII;
// "" of every other.
func digitsOf(r rune) string {
	const ascii = "0123456789"
	if value, ok := digits.Value(r); ok {
		return ascii[value : value+1]
	}
	if r < utf8.RuneSelf || unicode.IsLetter(r) {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, string(norm.NFKD.PropertiesString(string(r)).Decomposition()))
}

// unseen are marks on other characters, and characters that cannot be seen.
var unseen = rangetable.Merge(unicode.Mn, unicode.Me, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point)

// hidden reports whether a character takes no room of its own.
func hidden(r rune) bool { return r >= utf8.RuneSelf && unicode.Is(unseen, r) }

// letter reports whether a character is of a word. A modifier letter is not: the Japanese long-vowel mark is typed as a
// dash.
func letter(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Lm, r) }
